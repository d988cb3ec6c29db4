package payout

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The keys of payouts in the settlement object of all campaigns.
const (
	payoutPrefix = "payout/"       // ID → Payout
	timePrefix   = "payout-time/"  // seconds until the end of time, "/", ID → nothing: the newest first
	duePrefix    = "payout-due/"   // ID → nothing, for payouts with a step left
	progressKey  = "payout-import" // → Progress
)

// Register adds the commands of payouts to settlement objects, which have the ledger.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runObserve)
	kv.OnRepeatable(c, runAddRows)
	kv.OnRepeatable(c, runMarkBooked)
	kv.OnRepeatable(c, runSetProgress)
	kv.OnQuery(c, runGetImport)
	kv.OnQuery(c, runGet)
	kv.OnQuery(c, runList)
	kv.OnRepeatable(c, runBook)
	kv.OnQuery(c, runMatch)
	kv.OnQuery(c, runGetBooked)
}

func load(tx kv.Tx, id string) (Payout, error) {
	p, ok, err := kv.Load[Payout](tx, payoutPrefix+id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "There is no payout %s", id)
	}
	return p, err
}

func save(tx kv.Tx, p Payout) (Payout, error) {
	if err := kv.PutValue(tx, payoutPrefix+p.ID, p); err != nil {
		return Payout{}, err
	}
	if p.IsFinished() {
		return p, tx.Delete(duePrefix + p.ID)
	}
	return p, tx.Put(duePrefix+p.ID, []byte{})
}

// timeKey returns the key of a payout's position in the list of all payouts.
func timeKey(p Payout) string {
	return fmt.Sprintf("%s%010d/%s", timePrefix, math.MaxUint32-p.CreatedAt.Unix(), p.ID)
}

// observe records what the processor reported.
type observe struct {
	Payouts []Payout `json:"payouts"`
}

func (observe) Kind() string { return "payout-observe" }

func runObserve(tx kv.Tx, now time.Time, cmd observe) ([]Payout, error) {
	recorded := []Payout{}
	for _, o := range cmd.Payouts {
		p, known, err := kv.Load[Payout](tx, payoutPrefix+o.ID)
		if err != nil {
			return nil, err
		}
		p.apply(o, now)
		if !known {
			if err := tx.Put(timeKey(p), []byte{}); err != nil {
				return nil, err
			}
		}
		if p, err = save(tx, p); err != nil {
			return nil, err
		}
		recorded = append(recorded, p)
	}
	return recorded, nil
}

// addRows adds the totals of a page of a payout's rows, which follow the row After. Page.After is the last row
// of the page, "" on the last page.
type addRows struct {
	ID      string   `json:"id"`
	Reading int      `json:"reading"` // counted from 1
	After   string   `json:"after,omitempty"`
	Page    Contents `json:"page"`
}

func (addRows) Kind() string { return "payout-add-rows" }

// runAddRows ignores a page that is not the next one of the reading under way, or the first of a new one:
// it was added before.
func runAddRows(tx kv.Tx, now time.Time, cmd addRows) (Payout, error) {
	p, err := load(tx, cmd.ID)
	if err != nil {
		return p, err
	}
	switch {
	case cmd.After == "" && cmd.Reading == p.Readings+1:
		p.Reading, p.Readings = &Contents{}, cmd.Reading
	case cmd.Reading != p.Readings, p.Reading == nil, p.Reading.After != cmd.After:
		return p, nil
	}
	p.Reading.add(cmd.Page)
	if p.Reading.After == "" {
		p.endReading(now)
	}
	return save(tx, p)
}

// markBooked records that the ledgers of all campaigns have their shares, or that they have their return.
type markBooked struct {
	ID       string `json:"id"`
	Reversed bool   `json:"reversed,omitempty"`
}

func (markBooked) Kind() string { return "payout-mark-booked" }

func runMarkBooked(tx kv.Tx, now time.Time, cmd markBooked) (Payout, error) {
	p, err := load(tx, cmd.ID)
	if err != nil {
		return p, err
	}
	at := &p.BookedAt
	if cmd.Reversed {
		at = &p.ReversedAt
	}
	if *at != nil {
		return p, nil
	}
	*at = &now
	return save(tx, p)
}

// Progress is how far the import of the list has come. The list is read in passes, each of payouts created
// after From, newest first.
type Progress struct {
	StartedAt time.Time `json:"startedAt"` // of the pass
	From      time.Time `json:"from"`
	After     string    `json:"after,omitempty"` // the last payout read
	Done      bool      `json:"done"`
}

type setProgress struct {
	Progress Progress `json:"progress"`
}

func (setProgress) Kind() string { return "payout-set-progress" }

// runSetProgress ignores the progress of a pass that another run has overtaken.
func runSetProgress(tx kv.Tx, _ time.Time, cmd setProgress) (Progress, error) {
	was, known, err := kv.Load[Progress](tx, progressKey)
	if err != nil || known && was.StartedAt.After(cmd.Progress.StartedAt) {
		return was, err
	}
	return cmd.Progress, kv.PutValue(tx, progressKey, cmd.Progress)
}

// Import is the state of the import: the progress of the list, the zero value before the first pass, and
// payouts with a step that is due.
type Import struct {
	Progress Progress `json:"progress"`
	Due      []Payout `json:"due"`
}

// getImport requests the state of the import, with at most Limit payouts.
type getImport struct {
	Limit int `json:"limit"`
}

func (getImport) Kind() string { return "payout-import" }

func runGetImport(tx kv.Tx, now time.Time, q getImport) (Import, error) {
	progress, _, err := kv.Load[Progress](tx, progressKey)
	out := Import{Progress: progress, Due: []Payout{}}
	for after := ""; err == nil; {
		rows, err := tx.List(duePrefix, after, kv.MaxPage)
		if err != nil || len(rows) == 0 {
			return out, err
		}
		for _, row := range rows {
			after = row.Key
			p, err := load(tx, strings.TrimPrefix(row.Key, duePrefix))
			if err != nil {
				return Import{}, err
			}
			if p.NextStep(now) != None {
				out.Due = append(out.Due, p)
			}
			if len(out.Due) == q.Limit {
				return out, nil
			}
		}
	}
	return Import{}, err
}

type get struct {
	ID string `json:"id"`
}

func (get) Kind() string { return "payout-get" }

func runGet(tx kv.Tx, _ time.Time, q get) (Payout, error) { return load(tx, q.ID) }

// list requests a page of all payouts, newest first.
type list struct {
	After string `json:"after,omitempty"` // ID
	Limit int    `json:"limit"`
}

func (list) Kind() string { return "payout-list" }

func runList(tx kv.Tx, _ time.Time, q list) (Page, error) {
	page, after := Page{Payouts: []Payout{}}, ""
	if q.After != "" {
		last, err := load(tx, q.After)
		if err != nil {
			return Page{}, err
		}
		after = timeKey(last)
	}
	rows, err := tx.List(timePrefix, after, q.Limit)
	if err != nil {
		return Page{}, err
	}
	for _, row := range rows {
		p, err := load(tx, row.Key[strings.LastIndex(row.Key, "/")+1:])
		if err != nil {
			return Page{}, err
		}
		page.Payouts = append(page.Payouts, p)
	}
	if len(rows) == q.Limit {
		page.Next = page.Payouts[len(rows)-1].ID
	}
	return page, nil
}
