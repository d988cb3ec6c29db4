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

// Editors save in several steps, and a checkout writes many files, so events within debounce of
// each other count as one change.
const debounce = 60 * time.Millisecond

// watch reloads the content when files in the content directory change, until ctx is done.
func (a *App) watch(ctx context.Context) {
	if a.folder == "" {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		defer func() { _ = w.Close() }()
		err = watchTree(w, a.folder)
	}
	if err != nil {
		a.log.Warn("cannot watch the content, changes require a restart", "error", err.Error())
		return
	}
	var pending <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-w.Events:
			if e.Has(fsnotify.Create) {
				_ = watchTree(w, e.Name) // e.Name may be a new directory; for a file this does nothing
			}
			if pending == nil && !a.isOwnFile(e.Name) {
				pending = time.After(debounce)
			}
		case err := <-w.Errors:
			a.log.Warn("may have missed a content change", "error", err.Error())
			pending = time.After(debounce)
		case <-pending:
			pending = nil
			if err := a.Reload(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("could not read the content, keeping the published one", "error", err.Error())
			}
		}
	}
}

// isOwnFile reports whether the service itself writes the path, because the data directory may be
// inside the content directory. If the content is inside the data directory, as in a demo, its
// files are not own files.
func (a *App) isOwnFile(name string) bool {
	data, err := filepath.Abs(a.Config.Server.DataDir)
	path, wrong := filepath.Abs(name)
	content, unknown := filepath.Abs(a.folder)
	return errors.Join(err, wrong, unknown) == nil && isInside(path, data) && (content == data || !isInside(content, data))
}

func isInside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// watchTree watches a directory and its subdirectories except hidden ones.
func watchTree(w *fsnotify.Watcher, dir string) error {
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
