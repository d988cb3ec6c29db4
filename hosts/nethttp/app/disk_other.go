//go:build !linux && !darwin

package app

import "errors"

func diskSpace(string) (free, size uint64, err error) {
	return 0, 0, errors.New("disk space is not supported on this system")
}
