package media

import (
	"encoding/binary"
	"hash/crc32"
)

// maxProfile is the maximum size of a PNG's compressed color profile. Profiles of screens have a
// few kilobytes.
const maxProfile = 64 << 10

// keptChunks are the chunks that are needed to render a PNG (third edition, 5.6).
var keptChunks = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "acTL": true, "fcTL": true, "fdAT": true,
	"tRNS": true, "gAMA": true, "cHRM": true, "sRGB": true, "iCCP": true, "cICP": true,
	"sBIT": true, "bKGD": true, "pHYs": true,
}

func readPNG(b []byte) (cleanFile, error) {
	p := cleanFile{Bytes: append(make([]byte, 0, len(b)+exifRoom), pngStart...)}
	data := false
	for rest := b[len(pngStart):]; ; {
		if len(rest) < 12 {
			return cleanFile{}, truncated()
		}
		size := int64(binary.BigEndian.Uint32(rest)) + 12
		if size > int64(len(rest)) {
			return cleanFile{}, truncated()
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
		p.reject(incomplete)
	}
	return p, nil
}

// chunk copies or drops a chunk.
func (p *cleanFile) chunk(whole []byte) {
	name, body, sum := string(whole[4:8]), whole[8:len(whole)-4], whole[len(whole)-4:]
	if crc32.ChecksumIEEE(whole[4:len(whole)-4]) != binary.BigEndian.Uint32(sum) || (name == "IHDR") != (p.Width == 0) {
		p.reject("The PNG is damaged")
	}
	switch {
	case name == "IHDR":
		p.header(body)
	case name == "eXIf":
		p.exif(body)
	case name[0]&0x20 == 0 && !keptChunks[name]:
		p.reject("Browsers do not support this type of PNG")
	}
	if keptChunks[name] && (name != "iCCP" || len(body) <= maxProfile) {
		p.Bytes = append(p.Bytes, whole...)
	}
}

func (p *cleanFile) header(body []byte) {
	if len(body) != 13 || (body[0]|body[4])&0x80 != 0 {
		p.reject("The PNG is damaged")
		return
	}
	p.Width, p.Height = int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
	p.checkSize(pngPixel(body) * p.area())
}

// pngPixel computes the bytes of memory per pixel from the header. Decoders add an alpha channel
// for transparency, except for indexed colors. The passes of an interlaced picture are decoded into
// a second picture.
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

// exif copies the orientation from the first EXIF chunk.
func (p *cleanFile) exif(body []byte) {
	if p.Orientation != 0 {
		return
	}
	if p.Orientation = tiffOrientation(body); p.Orientation == 1 {
		return
	}
	at, block := len(p.Bytes)+4, orientationBlock(p.Orientation)
	p.Bytes = binary.BigEndian.AppendUint32(p.Bytes, uint32(len(block)))
	p.Bytes = append(append(p.Bytes, "eXIf"...), block...)
	p.Bytes = binary.BigEndian.AppendUint32(p.Bytes, crc32.ChecksumIEEE(p.Bytes[at:]))
}
