package site_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// decodeCopies decodes the resized copies of a picture in a tree, by width.
func decodeCopies(t *testing.T, tree *site.Tree) map[int]image.Image {
	t.Helper()
	all := map[int]image.Image{}
	for _, p := range tree.Paths() {
		if !strings.HasPrefix(p, "_/images/") {
			continue
		}
		f, _ := tree.File(p)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		all[img.Bounds().Dx()] = img
	}
	return all
}

// halves returns a picture whose left half is red and whose right half is semitransparent blue.
func halves(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{200, 0, 0, 255}
			if x >= w/2 {
				c = color.NRGBA{0, 0, 200, 128}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// near reports whether a color's components differ from the given ones by at most 6 of 255.
func near(c color.Color, r, g, b, a uint32) bool {
	x, y, z, w := c.RGBA()
	off := func(v, want uint32) bool { v >>= 8; return v+6 < want || v > want+6 }
	return !off(x, r) && !off(y, g) && !off(z, b) && !off(w, a)
}

// A picture of any size is scaled to the standard widths below its own, with correct colors.
func TestPictures_Scaled(t *testing.T) {
	for name, tt := range map[string]struct {
		w, h    int
		heights map[int]int
	}{
		"large":      {4100, 1230, map[int]int{320: 96, 480: 144, 640: 192, 960: 288, 1600: 480}},
		"small":      {500, 333, map[int]int{320: 213, 480: 319, 500: 333}},
		"tall strip": {330, 12_000, map[int]int{320: 11_636, 330: 12_000}},
		"wide line":  {3000, 1, map[int]int{320: 1, 480: 1, 640: 1, 960: 1, 1600: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, halves(tt.w, tt.h)); err != nil {
				t.Fatal(err)
			}
			files := content(t)
			files["assets/images/boat.jpg"].Data = b.Bytes()
			made := decodeCopies(t, build(t, files, noon))
			if len(made) != len(tt.heights) {
				t.Errorf("%d copies, want %d", len(made), len(tt.heights))
			}
			for w, h := range tt.heights {
				img := made[w]
				if img == nil || img.Bounds().Dy() != h {
					t.Errorf("no copy of %d by %d pixels", w, h)
					continue
				}
				if left, right := img.At(w/4, h/2), img.At(3*w/4, h/2); !near(left, 200, 0, 0, 255) ||
					!near(right, 0, 0, 100, 128) {
					t.Errorf("colors at width %d = %v and %v", w, left, right)
				}
			}
		})
	}
}

// The resized copies of a large rotated photo are upright.
func TestPictures_LargeRotated(t *testing.T) {
	files := content(t)
	files["assets/images/boat.jpg"].Data = orientedPicture(t, 4000, 3300, 6)
	for w, img := range decodeCopies(t, build(t, files, noon)) {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			t.Fatal(err)
		}
		if got := redCorner(t, b.Bytes()); got != "false top right" {
			t.Errorf("red corner at width %d = %s", w, got)
		}
	}
}

// counted is a cache that counts writes.
type counted struct {
	mu    sync.Mutex
	files map[string][]byte
	puts  int
}

func (c *counted) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return fstest.MapFS{"f": {Data: b}}.Open("f")
}

func (c *counted) Put(name string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[name], c.puts = body, c.puts+1
	return nil
}

// Copies are cached by the picture's content. A new name or modification time does not create new
// ones.
func TestPictures_CachedByContent(t *testing.T) {
	cache := &counted{files: map[string][]byte{}}
	made := func(files fstest.MapFS) int {
		t.Helper()
		before := cache.puts
		if _, err := cachedBuilder(t, files, cache).Build(loadCatalogue(t, files), noon); err != nil {
			t.Fatal(err)
		}
		return cache.puts - before
	}
	files := content(t)
	if made(files) == 0 {
		t.Fatal("nothing was cached")
	}
	files["assets/images/boat.jpg"].ModTime = time.Unix(1_800_000_000, 0)
	if n := made(files); n != 0 {
		t.Errorf("a new modification time created %d files", n)
	}
	files["assets/images/ferry.jpg"] = files["assets/images/boat.jpg"]
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "hero_image: /assets/images/boat.jpg",
		"hero_image: /assets/images/ferry.jpg", 1))
	if n := made(files); n != 0 {
		t.Errorf("a new name created %d files", n)
	}
	files["assets/images/ferry.jpg"] = &fstest.MapFile{Data: jpg(t, 640, 320)}
	if n := made(files); n == 0 {
		t.Error("new content created no files")
	}
}

// A server reports a picture that cannot be shown, and replaces it with a placeholder. Build fails
// with the reference to the picture.
func TestPictures_Unusable(t *testing.T) {
	whole := jpg(t, 700, 400)
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"missing file":    {nil, "there is no file /assets/images/boat.jpg"},
		"empty file":      {[]byte{}, "is empty"},
		"Git LFS pointer": {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"), "Git LFS pointer"},
		"second half cut": {whole[:len(whole)/2], "is damaged"},
		"plain text":      {[]byte(strings.Repeat("boats ", 400)), "is not a picture"},
		"header only":     {whole[:1100], "is "},
	} {
		t.Run(name, func(t *testing.T) {
			files := content(t)
			if files["assets/images/boat.jpg"].Data = tt.data; tt.data == nil {
				delete(files, "assets/images/boat.jpg")
			}
			b, err := builder(t, files)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Build(loadCatalogue(t, files), noon)
			if err == nil || !strings.Contains(err.Error(), "campaigns/paper-boat.md:10: hero_image: ") ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("strict build: %v", err)
			}
			s := site.NewServer(b, loadCatalogue(t, files), func() time.Time { return noon }, slog.New(slog.DiscardHandler))
			defer s.Close()
			s.Publish(loadCatalogue(t, files))
			got := getPage(s, "/assets/images/boat.jpg")
			if kind := got.Header().Get("Content-Type"); got.Code != 200 || kind != "image/svg+xml" {
				t.Errorf("placeholder: status %d %s", got.Code, kind)
			}
			got = getPage(s, "/campaigns/paper-boat/")
			if !strings.Contains(got.Body.String(), `src="/assets/images/boat.jpg"`) {
				t.Error("the page does not show the placeholder")
			}
			if p := s.Problems(); len(p) == 0 || !strings.Contains(p.Error(), tt.want) {
				t.Errorf("reported problems = %v", p)
			}
		})
	}
}

func loadCatalogue(t *testing.T, files fs.FS) *campaign.Catalogue {
	t.Helper()
	c, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A large picture is averaged before scaling, which limits the scaler's memory. Scaling all 1,900
// lines directly would need a buffer of 97 MB.
func TestPictures_LargeMemory(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 12_000, 1_900)), nil); err != nil {
		t.Fatal(err)
	}
	files := content(t)
	files["assets/images/boat.jpg"].Data = b.Bytes()
	builder, catalogue := cachedBuilder(t, files, nil), loadCatalogue(t, files)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := builder.Build(catalogue, noon); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) / 1_000_000; taken > 110 {
		t.Errorf("the build allocated %d MB", taken)
	}
}

// fullDisk is a cache whose writes fail.
type fullDisk struct{ site.Folder }

func (fullDisk) Put(string, []byte) error { return errors.New("no space left on device") }

// Build succeeds, including share cards, if the cache's disk is full.
func TestBuild_CacheOnFullDisk(t *testing.T) {
	examples := os.DirFS("../../examples/site")
	b := cachedBuilder(t, examples, fullDisk{site.Folder(t.TempDir())})
	catalogue, err := campaignfile.Load(examples)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := b.Build(catalogue, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	card, ok := tree.File("share/site.png")
	if !ok {
		t.Fatal("there is no share card")
	}
	f, err := card.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := png.Decode(f); err != nil {
		t.Errorf("share card: %v", err)
	}
}
