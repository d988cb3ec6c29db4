// Package media reads the files of pictures without decoding them: whoever uploads a photo
// does not mean to publish where it was taken.
package media

import (
	"bytes"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Clean returns a picture's file without what cameras and editors wrote beside the pixels:
// place, time, device, comments, thumbnails, and whatever follows the picture's end. How it
// is to be turned, its colors and its animation stay. It knows JPEG, PNG, WebP and GIF;
// other files are returned as they are. A file that is cut off or makes no sense is code
// Invalid.
func Clean(b []byte) ([]byte, error) {
	var clean func([]byte) ([]byte, bool)
	switch {
	case bytes.HasPrefix(b, jpegStart):
		clean = cleanJPEG
	case bytes.HasPrefix(b, pngStart):
		clean = cleanPNG
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		clean = cleanWebP
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		clean = cleanGIF
	default:
		return b, nil
	}
	out, ok := clean(b)
	if !ok {
		return nil, fault.New(fault.Invalid, "The picture is damaged or cut off: save it again")
	}
	return out, nil
}
