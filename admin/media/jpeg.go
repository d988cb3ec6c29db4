package media

import (
	"bytes"
	"encoding/binary"
)

// The markers of JPEG that matter here (ITU-T T.81, B.1.1.3).
const (
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

var (
	jpegStart  = []byte{0xff, 0xd8}
	exifStart  = []byte("Exif\x00\x00")
	iccProfile = []byte("ICC_PROFILE\x00")
)

// cleanJPEG keeps what it takes to show the picture.
func cleanJPEG(b []byte) ([]byte, bool) {
	out := append([]byte{}, jpegStart...)
	if o := Orientation(b); o > 1 {
		out = append(out, turning(o)...)
	}
	scanned := false
	for i := len(jpegStart); ; {
		i = afterFill(b, i)
		marker, end, ok := segment(b, i)
		switch {
		case i == len(b) && scanned: // some cameras forget the end
			return append(out, 0xff, markerEOI), true
		case !ok:
			return nil, false
		case marker == markerEOI:
			return append(out, 0xff, markerEOI), true
		case marker == markerSOS:
			end, scanned = scanEnd(b, end), true
		}
		if kept(marker, b[i+4:min(end, len(b))]) {
			out = append(out, b[i:end]...)
		}
		i = end
	}
}

// afterFill skips the bytes that may stand in front of a marker (B.1.1.2).
func afterFill(b []byte, i int) int {
	for i+1 < len(b) && b[i] == 0xff && b[i+1] == 0xff {
		i++
	}
	return i
}

// segment reads the marker at i, and where its segment ends.
func segment(b []byte, i int) (marker byte, end int, ok bool) {
	if i+2 > len(b) || b[i] != 0xff {
		return 0, 0, false
	}
	if b[i+1] == markerEOI {
		return markerEOI, i + 2, true
	}
	if i+4 > len(b) {
		return 0, 0, false
	}
	end = i + 2 + int(binary.BigEndian.Uint16(b[i+2:]))
	return b[i+1], end, end >= i+4 && end <= len(b)
}

// scanEnd is where the coded data from i on ends: at a marker that is neither a stuffed
// byte nor a restart.
func scanEnd(b []byte, i int) int {
	for ; i+1 < len(b); i++ {
		if next := b[i+1]; b[i] == 0xff && next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7) {
			return i
		}
	}
	return len(b)
}

// kept says which segments are: all but those of applications and comments, of which the
// size in JFIF, the profile of colors and Adobe's way to code them are needed.
func kept(marker byte, body []byte) bool {
	switch {
	case marker == markerCOM:
		return false
	case marker == markerAPP0, marker == markerAPP14:
		return true
	case marker == markerAPP2:
		return bytes.HasPrefix(body, iccProfile)
	}
	return marker < markerAPP0 || marker > markerAPP15
}

// turning is a segment of EXIF that says how a picture is to be turned, and nothing else.
func turning(o int) []byte {
	tiff := []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, 0, 0, 0, 0}
	body := append(append([]byte{}, exifStart...), tiff...)
	return append([]byte{0xff, markerAPP1, 0, byte(len(body) + 2)}, body...)
}

// Orientation says how a JPEG is to be turned, as EXIF does (2.3, tag 0x0112): 1 for not at
// all, or where nothing says; from 5 on width and height change places.
func Orientation(b []byte) int {
	if !bytes.HasPrefix(b, jpegStart) {
		return 1
	}
	for i := len(jpegStart); ; {
		i = afterFill(b, i)
		marker, end, ok := segment(b, i)
		if !ok || marker == markerSOS || marker == markerEOI {
			return 1
		}
		if body := b[i+4 : end]; marker == markerAPP1 && bytes.HasPrefix(body, exifStart) {
			return tiffOrientation(body[len(exifStart):])
		}
		i = end
	}
}

func tiffOrientation(b []byte) int {
	var order binary.ByteOrder
	switch {
	case len(b) < 8:
		return 1
	case string(b[:4]) == "II*\x00":
		order = binary.LittleEndian
	case string(b[:4]) == "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	const entry = 12
	first := int64(order.Uint32(b[4:])) // int64, since an int may have 32 bits
	if first+2 > int64(len(b)) {
		return 1
	}
	b = b[first:]
	n := int(order.Uint16(b))
	for b = b[2:]; n > 0 && len(b) >= entry; n, b = n-1, b[entry:] {
		if order.Uint16(b) != 0x0112 {
			continue
		}
		if o := int(order.Uint16(b[8:])); o >= 1 && o <= 8 && order.Uint16(b[2:]) == 3 {
			return o
		}
	}
	return 1
}
