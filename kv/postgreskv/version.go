package postgreskv

import (
	"crypto/rand"
	"encoding/binary"
)

// version tells an object's states from each other, also from those of a history that the
// database has lost. Each transaction that may change the object moves it by a number of
// its own, drawn at random: had it a number that is counted, another transaction would
// give it again after a failover to a follower that lagged behind. It is never negative,
// and 0 where the object is not there.
type version int64

// newMove draws by what one attempt at a transaction moves versions. An object that was
// not there has it as its first one.
func newMove() version {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return version(binary.LittleEndian.Uint64(b[:])>>1 | 1)
}

// moved is the version after a move, and, since a move undoes itself, the one before.
func (v version) moved(by version) version { return v ^ by }
