package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LeaseDuration is how long a lease lasts without being renewed.
const LeaseDuration = 15 * time.Minute

// Lease is the right to settle a campaign for a limited time. Its number is an increasing
// fencing token, so that writes of an earlier holder are refused. The owner is a random number
// of the run that holds the lease. If the database loses commits, as in a failover to a
// replica that lagged behind, lease numbers repeat but owners do not.
type Lease struct {
	Owner       string    `json:"owner" kv:"id"`
	Node        string    `json:"place,omitempty"`
	Incarnation string    `json:"life,omitempty"`
	Number      int64     `json:"number" kv:"id"`
	Until       time.Time `json:"until"`
	// After is the owner of the previous lease if that one was released, which means that all
	// its results were written. Released reports whether this lease was released.
	After    string `json:"after,omitempty"`
	Released bool   `json:"released,omitempty"`
	// ImportedAfter is the time of the restore after which the processor's payments were last
	// imported completely; zero if there was no restore.
	ImportedAfter time.Time `json:"importedAfter,omitzero"`
}

// Holder identifies the program that holds leases. A node runs one program at a time, which the
// host has to ensure, and every start is a new incarnation. A program takes over leases of
// earlier incarnations of its node, and of incarnations that are known to have ended, without
// waiting.
type Holder struct {
	Node        string   `json:"place,omitempty"`
	Incarnation string   `json:"life,omitempty"`
	Ended       []string `json:"ended,omitempty"` // incarnations that are known to have ended
}

// fence identifies a lease, even if a lost lease had the same number.
type fence struct {
	Lease int64  `json:"term"`
	Owner string `json:"owner"`
}

func (l Lease) fence() fence { return fence{l.Number, l.Owner} }

// HeldAt reports whether the lease is valid at a time. A lease whose expiry is later than any
// lease's can be was acquired with a wrong clock and is not valid; the next lease's higher
// number causes that holder's writes to be rejected.
func (l Lease) HeldAt(now time.Time) bool {
	return now.Before(l.Until) && l.Until.Sub(now) <= LeaseDuration+2*MaxClockError
}

// HolderEnded reports whether the holder of the lease has ended, because the caller is a newer
// incarnation on its node or because it is known to have ended.
func (l Lease) HolderEnded(by Holder) bool {
	if l.Incarnation != "" && slices.Contains(by.Ended, l.Incarnation) {
		return true
	}
	return l.Node != "" && l.Node == by.Node && l.Incarnation != by.Incarnation
}

func runAcquire(tx kv.Tx, now time.Time, cmd LeaseRequest) (Lease, error) {
	l, _, err := kv.Load[Lease](tx, leaseKey)
	if err != nil {
		return Lease{}, err
	}
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || closed && !cmd.Closed {
		return Lease{}, cmp.Or(err, error(fault.New(fault.Conflict, "The campaign has missed its goal and is closed")))
	}
	if l.HeldAt(now) && !l.HolderEnded(cmd.Holder) {
		return Lease{}, fault.New(fault.Busy, "The campaign is being settled; the lock is held until %s",
			l.Until.UTC().Format(time.RFC3339))
	}
	n := Lease{Owner: cmd.Owner, Node: cmd.Node, Incarnation: cmd.Incarnation, Number: l.Number + 1,
		Until: now.Add(LeaseDuration), ImportedAfter: l.ImportedAfter}
	if l.Released {
		n.After = l.Owner
	}
	return n, kv.PutValue(tx, leaseKey, n)
}

func runRenew(tx kv.Tx, now time.Time, cmd renew) (Lease, error) {
	l, err := requireLease(tx, now, cmd.fence)
	if err != nil {
		return Lease{}, err
	}
	l.Until = now.Add(LeaseDuration)
	return l, kv.PutValue(tx, leaseKey, l)
}

// maxVisitRequests is the maximum number of visit requests that a release returns.
const maxVisitRequests = 25

// released is the answer to a release. Notes are the visit requests of supporters whose own
// run may have been refused because of the lease.
type released struct {
	Lease
	Notes []VisitRequest `json:"notes,omitempty"`
}

func runRelease(tx kv.Tx, now time.Time, cmd release) (released, error) {
	l, _, err := kv.Load[Lease](tx, leaseKey)
	if err != nil || l.fence() != cmd.fence || !l.HeldAt(now) {
		return released{Lease: l}, err
	}
	entries, err := tx.List(wantPrefix, "", maxVisitRequests)
	if err != nil {
		return released{}, err
	}
	var notes []VisitRequest
	for _, e := range entries {
		n, err := kv.Decode[VisitRequest](e.Key, e.Value)
		if err != nil {
			return released{}, err
		}
		notes = append(notes, n)
	}
	l.Until, l.Released = now, true
	if cmd.ImportedAfter != nil {
		l.ImportedAfter = *cmd.ImportedAfter
	}
	return released{l, notes}, kv.PutValue(tx, leaseKey, l)
}

// requireLease returns the current lease, and fails with code Busy if the command's lease has
// expired or was lost.
func requireLease(tx kv.Tx, now time.Time, f fence) (Lease, error) {
	l, _, err := kv.Load[Lease](tx, leaseKey)
	if err != nil {
		return Lease{}, err
	}
	if l.fence() != f || !l.HeldAt(now) {
		return Lease{}, fault.New(fault.Busy, "This run's lease of the campaign has ended")
	}
	return l, nil
}

// MaxClockError is the maximum difference between this server's clock and the processor's. The
// clocks of two servers then differ by at most twice that, which is less than Margin: no
// server whose clock is behind accepts a change of a pledge that another server is already
// charging.
const MaxClockError = 15 * time.Minute
