package nethttp_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
)

// planted is a text in every hostile file that must not appear in stored files.
const planted = "<script>planted()</script>"

// hostile is a malicious or damaged file.
type hostile struct {
	about, name string
	body        []byte
	harmless    bool // accepted with the planted text removed
}

func big16(b []byte, n int) []byte { return binary.BigEndian.AppendUint16(b, uint16(n)) } //nolint:gosec // truncation is intended
func big32(b []byte, n int) []byte { return binary.BigEndian.AppendUint32(b, uint32(n)) } //nolint:gosec // truncation is intended

// chunk returns a PNG chunk, riff a WebP or WAV chunk, box an MP4 box, and marked a JPEG segment.
func chunk(name, body string) string {
	sum := crc32.ChecksumIEEE([]byte(name + body))
	return string(big32(nil, len(body))) + name + body + string(binary.BigEndian.AppendUint32(nil, sum))
}

func riff(name, body string) string {
	return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body + strings.Repeat("\x00", len(body)&1) //nolint:gosec // short
}

func box(name, body string) string { return string(big32(nil, len(body)+8)) + name + body }

func marked(marker byte, body string) string {
	return "\xff" + string([]byte{marker}) + string(big16(nil, len(body)+2)) + body
}

// packed returns compressed data that expands to size bytes.
func packed(size int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	zeros := make([]byte, 1<<16)
	for ; size > 0; size -= len(zeros) {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	return b.String()
}

func ihdr(w, h int) string {
	return chunk("IHDR", string(big32(big32(nil, w), h))+"\x08\x02\x00\x00\x00")
}

const (
	pngMark = "\x89PNG\r\n\x1a\n"
	frame   = ",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02L\x01\x00" // GIF frame of one pixel
	onePix  = "GIF89a\x01\x00\x01\x00\x00\x00\x00"
	scan    = "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x00"
	track   = "\x00\x00\x00\x24trak\x00\x00\x00\x1cmdia\x00\x00\x00\x14hdlr\x00\x00\x00\x00mhlrvide"
)

func sized(w, h int) string {
	return "\xff\xd8" + marked(0xc0, string(big16(big16([]byte{8}, h), w))+"\x01\x01\x11\x00")
}

// good returns valid files of each kind.
func good(t *testing.T) map[string]string {
	t.Helper()
	var j, p, g bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.White})
	for _, err := range []error{jpeg.Encode(&j, img, nil), png.Encode(&p, img), gif.Encode(&g, img, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{
		".jpg": j.String(), ".png": p.String(), ".gif": g.String(),
		".webp": riff("RIFF", "WEBP"+riff("VP8L", "\x2f\x13\x40\x02\x00pixels")),
		".mp4":  box("ftyp", "isom\x00\x00\x00\x00isom") + box("mdat", "frames") + box("moov", track),
		".wav":  riff("RIFF", "WAVE"+riff("fmt ", strings.Repeat("\x00", 16))+riff("data", "samples!")),
	}
}

// hostiles returns more than a hundred malicious or damaged uploads.
func hostiles(t *testing.T) []hostile {
	var all []hostile
	add := func(about, name, body string, harmless bool) {
		all = append(all, hostile{about, name, []byte(body), harmless})
	}
	files := good(t)
	for _, ext := range slices.Sorted(maps.Keys(files)) {
		b := files[ext]
		add("cut to nothing", "a"+ext, "", false)
		add("cut after its signature", "a"+ext, b[:8], false)
		add("cut in the middle", "a"+ext, b[:len(b)/2], false)
		add("cut before its end", "a"+ext, b[:len(b)-1], ext == ".webp" || ext == ".wav" && false)
		add("a program before the file", "a"+ext, "MZ\x90\x00"+b, false)
		add("a page before it", "a"+ext, planted+b, false)
		add("a page behind it", "a"+ext, b+planted, true)
		add("an archive after the file", "a"+ext, b+"PK\x03\x04"+planted, true)
		add("an HTML page with an image name", "a"+ext, "<!doctype html>"+planted, false)
		add("an SVG with an image name", "a"+ext,
			`<svg xmlns="http://www.w3.org/2000/svg" onload="planted()">`+planted+`</svg>`, false)
		for other, body := range files {
			if other != ext {
				add("in truth "+other, "a"+ext, body, false)
			}
		}
	}
	for _, name := range []string{
		"a.svg", "a.svgz", "a.html", "a.php.jpg", "a.jpg.php", "a.jpg.svg", "a.jpg\x00.php",
		"a.jpg\n", "a.jpg ", ".jpg", "jpg", "a.", "", "A.JPG",
		"../a.jpg", `..\a.jpg`, "/etc/a.jpg", "a/b.jpg", "....//a.jpg", "%2e%2e%2fa.jpg",
		"con:a.jpg", ".git/config.jpg", "-a.jpg", "a--b.jpg",
		"лодка.jpg", "船.jpg", "\u202egpj.a", "قارب.jpg", "a\u200b.jpg", "é.jpg", "🛶.jpg", strings.Repeat("a", 97) + ".jpg",
	} {
		add("a name", name, files[".jpg"], false)
	}
	bomb := packed(1 << 26)
	huge, text := chunk("zTXt", "Comment\x00\x00"+bomb),
		chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+planted+strings.Repeat("x", 6<<20))
	inPNG := func(more string) string { return files[".png"][:33] + more + files[".png"][33:] }
	inJPEG := func(more string) string { return files[".jpg"][:2] + more + files[".jpg"][2:] }
	loop := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff" +
		strings.Repeat("\x87\x69\x00\x04\x00\x00\x00\x01\x00\x00\x00\x08", 200) + planted
	return append(all, []hostile{
		{"900 million pixels", "a.png",
			[]byte(pngMark + ihdr(30000, 30000) + chunk("IDAT", bomb) + chunk("IEND", "")), false},
		{"more pixels than an integer can hold", "a.png",
			[]byte(pngMark + ihdr(-1, -1) + chunk("IDAT", "x") + chunk("IEND", "")), false},
		{"two headers", "a.png", []byte(inPNG(ihdr(60000, 60000))), false},
		{"a text chunk that expands to 64 MB", "a.png", []byte(inPNG(huge)), true},
		{"megabytes of text", "a.png", []byte(inPNG(text)), true},
		{"a profile that expands to 64 MB", "a.png", []byte(inPNG(chunk("iCCP", "p\x00\x00"+bomb))), true},
		{"a chunk longer than the file", "a.png", []byte(pngMark + ihdr(1, 1) + "\xff\xff\xff\xffIDATx"), false},
		{"a million chunks", "a.png", []byte(inPNG(strings.Repeat(chunk("tEXt", ""), 500_000))), true},
		{"four billion pixels", "a.jpg", []byte(sized(65535, 65535) + scan + "\xff\xd9"), false},
		{"no height", "a.jpg", []byte(sized(20, 0) + scan + "\xff\xd9"), false},
		{"a thousand scans", "a.jpg", []byte(sized(2, 2) + strings.Repeat(scan, 1000) + "\xff\xd9"), false},
		{"an EXIF directory that refers to itself", "a.jpg", []byte(inJPEG(marked(0xe1, loop))), true},
		{"an EXIF offset beyond the file", "a.jpg",
			[]byte(inJPEG(marked(0xe1, "Exif\x00\x00II*\x00\xff\xff\xff\xff"+planted))), true},
		{"a comment that is a script", "a.jpg", []byte(inJPEG(marked(0xfe, "*/="+planted))), true},
		{"a segment without a length", "a.jpg", []byte(inJPEG("\xff\xe1\x00\x00")), false},
		{"a million frames", "a.gif", []byte(onePix + strings.Repeat(frame, 450_000) + ";"), false},
		{"a canvas of 65535", "a.gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00" + frame + ";"), false},
		{"a frame outside of the canvas", "a.gif",
			[]byte(onePix + ",\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02L\x01\x00;"), false},
		{"a script that is a GIF", "a.gif", []byte("GIF89a/*\x00\x00\x00\x00*/=1;" + planted), false},
		{"a comment in a GIF", "a.gif",
			[]byte(onePix + "\x21\xfe" + string(rune(len(planted))) + planted + "\x00" + frame + ";"), true},
		{"a size that lies", "a.webp", []byte("RIFF\xff\xff\xff\x7fWEBP" + riff("VP8L", "\x2f\x00\x00\x00\x00")), false},
		{"a chunk that lies", "a.webp", []byte("RIFF\x16\x00\x00\x00WEBPVP8L\xff\xff\xff\xff\x2f\x00\x00\x00\x00"), false},
		{"pixels that lie", "a.webp", []byte(riff("RIFF",
			"WEBP"+riff("VP8X", "\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00")+riff("VP8L", "\x2f\xff\xff\xff\x0f"))), false},
		{"268 million pixels", "a.webp", []byte(riff("RIFF", "WEBP"+riff("VP8L", "\x2f\xff\xff\xff\x0f"))), false},
		{"a page in a chunk", "a.webp",
			[]byte(riff("RIFF", "WEBP"+riff("VP8L", "\x2f\x13\x40\x02\x00pixels")+riff("XMP ", planted))), true},
		{"a box that lies", "a.mp4",
			[]byte(box("ftyp", "isom\x00\x00\x00\x00isom") + "\x7f\xff\xff\xffmdatx" + box("moov", track)), false},
		{"a box of 2^64 bytes", "a.mp4",
			[]byte(files[".mp4"] + "\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"), false},
		{"a box of no bytes", "a.mp4", []byte(files[".mp4"] + "\x00\x00\x00\x01free"), false},
		{"HTML instead of a location", "a.mp4", []byte(files[".mp4"] + box("udta", planted)), true},
		{"a still as a film", "a.mp4",
			[]byte(box("ftyp", "heic\x00\x00\x00\x00heic") + box("mdat", "x") + box("moov", track)), false},
		{"samples that lie", "a.wav",
			[]byte("RIFF\xff\xff\xff\xffWAVE" + riff("fmt ", strings.Repeat("\x00", 16)) + "data\xff\xff\xff\xffx"), false},
		{"an archive", "a.mp4", []byte("PK\x03\x04" + planted), false},
	}...)
}

func kindOf(name string) string {
	switch path.Ext(name) {
	case ".mp4", ".mov", ".webm":
		return "video"
	case ".wav", ".mp3":
		return "audio"
	}
	return "image"
}

// allocated returns the bytes that this process has allocated in total.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// platform is a running server with a client that uploads files.
type platform struct {
	*testing.T
	server *httptest.Server
	secret string
	asked  *int
}

func newPlatform(t *testing.T) platform {
	h := newHost(t)
	server := httptest.NewServer(nethttp.Handler(h.API, nethttp.Options{TrustedHeader: "X-Client"}))
	t.Cleanup(server.Close)
	return platform{t, server, h.Config.Secrets.Admin.Reveal(), new(int)}
}

func (p platform) do(method, target string, body io.Reader, header map[string]string) (*http.Response, []byte) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.server.URL+target, body)
	if err != nil {
		p.Fatal(err)
	}
	*p.asked++ // avoids the limit of five requests with a secret per minute and address
	r.Header.Set("X-Client", fmt.Sprintf("192.0.%d.%d", *p.asked/200, *p.asked%200))
	r.Header.Set("Authorization", "Bearer "+p.secret)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := p.server.Client().Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	response, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return resp, response
}

func (p platform) upload(name string, body io.Reader, header map[string]string) (int, []byte) {
	p.Helper()
	q := url.Values{"filename": {name}, "campaignSlug": {game}}
	resp, response := p.do("POST", "/admin/settings/"+kindOf(name)+"-upload?"+q.Encode(), body, header)
	return resp.StatusCode, response
}

// Each file is either rejected with the invalid field or stored without the planted text. Nothing
// is decompressed: client and server together allocate at most a few times the size of the file.
//
// Proves MED-01, MED-02, MED-05, MED-13.
func TestUploads_Hostile(t *testing.T) {
	p := newPlatform(t)
	all := hostiles(t)
	if len(all) < 100 {
		t.Errorf("only %d hostile files", len(all))
	}
	p.upload("warm.png", strings.NewReader(good(t)[".png"]), nil)
	for i, h := range all {
		name := h.name
		if strings.HasPrefix(name, "a.") && h.about != "a name" {
			name = fmt.Sprintf("a%d%s", i, path.Ext(name)) // a new name, because an existing file would not be stored again
		}
		before := allocated()
		status, response := p.upload(name, bytes.NewReader(h.body), nil)
		if cost, most := allocated()-before, uint64(8*len(h.body)+4<<20); cost > most {
			t.Errorf("%s, %q: %d bytes of memory for %d", h.about, h.name, cost, len(h.body))
		}
		var answer struct{ Path, Field, Code string }
		if err := json.Unmarshal(response, &answer); err != nil {
			t.Errorf("%s, %q: %d %.80s", h.about, h.name, status, response)
		}
		if bytes.Contains(response, []byte("planted")) {
			t.Errorf("%s, %q: response = %s", h.about, h.name, response)
		}
		switch {
		case status == 200 && h.harmless:
			p.harmless(h, answer.Path)
		case status == 400 && (answer.Field == "file" || answer.Field == "filename"):
		default:
			t.Errorf("%s, %q: %d %s", h.about, h.name, status, response)
		}
	}
}

// harmless checks the stored file of an upload.
func (p platform) harmless(h hostile, file string) {
	p.Helper()
	resp, kept := p.do("GET", "/admin/media/"+game+"/file?path="+url.QueryEscape(file), nil, nil)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Disposition") != "attachment" ||
		resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
		resp.Header.Get("Content-Type") != "application/octet-stream" {
		p.Errorf("%s, %q: served with status %d %v", h.about, h.name, resp.StatusCode, resp.Header)
	}
	if bytes.Contains(kept, []byte("planted")) || bytes.Contains(kept, []byte("PK\x03\x04")) {
		p.Errorf("%s, %q: still contains the planted text", h.about, h.name)
	}
	if ext := path.Ext(file); ext == ".png" || ext == ".jpg" || ext == ".gif" {
		if img, _, err := image.DecodeConfig(bytes.NewReader(kept)); err != nil ||
			img.Width*img.Height > 60_000_000 || len(kept) > 8<<20 {
			p.Errorf("%s, %q: stored as %+v, %v", h.about, h.name, img, err)
		}
	}
}

// The body must be the file itself, not a form and not compressed, whatever the request headers
// claim.
func TestUploads_InvalidBody(t *testing.T) {
	p := newPlatform(t)
	picture := good(t)[".png"]
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.Copy(w, io.LimitReader(zeros{}, 1<<26)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	before := allocated()
	for about, body := range map[string]string{
		"a form": "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.png\"\r\n\r\n" +
			picture + "\r\n--x--\r\n",
		"JSON": `{"file":"` + picture + `"}`, "64 MB, packed": zipped.String(),
	} {
		header := map[string]string{"Content-Type": "multipart/form-data; boundary=x", "Content-Encoding": "gzip"}
		if status, response := p.upload("a.png", strings.NewReader(body), header); status != 400 ||
			!bytes.Contains(response, []byte(`"field":"file"`)) {
			t.Errorf("%s: %d %s", about, status, response)
		}
	}
	if cost := allocated() - before; cost > uint64(16*zipped.Len()+16<<20) { //nolint:gosec // positive
		t.Errorf("allocated %d bytes", cost)
	}
	if status, response := p.upload("a.png", strings.NewReader(picture), map[string]string{"Content-Type": "text/html",
		"Content-Disposition": `attachment; filename="../a.svg"`}); status != 200 ||
		!bytes.Contains(response, []byte("image/png")) {
		t.Errorf("picture with an HTML content type: status %d: %s", status, response)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A video that arrives in chunks without a declared length is held in memory only once. If the
// repository's limit is lower, the response contains that limit.
//
// Proves MED-02, MED-14.
func TestUploads_FilmInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector uses many times as much memory")
	}
	p := newPlatform(t)
	for _, tc := range []struct {
		size, status int
		says         string
	}{
		{30 << 20, 200, `"type":"video/mp4"`},
		{100 << 20, 400, "up to 32 MB"},
		{100<<20 + 1, 413, "too large"},
	} {
		head := box("ftyp", "isom\x00\x00\x00\x00isom") + box("moov", track) + box("udta", planted)
		data := string(big32(nil, tc.size-len(head))) + "mdat"
		film := io.MultiReader(strings.NewReader(head+data), io.LimitReader(zeros{}, int64(tc.size-len(head)-8)))
		before := allocated()
		status, response := p.upload(fmt.Sprintf("a%d.mp4", tc.size), film, nil)
		if status != tc.status || !bytes.Contains(response, []byte(tc.says)) {
			t.Errorf("%d bytes: %d %s", tc.size, status, response)
		}
		if cost := allocated() - before; cost > uint64(5*tc.size) { //nolint:gosec // positive
			t.Errorf("%d bytes: allocated %d bytes", tc.size, cost)
		}
	}
	_, kept := p.do("GET",
		"/admin/media/"+game+"/file?path="+url.QueryEscape(fmt.Sprintf("/assets/videos/campaigns/%s/a%d.mp4", game, 30<<20)),
		nil, nil)
	if len(kept) != 30<<20 || bytes.Contains(kept, []byte("planted")) {
		t.Errorf("%d bytes are kept", len(kept))
	}
}
