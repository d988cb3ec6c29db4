package media

import (
	"bytes"
	"encoding/binary"
)

// Clean returns a picture's file without what cameras and editors wrote beside the pixels:
// place, time, device, comments, previews, and whatever follows the picture's end. How it
// is to be turned, its colors and its animation stay. It knows JPEG, PNG, WebP and GIF;
// other files are returned as they are. A file that is cut off or makes no sense is code
// Invalid.
func Clean(b []byte) ([]byte, error) {
	if sniff(b) == "" {
		return b, nil
	}
	p, err := read(b)
	return p.Bytes, err
}

// Orientation says how a picture is to be turned, as EXIF does (2.3, tag 0x0112): 1 for not
// at all, or where nothing says; from 5 on width and height change places.
func Orientation(b []byte) int {
	if sniff(b) == "" {
		return 1
	}
	p, err := read(b)
	if err != nil {
		return 1
	}
	return p.Orientation
}

// cleaned is a picture without what it should not tell, and what is known of it.
type cleaned struct {
	Bytes []byte
	// Width and Height are those of the file, before it is turned, in pixels.
	Width, Height int
	Orientation   int   // as Orientation says
	memory        int64 // that decoding takes, in bytes
	// unfit is why it may not be uploaded, though it can be cleaned; nil for no reason.
	unfit error
}

// doubt keeps the first reason why a picture may not be uploaded: a million of them cost no
// more than one.
func (p *cleaned) doubt(text string, args ...any) {
	if p.unfit == nil {
		p.unfit = refuse(text, args...)
	}
}

// read walks through a picture whose format is known.
func read(b []byte) (p cleaned, err error) {
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
		return cleaned{}, err
	}
	p.Orientation = max(p.Orientation, 1)
	return p, nil
}

var (
	jpegStart = []byte{0xff, 0xd8}
	pngStart  = []byte("\x89PNG\r\n\x1a\n")
)

// sniff names a picture's format by its first bytes, "" for none.
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

// turnRoom is how much a file may grow by an EXIF block of ours, in bytes.
const turnRoom = 64

// tiffOrientation reads from an EXIF block how a picture has to be turned: 1 where it does not
// say, or makes no sense.
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

// turn is an EXIF block that says how a picture has to be turned, and nothing else.
func turn(orientation int) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // the directory begins at 8
		0, 1, // one entry
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0,
		0, 0, 0, 0, // no other directory
	}
}
