package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoded to learn the size
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decoded

	"github.com/pledgeworks/pledgeworks/admin/media"
)

// widths are those in which a picture is offered, in pixels.
var widths = []int{320, 480, 640, 960, 1600}

const (
	quality   = 80
	maxPixels = 60_000_000 // a picture that unpacks to more is refused
)

// ImageCache keeps files by name.
type ImageCache interface {
	// Open fails with fs.ErrNotExist for what is not kept.
	Open(name string) (fs.File, error)
	Put(name string, body []byte) error
}

// Folder is an ImageCache in a folder.
type Folder string

// Open implements ImageCache.
func (f Folder) Open(name string) (fs.File, error) { return os.Open(filepath.Join(string(f), name)) }

// Put implements ImageCache.
func (f Folder) Put(name string, body []byte) error {
	return File{Body: body}.writeTo(filepath.Join(string(f), name))
}

// memory is an ImageCache that ends with the program. Files are served from it while
// others are made.
type memory struct{ files sync.Map }

func (m *memory) Open(name string) (fs.File, error) {
	body, ok := m.files.Load(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	bytesOf, _ := body.([]byte)
	return &held{Reader: bytes.NewReader(bytesOf)}, nil
}

func (m *memory) Put(name string, body []byte) error {
	m.files.Store(name, body)
	return nil
}

// picture is what a page shows of an image: the original's size, and the widths it
// is to be had in.
type picture struct {
	Src           string `json:"src"`
	Srcset        string `json:"srcset,omitempty"`
	Width, Height int
	// Made are the files that belong to it, in the cache.
	Made []string `json:"made,omitempty"`
}

// pictures makes images smaller, once.
type pictures struct {
	content fs.FS
	cache   ImageCache
	known   map[string]picture // by path and what Stat says of it
	looked  map[string]picture // in this build, by address
	trail   []string           // of those that were asked for, for who wants to know whether they changed
	used    map[string]bool    // paths below /assets/, in the content
	made    map[string]bool    // names in the cache
	cleaned map[string]string  // names in the cache by path and what Stat says of it; "" for what is clean
}

func newPictures(content fs.FS, cache ImageCache) *pictures {
	if cache == nil {
		cache = &memory{}
	}
	return &pictures{content: content, cache: cache, known: map[string]picture{}, cleaned: map[string]string{}}
}

// picture returns an image by the address that a campaign gives it. What others
// serve is shown as it is.
func (p *pictures) picture(src string) (picture, error) {
	if !strings.HasPrefix(src, "/") {
		return picture{Src: src}, nil
	}
	if known, ok := p.looked[src]; ok {
		p.use(src, known)
		return known, nil
	}
	info, err := p.file(src)
	if err != nil {
		return picture{}, err
	}
	key := fmt.Sprintf("%s %d %d", src, info.Size(), info.ModTime().UnixNano())
	made, ok := p.known[key]
	if !ok {
		if made, err = p.recall(key, src); err != nil {
			return picture{}, fmt.Errorf("%s: %w", src, err)
		}
	}
	p.known[key], p.looked[src] = made, made
	p.use(src, made)
	return made, nil
}

// optional is picture, or the zero one where there is no address.
func (p *pictures) optional(src string) (picture, error) {
	if src == "" {
		return picture{}, nil
	}
	return p.picture(src)
}

// begin starts a build, in which each file is looked at once.
func (p *pictures) begin() {
	p.looked, p.used, p.made = map[string]picture{}, map[string]bool{}, map[string]bool{}
}

// file looks whether the content has what a page refers to.
func (p *pictures) file(src string) (fs.FileInfo, error) {
	info, err := fs.Stat(p.content, strings.TrimPrefix(src, "/"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, fmt.Errorf("there is no file %s", src)
	}
	return info, err
}

// media returns the address of a film or recording, which is served as it is.
func (p *pictures) media(src string) (string, error) {
	if !strings.HasPrefix(src, "/") {
		return src, nil
	}
	if _, err := p.file(src); err != nil {
		return "", err
	}
	p.used[src] = true
	return src, nil
}

func (p *pictures) use(src string, made picture) {
	p.trail = append(p.trail, made.Src, made.Srcset)
	if len(made.Made) == 0 || strings.HasPrefix(made.Src, "/assets/") {
		p.used[src] = true
	}
	for _, name := range made.Made {
		p.made[name] = true
	}
}

// recall reads from the cache what became of a file, or makes it.
func (p *pictures) recall(key, src string) (picture, error) {
	sum := sha256.Sum256([]byte("turned " + key)) // what is kept from before lies as it was
	name := hex.EncodeToString(sum[:12]) + ".json"
	if f, err := p.cache.Open(name); err == nil {
		defer func() { _ = f.Close() }()
		var known picture
		if json.NewDecoder(f).Decode(&known) == nil {
			return known, nil
		}
	}
	made, err := p.make(src)
	if err != nil {
		return picture{}, err
	}
	text, err := json.Marshal(made)
	if err != nil {
		return picture{}, err
	}
	return made, p.cache.Put(name, text)
}

func (p *pictures) make(src string) (picture, error) {
	body, err := fs.ReadFile(p.content, strings.TrimPrefix(src, "/"))
	if err != nil {
		return picture{}, err
	}
	if strings.EqualFold(path.Ext(src), ".svg") {
		w, h := svgSize(body)
		return picture{Src: src, Width: w, Height: h}, nil
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return picture{}, errors.New("is no picture: take a JPEG, PNG, WebP, GIF or SVG file")
	}
	if c.Width*c.Height > maxPixels {
		return picture{}, fmt.Errorf("has %d by %d pixels, which is too much", c.Width, c.Height)
	}
	turn := media.Orientation(body)
	if turn >= 5 {
		c.Width, c.Height = c.Height, c.Width
	}
	whole := picture{Src: src, Width: c.Width, Height: c.Height}
	if format == "gif" || c.Width <= widths[0] {
		return whole, nil
	}
	return p.shrink(body, turn, whole)
}

// shrink makes a picture in every width that is below its own.
func (p *pictures) shrink(body []byte, turn int, whole picture) (picture, error) {
	img, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return picture{}, errors.New("is damaged")
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:8])
	if turn > 1 {
		img, hash = turned(img, turn), hash+"-"+strconv.Itoa(turn)
	}
	sizes := slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w >= whole.Width })
	if largest := widths[len(widths)-1]; whole.Width < largest {
		sizes = append(sizes, whole.Width)
	}
	var set []string
	for _, w := range sizes {
		name, small, err := encode(img, w, hash)
		if err != nil {
			return picture{}, err
		}
		if err := p.cache.Put(name, small); err != nil {
			return picture{}, err
		}
		whole.Made = append(whole.Made, name)
		set = append(set, "/_/images/"+name+" "+strconv.Itoa(w)+"w")
		if w <= 960 {
			whole.Src = "/_/images/" + name
		}
	}
	whole.Srcset = strings.Join(set, ", ")
	return whole, nil
}

func encode(img image.Image, width int, hash string) (name string, body []byte, err error) {
	b := img.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, width, max(1, b.Dy()*width/b.Dx())))
	draw.CatmullRom.Scale(small, small.Bounds(), img, b, draw.Over, nil)
	var out bytes.Buffer
	name = hash + "-" + strconv.Itoa(width)
	if small.Opaque() {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: quality})
		return name + ".jpg", out.Bytes(), err
	}
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return name + ".png", out.Bytes(), err
}

// put adds every file that a page refers to.
func (p *pictures) put(t *Tree) error {
	var faults []error
	for src := range p.used {
		name := strings.TrimPrefix(src, "/")
		f, err := p.original(name)
		faults = append(faults, err, t.put(name, f))
	}
	for name := range p.made {
		faults = append(faults, t.put("_/images/"+name, File{Lasting: true, Open: func() (fs.File, error) { return p.cache.Open(name) }}))
	}
	return errors.Join(faults...)
}

var (
	viewBox = regexp.MustCompile(`<svg[^>]*\sviewBox="\s*[-0-9.]+[ ,]+[-0-9.]+[ ,]+([0-9.]+)[ ,]+([0-9.]+)`)
	svgW    = regexp.MustCompile(`<svg[^>]*\swidth="([0-9.]+)`)
	svgH    = regexp.MustCompile(`<svg[^>]*\sheight="([0-9.]+)`)
)

// svgSize is a drawing's size, 0 where it states none.
func svgSize(body []byte) (w, h int) {
	number := func(s []byte) int {
		f, _, _ := strings.Cut(string(s), ".")
		n, _ := strconv.Atoi(f)
		return n
	}
	if m := viewBox.FindSubmatch(body); m != nil {
		return number(m[1]), number(m[2])
	}
	mw, mh := svgW.FindSubmatch(body), svgH.FindSubmatch(body)
	if mw == nil || mh == nil {
		return 0, 0
	}
	return number(mw[1]), number(mh[1])
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (h *held) Stat() (fs.FileInfo, error) { return heldInfo{h.Reader.Size()}, nil }
func (h *held) Close() error               { return nil }

var _ io.ReadSeeker = (*held)(nil)

// heldInfo says of a file in memory what a copy has to know.
type heldInfo struct{ size int64 }

func (i heldInfo) Name() string       { return "" }
func (i heldInfo) Size() int64        { return i.size }
func (i heldInfo) Mode() fs.FileMode  { return 0o444 }
func (i heldInfo) ModTime() time.Time { return time.Time{} }
func (i heldInfo) IsDir() bool        { return false }
func (i heldInfo) Sys() any           { return nil }
