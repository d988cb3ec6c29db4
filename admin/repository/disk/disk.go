// Package disk writes the files of a folder so that whoever reads them at the same time, or
// after a crash, finds each as it was or as it is to be.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/admin/repository"
)

// NoFile is the SHA of what has a name and is no file, such as a link.
const NoFile = "no file"

// Folder is one that nothing leads out of. Paths have slashes.
type Folder struct{ root *os.Root }

// Open opens a folder that is there.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	return &Folder{root}, err
}

// Close ends its use.
func (f *Folder) Close() error { return f.root.Close() }

// SHA is what Git calls a file's bytes; "" where there is none.
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

// belowFile reports whether a file has the name of one of the folders above.
func (f *Folder) belowFile(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := f.root.Lstat(filepath.FromSlash(dir)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Put has a file hold these bytes, at once and for good. New files get the mode.
func (f *Folder) Put(name string, b []byte, mode fs.FileMode) error {
	dir, base := path.Split(name)
	if dir != "" {
		if err := f.root.MkdirAll(filepath.FromSlash(path.Clean(dir)), 0o755); err != nil { //nolint:gosec // as people make them
			return err
		}
	}
	beside := filepath.FromSlash(dir + "." + base + ".pledgeworks")
	w, err := f.root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
		_ = f.root.Remove(beside)
		return err
	}
	return f.root.Rename(beside, filepath.FromSlash(name))
}

// Remove takes a file away, and the folders that are empty without it.
func (f *Folder) Remove(name string) error {
	if err := f.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(filepath.FromSlash(dir)) != nil {
			break // it is not empty
		}
	}
	return nil
}
