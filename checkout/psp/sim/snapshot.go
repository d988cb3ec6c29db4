package sim

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
// are not part of one, and the endpoint they name moves to where they say now.
// It fails with code Invalid, and changes nothing, when the snapshot is not
// whole or of another format or mode.
func (s *Sim) Restore(snapshot []byte) error {
	st := newState(s.opts.Mode, s.opts.Seed)
	st.Format, st.Mode = 0, ""
	dec := json.NewDecoder(bytes.NewReader(snapshot))
	dec.DisallowUnknownFields()
	if err := dec.Decode(st); err != nil {
		return fault.Wrap(err, fault.Invalid, "That is not a snapshot of the simulator")
	}
	if st.Format < 1 || st.Format > stateFormat {
		return fault.New(fault.Invalid, "The snapshot has format %d and not 1 to %d", st.Format, stateFormat).In("Format")
	}
	if st.Mode != s.opts.Mode {
		return fault.New(fault.Invalid, "The snapshot is of %s mode", st.Mode).In("Mode")
	}
	if !st.whole() {
		return fault.New(fault.Invalid, "The snapshot lacks a part")
	}
	st.upgrade()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st = st
	s.subscribe()
	return nil
}

// upgrade brings a snapshot of format 1, in which every charge that succeeded was captured
// whole, to the present format.
func (st *state) upgrade() {
	if st.Format == 1 {
		for _, ch := range st.Charges {
			if ch.Succeeded {
				ch.Captured = ch.Amount
			}
		}
	}
	st.Format = stateFormat
}

// whole reports whether everything that something refers to is there.
func (st *state) whole() bool {
	if !(full(st.Customers) && full(st.Sessions) && full(st.SetupIntents) && full(st.PaymentMethods) &&
		full(st.Intents) && full(st.Charges) && full(st.BalanceTxns) && full(st.Refunds) && full(st.Disputes) && full(st.Events) && full(st.Endpoints) &&
		full(st.Keys) && st.Order != nil && st.Buckets != nil && st.Received != nil) {
		return false
	}
	for prefix, ids := range st.Order {
		// A deleted endpoint stays in the order it was made in.
		if prefix != "we_" && slices.ContainsFunc(ids, func(id string) bool { return !st.has(id) }) {
			return false
		}
	}
	for _, ses := range st.Sessions {
		if !st.has(ses.Customer) || !st.has(ses.SetupIntent) {
			return false
		}
	}
	for _, in := range st.Intents {
		if in.Status == succeeded && !st.has(in.LatestCharge) {
			return false
		}
	}
	for _, ch := range st.Charges {
		if !st.has(ch.Intent) || !st.has(ch.PaymentMethod) {
			return false
		}
	}
	for _, f := range st.Refunds {
		if !st.has(f.Charge) || !st.has(f.Intent) {
			return false
		}
	}
	for _, d := range st.Disputes {
		if !st.has(d.Charge) || !st.has(d.Intent) || slices.ContainsFunc(d.BalanceTxns, func(id string) bool { return !st.has(id) }) {
			return false
		}
	}
	return !slices.ContainsFunc(st.Deliveries, func(d *delivery) bool { return d == nil || !st.has(d.Event) }) &&
		!slices.ContainsFunc(st.Tasks, func(t task) bool { return !st.has(t.ID) })
}

// full reports whether a map was made and none of its objects is null.
func full[T any](m map[string]*T) bool {
	for _, v := range m {
		if v == nil {
			return false
		}
	}
	return m != nil
}

// has reports whether an object with an ID is there.
func (st *state) has(id string) bool {
	prefix, _, _ := strings.Cut(id, "_")
	switch prefix {
	case "cus":
		return st.Customers[id] != nil
	case "cs":
		return st.Sessions[id] != nil
	case "seti":
		return st.SetupIntents[id] != nil
	case "pm":
		return st.PaymentMethods[id] != nil
	case "pi":
		return st.Intents[id] != nil
	case "ch":
		return st.Charges[id] != nil
	case "re":
		return st.Refunds[id] != nil
	case "du":
		return st.Disputes[id] != nil
	case "txn":
		return st.BalanceTxns[id] != nil
	case "evt":
		return st.Events[id] != nil
	}
	return false
}
