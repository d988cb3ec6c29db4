package app

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

const lockFile = "serve.lock"

// longName is as long as a name may be that is read from the file.
const longName = 100

// node is a data folder that one server at a time runs on: the kernel frees its lock when
// the process ends, however it ends.
type node struct {
	file        *flock.Flock
	name        string // "" where another server has the folder
	incarnation string
}

// claimNode locks the data folder if nobody else has.
func claimNode(dir string) (node, error) {
	n := node{file: flock.New(filepath.Join(dir, lockFile)), incarnation: rand.Text()}
	free, err := n.file.TryLock()
	if err != nil {
		return node{}, fmt.Errorf("locking %s: %w", n.file.Path(), err)
	}
	if free {
		n.name, err = nameOf(n.file.Path())
	}
	return n, err
}

// nameOf returns the node's name, which is in the file: another machine's folder has
// another. It is made where there is none yet.
func nameOf(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil || len(b) > 0 && len(b) < longName {
		return string(b), err
	}
	name := rand.Text()
	return name, os.WriteFile(file, []byte(name), 0o600)
}

func (n node) leave() error {
	if n.file == nil {
		return nil
	}
	return n.file.Unlock()
}
