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

// The style sheet, and the scripts as they are bundled from scripts/.
//
//go:embed assets
var assetFiles embed.FS

// assets are the site's own files, each under a name that changes with what is in it.
type assets struct {
	bodies map[string][]byte // by "site.css"
	names  map[string]string // "site.css" to "_/site.0123abcd.css"
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
	return a, err
}

const styleSheet = "site.css"

func (a *assets) add(plain string, body []byte) {
	sum := sha256.Sum256(body)
	ext := path.Ext(plain)
	a.bodies[plain] = body
	if ext == ".js" && plain != "site.js" {
		a.names[plain] = "_/" + plain // its name has a hash already, and other scripts know it by that
		return
	}
	a.names[plain] = "_/" + strings.TrimSuffix(plain, ext) + "." + hex.EncodeToString(sum[:5]) + ext
}

// withFonts has the style sheet name the fonts as they are served.
func (a *assets) withFonts(css []byte) []byte {
	for plain, name := range a.names {
		if path.Ext(plain) == ".woff2" {
			css = bytes.ReplaceAll(css, []byte(`url("`+plain+`")`), []byte(`url("`+path.Base(name)+`")`))
		}
	}
	return css
}

// url is the address of an asset, for templates.
func (a *assets) url(name string) (string, error) {
	p, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("site: there is no asset %s", name)
	}
	return "/" + p, nil
}

func (a *assets) put(t *Tree) error {
	var faults []error
	for name, p := range a.names {
		faults = append(faults, t.put(p, File{Body: a.bodies[name], Lasting: true}))
	}
	return errors.Join(faults...)
}
