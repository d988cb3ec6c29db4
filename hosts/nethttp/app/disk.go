//go:build linux || darwin

package app

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// space returns how many bytes the service may still write to a folder's disk, and the disk's
// size.
func space(dir string) (free, size uint64, err error) {
	var s syscall.Statfs_t
	err = syscall.Statfs(dir, &s)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir { // it is made when the service starts
		return space(filepath.Dir(dir))
	}
	if err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:gosec,unconvert,nolintlint // a size is not negative, and systems differ in its type
	return s.Bavail * block, s.Blocks * block, nil
}
