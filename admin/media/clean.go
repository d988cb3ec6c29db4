package media

import (
	"bytes"
	"encoding/binary"
)

// Clean removes the metadata that cameras and editors embed in a picture: location, time,
// device, comments, previews, and any data after the end of the picture. Orientation,
// colors and animation are kept. It supports JPEG, PNG, WebP and GIF, and returns other
// files unchanged. It fails with code Invalid for a truncated or malformed file.
func Clean(b []byte) ([]byte, error) {
	if sniff(b) == "" {
		return b, nil
	}
	p, err := parsePicture(b)
	return p.Bytes, err
}

// Orientation returns a picture's orientation as defined by EXIF (2.3, tag 0x0112), 1 (upright) if
// none is given or the file is malformed. From 5 on, width and height are swapped.
func Orientation(b []byte) int {
	if sniff(b) == "" {
		return 1
	}
	p, err := parsePicture(b)
	if err != nil {
		return 1
	}
	return p.Orientation
}

// cleanFile is a picture without metadata, and its properties.
type cleanFile struct {
	Bytes []byte
	// Width and Height are those in the file, before applying the orientation, in pixels.
	Width, Height int
	Orientation   int   // see Orientation
	memory        int64 // memory needed for decoding, in bytes
	// unfit is the reason why the picture must not be uploaded although it could be cleaned; nil if
	// there is none.
	unfit error
}

// reject records the first reason why the picture must not be uploaded. It stores only one, so that
// a file with a million defects uses no more memory.
func (p *cleanFile) reject(text string, args ...any) {
	if p.unfit == nil {
		p.unfit = invalidFile(text, args...)
	}
}

// parsePicture parses a picture whose format is known.
func parsePicture(b []byte) (p cleanFile, err error) {
	switch sniff(b) {
	case "image/jpeg":
		p, err = readJPEG(b)
	case "image/png":
		p, err = readPNG(b)
	case "image/webp":
		p, err = readWebP(b)
	case "image/gif":
		p, err = readGIF(b)
	}
	if err != nil {
		return cleanFile{}, err
	}
	p.Orientation = max(p.Orientation, 1)
	return p, nil
}

var (
	jpegStart = []byte{0xff, 0xd8}
	pngStart  = []byte("\x89PNG\r\n\x1a\n")
)

// sniff determines the media type of a picture from its first bytes. It returns "" if it is not
// known.
func sniff(b []byte) string {
	switch {
	case bytes.HasPrefix(b, jpegStart):
		return "image/jpeg"
	case bytes.HasPrefix(b, pngStart):
		return "image/png"
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return "image/webp"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	}
	return ""
}

// exifRoom is how much a file can grow by the EXIF block that orientationBlock returns, in
// bytes.
const exifRoom = 64

// tiffOrientation returns the orientation in an EXIF block, 1 if there is none or the block
// is malformed.
func tiffOrientation(tiff []byte) int {
	const tag, short = 0x0112, 3
	var order binary.ByteOrder = binary.BigEndian
	switch {
	case len(tiff) < 8:
		return 1
	case string(tiff[:4]) == "II*\x00":
		order = binary.LittleEndian
	case string(tiff[:4]) != "MM\x00*":
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short && order.Uint32(entries[4:]) == 1 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// orientationBlock returns an EXIF block with the orientation only.
func orientationBlock(orientation int) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // the directory starts at 8
		0, 1, // one entry
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0,
		0, 0, 0, 0, // no further directory
	}
}
