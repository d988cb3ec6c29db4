package media

import (
	"bytes"
	"encoding/binary"
)

// The flags in a WebP's extended header.
const (
	webpAnimated = 0x02
	webpEXIF     = 0x08
	webpAlpha    = 0x10
	webpProfile  = 0x20
)

// webp parses the chunks of a WebP.
type webp struct {
	made     cleanFile
	flags    int // position of the extended header's flags in the output; 0 without one
	pictures int
}

func readWebP(b []byte) (cleanFile, error) {
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	if size+8 > int64(len(b)) || size < 4 {
		return cleanFile{}, truncated()
	}
	w := webp{made: cleanFile{Bytes: append(make([]byte, 0, len(b)+exifRoom), b[:12]...)}}
	for rest := b[12 : 8+size]; len(rest) > 0; {
		if len(rest) < 8 {
			return cleanFile{}, truncated()
		}
		n := int64(binary.LittleEndian.Uint32(rest[4:]))
		padded := n + n&1
		if 8+n > int64(len(rest)) {
			return cleanFile{}, truncated()
		}
		w.chunk(string(rest[:4]), rest[8:8+n])
		rest = rest[min(8+padded, int64(len(rest))):]
	}
	if w.pictures != 1 {
		w.made.reject(incomplete)
	}
	if w.flags > 0 && w.made.Orientation > 1 {
		w.made.Bytes[w.flags] |= webpEXIF
	}
	binary.LittleEndian.PutUint32(w.made.Bytes[4:], uint32(len(w.made.Bytes)-8))
	return w.made, nil
}

func (w *webp) chunk(name string, body []byte) {
	switch name {
	case "VP8X":
		w.extended(body)
	case "VP8 ", "VP8L":
		w.picture(name, body)
	case "ALPH", "ICCP", "ANIM", "ANMF":
		w.keep(name, body)
	case "EXIF":
		w.exif(body)
	}
}

func (w *webp) extended(body []byte) {
	if len(body) < 10 || w.flags > 0 || w.pictures > 0 {
		w.made.reject("The WebP is damaged")
		return
	}
	if body[0]&webpAnimated != 0 {
		w.made.reject("Animated WebP is not supported: use a video or a GIF")
	}
	whole := func(b []byte) int { return (int(b[0]) | int(b[1])<<8 | int(b[2])<<16) + 1 }
	w.made.Width, w.made.Height = whole(body[4:]), whole(body[7:])
	w.flags = len(w.made.Bytes) + 8
	w.keep("VP8X", body[:10])
	w.made.Bytes[w.flags] &= webpAlpha | webpProfile | webpAnimated
	w.made.checkSize(w.made.area()) // the picture follows and is checked as well
}

func (w *webp) picture(name string, body []byte) {
	w.keep(name, body)
	width, height, ok := webpSize(name, body)
	if w.pictures++; !ok || w.pictures > 1 || w.flags > 0 && (width != w.made.Width || height != w.made.Height) {
		w.made.reject("The WebP is damaged")
		return
	}
	w.made.Width, w.made.Height = width, height
	w.made.checkSize(webpPixel[name] * w.made.area())
}

// webpPixel maps the type of the coded data to the bytes of memory per pixel: lossy pictures have a
// plane for alpha, and lossless ones are transformed in a second picture.
var webpPixel = map[string]int64{"VP8 ": 3, "VP8L": 8}

// webpSize reads a picture's size from its coded data, lossy or lossless.
func webpSize(name string, body []byte) (width, height int, ok bool) {
	if name == "VP8L" {
		if len(body) < 5 || body[0] != 0x2f {
			return 0, 0, false
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	}
	if len(body) < 10 || body[0]&1 != 0 || !bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}) {
		return 0, 0, false
	}
	return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), true
}

// exif copies the orientation from the first EXIF chunk. Some programs write it with the prefix
// that EXIF has in a JPEG.
func (w *webp) exif(body []byte) {
	if w.made.Orientation != 0 || w.flags == 0 {
		return
	}
	if w.made.Orientation = tiffOrientation(bytes.TrimPrefix(body, []byte("Exif\x00\x00"))); w.made.Orientation > 1 {
		w.keep("EXIF", orientationBlock(w.made.Orientation))
	}
}

func (w *webp) keep(name string, body []byte) {
	out := append(w.made.Bytes, name...)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(body))), body...)
	if len(body)&1 == 1 {
		out = append(out, 0)
	}
	w.made.Bytes = out
}
