package reconcile

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Pass is one complete comparison, which may take several runs.
type Pass struct {
	Number    int       `json:"number" kv:"id"` // from 1; 0 before the first
	Step      int       `json:"step"`           // number of its runs so far
	StartedAt time.Time `json:"startedAt"`
	// The position in our records: the number of the next pledge, and whether all were
	// compared.
	Next      int  `json:"next"`
	BooksDone bool `json:"booksDone"`
	// The position at the processor: the current time window, and the last payment compared.
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	After    string    `json:"after,omitempty"`
	ListDone bool      `json:"listDone"`
	// Recent reports whether a payment was skipped because its pledges may not record it yet.
	Recent  bool       `json:"recent,omitempty"`
	EndedAt *time.Time `json:"endedAt,omitempty"`
	Sums
}

// Sums are the totals of a pass so far.
type Sums struct {
	Checked   int         `json:"checked"`               // pledges
	Retrieved int         `json:"paymentIntentsChecked"` // payments read one by one from the processor
	Listed    int         `json:"paymentsListed"`        // payments of the campaign on the processor's list
	Booked    money.Cents `json:"bookedGross"`           // cents, of charged pledges
	Processor money.Cents `json:"processorGross"`        // cents, of payments that succeeded
}

// The keys of reconciliation's part of a settlement object's state.
const (
	passKey     = "reconcile/pass"
	lastKey     = "reconcile/last"   // → the last Pass that ended
	breakPrefix = "reconcile/break/" // ID → Break
	openPrefix  = "reconcile/open/"  // ID → nothing
	dirtyPrefix = "reconcile/dirty/" // ID → nothing, for breaks whose copy is to be written
)

// Register adds the commands of reconciliation to settlement objects. Its state is stored with
// the charges that it compares, so that two concurrent runs cannot both be counted.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runOpenPass)
	kv.OnRepeatable(c, runRecordFindings)
	kv.OnRepeatable(c, runRecordLost)
	kv.OnRepeatable(c, runMarkCopied)
	kv.OnQuery(c, runGetProgress)
	kv.OnQuery(c, runListDirty)
}

// openPass starts a pass unless one is running.
type openPass struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

func (openPass) Kind() string { return "reconcile-open" }

func runOpenPass(tx kv.Tx, now time.Time, cmd openPass) (Pass, error) {
	p, known, err := kv.Load[Pass](tx, passKey)
	if err != nil || known && p.EndedAt == nil {
		return p, err
	}
	p = Pass{Number: p.Number + 1, StartedAt: now, From: cmd.From, To: cmd.To}
	return p, kv.PutValue(tx, passKey, p)
}

// recordFindings records a run's findings and the pass's progress.
type recordFindings struct {
	Slug     string    `json:"slug"`
	Pass     Pass      `json:"pass"`
	Findings []Finding `json:"findings"`
}

func (recordFindings) Kind() string { return "reconcile-note" }

// runRecordFindings accepts a run's findings if it is the next one of its pass: if two runs
// compared the same part, the second is ignored.
func runRecordFindings(tx kv.Tx, now time.Time, cmd recordFindings) (Pass, error) {
	p, _, err := kv.Load[Pass](tx, passKey)
	if err != nil || p.EndedAt != nil || p.Number != cmd.Pass.Number || p.Step != cmd.Pass.Step-1 {
		return p, err
	}
	for _, f := range cmd.Findings {
		if err := recordFinding(tx, cmd.Slug, f, p.Number, now); err != nil {
			return Pass{}, err
		}
	}
	p = cmd.Pass
	if p.BooksDone && p.ListDone {
		p.EndedAt = &now
		if err := resolve(tx, p.Number, now); err != nil {
			return Pass{}, err
		}
		if err := kv.PutValue(tx, lastKey, p); err != nil {
			return Pass{}, err
		}
	}
	return p, kv.PutValue(tx, passKey, p)
}

func saveBreak(tx kv.Tx, b Break) error {
	if err := kv.PutValue(tx, breakPrefix+b.ID, b); err != nil {
		return err
	}
	if err := tx.Put(dirtyPrefix+b.ID, []byte{}); err != nil {
		return err
	}
	if b.Status == Open {
		return tx.Put(openPrefix+b.ID, []byte{})
	}
	return tx.Delete(openPrefix + b.ID)
}

// resolve resolves the breaks that a complete pass did not find, except lost orders.
func resolve(tx kv.Tx, pass int, now time.Time) error {
	return eachBreak(tx, openPrefix, func(b Break) error {
		if b.LastPass == pass || b.Kind == OrderLost {
			return nil
		}
		b.Status, b.ResolvedAt = Resolved, &now
		return saveBreak(tx, b)
	})
}

// eachBreak calls do with every break in a list.
func eachBreak(tx kv.Tx, list string, do func(Break) error) error {
	for after := ""; ; {
		entries, err := tx.List(list, after, kv.MaxPage)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			after = e.Key
			b, _, err := kv.Load[Break](tx, breakPrefix+strings.TrimPrefix(e.Key, list))
			if err != nil {
				return err
			}
			if err := do(b); err != nil {
				return err
			}
		}
	}
}

// markCopied records that the Store has copies of the given breaks.
type markCopied struct {
	Breaks []Break `json:"breaks"`
}

func (markCopied) Kind() string { return "reconcile-copied" }

type none struct{}

func runMarkCopied(tx kv.Tx, _ time.Time, cmd markCopied) (none, error) {
	for _, c := range cmd.Breaks {
		b, _, err := kv.Load[Break](tx, breakPrefix+c.ID)
		if err != nil {
			return none{}, err
		}
		if b.Status != c.Status || b.Occurrences != c.Occurrences {
			continue // it changed since and has to be copied again
		}
		if err := tx.Delete(dirtyPrefix + c.ID); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

// listDirty requests the breaks whose copies are outdated, at most kv.MaxPage of them.
type listDirty struct{}

func (listDirty) Kind() string { return "reconcile-dirty" }

func runListDirty(tx kv.Tx, _ time.Time, _ listDirty) ([]Break, error) {
	all := []Break{}
	err := eachBreak(tx, dirtyPrefix, func(b Break) error {
		if len(all) < kv.MaxPage {
			all = append(all, b)
		}
		return nil
	})
	return all, err
}

// getProgress requests the passes and the open breaks.
type getProgress struct{}

func (getProgress) Kind() string { return "reconcile-state" }

// progress is the answer to getProgress: the current pass, the last one that ended, and the open
// breaks.
type progress struct {
	Pass     Pass    `json:"pass"`
	Last     *Pass   `json:"last,omitempty"`
	Breaks   []Break `json:"breaks"` // the open ones, at most maxShown
	Open     int     `json:"open"`
	Critical int     `json:"critical"`
}

const maxShown = 200

func runGetProgress(tx kv.Tx, _ time.Time, _ getProgress) (progress, error) {
	s := progress{Breaks: []Break{}}
	var err error
	if s.Pass, _, err = kv.Load[Pass](tx, passKey); err != nil {
		return s, err
	}
	last, known, err := kv.Load[Pass](tx, lastKey)
	if err != nil {
		return s, err
	}
	if known {
		s.Last = &last
	}
	return s, eachBreak(tx, openPrefix, func(b Break) error {
		s.Open++
		if b.Severity == Critical {
			s.Critical++
		}
		if len(s.Breaks) < maxShown {
			s.Breaks = append(s.Breaks, b)
		}
		return nil
	})
}
