package media

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// The IDs of the WebM elements that are checked (RFC 8794, RFC 9559).
const (
	ebmlHeader  = 0x1a45dfa3
	ebmlDocType = 0x4282
	ebmlSegment = 0x18538067
)

// checkWebM checks for a WebM header and a complete segment.
func checkWebM(b []byte) (Sanitized, error) {
	id, header, rest, whole := element(b)
	if id != ebmlHeader || !whole || !isWebM(header) {
		return Sanitized{}, contentMismatch("WebM")
	}
	id, body, rest, whole := element(rest)
	if id != ebmlSegment || !whole || len(body) == 0 || len(rest) > 0 {
		return Sanitized{}, truncated()
	}
	return Sanitized{Bytes: b}, nil
}

func isWebM(header []byte) bool {
	for len(header) > 0 {
		id, body, rest, whole := element(header)
		if !whole {
			return false
		}
		if id == ebmlDocType {
			return string(bytes.TrimRight(body, "\x00")) == "webm"
		}
		header = rest
	}
	return false
}

// element parses the first EBML element of b. An element of unknown length extends to the end.
// whole is false if the element is malformed or truncated.
func element(b []byte) (id uint64, body, rest []byte, whole bool) {
	n, id, _ := number(b, false)
	if n == 0 || n > 4 {
		return 0, nil, nil, false
	}
	m, size, unknown := number(b[n:], true)
	if m == 0 {
		return 0, nil, nil, false
	}
	b = b[n+m:]
	if unknown {
		return id, b, nil, true
	}
	if size > uint64(len(b)) {
		return 0, nil, nil, false
	}
	return id, b[:size], b[size:], true
}

// number parses an EBML number and returns its length in bytes, 0 if there is none. If unmarked is
// set, the length marker is removed; IDs include it. unknown is set for the reserved value of an
// unknown length.
func number(b []byte, unmarked bool) (length int, n uint64, unknown bool) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0, false
	}
	if length = bits.LeadingZeros8(b[0]) + 1; length > len(b) {
		return 0, 0, false
	}
	n = uint64(b[0])
	if unmarked {
		n &= 1<<(8-length) - 1
	}
	for _, c := range b[1:length] {
		n = n<<8 | uint64(c)
	}
	return length, n, n == 1<<(7*length)-1
}

// checkMP3 checks for two consecutive frames of MPEG audio layer III after an optional ID3 tag.
func checkMP3(b []byte) (Sanitized, error) {
	at := 0
	if bytes.HasPrefix(b, []byte("ID3")) && len(b) >= 10 {
		at = 10 + int(b[6]&0x7f)<<21 + int(b[7]&0x7f)<<14 + int(b[8]&0x7f)<<7 + int(b[9]&0x7f)
	}
	for at < len(b) && b[at] == 0 { // padding
		at++
	}
	for range 2 {
		n := frameLength(b[min(at, len(b)):])
		if n == 0 {
			return Sanitized{}, contentMismatch("MP3")
		}
		at += n
	}
	return Sanitized{Bytes: b}, nil
}

// bitrates are the bitrates of MPEG audio layer III in kbit/s: first those of version 1, then those
// of versions 2 and 2.5.
var bitrates = [2][16]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// frameLength returns the length of a layer III frame, 0 if it is not one or is truncated.
func frameLength(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe6 != 0xe2 { // sync and layer III
		return 0
	}
	version := int(b[1] >> 3 & 3) // 3 is version 1, 2 is 2, 0 is 2.5
	rate := []int{44100, 48000, 32000, 0}[b[2]>>2&3]
	samples, table := 144, bitrates[0]
	switch version {
	case 1:
		return 0
	case 2:
		rate, samples, table = rate/2, 72, bitrates[1]
	case 0:
		rate, samples, table = rate/4, 72, bitrates[1]
	}
	kbit := table[b[2]>>4]
	if rate == 0 || kbit == 0 {
		return 0
	}
	n := samples*kbit*1000/rate + int(b[2]>>1&1)
	if n > len(b) {
		return 0
	}
	return n
}

// checkOGG checks for a first page with audio.
func checkOGG(b []byte) (Sanitized, error) {
	if len(b) < 36 || string(b[:5]) != "OggS\x00" || b[5]&2 == 0 {
		return Sanitized{}, contentMismatch("OGG")
	}
	first := b[min(27+int(b[26]), len(b)):]
	sound := func(name string) bool { return bytes.HasPrefix(first, []byte(name)) }
	if !slices.ContainsFunc([]string{"\x01vorbis", "OpusHead", "\x7fFLAC"}, sound) {
		return Sanitized{}, contentMismatch("OGG")
	}
	return Sanitized{Bytes: b}, nil
}

// checkWAV checks for a format chunk and complete samples, and drops everything after them.
func checkWAV(b []byte) (Sanitized, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return Sanitized{}, contentMismatch("WAV")
	}
	format := false
	for rest := b[12:]; len(rest) >= 8; {
		size := uint64(binary.LittleEndian.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) {
			return Sanitized{}, truncated()
		}
		switch string(rest[:4]) {
		case "fmt ":
			format = size >= 16
		case "data":
			if !format {
				return Sanitized{}, contentMismatch("WAV")
			}
			b = b[:len(b)-len(rest)+8+int(size)]
			binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
			return Sanitized{Bytes: b}, nil
		}
		rest = rest[min(8+size+size&1, uint64(len(rest))):]
	}
	return Sanitized{}, truncated()
}

// checkFLAC checks for the magic number and the first metadata block.
func checkFLAC(b []byte) (Sanitized, error) {
	if len(b) < 42 || string(b[:4]) != "fLaC" || b[4]&0x7f != 0 || binary.BigEndian.Uint32(b[4:])&0xffffff != 34 {
		return Sanitized{}, contentMismatch("FLAC")
	}
	return Sanitized{Bytes: b}, nil
}
