package settlement

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// TermLength is how long a campaign's lock is held without being renewed.
const TermLength = 15 * time.Minute

// Term is a hold of a campaign's lock. Numbers only grow, so that a write of an
// earlier holder is known for what it is. The owner is a random number of the run
// that holds it: where the database has lost commits, as in a failover to a follower
// that lagged behind, numbers come again, and owners do not.
type Term struct {
	Owner  string    `json:"owner" kv:"id"`
	Place  string    `json:"place,omitempty"`
	Life   string    `json:"life,omitempty"`
	Number int64     `json:"number" kv:"id"`
	Until  time.Time `json:"until"`
	// After is the owner of the term before, if that one was given back: then all that was
	// learned in it has been written. Released says it of this one.
	After    string `json:"after,omitempty"`
	Released bool   `json:"released,omitempty"`
}

// Standing is as whom a program holds locks. A place has one living program at a time,
// which its host has to see to, and every start is a life of its own. A program takes
// over at once what an earlier life in its place held, or one that has ended.
type Standing struct {
	Place string   `json:"place,omitempty"`
	Life  string   `json:"life,omitempty"`
	Ended []string `json:"ended,omitempty"` // lives that are known to be over
}

// fence is what tells a term from every other one, also from one of its number that was
// lost.
type fence struct {
	Term  int64  `json:"term"`
	Owner string `json:"owner"`
}

func (t Term) fence() fence { return fence{t.Number, t.Owner} }

func (t Term) heldAt(now time.Time) bool { return now.Before(t.Until) }

// survivedBy reports whether whoever asks has come to the place of a holder
// that is dead, or knows that it is.
func (t Term) survivedBy(by Standing) bool {
	if t.Life != "" && slices.Contains(by.Ended, t.Life) {
		return true
	}
	return t.Place != "" && t.Place == by.Place && t.Life != by.Life
}

func runAcquire(tx kv.Tx, now time.Time, cmd acquire) (Term, error) {
	t, _, err := kv.Load[Term](tx, termKey)
	if err != nil {
		return Term{}, err
	}
	if t.heldAt(now) && !t.survivedBy(cmd.Standing) {
		return Term{}, fault.New(fault.Busy, "The campaign is being settled; the lock is held until %s", t.Until.UTC().Format(time.RFC3339))
	}
	n := Term{Owner: cmd.Owner, Place: cmd.Place, Life: cmd.Life, Number: t.Number + 1, Until: now.Add(TermLength)}
	if t.Released {
		n.After = t.Owner
	}
	return n, kv.Keep(tx, termKey, n)
}

func runRenew(tx kv.Tx, now time.Time, cmd renew) (Term, error) {
	t, err := inTerm(tx, now, cmd.fence)
	if err != nil {
		return Term{}, err
	}
	t.Until = now.Add(TermLength)
	return t, kv.Keep(tx, termKey, t)
}

func runRelease(tx kv.Tx, now time.Time, cmd release) (Term, error) {
	t, _, err := kv.Load[Term](tx, termKey)
	if err != nil || t.fence() != cmd.fence || !t.heldAt(now) {
		return t, err
	}
	t.Until, t.Released = now, true
	return t, kv.Keep(tx, termKey, t)
}

// inTerm refuses what comes from a term that has ended, or was lost.
func inTerm(tx kv.Tx, now time.Time, f fence) (Term, error) {
	t, _, err := kv.Load[Term](tx, termKey)
	if err != nil {
		return Term{}, err
	}
	if t.fence() != f || !t.heldAt(now) {
		return Term{}, fault.New(fault.Busy, "This run's hold of the campaign has ended")
	}
	return t, nil
}
