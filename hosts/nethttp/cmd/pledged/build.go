package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/shipping"
)

type buildCommand struct {
	Content string `help:"The content repository; CONTENT_DIR, or the folder one is in." type:"path"`
	Out     string `help:"The folder to fill; what it has too many is removed." required:"" type:"path"`
	Cache   string `help:"Where pictures that were made smaller are kept; the folder .cache beside --out." type:"path"`
}

// Run builds the site as it is now. If check finds a problem, nothing is written.
func (c buildCommand) Run(w *world) error {
	began := time.Now()
	cfg, dir, err := w.load(c.Content)
	var faults config.Faults
	if errors.As(err, &faults) {
		err = nil // nothing secret is on a page
		if faults = faults.WithoutSecrets(); len(faults) > 0 {
			err = faults
		}
	}
	if err != nil {
		return fmt.Errorf("the configuration is not usable:\n%w", err)
	}
	cache := c.Cache
	if cache == "" {
		cache = filepath.Join(filepath.Dir(c.Out), ".cache")
	}
	o := site.Options{Content: os.DirFS(dir), Config: cfg, Images: site.Folder(cache)}
	checked, err := site.Check(o, shipping.PresetNames(), clock(cfg.Server.ClockOffset)())
	if err != nil {
		return err
	}
	if len(checked.Problems) > 0 {
		return checked.Problems
	}
	if err := checked.Tree.Write(c.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "Wrote %d files to %s in %s.\n", len(checked.Tree.Paths()), c.Out, lasting(time.Since(began)))
	return err
}
