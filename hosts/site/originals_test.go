package site_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"testing/fstest"
)

// orientedPicture returns a photo whose EXIF data contain an orientation and a location. The top
// left quarter is red before the rotation.
func orientedPicture(t *testing.T, w, h, orientation int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{20, 20, 200, 255}
			if x < w/2 && y < h/2 {
				c = color.RGBA{200, 20, 20, 255}
			}
			img.Set(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(
		"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00%c"+
			"\x00\x00\x00\x00\x00\x00GPS 40.6892N",
		orientation)
	plain := out.String()
	size := string([]byte{0, byte(len(body) + 2)}) //nolint:gosec // short
	return []byte(plain[:2] + "\xff\xe1" + size + body + plain[2:])
}

// redCorner returns whether a picture is wider than high, and which of its quarters is red, such as
// "true top left".
func redCorner(t *testing.T, b []byte) string {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for name, at := range map[string]image.Point{"top left": {w / 4, h / 4}, "top right": {3 * w / 4, h / 4},
		"bottom left": {w / 4, 3 * h / 4}, "bottom right": {3 * w / 4, 3 * h / 4}} {
		if r, _, blue, _ := img.At(at.X, at.Y).RGBA(); r > blue {
			return fmt.Sprint(w > h, " ", name)
		}
	}
	return "nowhere"
}

// Resized photos are upright, and no published file contains the photo's location.
func TestPictures_PhonePhotos(t *testing.T) {
	for orientation, want := range []string{1: "true top left", 2: "true top right", 3: "true bottom right",
		4: "true bottom left", 5: "false top left", 6: "false top right", 7: "false bottom right", 8: "false bottom left"} {
		if orientation == 0 {
			continue
		}
		files := content(t)
		files["assets/images/boat.jpg"] = &fstest.MapFile{Data: orientedPicture(t, 700, 400, orientation)}
		files["assets/images/small.jpg"] = &fstest.MapFile{Data: orientedPicture(t, 200, 100, orientation)}
		files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "short_blurb",
			"creator_image: /assets/images/small.jpg\nshort_blurb", 1))
		tree := build(t, files, noon)
		seen := 0
		for _, p := range tree.Paths() {
			if !strings.HasSuffix(p, ".jpg") {
				continue
			}
			f, _ := tree.File(p)
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil || r.Close() != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "GPS") {
				t.Errorf("%d: %s contains its location", orientation, p)
			}
			if strings.HasPrefix(p, "_/images/") {
				seen++
				if got := redCorner(t, b); got != want {
					t.Errorf("%d: red corner of %s is %s, want %s", orientation, p, got, want)
				}
			}
		}
		page := text(t, tree, "campaigns/paper-boat/index.html")
		size := `width="700" height="400"`
		if orientation >= 5 {
			size = `width="400" height="700"`
		}
		if seen == 0 || !strings.Contains(page, size) {
			t.Errorf("%d: %d pictures, page lacks %s", orientation, seen, size)
		}
	}
}
