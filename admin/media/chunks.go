package media

import (
	"bytes"
	"encoding/binary"
	"slices"
)

var pngStart = []byte("\x89PNG\r\n\x1a\n")

// pngKept are the chunks that it takes to show a picture (PNG, third edition, 5.6).
var pngKept = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "pHYs", "bKGD", "acTL", "fcTL", "fdAT",
}

func cleanPNG(b []byte) ([]byte, bool) {
	out := slices.Clone(pngStart)
	for i := len(pngStart); i+12 <= len(b); {
		length, name := int64(binary.BigEndian.Uint32(b[i:])), string(b[i+4:i+8])
		end := int64(i) + 12 + length
		if end > int64(len(b)) {
			return nil, false
		}
		if slices.Contains(pngKept, name) {
			out = append(out, b[i:end]...)
		}
		if name == "IEND" {
			return out, true
		}
		i = int(end)
	}
	return nil, false
}

// The flags of WebP's VP8X chunk that say that there is metadata (RFC 9649, 2.7).
const webpMetadata = 0x08 | 0x04

func cleanWebP(b []byte) ([]byte, bool) {
	size := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if size > int64(len(b)) || size < 12 {
		return nil, false
	}
	out := slices.Clone(b[:12])
	for b = b[12:size]; len(b) > 0; {
		if len(b) < 8 {
			return nil, false
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		end := 8 + length + length%2
		if end > int64(len(b)) {
			return nil, false
		}
		chunk := slices.Clone(b[:end])
		switch name := string(b[:4]); {
		case name == "VP8X" && length >= 1:
			chunk[8] &^= webpMetadata
			fallthrough
		case name != "EXIF" && name != "XMP ":
			out = append(out, chunk...)
		}
		b = b[end:]
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8)) //nolint:gosec // it is no longer than it was
	return out, true
}

// The blocks of GIF89a.
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifComment     = 0xfe
	gifApplication = 0xff
)

func cleanGIF(b []byte) ([]byte, bool) {
	i := 13
	if len(b) < i {
		return nil, false
	}
	i += table(b[10])
	out := append([]byte{}, b[:min(i, len(b))]...)
	for i < len(b) {
		start := i
		switch b[i] {
		case gifTrailer:
			return append(out, gifTrailer), true
		case gifExtension:
			i += 2
		case gifImage:
			if i+10 > len(b) {
				return nil, false
			}
			i += 10 + table(b[i+9]) + 1 // and the size of its first code
		default:
			return nil, false
		}
		end, ok := subBlocks(b, i)
		if !ok {
			return nil, false
		}
		if keepsGIF(b[start:end]) {
			out = append(out, b[start:end]...)
		}
		i = end
	}
	return nil, false
}

// table is how many bytes a table of colors has, by the flags of what it belongs to.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// subBlocks is where the blocks of data from i on end.
func subBlocks(b []byte, i int) (end int, ok bool) {
	for i < len(b) {
		n := int(b[i])
		if i += 1 + n; n == 0 {
			return i, true
		}
	}
	return 0, false
}

// keepsGIF keeps pictures, how they follow each other, and how often that is repeated.
func keepsGIF(block []byte) bool {
	switch {
	case block[0] != gifExtension:
		return true
	case block[1] == gifComment:
		return false
	case block[1] == gifApplication:
		return bytes.Contains(block[:min(14, len(block))], []byte("NETSCAPE2.0")) || bytes.Contains(block[:min(14, len(block))], []byte("ANIMEXTS1.0"))
	}
	return true
}
