package app

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

const lockFile = "serve.lock"

// longName is the length in bytes from which the file's content is not used as a name.
const longName = 100

// node is this process's claim to a data directory. Only one server at a time can lock the
// directory. The kernel releases the lock when the process ends.
type node struct {
	file        *flock.Flock
	name        string // "" if another server holds the lock
	incarnation string
}

// claimNode locks the data directory unless another process has locked it.
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

// nameOf reads the node's name, which identifies this data directory, from the file. It generates
// and writes a name if the file is empty or too long.
func nameOf(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil || len(b) > 0 && len(b) < longName {
		return string(b), err
	}
	name := rand.Text()
	return name, os.WriteFile(file, []byte(name), 0o600)
}

func (n node) release() error {
	if n.file == nil {
		return nil
	}
	return n.file.Unlock()
}
