//go:build linux || darwin

package app

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// diskSpace returns the space that is free for unprivileged users and the size of a directory's
// disk, in bytes. If the directory does not exist, it uses the nearest parent that does.
func diskSpace(dir string) (free, size uint64, err error) {
	var s syscall.Statfs_t
	err = syscall.Statfs(dir, &s)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir { // created when the service starts
		return diskSpace(filepath.Dir(dir))
	}
	if err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:gosec,unconvert,nolintlint // not negative; its type differs between systems
	return s.Bavail * block, s.Blocks * block, nil
}
