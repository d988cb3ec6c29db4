package sim

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Snapshot writes everything the processor remembers as JSON: the books, the
// idempotency keys, the queue of webhooks, ordered faults and its place in the
// seed's sequence. The endpoints' signing secrets are part of it.
func (s *Sim) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	maps.DeleteFunc(s.st.Keys, func(_ string, k *keyed) bool { return now.Sub(k.Created) >= s.opts.KeepKeys })
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
	if !st.whole() {
		return fault.New(fault.Invalid, "The snapshot lacks a part")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st = st
	return nil
}

// whole reports whether every object that is listed, or that another one needs,
// is there.
func (st *state) whole() bool {
	made := st.Customers != nil && st.Sessions != nil && st.SetupIntents != nil && st.PaymentMethods != nil &&
		st.Intents != nil && st.Charges != nil && st.BalanceTxns != nil && st.Events != nil && st.Endpoints != nil &&
		st.Order != nil && st.Keys != nil && st.Buckets != nil && st.Received != nil
	if !made {
		return false
	}
	has := map[string]func(id string) bool{
		"cus_":  func(id string) bool { return st.Customers[id] != nil },
		"seti_": func(id string) bool { return st.SetupIntents[id] != nil },
		"pm_":   func(id string) bool { return st.PaymentMethods[id] != nil },
		"pi_":   func(id string) bool { return st.Intents[id] != nil },
		"ch_": func(id string) bool {
			ch := st.Charges[id]
			return ch != nil && st.Intents[ch.Intent] != nil && st.PaymentMethods[ch.PaymentMethod] != nil
		},
		"txn_": func(id string) bool { return st.BalanceTxns[id] != nil },
		"evt_": func(id string) bool { return st.Events[id] != nil },
		"cs_" + string(st.Mode) + "_": func(id string) bool {
			ses := st.Sessions[id]
			return ses != nil && st.Customers[ses.Customer] != nil && st.SetupIntents[ses.SetupIntent] != nil
		},
	}
	for prefix, there := range has {
		if slices.ContainsFunc(st.Order[prefix], func(id string) bool { return !there(id) }) {
			return false
		}
	}
	for _, d := range st.Deliveries {
		if d == nil || st.Events[d.Event] == nil {
			return false
		}
	}
	for _, t := range st.Tasks {
		there := has["pi_"]
		switch t.Kind {
		case expireTask:
			there = has["cs_"+string(st.Mode)+"_"]
		case bookTask:
			there = has["ch_"]
		}
		if !there(t.ID) {
			return false
		}
	}
	return true
}
