package sim

import (
	"bytes"
	"encoding/json"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Snapshot writes everything the processor remembers as JSON: the books, the
// idempotency keys, the queue of webhooks, ordered faults and its place in the
// seed's sequence. The endpoints' signing secrets are part of it.
func (s *Sim) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := json.Marshal(s.st)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The simulator's state cannot be written")
	}
	return b, nil
}

// Restore replaces everything the processor remembers by a snapshot. Options
// are not part of one. It fails with code Invalid, and changes nothing, when
// the snapshot is not one of this version and mode.
func (s *Sim) Restore(snapshot []byte) error {
	st := newState(s.opts.Mode, s.opts.Seed)
	st.Format, st.Mode = 0, ""
	dec := json.NewDecoder(bytes.NewReader(snapshot))
	dec.DisallowUnknownFields()
	if err := dec.Decode(st); err != nil {
		return fault.Wrap(err, fault.Invalid, "That is not a snapshot of the simulator")
	}
	if st.Format != stateFormat {
		return fault.New(fault.Invalid, "The snapshot has format %d and not %d", st.Format, stateFormat).In("Format")
	}
	if st.Mode != s.opts.Mode {
		return fault.New(fault.Invalid, "The snapshot is of %s mode", st.Mode).In("Mode")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st = st
	return nil
}
