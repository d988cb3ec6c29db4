package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// The style sheets, fonts, icons and bundled scripts.
//
//go:embed assets
var assetFiles embed.FS

// assets contains the site's own files, which are served under names with a hash of their content.
type assets struct {
	bodies map[string][]byte // by plain name, such as "site.css"
	names  map[string]string // plain name to path, "site.css" to "_/site.0123abcd.css"
}

func readAssets(theme string) (*assets, error) {
	a := &assets{bodies: map[string][]byte{}, names: map[string]string{}}
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		a.add(strings.TrimPrefix(name, "assets/"), body)
		return nil
	})
	a.add(styleSheet, append(a.withFonts(a.bodies[styleSheet]), theme...))
	a.add(dashboardStyleSheet, a.withFonts(a.bodies[dashboardStyleSheet]))
	return a, err
}

const (
	styleSheet          = "site.css"
	dashboardStyleSheet = "dashboard.css" // bundled; does not use the platform's design settings
)

func (a *assets) add(plain string, body []byte) {
	sum := sha256.Sum256(body)
	ext := path.Ext(plain)
	a.bodies[plain] = body
	if ext == ".js" && plain != "site.js" {
		a.names[plain] = "_/" + plain // its name already contains a hash, and other scripts import it by that name
		return
	}
	a.names[plain] = "_/" + strings.TrimSuffix(plain, ext) + "." + hex.EncodeToString(sum[:5]) + ext
}

// withFonts replaces the font names in a style sheet with their hashed names.
func (a *assets) withFonts(css []byte) []byte {
	for plain, name := range a.names {
		if path.Ext(plain) == ".woff2" {
			for _, quote := range []string{`"`, ""} { // dashboard.css has no quotes
				css = bytes.ReplaceAll(css, []byte("url("+quote+plain+quote+")"), []byte(`url("`+path.Base(name)+`")`))
			}
		}
	}
	return css
}

// url returns the URL path of an asset. Templates call it.
func (a *assets) url(name string) (string, error) {
	p, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("site: unknown asset %s", name)
	}
	return "/" + p, nil
}

func (a *assets) put(t *Tree) error {
	var faults []error
	for name, p := range a.names {
		faults = append(faults, t.put(p, File{Body: a.bodies[name], Immutable: true}))
	}
	return errors.Join(faults...)
}
