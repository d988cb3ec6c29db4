package app

import (
	"errors"
	"io/fs"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// local reads a file of the content that is served.
func (a *App) local(path string) ([]byte, error) {
	b, err := fs.ReadFile(a.content, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "There is no such file")
	}
	return b, err
}

// checkSettings looks whether the service could be configured so, and its site made.
func checkSettings(load func(site fs.FS) error) func(src []byte) error {
	if load == nil {
		return nil
	}
	return func(src []byte) error { return errors.Join(load(siteFile(src)), site.CheckSettings(siteFile(src))) }
}

// siteFile is a content folder that has nothing but the site's settings.
type siteFile []byte

// Open implements fs.FS.
func (siteFile) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (s siteFile) ReadFile(name string) ([]byte, error) {
	if name != config.SiteFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s, nil
}
