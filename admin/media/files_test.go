package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// metadata is text that must not remain in any upload.
const metadata = "SECRET " + secret

func canvas(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), uint8(y * 11), uint8(x * y), 255})
		}
	}
	return img
}

// tiff returns an EXIF block with a location.
func tiff(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		b = []byte("II*\x00")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, entry := range [][3]uint32{{0x0112, 3, uint32(orientation)}, {0x8825, 4, 38}} {
		b = order.AppendUint16(b, uint16(entry[0]))
		b = order.AppendUint16(b, uint16(entry[1]))
		b = order.AppendUint32(b, 1)
		if entry[1] == 3 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(entry[2])), 0)
		} else {
			b = order.AppendUint32(b, entry[2])
		}
	}
	return append(order.AppendUint32(b, 0), metadata...)
}

func appended(marker byte, body string) []byte { return []byte(segment(marker, body)) }

// jpegOf returns a JPEG with the segments at the start.
func jpegOf(t testing.TB, segments ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, canvas(20, 10), nil); err != nil {
		t.Fatal(err)
	}
	return splice(b.Bytes(), 2, segments...)
}

func splice(b []byte, at int, parts ...[]byte) []byte {
	out := bytes.Clone(b[:at])
	for _, p := range parts {
		out = append(out, p...)
	}
	return append(out, b[at:]...)
}

func pngChunk(name, body string) []byte { return []byte(chunk(name, body)) }

// pngOf returns a PNG with the chunks after the header.
func pngOf(t testing.TB, chunks ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, canvas(20, 10)); err != nil {
		t.Fatal(err)
	}
	return splice(b.Bytes(), 33, chunks...)
}

func pngHeader(w, h uint32) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", string(b)+"\x08\x02\x00\x00\x00")...)
}

// gifOf returns a GIF of two frames with the extensions before them.
func gifOf(t testing.TB, extensions ...[]byte) []byte {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.White})
	frame.SetColorIndex(3, 3, 1)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{10, 10}}); err != nil {
		t.Fatal(err)
	}
	return splice(b.Bytes(), bytes.Index(b.Bytes(), []byte("\x21\xff\x0bNETSCAPE2.0")), extensions...)
}

func riffs(name, body string) []byte { return []byte(riff(name, body)) }

func webpOf(chunks ...[]byte) []byte { return riffs("RIFF", "WEBP"+string(bytes.Join(chunks, nil))) }

// extended returns the extended header of a WebP.
func extended(flags byte, w, h int) []byte {
	size := func(n int) string { return string([]byte{byte(n - 1), byte((n - 1) >> 8), byte((n - 1) >> 16)}) }
	return riffs("VP8X", string([]byte{flags, 0, 0, 0})+size(w)+size(h))
}

func lossless(w, h int) []byte {
	bits := uint32(w-1) | uint32(h-1)<<14
	return riffs("VP8L", "\x2f"+string(binary.LittleEndian.AppendUint32(nil, bits))+"pixels")
}

func lossy(w, h int) []byte {
	size := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(w)), uint16(h))
	return riffs("VP8 ", "\x10\x00\x00\x9d\x01\x2a"+string(size)+"pixels")
}

func box(name string, bodies ...[]byte) []byte {
	body := bytes.Join(bodies, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), name...), body...)
}

func ftyp(brand string) []byte { return box("ftyp", []byte(brand+"\x00\x00\x00\x00"+brand)) }

func track(handler string, more ...[]byte) []byte {
	return box("trak", append([][]byte{box("tkhd", make([]byte, 84)),
		box("mdia", box("hdlr", []byte("\x00\x00\x00\x00mhlr"+handler+"............")))}, more...)...)
}

// film returns a video with locations in all the places where phones write them.
func film(brand string) []byte {
	text := []byte(metadata)
	return bytes.Join([][]byte{
		ftyp(brand), box("uuid", text), box("meta", text), box("mdat", []byte("frames")),
		box("moov", box("mvhd", make([]byte, 100)),
			track("vide", box("udta", box("name", text)), box("meta", text)), track("soun"),
			track("meta", box("gpmd", text)), box("udta", box("\xa9xyz", text), box("loci", text)), box("meta", text)),
	}, nil)
}

func ebml(id string, body ...[]byte) []byte {
	b := bytes.Join(body, nil)
	return append(append([]byte(id), 0x10|byte(len(b)>>24), byte(len(b)>>16), byte(len(b)>>8), byte(len(b))), b...)
}

func webm(docType string) []byte {
	return append(ebml("\x1a\x45\xdf\xa3", ebml("\x42\x86", []byte{1}), ebml("\x42\x82", []byte(docType))),
		ebml("\x18\x53\x80\x67", []byte("clusters"))...)
}

// mp3 returns two silent frames of 128 kbit/s at 44.1 kHz after a tag.
func mp3() []byte {
	frame := append([]byte{0xff, 0xfb, 0x90, 0x00}, make([]byte, 413)...)
	return bytes.Join([][]byte{[]byte("ID3\x04\x00\x00\x00\x00\x00\x05hello"), frame, frame}, nil)
}

func ogg(codec string) []byte {
	page := append([]byte("OggS\x00\x02"), make([]byte, 20)...)
	return append(append(page, 1, 30), codec+"...................................."...)
}

func wav() []byte {
	return riffs("RIFF", "WAVE"+string(riffs("fmt ", string(make([]byte, 16))))+string(riffs("data", "samples!")))
}

func flac() []byte {
	return append([]byte("fLaC\x80\x00\x00\x22"), make([]byte, 40)...)
}
