package media

import (
	"bytes"
	"encoding/binary"
)

// maxScans is the maximum number of scans in a JPEG. For each scan, the decoder processes the whole
// picture once. Ten are usual.
const maxScans = 100

// jpeg parses the segments of a JPEG.
type jpeg struct {
	in    []byte
	at    int
	made  cleanFile
	scans int
	exif  bool // an EXIF segment was found
}

func readJPEG(b []byte) (cleanFile, error) {
	j := jpeg{in: b, at: 2, made: cleanFile{Bytes: append(make([]byte, 0, len(b)+exifRoom), b[:2]...)}}
	for {
		if j.at == len(b) && j.scans > 0 { // some cameras omit the end marker
			j.made.reject(incomplete)
			break
		}
		marker, err := j.marker()
		if err != nil {
			return cleanFile{}, err
		}
		if marker == 0xd9 {
			break
		}
		if err := j.segment(marker); err != nil {
			return cleanFile{}, err
		}
	}
	if j.scans == 0 || j.made.Width == 0 {
		j.made.reject(incomplete)
	}
	j.made.Bytes = append(j.made.Bytes, 0xff, 0xd9)
	return j.made, nil
}

// marker advances to the next segment and returns its marker.
func (j *jpeg) marker() (byte, error) {
	for j.at+1 < len(j.in) {
		if j.in[j.at] != 0xff {
			return 0, invalidFile("The JPEG is damaged")
		}
		j.at++
		if m := j.in[j.at]; m != 0xff {
			j.at++
			return m, nil
		}
	}
	return 0, truncated()
}

// segment copies or drops a segment.
func (j *jpeg) segment(marker byte) error {
	if j.at+2 > len(j.in) {
		return truncated()
	}
	size := int(binary.BigEndian.Uint16(j.in[j.at:]))
	if size < 2 || j.at+size > len(j.in) {
		return truncated()
	}
	body := j.in[j.at+2 : j.at+size]
	j.at += size
	switch marker {
	case 0xc0, 0xc1, 0xc2: // frames: baseline, extended, progressive
		j.frame(marker, body)
	case 0xc4, 0xdb, 0xdd: // tables and the restart interval
		j.keep(marker, body)
	case 0xda:
		j.scan(body)
	case 0xe0, 0xe1, 0xe2, 0xee:
		j.application(marker, body)
	case 0xfe, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xef: // comments and application data
	default:
		j.made.reject("Browsers do not support this type of JPEG")
		j.keep(marker, body)
	}
	return nil
}

func (j *jpeg) keep(marker byte, body []byte) {
	out := append(j.made.Bytes, 0xff, marker)
	out = binary.BigEndian.AppendUint16(out, uint16(len(body)+2))
	j.made.Bytes = append(out, body...)
}

func (j *jpeg) frame(marker byte, body []byte) {
	if j.keep(marker, body); j.made.Width != 0 || len(body) < 6 || body[0] != 8 || len(body) != 6+3*int(body[5]) {
		j.made.reject("Browsers do not support this type of JPEG")
		return
	}
	j.made.Height, j.made.Width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	j.made.checkSize(jpegMemory(j.made.area(), marker == 0xc2, body[6:]))
}

// jpegMemory returns the number of bytes needed for decoding. components holds three bytes per
// component: its ID, its sampling factors and its table. A progressive JPEG's coefficients take
// four bytes per sample. Colors in four components, or in RGB, are converted to a second picture.
func jpegMemory(area int64, progressive bool, components []byte) int64 {
	var all, most int64
	ids := ""
	for at := 0; at+2 < len(components); at += 3 {
		factors := int64(components[at+1]>>4) * int64(components[at+1]&0xf)
		all, most, ids = all+factors, max(most, factors), ids+string(rune(components[at]))
	}
	count := int64(len(components) / 3)
	memory := count * area
	if most > 0 {
		memory = min(memory, area*all/most)
	}
	if progressive {
		memory *= 5
	}
	if count == 4 || ids == "RGB" {
		memory += 4 * area
	}
	return memory
}

// scan copies a scan: its header, and the data up to the next marker.
func (j *jpeg) scan(body []byte) {
	if j.scans++; j.scans > maxScans || j.made.Width == 0 {
		j.made.reject("The JPEG is damaged")
	}
	j.keep(0xda, body)
	end := scanEnd(j.in, j.at)
	j.made.Bytes = append(j.made.Bytes, j.in[j.at:end]...)
	j.at = end
}

// scanEnd returns the position after the coded data that starts at a position: the next marker
// other than a stuffed byte or a restart marker, or the end of the file.
func scanEnd(b []byte, at int) int {
	for at < len(b) {
		n := bytes.IndexByte(b[at:], 0xff)
		if n < 0 || at+n+1 == len(b) {
			break
		}
		at += n
		if m := b[at+1]; m != 0 && m != 0xff && (m < 0xd0 || m > 0xd7) {
			return at
		}
		at++
	}
	return len(b)
}

// application copies the application data that a browser needs for colors and, from the
// first EXIF block, the orientation.
func (j *jpeg) application(marker byte, body []byte) {
	switch {
	case marker == 0xe0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		j.keep(marker, append(bytes.Clone(body[:12]), 0, 0)) // without the preview
	case marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) && !j.exif:
		j.exif = true
		if j.made.Orientation = tiffOrientation(body[6:]); j.made.Orientation > 1 {
			j.keep(marker, append([]byte("Exif\x00\x00"), orientationBlock(j.made.Orientation)...))
		}
	case marker == 0xe2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
		j.keep(marker, body)
	case marker == 0xee && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12:
		j.keep(marker, body[:12])
	}
}
