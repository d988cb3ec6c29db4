package demo

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// showcaseFiles contains campaigns in states that no example has: one that is settled, one that
// missed its goal, one that is archived after its settlement, and a draft.
//
//go:embed showcase
var showcaseFiles embed.FS

// showcase configures the seeding of the campaigns in showcaseFiles, except for the draft.
var showcase = map[string]seeding{
	"ninety-windows": {percent: 118, most: 40, cards: troubled},
	"paper-orchard":  {percent: 41, most: 30},
	"tin-roof-songs": {percent: 110, most: 20, archived: 14 * 24 * time.Hour},
}

// CopyContent makes the demo use an editable copy of its content, with the campaigns in
// showcaseFiles. It keeps an existing copy and replaces an incomplete one.
func (o *Options) CopyContent() error {
	folder := filepath.Join(o.Dir, "site")
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		part := folder + ".part"
		err := os.RemoveAll(part)
		if err == nil {
			err = os.CopyFS(part, o.Content)
		}
		if err == nil {
			err = addShowcase(part)
		}
		if err == nil {
			err = os.Rename(part, folder)
		}
		if err != nil {
			return fmt.Errorf("copying the examples: %w", err)
		}
	}
	o.Content, o.Folder, o.Writable = os.DirFS(folder), folder, true
	return nil
}

func addShowcase(folder string) error {
	more, err := fs.Sub(showcaseFiles, "showcase")
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, more); err != nil {
		return err
	}
	return setDestinationTax(filepath.Join(folder, config.SiteFile))
}

const destinationTax = `
  provider: nm_grt
  collect: CA, EU, GB
  nm_grt_base_rate: 0.04875
`

// setDestinationTax replaces the site file's flat tax rate with destination-based tax: New Mexico
// towns, Canada and European countries. Tax is not collected elsewhere. A file without the flat
// rate is left unchanged.
func setDestinationTax(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte("\n  provider: flat\n"), []byte(destinationTax), 1)
	return os.WriteFile(file, text, 0o600)
}
