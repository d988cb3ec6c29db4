package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// pngWith returns the smallest PNG with the given header.
func pngWith(w, h uint32, depth, colors, interlaced byte) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	head := pngChunk("IHDR", string(append(b, depth, colors, 0, 0, interlaced)))
	return bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1a\n"), head, pngChunk("PLTE", "abc"),
		pngChunk("IDAT", "x"), pngChunk("IEND", "")}, nil)
}

// jpegWith returns the smallest JPEG with a frame and the components, each an ID and sampling
// factors.
func jpegWith(marker byte, w, h uint16, components ...string) []byte {
	frame := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, h), w)
	frame = append(frame, byte(len(components)))
	for _, c := range components {
		frame = append(append(frame, c...), 0)
	}
	return bytes.Join([][]byte{{0xff, 0xd8}, appended(marker, string(frame)),
		appended(0xda, "\x01\x01\x00\x00\x3f\x00"), {0xff, 0xd9}}, nil)
}

// Memory is computed from the header, by channels and bytes per channel.
func TestMemory_CountsBytesOfChannels(t *testing.T) {
	const pixels = 300 * 200
	for name, tt := range map[string]struct {
		b    []byte
		want float64 // bytes per pixel
	}{
		"indexed PNG":               {pngWith(300, 200, 8, 3, 0), 1},
		"RGB PNG":                   {pngWith(300, 200, 8, 2, 0), 4},
		"RGBA PNG with 16 bits":     {pngWith(300, 200, 16, 6, 0), 8},
		"interlaced with 16 bits":   {pngWith(300, 200, 16, 2, 1), 16},
		"gray JPEG":                 {jpegWith(0xc0, 300, 200, "\x01\x11"), 1},
		"JPEG 4:4:4":                {jpegWith(0xc0, 300, 200, "\x01\x11", "\x02\x11", "\x03\x11"), 3},
		"JPEG 4:2:0":                {jpegWith(0xc0, 300, 200, "\x01\x22", "\x02\x11", "\x03\x11"), 1.5},
		"progressive JPEG 4:2:0":    {jpegWith(0xc2, 300, 200, "\x01\x22", "\x02\x11", "\x03\x11"), 7.5},
		"RGB JPEG":                  {jpegWith(0xc0, 300, 200, "R\x11", "G\x11", "B\x11"), 7},
		"CMYK JPEG":                 {jpegWith(0xc0, 300, 200, "\x01\x11", "\x02\x11", "\x03\x11", "\x04\x11"), 8},
		"progressive CMYK JPEG":     {jpegWith(0xc2, 300, 200, "\x01\x11", "\x02\x11", "\x03\x11", "\x04\x11"), 24},
		"JPEG with no sampling":     {jpegWith(0xc0, 300, 200, "\x01\x00", "\x02\x00", "\x03\x00"), 3},
		"lossy WebP":                {webpOf(lossy(300, 200)), 3},
		"lossless WebP":             {webpOf(lossless(300, 200)), 8},
		"lossless WebP with header": {webpOf(extended(0x10, 300, 200), lossless(300, 200)), 8},
		"a drawing":                 {[]byte("<svg/>"), 0},
	} {
		if got, err := media.Memory(tt.b); err != nil || got != int64(tt.want*pixels) {
			t.Errorf("%s: %d, %v; want %.0f", name, got, err, tt.want*pixels)
		}
	}
}

// Decoders allocate at most as much memory for the pixels as Memory computes.
func TestMemory_CoversDecoders(t *testing.T) {
	src := canvas(160, 96)
	encode := func(to draw.Image) []byte {
		draw.Draw(to, to.Bounds(), src, image.Point{}, draw.Src)
		var b bytes.Buffer
		if err := png.Encode(&b, to); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, src, nil); err != nil {
		t.Fatal(err)
	}
	all := src.Bounds()
	for _, b := range [][]byte{
		encode(image.NewNRGBA64(all)), encode(image.NewRGBA(all)), encode(image.NewGray16(all)), encode(image.NewGray(all)),
		encode(image.NewPaletted(all, color.Palette{color.Black, color.White})), photo.Bytes(),
	} {
		img, _, err := image.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		need, err := media.Memory(b)
		if taken := pixelBytes(t, img); err != nil || need < taken {
			t.Errorf("%T takes %d bytes, and %d were computed: %v", img, taken, need, err)
		}
	}
}

func pixelBytes(t *testing.T, img image.Image) int64 {
	t.Helper()
	switch p := img.(type) {
	case *image.NRGBA64:
		return int64(len(p.Pix))
	case *image.RGBA64:
		return int64(len(p.Pix))
	case *image.NRGBA:
		return int64(len(p.Pix))
	case *image.RGBA:
		return int64(len(p.Pix))
	case *image.Gray16:
		return int64(len(p.Pix))
	case *image.Gray:
		return int64(len(p.Pix))
	case *image.Paletted:
		return int64(len(p.Pix))
	case *image.YCbCr:
		return int64(len(p.Y)) + int64(len(p.Cb)) + int64(len(p.Cr))
	}
	t.Fatalf("unknown pixel size of %T", img)
	return 0
}

// The limit for pictures is the memory for decoding, not the number of pixels.
func TestSanitize_PictureOverMemoryLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		b    []byte
		ok   bool
	}{
		"a photo with 48 megapixels": {"a.jpg", jpegWith(0xc0, 8000, 6000, "\x01\x22", "\x02\x11", "\x03\x11"), true},
		"the same, progressive":      {"a.jpg", jpegWith(0xc2, 8000, 6000, "\x01\x22", "\x02\x11", "\x03\x11"), false},
		"40 megapixels with 8 bits":  {"a.png", pngWith(8000, 5000, 8, 6, 0), true},
		"40 megapixels with 16 bits": {"a.png", pngWith(8000, 5000, 16, 6, 0), false},
		"25 megapixels, lossless":    {"a.webp", webpOf(lossless(5000, 5000)), true},
		"26 megapixels, lossless":    {"a.webp", webpOf(lossless(5100, 5100)), false},
		"100 megapixels in indexed GIFs": {"a.gif",
			bytes.Replace(gifOf(t), []byte("\x14\x00\x0a\x00"), []byte("\x10\x27\x10\x27"), 1), false},
	} {
		_, err := media.Sanitize(media.Image, tt.file, tt.b)
		switch {
		case tt.ok && err != nil:
			t.Errorf("%s: %v", name, err)
		case !tt.ok && (!fault.Is(err, fault.Invalid) || fault.Of(err).Field != "file"):
			t.Errorf("%s: %v; want a rejection", name, err)
		}
	}
}
