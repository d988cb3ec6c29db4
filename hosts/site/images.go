package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for image.DecodeConfig
	"image/jpeg"
	"image/png"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	_ "golang.org/x/image/webp" // for image.Decode
	"golang.org/x/sync/semaphore"

	"github.com/pledgeworks/pledgeworks/admin/media"
)

// widths contains the widths of resized pictures in pixels, in ascending order.
var widths = []int{320, 480, 640, 960, 1600}

const quality = 80 // JPEG quality

// picture is an image on a page, with its size in pixels and the available widths.
type picture struct {
	Src           string `json:"src"`
	Srcset        string `json:"srcset,omitempty"`
	Width, Height int
	// Made lists the names of its resized copies in the cache.
	Made []string `json:"made,omitempty"`
}

// small returns the URL of the copy that is wide enough for a card, or of the picture itself if
// there is none.
func (p picture) small() string {
	if name := p.cacheName(640); name != "" {
		return "/_/images/" + name
	}
	return p.Src
}

// cacheName returns the cache name of the smallest copy with at least the given width, or "" if
// there is none.
func (p picture) cacheName(width int) string {
	for one := range strings.SplitSeq(p.Srcset, ", ") { // narrowest first
		address, size, _ := strings.Cut(one, " ")
		if w, err := strconv.Atoi(strings.TrimSuffix(size, "w")); err == nil && w >= width {
			return path.Base(address)
		}
	}
	return ""
}

// pictures resizes and caches the images of the content, and records which files pages use.
type pictures struct {
	content  fs.FS
	cache    ImageCache
	known    map[string]picture  // by path, size and modification time
	unusable map[string]unusable // by path, size and modification time
	faults   map[string]string   // problems of files in this build, by path
	checked  map[string]picture  // in this build, by path
	usage    []string            // pictures of the current campaign, to detect changes
	used     map[string]bool     // paths below /assets/ in the content
	made     map[string]bool     // names in the cache
	// cleaned contains names in the cache by path, size and modification time; "" for files without
	// metadata.
	cleaned map[string]string
}

func newPictures(content fs.FS, cache ImageCache) *pictures {
	switch cache.(type) {
	case nil:
		cache = &memory{}
	case *memory, *overflow:
	default:
		cache = &overflow{ImageCache: cache}
	}
	return &pictures{content: content, cache: cache, known: map[string]picture{},
		unusable: map[string]unusable{}, cleaned: map[string]string{}}
}

// picture returns the image at a path in the content and records that it is used. An external image
// is returned unchanged. If a file cannot be shown, the reason is recorded, and a placeholder is
// served instead.
func (p *pictures) picture(src string) picture {
	if !strings.HasPrefix(src, "/") {
		return picture{Src: src}
	}
	made, ok := p.checked[src]
	if !ok {
		var err error
		if made, err = p.find(src); err != nil {
			p.fail(src, err)
			made = picture{Src: src}
		}
		p.checked[src] = made
	}
	p.recordUse(src, made)
	return made
}

// find returns an image of the content, reusing the result of an earlier build if the file has not
// changed. A file that could not be used is not retried until it changes.
func (p *pictures) find(src string) (picture, error) {
	info, err := p.stat(src)
	if err != nil {
		return picture{}, err
	}
	key := versionKey(src, info)
	if known, ok := p.known[key]; ok {
		return known, nil
	}
	if why, ok := p.unusable[key]; ok {
		return picture{}, why
	}
	made, err := p.cached(src)
	if why := unusable(""); errors.As(err, &why) {
		p.unusable[key] = why
	}
	if err == nil {
		p.known[key] = made
	}
	return made, err
}

// versionKey returns an identifier of a version of a file without reading its content.
func versionKey(name string, info fs.FileInfo) string {
	return fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano())
}

// fail records why a file cannot be shown.
func (p *pictures) fail(src string, err error) { p.faults[src] = reason(err) }

// reason returns an error's text without the path, which the problem already contains.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return "cannot be read: " + at.Err.Error()
	}
	return err.Error()
}

// optional returns picture(src), or the zero picture if src is "".
func (p *pictures) optional(src string) picture {
	if src == "" {
		return picture{}
	}
	return p.picture(src)
}

// startBuild clears the results of the previous build, so that each file is checked once per build.
func (p *pictures) startBuild() {
	p.checked, p.used, p.made, p.faults = map[string]picture{}, map[string]bool{}, map[string]bool{}, map[string]string{}
}

// stat returns the FileInfo of a referenced file. It fails if the file is missing, empty or a Git
// LFS pointer.
func (p *pictures) stat(src string) (fs.FileInfo, error) {
	info, err := fs.Stat(p.content, strings.TrimPrefix(src, "/"))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), err == nil && info.IsDir():
		return nil, unusable(noFile + src)
	case err != nil:
		return nil, err
	case info.Size() == 0:
		return nil, unusable("is empty")
	case info.Size() > maxPointer:
		return info, nil
	}
	head, err := fs.ReadFile(p.content, strings.TrimPrefix(src, "/"))
	if bytes.HasPrefix(head, []byte(pointerStart)) {
		return nil, unusable("is a Git LFS pointer: run git lfs pull in the checked out content")
	}
	return info, err
}

// A Git LFS pointer is a short text that replaces a file whose content was not downloaded.
const (
	maxPointer   = 1024 // bytes
	pointerStart = "version https://git-lfs.github.com/spec/"
)

// noFile is the prefix of the error message for a missing file.
const noFile = "there is no file "

// unusable is the reason why a file cannot be shown until its content changes.
type unusable string

func (u unusable) Error() string { return string(u) }

// useMedia records that a file is used that is served without resizing: a video, a recording, or a
// picture in Markdown. If the file cannot be served, the reason is recorded too. useMedia returns
// src.
func (p *pictures) useMedia(src string) string {
	if !strings.HasPrefix(src, "/") || p.used[src] {
		return src
	}
	p.used[src] = true
	if _, err := p.stat(src); err != nil {
		p.fail(src, err)
	}
	return src
}

func (p *pictures) recordUse(src string, made picture) {
	p.usage = append(p.usage, made.Src, made.Srcset, p.faults[src])
	if len(made.Made) == 0 || strings.HasPrefix(made.Src, "/assets/") {
		p.used[src] = true
	}
	for _, name := range made.Made {
		p.made[name] = true
	}
}

// cacheVersion is part of cache keys. Change it when the resizing algorithm changes.
const cacheVersion = "pictures 3 "

// cached returns the picture for a file's content from the cache. If it is missing, cached creates
// it. SVG images are not resized.
func (p *pictures) cached(src string) (picture, error) {
	body, err := fs.ReadFile(p.content, strings.TrimPrefix(src, "/"))
	if err != nil {
		return picture{}, err
	}
	if strings.EqualFold(path.Ext(src), ".svg") {
		w, h := svgSize(body)
		return picture{Src: src, Width: w, Height: h}, nil
	}
	sum := sha256.Sum256(append([]byte(cacheVersion+path.Ext(src)+" "), body...))
	name := hex.EncodeToString(sum[:16]) + ".json"
	if known, ok := p.storedCopies(name); ok {
		if len(known.Made) == 0 {
			known.Src = src
		}
		return known, nil
	}
	made, err := p.makePicture(src, body)
	if err != nil {
		return picture{}, err
	}
	text, err := json.Marshal(made)
	if err != nil {
		return picture{}, err
	}
	return made, p.cache.Put(name, text)
}

// storedImage decodes a picture from the cache. It returns nil if name is "" or the file cannot be
// decoded.
func (p *pictures) storedImage(name string) image.Image {
	if name == "" {
		return nil
	}
	body, err := fs.ReadFile(p.cache, name)
	if err != nil {
		return nil
	}
	img, err := decode(body)
	if err != nil {
		return nil
	}
	return img
}

// storedCopies returns the description of a picture's copies from the cache. ok is false if it is
// missing or damaged.
func (p *pictures) storedCopies(name string) (known picture, ok bool) {
	f, err := p.cache.Open(name)
	if err != nil {
		return known, false
	}
	defer func() { _ = f.Close() }()
	return known, json.NewDecoder(f).Decode(&known) == nil
}

// makePicture validates a picture and creates its resized copies. It checks the header first,
// because decoding can need much memory. GIFs and small pictures are not resized.
func (p *pictures) makePicture(src string, body []byte) (picture, error) {
	c, format, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return picture{}, unusable("is not a picture: use a JPEG, PNG, WebP, GIF or SVG file")
	}
	need, err := media.Memory(body)
	if err != nil {
		return picture{}, unusable("is damaged")
	}
	if need > media.MaxMemory {
		return picture{},
			unusable(fmt.Sprintf("is too large: %d by %d pixels need more than %d MB of memory; reduce its size",
				c.Width, c.Height, media.MaxMegabytes))
	}
	turn := media.Orientation(body)
	if turn >= 5 {
		c.Width, c.Height = c.Height, c.Width
	}
	whole := picture{Src: src, Width: c.Width, Height: c.Height}
	if format == "gif" || c.Width <= widths[0] {
		return whole, nil
	}
	return p.resize(body, turn, whole, need)
}

// decoding limits the memory, in bytes, that site builds and previews together use to decode
// pictures.
var decoding = semaphore.NewWeighted(media.MaxMemory)

// resize creates copies of a picture with every standard width below its own, and with its own
// width if that is below the largest. The copies are rotated by the EXIF orientation turn. resize
// waits until need bytes of memory are available for decoding.
func (p *pictures) resize(body []byte, turn int, whole picture, need int64) (picture, error) {
	if err := decoding.Acquire(context.Background(), need); err != nil {
		return picture{}, err
	}
	defer decoding.Release(need)
	img, err := decode(body)
	if err != nil {
		return picture{}, unusable("is damaged")
	}
	sum := sha256.Sum256(append([]byte(cacheVersion), body...))
	hash := hex.EncodeToString(sum[:8])
	sizes := slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w >= whole.Width })
	if largest := widths[len(widths)-1]; whole.Width < largest {
		sizes = append(sizes, whole.Width)
	}
	var set []string
	src := whole.Src
	for _, w := range slices.Backward(sizes) { // each copy is made from the next larger one
		img = scaled(img, w, max(1, whole.Height*w/whole.Width), turn)
		turn = upright
		name, small, err := encode(img, hash)
		if err != nil {
			return picture{}, err
		}
		if err := p.cache.Put(name, small); err != nil {
			return picture{}, err
		}
		whole.Made = append(whole.Made, name)
		set = append(set, "/_/images/"+name+" "+strconv.Itoa(w)+"w")
		if w <= 960 && whole.Src == src {
			whole.Src = "/_/images/" + name
		}
	}
	slices.Reverse(set)
	whole.Srcset = strings.Join(set, ", ")
	return whole, nil
}

// decode decodes an untrusted picture. A panic of the decoder becomes an error.
func decode(body []byte) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder panicked: %v", p)
		}
	}()
	img, _, err = image.Decode(bytes.NewReader(body))
	return img, err
}

func encode(small image.Image, hash string) (name string, body []byte, err error) {
	var out bytes.Buffer
	name = hash + "-" + strconv.Itoa(small.Bounds().Dx())
	if s, ok := small.(*image.RGBA); ok && s.Opaque() {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: quality})
		return name + ".jpg", out.Bytes(), err
	}
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return name + ".png", out.Bytes(), err
}

// put adds the used files and resized copies to a tree. A picture that cannot be shown is replaced
// with a placeholder.
func (p *pictures) put(t *Tree) error {
	var faults []error
	for src := range p.used {
		name := strings.TrimPrefix(src, "/")
		f, err := p.servedFile(src)
		if err != nil {
			p.fail(src, err)
			if f = placeholder(name); f.Body == nil {
				continue
			}
		}
		faults = append(faults, t.put(name, f))
	}
	for name := range p.made {
		faults = append(faults,
			t.put("_/images/"+name, File{Immutable: true, Open: func() (fs.File, error) { return p.cache.Open(name) }}))
	}
	return errors.Join(faults...)
}

// servedFile returns the file to serve for src, or an error that explains why it cannot be used.
func (p *pictures) servedFile(src string) (File, error) {
	if why, ok := p.faults[src]; ok {
		return File{}, unusable(why)
	}
	return p.originalFile(strings.TrimPrefix(src, "/"))
}

// placeholder returns a replacement for a picture that cannot be shown. For other files it returns
// the zero File.
func placeholder(name string) File {
	if !slices.Contains(pictureTypes, strings.ToLower(path.Ext(name))) {
		return File{}
	}
	return File{Type: types[".svg"], Body: []byte(placeholderSVG)}
}

var pictureTypes = []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".svg", ".avif"}

const placeholderSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90" role="presentation">` +
	`<path fill="#d9dce8" d="M0 0h160v90H0z"/>` +
	`<path fill="none" stroke="#8a90a8" stroke-width="3" d="M58 27h44v36H58zm0 30 14-14 10 10 8-8 12 12"/>` +
	`<circle cx="91" cy="37" r="4" fill="#8a90a8"/></svg>`

var (
	viewBox = regexp.MustCompile(`<svg[^>]*\sviewBox="\s*[-0-9.]+[ ,]+[-0-9.]+[ ,]+([0-9.]+)[ ,]+([0-9.]+)`)
	svgW    = regexp.MustCompile(`<svg[^>]*\swidth="([0-9.]+)`)
	svgH    = regexp.MustCompile(`<svg[^>]*\sheight="([0-9.]+)`)
)

// svgSize returns the size of an SVG image from its viewBox, or from its width and height in
// pixels. It returns 0, 0 if the image declares neither.
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
