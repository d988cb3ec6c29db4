package sim

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Snapshot returns the processor's complete state as JSON: the books, idempotency keys, webhook
// queue, pending faults and position in the seed's sequence. It includes the endpoints' signing
// secrets.
func (s *Sim) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	maps.DeleteFunc(s.st.Keys, func(_ string, k *idempotencyRecord) bool {
		return now.Sub(k.Created) >= s.opts.KeepKeys
	})
	b, err := json.Marshal(s.st)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "Could not encode the simulator's state")
	}
	return b, nil
}

// Restore replaces the processor's state with a snapshot. Options are not part of
// a snapshot; the endpoint that they configure gets its current URL and secret.
// It fails with code Invalid, and changes nothing, if the snapshot is incomplete
// or has another format or mode.
func (s *Sim) Restore(snapshot []byte) error {
	st := newState(s.opts.Mode, s.opts.Seed)
	st.Format, st.Mode = 0, ""
	dec := json.NewDecoder(bytes.NewReader(snapshot))
	dec.DisallowUnknownFields()
	if err := dec.Decode(st); err != nil {
		return fault.Wrap(err, fault.Invalid, "Not a snapshot of the simulator")
	}
	if st.Format < 1 || st.Format > stateFormat {
		return fault.New(fault.Invalid, "The snapshot has format %d, want 1 to %d", st.Format, stateFormat).In("Format")
	}
	if st.Mode != s.opts.Mode {
		return fault.New(fault.Invalid, "The snapshot belongs to %s mode", st.Mode).In("Mode")
	}
	if !st.isComplete() {
		return fault.New(fault.Invalid, "The snapshot is incomplete")
	}
	st.upgrade()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st = st
	s.subscribe()
	return nil
}

// upgrade converts an older snapshot to the current format. In format 1 every successful charge was
// fully captured. Before format 3 the balance was not stored.
func (st *state) upgrade() {
	if st.Format == 1 {
		for _, ch := range st.Charges {
			if ch.Succeeded {
				ch.Captured = ch.Amount
			}
		}
	}
	if st.Format < 3 {
		st.Balance = 0
		for _, b := range st.BalanceTxns {
			st.Balance += b.Net
		}
	}
	st.Format = stateFormat
}

// isComplete reports whether a snapshot has all maps and all objects that it references.
func (st *state) isComplete() bool {
	if !(noNulls(st.Customers) && noNulls(st.Sessions) && noNulls(st.SetupIntents) && noNulls(st.PaymentMethods) &&
		noNulls(st.Intents) && noNulls(st.Charges) && noNulls(st.BalanceTxns) && noNulls(st.Refunds) &&
		noNulls(st.Disputes) && noNulls(st.Payouts) && noNulls(st.Warnings) && noNulls(st.Events) && noNulls(st.Endpoints) &&
		noNulls(st.Keys) && st.Order != nil && st.Buckets != nil && st.Received != nil) {
		return false
	}
	for prefix, ids := range st.Order {
		// Order retains the IDs of deleted endpoints.
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
		if !st.has(d.Charge) || !st.has(d.Intent) ||
			slices.ContainsFunc(d.BalanceTxns, func(id string) bool { return !st.has(id) }) {
			return false
		}
	}
	for _, w := range st.Warnings {
		if !st.has(w.Charge) || !st.has(w.Intent) {
			return false
		}
	}
	for _, po := range st.Payouts {
		if !st.has(po.BalanceTxn) {
			return false
		}
	}
	return !slices.ContainsFunc(st.Deliveries, func(d *delivery) bool { return d == nil || !st.has(d.Event) }) &&
		!slices.ContainsFunc(st.Tasks, func(t task) bool { return !st.has(t.ID) })
}

// noNulls reports whether a map exists and has no null values.
func noNulls[T any](m map[string]*T) bool {
	for _, v := range m {
		if v == nil {
			return false
		}
	}
	return m != nil
}

// has reports whether an object exists.
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
	case "issfr":
		return st.Warnings[id] != nil
	case "po":
		return st.Payouts[id] != nil
	case "txn":
		return st.BalanceTxns[id] != nil
	case "evt":
		return st.Events[id] != nil
	}
	return false
}
