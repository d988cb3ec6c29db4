//go:build !linux && !darwin

package app

import "errors"

func diskSpace(string) (free, size uint64, err error) {
	return 0, 0, errors.New("cannot determine the free disk space on this operating system")
}
