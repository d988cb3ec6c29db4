package app

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

const placeFile = "serve.lock"

// longName is as long as a name may be that is read from the file.
const longName = 100

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
		p.name, err = nameOf(p.file.Path())
	}
	return p, err
}

// nameOf returns the seat's name, which is in the file: another machine's folder has
// another. It is made where there is none yet.
func nameOf(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil || len(b) > 0 && len(b) < longName {
		return string(b), err
	}
	name := rand.Text()
	return name, os.WriteFile(file, []byte(name), 0o600)
}

func (p place) leave() error {
	if p.file == nil {
		return nil
	}
	return p.file.Unlock()
}
