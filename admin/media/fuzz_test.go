package media_test

import (
	"bytes"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/media"
)

// checkSanitized verifies that an accepted file is accepted again unchanged and contains no
// metadata.
func checkSanitized(t *testing.T, k media.Kind, name string, b []byte) (media.Sanitized, bool) {
	size := len(b)
	c, err := media.Sanitize(k, name, b)
	if err != nil {
		return c, false
	}
	if len(c.Bytes) > size+64 {
		t.Fatalf("%d bytes became %d", size, len(c.Bytes))
	}
	again, err := media.Sanitize(k, name, bytes.Clone(c.Bytes))
	if err != nil || !cmp.Equal(c, again) {
		t.Fatalf("cleaned again: %v", err)
	}
	return c, true
}

func FuzzJPEG(f *testing.F) {
	f.Add(jpegOf(f))
	f.Add(withMetadata(f)["exif.jpg"])
	f.Add(withMetadata(f)["preview.jpg"])
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, ok := checkSanitized(t, media.Image, "a.jpg", b); ok {
			if size, err := jpeg.DecodeConfig(bytes.NewReader(c.Bytes)); err == nil &&
				(size.Width != c.Width || size.Height != c.Height) {
				t.Errorf("%v, read as %d by %d", size, c.Width, c.Height)
			}
		}
	})
}

func FuzzPNG(f *testing.F) {
	f.Add(pngOf(f))
	f.Add(withMetadata(f)["exif.png"])
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, ok := checkSanitized(t, media.Image, "a.png", b); ok {
			if size, err := png.DecodeConfig(bytes.NewReader(c.Bytes)); err == nil &&
				(size.Width != c.Width || size.Height != c.Height) {
				t.Errorf("%v, read as %d by %d", size, c.Width, c.Height)
			}
		}
	})
}

func FuzzGIF(f *testing.F) {
	f.Add(gifOf(f))
	f.Add(withMetadata(f)["xmp.gif"])
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, ok := checkSanitized(t, media.Image, "a.gif", b); ok {
			if size, err := gif.DecodeConfig(bytes.NewReader(c.Bytes)); err == nil &&
				(size.Width != c.Width || size.Height != c.Height) {
				t.Errorf("%v, read as %d by %d", size, c.Width, c.Height)
			}
		}
	})
}

func FuzzWebP(f *testing.F) {
	for _, name := range []string{"exif.webp", "jpegs.webp", "plain.webp"} {
		f.Add(withMetadata(f)[name])
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkSanitized(t, media.Image, "a.webp", b) })
}

func FuzzMP4(f *testing.F) {
	f.Add(film("isom"))
	f.Add(film("qt  "))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkSanitized(t, media.Video, "a.mp4", bytes.Clone(b))
		checkSanitized(t, media.Video, "a.mov", bytes.Clone(b))
		checkSanitized(t, media.Audio, "a.m4a", bytes.Clone(b))
	})
}

func FuzzWebM(f *testing.F) {
	f.Add(webm("webm"))
	f.Fuzz(func(t *testing.T, b []byte) { checkSanitized(t, media.Video, "a.webm", b) })
}

func FuzzSound(f *testing.F) {
	for _, b := range [][]byte{mp3(), ogg("OpusHead"), wav(), flac()} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, name := range []string{"a.mp3", "a.ogg", "a.wav", "a.flac"} {
			checkSanitized(t, media.Audio, name, b)
		}
	})
}
