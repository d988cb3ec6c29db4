package postgreskv

import (
	"crypto/rand"
	"encoding/binary"
)

// version identifies a state of an object, across all histories of the database. Each
// transaction that may change the object XORs its version with a random number: with
// sequential versions, a failover to a follower that lacks commits could reuse a
// version. It is never negative, and 0 if the object does not exist.
type version int64

// newMove returns the random number of one transaction attempt. It becomes the first
// version of a new object.
func newMove() version {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return version(binary.LittleEndian.Uint64(b[:])>>1 | 1)
}

// moved returns the version after a move or, since XOR is its own inverse, before it.
func (v version) moved(by version) version { return v ^ by }
