package app

import (
	"errors"
	"io/fs"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// readLocal reads a file of the served content.
func (a *App) readLocal(path string) ([]byte, error) {
	b, err := fs.ReadFile(a.content, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "File not found")
	}
	return b, err
}

// checkSettings returns a function that validates new site settings: the configuration and the site
// must still load with them.
func checkSettings(load func(site fs.FS) error) func(src []byte) error {
	if load == nil {
		return nil
	}
	return func(src []byte) error {
		return errors.Join(load(config.SiteContent(src)), site.CheckSettings(config.SiteContent(src)))
	}
}
