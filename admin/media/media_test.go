package media_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// withMetadata returns pictures with the metadata that cameras and programs add.
func withMetadata(t testing.TB) map[string][]byte {
	big, little := string(tiff(binary.BigEndian, 6)), string(tiff(binary.LittleEndian, 6))
	xmp := "http://ns.adobe.com/xap/1.0/\x00<x>" + metadata
	return map[string][]byte{
		"exif.jpg":   jpegOf(t, appended(0xe1, "Exif\x00\x00"+big)),
		"little.jpg": jpegOf(t, appended(0xe1, "Exif\x00\x00"+little)),
		"xmp.jpg":    jpegOf(t, appended(0xe1, xmp)), "iptc.jpg": jpegOf(t, appended(0xed, "Photoshop 3.0\x00"+metadata)),
		"comment.jpg":   jpegOf(t, appended(0xfe, metadata)),
		"preview.jpg":   jpegOf(t, appended(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x01\x01"+metadata)),
		"extension.jpg": jpegOf(t, appended(0xe0, "JFXX\x00"+metadata)),
		"many.jpg":      jpegOf(t, appended(0xe2, "MPF\x00"+metadata)),
		"adobe.jpg":     jpegOf(t, appended(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01"+metadata)),
		"twice.jpg":     jpegOf(t, appended(0xe1, "Exif\x00\x00"+big), appended(0xe1, "Exif\x00\x00"+big)),
		"exif.png":      pngOf(t, pngChunk("eXIf", big)),
		"text.png":      pngOf(t, pngChunk("tEXt", "Comment\x00"+metadata)),
		"packed.png":    pngOf(t, pngChunk("zTXt", metadata)),
		"unicode.png":   pngOf(t, pngChunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+metadata)),
		"unknown.png":   pngOf(t, pngChunk("prVt", metadata)),
		"profile.png":   pngOf(t, pngChunk("iCCP", metadata+strings.Repeat("x", 70<<10))),
		"exif.webp":     webpOf(extended(0x0c, 20, 10), lossless(20, 10), riffs("EXIF", big), riffs("XMP ", metadata)),
		"jpegs.webp":    webpOf(extended(0x0c, 20, 10), lossy(20, 10), riffs("EXIF", "Exif\x00\x00"+little)),
		"unknown.webp":  webpOf(extended(0, 20, 10), lossless(20, 10), riffs("GEOX", metadata)),
		"plain.webp":    webpOf(lossless(20, 10), riffs("EXIF", big)),
		"comment.gif":   gifOf(t, []byte("\x21\xfe"+string(rune(len(metadata)))+metadata+"\x00")),
		"xmp.gif":       gifOf(t, []byte("\x21\xff\x0bXMP DataXMP"+string(rune(len(metadata)))+metadata+"\x00")),
		"text.gif":      gifOf(t, []byte("\x21\x01\x0c............"+string(rune(len(metadata)))+metadata+"\x00")),
	}
}

// Cleaned pictures decode to the same pixels, keep their orientation, and have no metadata.
func TestSanitize_CleansPictures(t *testing.T) {
	for name, b := range withMetadata(t) {
		c, err := media.Sanitize(media.Image, name, b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := 1
		if strings.HasPrefix(name, "exif.") || name == "little.jpg" || name == "jpegs.webp" || name == "twice.jpg" {
			want = 6
		}
		if bytes.Contains(c.Bytes, []byte("SECRET")) || c.Width != 20 || c.Height != 10 || c.Orientation != want {
			t.Errorf("%s: %d by %d, turned %d, want %d: %q", name, c.Width, c.Height, c.Orientation, want, c.Bytes)
		}
		if !cmp.Equal(decodedPixels(t, name, b), decodedPixels(t, name, c.Bytes)) {
			t.Errorf("%s: the pixels changed", name)
		}
		again, err := media.Sanitize(media.Image, name, c.Bytes)
		if err != nil || !cmp.Equal(again, c) {
			t.Errorf("%s: cleaning again changed it, %v", name, err)
		}
	}
	whole := jpegOf(t)
	if c, err := media.Sanitize(media.Image, "a.jpg", whole); err != nil || !bytes.Equal(c.Bytes, whole) {
		t.Errorf("a clean picture has changed: %v", err)
	}
}

// decodedPixels returns the pixels of a picture as decoded by Go; for a WebP, the chunk with the
// pixels.
func decodedPixels(t *testing.T, name string, b []byte) any {
	t.Helper()
	var img any
	var err error
	switch r := bytes.NewReader(b); name[strings.Index(name, "."):] {
	case ".jpg":
		img, err = jpeg.Decode(r)
	case ".png":
		img, err = png.Decode(r)
	case ".gif":
		img, err = gif.DecodeAll(r)
	default:
		at := bytes.Index(b, []byte("VP8"))
		if b[at+3] == 'X' {
			at += 18
		}
		return b[at : at+19]
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// Color information is kept.
func TestSanitize_KeepsColors(t *testing.T) {
	for name, b := range map[string][]byte{
		"a.jpg": jpegOf(t, appended(0xe2, "ICC_PROFILE\x00\x01\x01profile"),
			appended(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01")),
		"a.png":  pngOf(t, pngChunk("iCCP", "p\x00\x00profile"), pngChunk("gAMA", "\x00\x00\xb1\x8f")),
		"a.webp": webpOf(extended(0x30, 20, 10), riffs("ICCP", "profile!"), riffs("ALPH", "alpha!"), lossy(20, 10)),
	} {
		if c, err := media.Sanitize(media.Image, name, b); err != nil || !bytes.Equal(c.Bytes, b) {
			t.Errorf("%s: %q, %v", name, c.Bytes, err)
		}
	}
}

// Locations are removed from videos without changing the position of any other byte.
func TestSanitize_CleansVideos(t *testing.T) {
	for name, brand := range map[string]string{"a.mp4": "isom", "a.mov": "qt  "} {
		b := film(brand)
		c, err := media.Sanitize(media.Video, name, bytes.Clone(b))
		if err != nil || len(c.Bytes) != len(b) || bytes.Contains(c.Bytes, []byte("SECRET")) {
			t.Errorf("%s: %q, %v", name, c.Bytes, err)
		}
		if n := bytes.Count(c.Bytes, []byte("trak")); n != 2 || !bytes.Contains(c.Bytes, []byte("frames")) {
			t.Errorf("%s has %d tracks", name, n)
		}
	}
}

// Proves MED-01, MED-15.
func TestSanitize_Formats(t *testing.T) {
	sound := append(append(ftyp("M4A "), box("mdat", []byte("x"))...), box("moov", track("soun"))...)
	wide := append(binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x01mdat"), 20), "long"...)
	for name, b := range map[string][]byte{
		"a.jpg": jpegOf(t), "a.jpeg": jpegOf(t), "a.png": pngOf(t), "a.gif": gifOf(t), "a.webp": webpOf(lossy(9, 9)),
		"a.mp4": film("mp42"), "a.mov": film("qt  "), "a.webm": webm("webm"), "a.mp3": mp3(), "a.m4a": sound,
		"a.ogg": ogg("OpusHead"), "a.wav": wav(), "a.flac": flac(),
		"long.mp4": bytes.Join([][]byte{ftyp("avc1"), wide, box("moov", track("vide"))}, nil),
	} {
		for _, k := range []media.Kind{media.Image, media.Audio, media.Video} {
			_, err := media.Sanitize(k, name, bytes.Clone(b))
			if fits := kindOf(name) == k; fits != (err == nil) {
				t.Errorf("%s as %s: %v", name, k, err)
			}
		}
		for _, other := range []string{"b.jpg", "b.png", "b.gif", "b.webp", "b.mp4", "b.mov", "b.webm",
			"b.mp3", "b.m4a", "b.ogg", "b.wav", "b.flac"} {
			same := name[strings.Index(name, "."):] == other[1:] || name == "a.jpeg" && other == "b.jpg"
			if _, err := media.Sanitize(kindOf(other), other, bytes.Clone(b)); same != (err == nil) {
				t.Errorf("the content of %s was accepted as %s: %v", name, other, err)
			}
		}
	}
	for _, codec := range []string{"\x01vorbis", "\x7fFLAC"} {
		if _, err := media.Sanitize(media.Audio, "a.ogg", ogg(codec)); err != nil {
			t.Errorf("%q: %v", codec, err)
		}
	}
	if _, err := media.Sanitize(media.Video, "a.webm", webm("matroska")); err == nil {
		t.Error("a Matroska video was accepted as WebM")
	}
	for k, want := range map[media.Kind][]string{
		media.Image: {".jpg", ".jpeg", ".png", ".webp", ".gif"}, media.Audio: {".mp3", ".m4a", ".ogg", ".wav", ".flac"},
		media.Video: {".mp4", ".mov", ".webm"},
	} {
		if diff := cmp.Diff(want, media.Extensions(k)); diff != "" {
			t.Errorf("extensions of %s (-want +got):\n%s", k, diff)
		}
	}
}

// Files up to exactly the limit of their kind are accepted.
//
// Proves MED-02.
func TestSanitize_SizeLimit(t *testing.T) {
	for name, most := range map[string]int{"a.png": 8 << 20, "a.mp3": 32 << 20, "a.webm": 100 << 20} {
		b := make([]byte, most+1)
		for size, tooLarge := range map[int]bool{most: false, most + 1: true} {
			_, err := media.Sanitize(kindOf(name), name, b[:size])
			if found := strings.Contains(fmt.Sprint(err), "The file is larger than"); err == nil || found != tooLarge {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
		}
	}
}

func kindOf(name string) media.Kind {
	switch {
	case strings.Contains(".mp4.mov.webm", name[strings.LastIndex(name, "."):]):
		return media.Video
	case strings.Contains(".mp3.m4a.ogg.wav.flac", name[strings.LastIndex(name, "."):]):
		return media.Audio
	}
	return media.Image
}

// attack is a malicious upload.
type attack struct {
	name string
	body []byte
}

// attacks returns more than a hundred uploads: decompression bombs, polyglots, path
// traversal, scripts, truncated files, and files whose content does not match the name.
func attacks(t testing.TB) map[string]attack {
	all := map[string]attack{}
	good := map[string][]byte{
		"a.jpg": jpegOf(t), "a.png": pngOf(t), "a.gif": gifOf(t), "a.webp": webpOf(extended(0, 20, 10), lossless(20, 10)),
		"a.mp4": film("isom"), "a.mov": film("qt  "), "a.webm": webm("webm"), "a.wav": wav(),
	}
	for name, b := range good {
		for _, part := range []int{0, 1, 10, 40, 60, 80, 99} {
			all[fmt.Sprintf("%s cut at %d %%", name, part)] = attack{name, b[:len(b)*part/100]}
		}
		all[name+" of zeros"] = attack{name, make([]byte, len(b))}
		all[name+" that is a program"] = attack{name, append([]byte("MZ\x90\x00"), b...)}
		all[name+" that is a page"] = attack{name, append([]byte("<html><script>SECRET</script>"), b...)}
		all[name+" with a page behind"] = attack{name, append(bytes.Clone(b), "<html><script>SECRET</script>"...)}
		all[name+" with an archive behind"] = attack{name, append(bytes.Clone(b), "PK\x03\x04SECRET"...)}
	}
	for _, name := range []string{
		"a.php.jpg", "a.jpg.php", "a.jpg.exe", "a.tar.jpg", "../a.jpg", "..\\a.jpg", "/a.jpg",
		"a/b.jpg", ".jpg", "a.", "a", "", "A.JPG", "a b.jpg",
		"a\x00.jpg", "a.jpg\x00.php", "a.jpg/", "%2e%2e%2fa.jpg", "é.jpg", "\u202egpj.a", "-a.jpg", "a-.jpg",
		"a--b.jpg", "a.svg", "a.html", "a.jpg\n", "A.jpg", "a_b.jpg", strings.Repeat("a", 97) + ".jpg",
	} {
		all[fmt.Sprintf("the name %q", name)] = attack{name, jpegOf(t)}
	}
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="SECRET()"><script>SECRET()</script></svg>`)
	for _, name := range []string{"a.svg", "a.png", "a.jpg", "a.gif", "a.webp"} {
		all["a drawing with a script as "+name] = attack{name, svg}
	}
	frame := func(w, h uint16, more ...byte) []byte {
		b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, h), w)
		return appended(0xc0, string(append(append(b, 1, 1, 0x11, 0), more...)))
	}
	scan := append(appended(0xda, "\x01\x01\x00\x00\x3f\x00"), 0)
	short := []byte("\xff\xd8")
	join := func(parts ...[]byte) []byte {
		return bytes.Join(append([][]byte{short}, append(parts, []byte("\xff\xd9"))...), nil)
	}
	end := pngChunk("IEND", "")
	broken := append([]byte("Exif\x00\x00MM\x00*"), "\xff\xff\xff\xffSECRET"...)
	looped := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff"),
		bytes.Repeat([]byte("\x01\x13SECRET...."), 9)...)
	maps.Copy(all, map[string]attack{
		"a JPEG with huge dimensions": {"a.jpg", join(frame(65535, 65535), scan)},
		"a JPEG without height":       {"a.jpg", join(frame(20, 0), scan)},
		"a JPEG with two sizes":       {"a.jpg", join(frame(2, 2), frame(60000, 60000), scan)},
		"a JPEG without a frame":      {"a.jpg", join(scan)},
		"a JPEG without a scan":       {"a.jpg", join(frame(2, 2))},
		"a JPEG with too many scans": {"a.jpg",
			join(append([][]byte{frame(2, 2)}, bytesOf(scan, 101)...)...)},
		"a JPEG with trailing bytes in its frame": {"a.jpg", join(frame(2, 2, 'S', 'E', 'C', 'R', 'E', 'T'), scan)},
		"a lossless JPEG": {"a.jpg",
			join(appended(0xc3, "\x08\x00\x02\x00\x02\x01\x01\x11\x00"), scan)},
		"a JPEG with damaged EXIF":                   {"a.jpg", jpegOf(t, appended(0xe1, string(broken)))},
		"a JPEG whose EXIF entry count is too large": {"a.jpg", jpegOf(t, appended(0xe1, string(looped)))},
		"a JPEG with truncated EXIF":                 {"a.jpg", jpegOf(t, appended(0xe1, "Exif\x00\x00II"))},
		"a JPEG with a segment of length 0":          {"a.jpg", jpegOf(t, []byte{0xff, 0xe1, 0, 0})},
		"a PNG with huge dimensions": {"a.png",
			bytes.Join([][]byte{pngHeader(30000, 30000), pngChunk("IDAT", "x"), end}, nil)},
		"a PNG with a negative size": {"a.png",
			bytes.Join([][]byte{pngHeader(0x80000001, 1), pngChunk("IDAT", "x"), end}, nil)},
		"a PNG with width 0": {"a.png",
			bytes.Join([][]byte{pngHeader(0, 5), pngChunk("IDAT", "x"), end}, nil)},
		"a PNG with two sizes": {"a.png", pngOf(t, pngHeader(30000, 30000)[8:])},
		"a PNG without a header": {"a.png",
			bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IDAT", "x"), end}, nil)},
		"a PNG without image data": {"a.png", append(pngHeader(2, 2), end...)},
		"a PNG with a wrong checksum": {"a.png",
			append(pngHeader(2, 2), "\x00\x00\x00\x01IDATx\x00\x00\x00\x00"...)},
		"a PNG with a huge chunk":          {"a.png", append(pngHeader(2, 2), "\xff\xff\xff\xffIDATx"...)},
		"a PNG with an unknown chunk type": {"a.png", pngOf(t, pngChunk("EVIL", metadata))},
		"a GIF with huge dimensions": {"a.gif",
			[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02L\x01\x00;")},
		"a GIF with a frame outside its canvas": {"a.gif",
			[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02L\x01\x00;")},
		"a GIF without a frame":  {"a.gif", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")},
		"a GIF that is a script": {"a.gif", []byte("GIF89a/*\x00\x00\x00\x00*/=1;SECRET()")},
		"a GIF with too many frames": {"a.gif",
			bytes.Join(append(append([][]byte{[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00")},
				bytesOf([]byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02L\x01\x00"), 2001)...), []byte(";")), nil)},
		"a WebP with a huge canvas":         {"a.webp", webpOf(extended(0, 16<<20, 16<<20), lossless(16384, 16384))},
		"a small WebP with huge dimensions": {"a.webp", webpOf(lossless(16384, 16384))},
		"a WebP with two sizes":             {"a.webp", webpOf(extended(0, 2, 2), lossless(16384, 16384))},
		"a WebP with two images":            {"a.webp", webpOf(lossless(2, 2), lossless(2, 2))},
		"a WebP without image data":         {"a.webp", webpOf(extended(0, 2, 2))},
		"an animated WebP":                  {"a.webp", webpOf(extended(2, 2, 2), lossless(2, 2))},
		"a WebP that starts with an interframe": {"a.webp",
			webpOf(riffs("VP8 ", "\x11\x00\x00\x9d\x01\x2a\x02\x00\x02\x00pixels"))},
		"a WebP with a huge chunk": {"a.webp",
			[]byte("RIFF\x14\x00\x00\x00WEBPVP8L\xff\xff\xff\xff\x2f\x00\x00\x00")},
		"a film without a video track": {"a.mp4",
			bytes.Join([][]byte{ftyp("isom"), box("mdat", []byte("x")), box("moov", track("soun"))}, nil)},
		"a film without a track": {"a.mp4",
			bytes.Join([][]byte{ftyp("isom"), box("mdat", []byte("x")), box("moov")}, nil)},
		"a film without data": {"a.mp4",
			bytes.Join([][]byte{ftyp("isom"), box("moov", track("vide"))}, nil)},
		"a film with two file types": {"a.mp4",
			bytes.Join([][]byte{ftyp("isom"), ftyp("qt  "), box("mdat"), box("moov", track("vide"))}, nil)},
		"a film with a box that is shorter than its header": {"a.mp4", append(film("isom"), "\x00\x00\x00\x04free"...)},
		"a film with a box that is too long": {"a.mp4",
			append(film("isom"), "\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"...)},
		"an image as a film": {"a.mp4",
			bytes.Join([][]byte{ftyp("heic"), box("mdat", []byte("x")), box("moov", track("vide"))}, nil)},
		"a Matroska film": {"a.webm", webm("matroska")},
		"a WebM with an endless length": {"a.webm",
			append(webm("webm")[:20], bytes.Repeat([]byte{0xff}, 40)...)},
		"an image that is too large": {"a.jpg",
			jpegOf(t, bytesOf(appended(0xfe, strings.Repeat("x", 60000)), 150)...)},
		"audio that is too large":  {"a.wav", make([]byte, 32<<20+1)},
		"a film that is too large": {"a.mp4", make([]byte, 100<<20+1)},
		"audio that contains HTML": {"a.mp3",
			append([]byte("ID3\x04\x00\x00\x00\x00\x00\x05hello"), "<script>SECRET</script>"...)},
		"audio with half a frame": {"a.mp3", mp3()[:300]},
		"an OGG film":             {"a.ogg", ogg("\x80theora")},
		"a WAV without a format":  {"a.wav", riffs("RIFF", "WAVE"+string(riffs("data", "x")))},
	})
	for name, b := range withMetadata(t) {
		all["metadata in "+name] = attack{name, b}
	}
	return all
}

func bytesOf(b []byte, n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = b
	}
	return all
}

// Every attack is rejected with a field or made harmless, and uses at most twice its size in
// memory.
//
// Proves MED-01, MED-05, MED-13.
func TestSanitize_Attacks(t *testing.T) {
	all := attacks(t)
	taken := 0
	for name, a := range all {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := media.Sanitize(kindOf("x."+a.name[strings.LastIndex(a.name, ".")+1:]), a.name, a.body)
		runtime.ReadMemStats(&after)
		if cost, most := after.TotalAlloc-before.TotalAlloc, uint64(2*len(a.body)+16<<10); cost > most {
			t.Errorf("%s: used %d bytes for a file of %d", name, cost, len(a.body))
		}
		if err == nil {
			taken++
			if bytes.Contains(c.Bytes, []byte("SECRET")) || bytes.Contains(c.Bytes, []byte("<script")) {
				t.Errorf("%s: accepted with harmful content: %.200q", name, c.Bytes)
			}
			if strings.Contains(name, "cut at") || strings.HasPrefix(name, "the name") || strings.HasPrefix(name, "a drawing") {
				t.Errorf("%s was accepted", name)
			}
			continue
		}
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "file" && f.Field != "filename" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all) < 100 || taken > len(all)/4 {
		t.Errorf("%d attacks, %d of them accepted", len(all), taken)
	}
}

// The largest video uses no additional memory.
//
// Proves MED-14.
func TestSanitize_LargestVideo(t *testing.T) {
	head := append(ftyp("isom"), box("moov", track("vide", box("udta", []byte(metadata))))...)
	b := make([]byte, 100<<20)
	n := copy(b, head)
	copy(b[n:], binary.BigEndian.AppendUint32(nil, uint32(len(b)-n)))
	copy(b[n+4:], "mdat")
	if per := testing.AllocsPerRun(1, func() {
		if _, err := media.Sanitize(media.Video, "a.mp4", b); err != nil {
			t.Error(err)
		}
	}); per > 50 {
		t.Errorf("%v allocations", per)
	}
	if bytes.Contains(b[:n], []byte("SECRET")) {
		t.Error("the location remains")
	}
	b = append(b, 0)
	binary.BigEndian.PutUint32(b[n:], uint32(len(b)-n)) // complete, but too large
	if _, err := media.Sanitize(media.Video, "a.mp4", b); !fault.Is(err, fault.Invalid) {
		t.Errorf("one byte more: %v", err)
	}
}

// Proves MED-04, MED-06, MED-07, MED-08, MED-09, MED-10, MED-11, MED-12.
func TestFolders(t *testing.T) {
	for want, of := range map[string]struct {
		k    media.Kind
		u    media.Use
		slug string
	}{
		"assets/images/defaults": {media.Image, media.Default, ""}, "assets/images/add-ons": {media.Image, media.AddOn, ""},
		"assets/images/campaign-add-ons/paper-boat": {media.Image, media.CampaignAddOn, "paper-boat"},
		"assets/images/campaigns/paper-boat":        {media.Image, media.Campaign, "paper-boat"},
		"assets/videos/campaigns/paper-boat":        {media.Video, media.Campaign, "paper-boat"},
		"assets/audio/campaigns/paper-boat":         {media.Audio, media.Campaign, "paper-boat"},
		"assets/videos/defaults":                    {media.Video, media.Default, ""},
	} {
		if got, err := media.Folder(of.k, of.u, of.slug); err != nil || got != want {
			t.Errorf("%v: %s, %v", of, got, err)
		}
	}
	for _, of := range []struct {
		k     media.Kind
		u     media.Use
		slug  string
		field string
	}{
		{media.Audio, media.Default, "", "use"}, {media.Audio, media.AddOn, "", "use"},
		{media.Audio, media.CampaignAddOn, "a", "use"}, {media.Video, media.CampaignAddOn, "a", "use"},
		{media.Video, media.AddOn, "", "use"}, {media.Image, "logo", "", "use"}, {"text", media.Campaign, "a", "use"},
		{media.Image, media.Default, "a", "campaignSlug"}, {media.Image, media.Campaign, "", "campaignSlug"},
		{media.Image, media.Campaign, "../a", "campaignSlug"},
	} {
		if _, err := media.Folder(of.k, of.u, of.slug); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != of.field {
			t.Errorf("%v: %v", of, err)
		}
	}
}
