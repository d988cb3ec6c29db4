package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/draft"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

type previewCommand struct {
	File    string `arg:"" help:"Campaign file." type:"existingfile"`
	Content string `help:"Content repository. Default: the parent of campaigns/." type:"path"`
	Listen  string `help:"Loopback address to listen on." default:"127.0.0.1:8788"`
}

// Run serves the preview on this machine until it is interrupted.
func (c previewCommand) Run(w *environ) error {
	root, name, err := c.locate()
	if err != nil {
		return err
	}
	if at, err := netip.ParseAddrPort(c.Listen); err != nil || !at.Addr().IsLoopback() {
		return errors.New("--listen must be a loopback address such as 127.0.0.1:8788: drafts are shown on this machine only")
	}
	cache, err := os.MkdirTemp("", "pledged-preview-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	l, err := listen(w.ctx, c.Listen, "--listen")
	if err != nil {
		return err
	}
	base := "http://" + l.Addr().String()
	server := &http.Server{
		Handler: draft.New(draft.Options{Content: os.DirFS(root), File: name, Base: base,
			Now: time.Now, Images: site.Folder(cache)}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	defer context.AfterFunc(w.ctx, func() { _ = server.Close() })()
	fmt.Fprintf(w.out, "Serving %s at %s, updated when the file changes.\n", name, base)
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// locate returns the directory of the content repository and the path of the file in it.
func (c previewCommand) locate() (root, name string, err error) {
	file, err := filepath.Abs(c.File)
	if err != nil {
		return "", "", err
	}
	root = c.Content
	if folder := filepath.Dir(file); root == "" && filepath.Base(folder) == campaign.Folder {
		root = filepath.Dir(folder)
	}
	name, err = filepath.Rel(root, file)
	if root == "" || err != nil || !filepath.IsLocal(name) || filepath.Ext(name) != ".md" {
		return "", "",
			fmt.Errorf("%s is not a campaigns/*.md file: pass such a file, or its content repository with --content", c.File)
	}
	return root, filepath.ToSlash(name), nil
}
