package media_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// secret must not remain in a cleaned file.
const secret = "40.6892N 74.0445W"

func drawing() *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, 24, 16),
		color.Palette{color.Black, color.White, color.RGBA{200, 30, 30, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 3) //nolint:gosec // it is below 3
	}
	return img
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func segment(marker byte, body string) string {
	n := len(body) + 2
	return string([]byte{0xff, marker, byte(n >> 8), byte(n)}) + body //nolint:gosec // it is short
}

// exif returns an EXIF block as written by a phone, with orientation and location.
func exif(order binary.AppendByteOrder, orientation uint16) string {
	b := []byte("Exif\x00\x00")
	start := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		start = []byte("MM\x00*")
	}
	b = order.AppendUint32(append(b, start...), 8)
	b = order.AppendUint16(b, 2)
	for _, tag := range []uint16{0x010f, 0x0112} {
		b = order.AppendUint16(order.AppendUint16(b, tag), 3)
		b = order.AppendUint16(order.AppendUint16(order.AppendUint32(b, 1), orientation), 0)
	}
	return string(order.AppendUint32(b, 0)) + secret
}

// photo returns a JPEG with the metadata of a phone and an editor.
func photo(t testing.TB, order binary.AppendByteOrder, orientation uint16) []byte {
	plain := string(encoded(t, func(w *bytes.Buffer) error { return jpeg.Encode(w, drawing(), nil) }))
	return []byte(plain[:2] + segment(0xe1, exif(order, orientation)) +
		segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret) +
		segment(0xed, "Photoshop 3.0\x00"+secret) + segment(0xfe, secret) + segment(0xe2, "MPF\x00"+secret) +
		segment(0xe2, "ICC_PROFILE\x00\x01\x01colors") + "\xff\xff" + plain[2:] + "PK\x03\x04" + secret)
}

func chunk(name, body string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body))) //nolint:gosec // it is short
	b = append(append(b, name...), body...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
}

func picturePNG(t testing.TB) []byte {
	plain := string(encoded(t, func(w *bytes.Buffer) error { return png.Encode(w, drawing()) }))
	head := len("\x89PNG\r\n\x1a\n") + 25
	return []byte(plain[:head] + chunk("tEXt", "Comment\x00"+secret) + chunk("eXIf", secret) + chunk("iTXt", secret) +
		chunk("pHYs", "\x00\x00\x0b\x13\x00\x00\x0b\x13\x01") + plain[head:] + secret)
}

func pictureGIF(t testing.TB) []byte {
	plain := string(encoded(t, func(w *bytes.Buffer) error {
		return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{drawing(), drawing()}, Delay: []int{5, 5}, LoopCount: 3})
	}))
	return []byte(plain[:len(plain)-1] + "!\xfe" + string(rune(len(secret))) + secret + "\x00" +
		"!\xff\x0bXMP DataXMP" + string(rune(len(secret))) + secret + "\x00" + ";" + secret)
}

func riff(name, body string) string {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))) //nolint:gosec // it is short
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return string(b)
}

func pictureWebP() []byte {
	return []byte(riff("RIFF", "WEBP"+riff("VP8X", "\x2c\x00\x00\x00\x17\x00\x00\x0f\x00\x00")+riff("ICCP",
		"odd")+riff("VP8L", "pixels")+riff("EXIF", secret)+riff("XMP ", secret+"!")) + secret)
}

func TestClean_RemovesMetadata(t *testing.T) {
	for name, b := range map[string][]byte{
		"JPEG": photo(t, binary.LittleEndian, 1), "JPEG, turned": photo(t, binary.BigEndian, 6),
		"PNG": picturePNG(t), "GIF": pictureGIF(t), "WebP": pictureWebP(),
	} {
		out, err := media.Clean(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if bytes.Contains(out, []byte(secret)) || len(out) >= len(b) {
			t.Errorf("%s: the location remains: %q", name, out)
		}
		if again, err := media.Clean(out); err != nil || !bytes.Equal(again, out) {
			t.Errorf("%s: cleaning again changed it, %v", name, err)
		}
		if name == "WebP" {
			want := riff("RIFF",
				"WEBP"+riff("VP8X", "\x20\x00\x00\x00\x17\x00\x00\x0f\x00\x00")+riff("ICCP", "odd")+riff("VP8L", "pixels"))
			if string(out) != want {
				t.Errorf("got %q, want %q", out, want)
			}
			continue
		}
		before, _, err := image.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, _, err := image.Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s, cleaned: %v", name, err)
		}
		if !slices.Equal(pixels(before), pixels(after)) {
			t.Errorf("%s: the pixels have changed", name)
		}
	}
	moving, err := media.Clean(pictureGIF(t))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := gif.DecodeAll(bytes.NewReader(moving)); err != nil || len(g.Image) != 2 || g.LoopCount != 3 {
		t.Errorf("the animation was lost: %+v, %v", g, err)
	}
}

func pixels(img image.Image) (all []color.RGBA) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, a := img.At(x, y).RGBA()
			all = append(all, color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}) //nolint:gosec // of 16 bits
		}
	}
	return all
}

func TestClean_KeepsOrientation(t *testing.T) {
	for o := range uint16(10) {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			want := int(o)
			if o == 0 || o > 8 {
				want = 1
			}
			b := photo(t, order, o)
			out, err := media.Clean(b)
			if got := [2]int{media.Orientation(b), media.Orientation(out)}; err != nil || got != [2]int{want, want} {
				t.Errorf("%d is %v, %v", o, got, err)
			}
		}
	}
	for name, b := range map[string]string{
		"nothing": "", "a PNG": string(picturePNG(t)), "no EXIF": "\xff\xd8" + segment(0xe1, "Exif") + "\xff\xd9",
		"no TIFF":             "\xff\xd8" + segment(0xe1, "Exif\x00\x00??"),
		"far away":            "\xff\xd8" + segment(0xe1, "Exif\x00\x00II*\x00\xff\xff\xff\xff"),
		"entries without end": "\xff\xd8" + segment(0xe1, "Exif\x00\x00II*\x00\x08\x00\x00\x00\xff\xff"),
	} {
		if o := media.Orientation([]byte(b)); o != 1 {
			t.Errorf("%s: %d", name, o)
		}
	}
}

func TestClean_DamagedPictures(t *testing.T) {
	for name, b := range map[string][]byte{"JPEG": photo(t, binary.BigEndian, 6)[:90], "PNG": picturePNG(t)[:60],
		"GIF": pictureGIF(t)[:40], "WebP": pictureWebP()[:40]} {
		if out, err := media.Clean(b); !fault.Is(err, fault.Invalid) {
			t.Errorf("half a %s: %q, %v", name, out, err)
		}
	}
	whole := encoded(t, func(w *bytes.Buffer) error { return jpeg.Encode(w, drawing(), nil) })
	if out, err := media.Clean(whole[:len(whole)-2]); err != nil || !bytes.Equal(out, whole) {
		t.Errorf("a JPEG without its end: %v", err)
	}
	restarts := []byte("\xff\xd8" + segment(0xda, "scan") + "\x01\xff\xd0\x02\xff\x00\x03\xff\xd7\x04\xff\xd9")
	if out, err := media.Clean(restarts); err != nil || !bytes.Equal(out, restarts) {
		t.Errorf("coded data with restarts: %q, %v", out, err)
	}
	svg := []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
	if out, err := media.Clean(svg); err != nil || !bytes.Equal(out, svg) {
		t.Errorf("another file: %q, %v", out, err)
	}
}

func FuzzClean(f *testing.F) {
	for _, b := range [][]byte{photo(f, binary.LittleEndian, 3), picturePNG(f), pictureGIF(f),
		pictureWebP(), []byte(strings.Repeat("\xff", 9))} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		media.Orientation(b)
		out, err := media.Clean(b)
		if err != nil {
			return
		}
		if again, err := media.Clean(out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("cleaning again changed it, %v", err)
		}
	})
}
