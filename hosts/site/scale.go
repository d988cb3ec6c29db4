package site

import (
	"image"
	"slices"

	"golang.org/x/image/draw"
)

// upright is the orientation of an unrotated picture (EXIF 2.3, tag 0x0112).
const upright = 1

// maxSharp is the maximum memory of the CatmullRom scaler in bytes. Taller pictures, which would
// need more, are scaled with a scaler that needs no buffer.
const (
	maxSharp    = 96 << 20
	sharpSample = 32 // bytes: four channels as float64
)

// scaled returns a copy of a picture that is w by h pixels large and upright according to its EXIF
// orientation. The picture is first averaged to less than twice the target size, so that scaling
// needs little memory and time.
func scaled(img image.Image, w, h, orientation int) image.Image {
	if orientation >= 5 {
		w, h = h, w
	}
	if n := min(img.Bounds().Dx()/w, img.Bounds().Dy()/h); n > 1 {
		img = averaged(img, n)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	var scaler draw.Interpolator = draw.CatmullRom
	if w*img.Bounds().Dy()*sharpSample > maxSharp {
		scaler = draw.ApproxBiLinear
	}
	scaler.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	if orientation > upright {
		return rotated(small, orientation)
	}
	return small
}

// averaged returns a copy of a picture in which one pixel replaces each square of n by n pixels. It
// processes the picture in strips to save memory.
func averaged(img image.Image, n int) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()/n))
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), n))
	for y := range out.Rect.Dy() {
		draw.Draw(strip, strip.Rect, img, image.Pt(b.Min.X, b.Min.Y+y*n), draw.Src)
		row := out.Pix[y*out.Stride:]
		for x := range out.Rect.Dx() {
			averageSquare(row[4*x:4*x+4], strip, x*n, n)
		}
	}
	return out
}

// averageSquare writes the average color of the square that starts at column x of a strip to a
// pixel.
func averageSquare(to []byte, strip *image.RGBA, x, n int) {
	var sum [4]int
	for y := range n {
		at := y*strip.Stride + 4*x
		for pixel := range slices.Chunk(strip.Pix[at:at+4*n], 4) {
			for i, v := range pixel {
				sum[i] += int(v)
			}
		}
	}
	for i := range to {
		to[i] = uint8((sum[i] + n*n/2) / (n * n)) //nolint:gosec // an average of bytes
	}
}
