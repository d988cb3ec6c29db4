// Package disk writes files atomically: a concurrent reader, or one after a crash, finds
// either the old or the new content.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/admin/repository"
)

// NoFile is returned by Folder.SHA for a name that is not a regular file, such as a link.
const NoFile = "no file"

// Folder is a folder for files. No path can lead outside of it. Paths use slashes.
type Folder struct{ root *os.Root }

// Open opens an existing folder.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	return &Folder{root}, err
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// SHA returns the Git blob hash of a file, "" if there is none.
func (f *Folder) SHA(name string) (string, error) {
	local := filepath.FromSlash(name)
	info, err := f.root.Lstat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist) || f.belowFile(name):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return NoFile, nil
	}
	b, err := f.root.ReadFile(local)
	if err != nil {
		return "", err
	}
	return repository.SHA(b), nil
}

// belowFile reports whether one of a path's parents is a regular file.
func (f *Folder) belowFile(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := f.root.Lstat(filepath.FromSlash(dir)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Put writes a file with a mode atomically, after it has synced the content to disk. It creates
// missing folders.
func (f *Folder) Put(name string, b []byte, mode fs.FileMode) error {
	dir, base := path.Split(name)
	if dir != "" {
		if err := f.root.MkdirAll(filepath.FromSlash(path.Clean(dir)), 0o755); err != nil { //nolint:gosec // the usual mode of folders
			return err
		}
	}
	temporary := filepath.FromSlash(dir + "." + base + ".pledgeworks")
	w, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
		_ = f.root.Remove(temporary)
		return err
	}
	return f.root.Rename(temporary, filepath.FromSlash(name))
}

// Remove deletes a file and the folders that become empty. It does nothing if there is no such
// file.
func (f *Folder) Remove(name string) error {
	if err := f.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(filepath.FromSlash(dir)) != nil {
			break // not empty
		}
	}
	return nil //nolint:nilerr // a folder that cannot be removed may stay
}
