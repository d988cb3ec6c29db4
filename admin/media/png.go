package media

import (
	"encoding/binary"
	"hash/crc32"
)

// maxProfile bounds a PNG's color profile, which is packed: those of screens have some
// kilobytes.
const maxProfile = 64 << 10

// shown are the chunks that it takes to show a PNG (third edition, 5.6).
var shown = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "acTL": true, "fcTL": true, "fdAT": true,
	"tRNS": true, "gAMA": true, "cHRM": true, "sRGB": true, "iCCP": true, "cICP": true, "sBIT": true, "bKGD": true, "pHYs": true,
}

func readPNG(b []byte) (cleaned, error) {
	p := cleaned{Bytes: append(make([]byte, 0, len(b)+turnRoom), pngStart...)}
	data := false
	for rest := b[len(pngStart):]; ; {
		if len(rest) < 12 {
			return cleaned{}, truncated()
		}
		size := int64(binary.BigEndian.Uint32(rest)) + 12
		if size > int64(len(rest)) {
			return cleaned{}, truncated()
		}
		chunk := rest[:size]
		p.chunk(chunk)
		name := string(chunk[4:8])
		data = data || name == "IDAT" && size > 12
		if name == "IEND" {
			break
		}
		rest = rest[size:]
	}
	if !data {
		p.doubt(notWhole)
	}
	return p, nil
}

// chunk keeps a chunk, or leaves it out.
func (p *cleaned) chunk(whole []byte) {
	name, body, sum := string(whole[4:8]), whole[8:len(whole)-4], whole[len(whole)-4:]
	if crc32.ChecksumIEEE(whole[4:len(whole)-4]) != binary.BigEndian.Uint32(sum) || (name == "IHDR") != (p.Width == 0) {
		p.doubt("The PNG is damaged")
	}
	switch {
	case name == "IHDR":
		p.header(body)
	case name == "eXIf":
		p.exif(body)
	case name[0]&0x20 == 0 && !shown[name]:
		p.doubt("The PNG is of a kind that browsers do not show")
	}
	if shown[name] && (name != "iCCP" || len(body) <= maxProfile) {
		p.Bytes = append(p.Bytes, whole...)
	}
}

func (p *cleaned) header(body []byte) {
	if len(body) != 13 || (body[0]|body[4])&0x80 != 0 {
		p.doubt("The PNG is damaged")
		return
	}
	p.Width, p.Height = int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
	p.checkSize(pngPixel(body) * p.area())
}

// pngPixel is how many bytes of memory a pixel takes, by the header. Decoders add the alpha channel
// that transparency may need, except for indexed colors. Passes of an interlaced picture are decoded beside it.
func pngPixel(header []byte) int64 {
	const sixteenBits, indexed = 16, 3
	size := int64(4)
	if header[8] == sixteenBits {
		size = 8
	}
	if header[9] == indexed {
		size = 1
	}
	if header[12] != 0 {
		size *= 2
	}
	return size
}

// exif keeps of the first EXIF how the picture has to be turned.
func (p *cleaned) exif(body []byte) {
	if p.Orientation != 0 {
		return
	}
	if p.Orientation = tiffOrientation(body); p.Orientation == 1 {
		return
	}
	at, block := len(p.Bytes)+4, turn(p.Orientation)
	p.Bytes = binary.BigEndian.AppendUint32(p.Bytes, uint32(len(block)))
	p.Bytes = append(append(p.Bytes, "eXIf"...), block...)
	p.Bytes = binary.BigEndian.AppendUint32(p.Bytes, crc32.ChecksumIEEE(p.Bytes[at:]))
}
