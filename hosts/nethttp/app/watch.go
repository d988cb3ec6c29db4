package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An editor saves in several steps, and a checkout writes many files: what comes
// within this time of each other is one change.
const settle = 60 * time.Millisecond

// watch takes in what changes in the content folder until ctx is done.
func (a *App) watch(ctx context.Context) {
	if a.folder == "" {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		defer func() { _ = w.Close() }()
		err = follow(w, a.folder)
	}
	if err != nil {
		a.log.Warn("the content is not watched: changes take a restart", "error", err.Error())
		return
	}
	var pending <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-w.Events:
			if e.Has(fsnotify.Create) {
				_ = follow(w, e.Name) // a new folder; a file is none, and is followed by its folder
			}
			if pending == nil && !a.ours(e.Name) {
				pending = time.After(settle)
			}
		case err := <-w.Errors:
			a.log.Warn("a change of the content may have been missed", "error", err.Error())
			pending = time.After(settle)
		case <-pending:
			pending = nil
			if err := a.reload(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("could not read the content, keeping the published one", "error", err.Error())
			}
		}
	}
}

// ours reports whether a path is of what the service itself writes, which may lie in
// the content folder. Where the content lies in what it writes, as a demo's does, it is the
// content that changes.
func (a *App) ours(name string) bool {
	data, err := filepath.Abs(a.Config.Server.DataDir)
	path, wrong := filepath.Abs(name)
	content, unknown := filepath.Abs(a.folder)
	return errors.Join(err, wrong, unknown) == nil && within(path, data) && (content == data || !within(content, data))
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// follow watches a folder and those below it, but for hidden ones.
func follow(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case path != dir && strings.HasPrefix(d.Name(), "."), d.Name() == "node_modules":
			return fs.SkipDir
		}
		return w.Add(path)
	})
}
