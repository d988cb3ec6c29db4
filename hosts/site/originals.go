package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/media"
)

// withMetadata lists the extensions of picture types that can contain the location of a photo.
var withMetadata = []string{".jpg", ".jpeg", ".png", ".webp", ".gif"}

// originalFile returns the file to serve for a file of the content: a copy without metadata for a
// picture, otherwise the file itself.
func (p *pictures) originalFile(name string) (File, error) {
	unchanged := File{Open: func() (fs.File, error) { return p.content.Open(name) }}
	if !slices.Contains(withMetadata, strings.ToLower(path.Ext(name))) {
		return unchanged, nil
	}
	info, err := fs.Stat(p.content, name)
	if err != nil {
		return File{}, err
	}
	key := versionKey(name, info)
	kept, ok := p.cleaned[key]
	if !ok {
		if kept, err = p.storeClean(name); err != nil {
			return File{}, fmt.Errorf("/%s: %w", name, err)
		}
		p.cleaned[key] = kept
	}
	if kept == "" {
		return unchanged, nil
	}
	return File{Open: func() (fs.File, error) { return p.cache.Open(kept) }}, nil
}

// storeClean stores a copy of a picture without metadata in the cache and returns its name. It
// returns "" if the picture has no metadata.
func (p *pictures) storeClean(name string) (kept string, err error) {
	body, err := fs.ReadFile(p.content, name)
	if err != nil {
		return "", err
	}
	out, err := media.Clean(body)
	if err != nil || len(out) == len(body) {
		return "", err
	}
	sum := sha256.Sum256(out)
	kept = hex.EncodeToString(sum[:8]) + "-original" + strings.ToLower(path.Ext(name))
	return kept, p.cache.Put(kept, out)
}

// rotated returns an upright copy of a picture with an EXIF orientation (EXIF 2.3, tag 0x0112).
func rotated(img image.Image, orientation int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := x, y
			if orientation >= 5 {
				sx, sy = y, x
			}
			if slices.Contains([]int{2, 3, 7, 8}, orientation) {
				sx = b.Dx() - 1 - sx
			}
			if slices.Contains([]int{3, 4, 6, 7}, orientation) {
				sy = b.Dy() - 1 - sy
			}
			out.Set(x, y, img.At(b.Min.X+sx, b.Min.Y+sy))
		}
	}
	return out
}
