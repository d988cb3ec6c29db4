package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
)

type demoCommand struct {
	Data    string `help:"Directory for the demo's data. With --script, a temporary directory by default." type:"path"`
	Content string `help:"Content repository to use instead of the examples." type:"path"`
	Listen  string `help:"Host and port." default:"127.0.0.1:8787"`
	Script  bool   `help:"Run a scripted demonstration, print the final books and exit."`
}

func (c demoCommand) Run(w *environ) error {
	folder, err := c.content()
	if err != nil {
		return err
	}
	o := demo.Options{Dir: c.Data, Content: os.DirFS(folder), Folder: folder, Address: c.Listen, Version: versionText()}
	o.Log = slog.New(slog.NewTextHandler(w.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if c.Script {
		return c.runScript(w, o)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join("pledgeworks-data", "demo")
	}
	return c.serve(w, o)
}

// serve runs the demo until it is interrupted.
func (c demoCommand) serve(w *environ, o demo.Options) error {
	o.Bar = true
	if c.Content == "" {
		if err := o.CopyContent(); err != nil {
			return err
		}
	}
	d, l, err := start(w, o, c.Listen)
	if err != nil {
		return err
	}
	stop, err := acceptCommands(d.App, d.Base)
	if err != nil {
		return errors.Join(err, l.Close(), d.App.Close())
	}
	if err := errors.Join(d.Seed(w.ctx), d.Welcome(w.out)); err != nil {
		return errors.Join(err, stop(), l.Close(), d.App.Close())
	}
	err = errors.Join(d.Run(w.ctx, l), stop(), d.App.Close())
	return errors.Join(err, d.Goodbye(w.out))
}

// runScript runs the script in a demo with a new data directory.
func (c demoCommand) runScript(w *environ, o demo.Options) error {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "pledged-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.Dir = dir
	} else if _, err := os.Stat(o.Dir); err == nil {
		return fmt.Errorf("%s exists: the script needs a new directory", o.Dir)
	}
	o.TrustedHeader = demo.ClientHeader
	d, l, err := start(w, o, "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(w.ctx)
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx, l) }()
	err = d.Script(ctx, w.out)
	stop()
	return errors.Join(err, <-served, d.App.Close())
}

// start opens a listener and a demo with the listener's address.
func start(w *environ, o demo.Options, address string) (*demo.Demo, net.Listener, error) {
	l, err := listen(w.ctx, address, "--listen")
	if err != nil {
		return nil, nil, err
	}
	o.Address = l.Addr().String()
	d, err := demo.Open(w.ctx, o)
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return d, l, nil
}

// content returns the directory of --content or, without it, examples/site in the working directory
// or in one of its parents.
func (c demoCommand) content() (string, error) {
	if c.Content != "" {
		return c.Content, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		site := filepath.Join(dir, "examples", "site")
		if _, err := os.Stat(filepath.Join(site, "campaigns")); err == nil {
			return site, nil
		}
		if dir == filepath.Dir(dir) {
			return "",
				errors.New("examples/site not found in this or a parent directory: run the demo in the project's directory, or pass --content")
		}
	}
}
