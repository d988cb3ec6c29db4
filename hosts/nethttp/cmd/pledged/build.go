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
	Content string `help:"Content repository. Default: CONTENT_DIR or the current directory." type:"path"`
	Out     string `help:"Output directory; other files in it are removed." required:"" type:"path"`
	Cache   string `help:"Cache for resized pictures. Default: the directory .cache next to --out." type:"path"`
}

// Run builds the site. If check finds a problem, nothing is written.
func (c buildCommand) Run(w *environ) error {
	began := time.Now()
	cfg, dir, err := w.load(c.Content)
	if faults, ok := errors.AsType[config.SettingErrors](err); ok {
		err = nil // invalid configuration is fine: pages contain no secrets
		if faults = faults.WithoutSecrets(); len(faults) > 0 {
			err = faults
		}
	}
	if err != nil {
		return fmt.Errorf("invalid configuration:\n%w", err)
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
	_, err = fmt.Fprintf(w.out, "Wrote %d files to %s in %s.\n", len(checked.Tree.Paths()),
		c.Out, formatDuration(time.Since(began)))
	return err
}
