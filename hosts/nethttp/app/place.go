package app

import (
	"crypto/rand"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"
)

const placeFile = "serve.lock"

// place is a server's seat at its data folder. The kernel frees it when the
// process ends, however it ends.
type place struct {
	file *flock.Flock
	name string // "" where another server sits there
	life string
}

// takePlace sits down at the data folder if nobody else does.
func takePlace(dir string) (place, error) {
	p := place{file: flock.New(filepath.Join(dir, placeFile)), life: rand.Text()}
	free, err := p.file.TryLock()
	if err != nil {
		return place{}, fmt.Errorf("locking %s: %w", p.file.Path(), err)
	}
	if free {
		p.name = "server"
	}
	return p, nil
}

func (p place) leave() error {
	if p.file == nil {
		return nil
	}
	return p.file.Unlock()
}
