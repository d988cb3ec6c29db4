package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Register adds the commands of the chain to a class. One object of the class holds the
// chain.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runBegin)
	kv.On(c, runEnd)
	kv.OnRepeatable(c, runRefused)
	kv.OnRepeatable(c, runTrim)
	kv.OnRepeatable(c, runCopied)
	registerResume(c)
	kv.OnQuery(c, runState)
	kv.OnQuery(c, runSearch)
	kv.OnQuery(c, runLinks)
}

// The keys of the object's state.
const (
	stateKey      = "audit/state"
	linkPrefix    = "audit/event/"
	pendingPrefix = "audit/under-way/"
)

// lostAfter is how long an action can run before its process is assumed to have died.
const lostAfter = 6 * time.Hour

// batchSize is the maximum number of links that a command reads, copies or deletes at once.
const batchSize = 100

// Head is a position in the chain.
type Head struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
}

// state is the state of the chain.
type state struct {
	Head
	At      time.Time `json:"at"`      // of the newest event
	Dropped Head      `json:"dropped"` // the newest deleted event
	Copied  int       `json:"copied"`  // the newest event whose copy is in the Store
}

// pending is an action that has not ended.
type pending struct {
	Since time.Time `json:"since"`
	Act   Act       `json:"act"`
	// Request is the data for resuming the action. It is deleted when the action ends.
	Request json.RawMessage `json:"request,omitempty"`
	// After is the number of events when the action began.
	After int `json:"after,omitempty"`
}

type begin struct {
	ID      string          `json:"id"`
	Act     Act             `json:"act"`
	Request json.RawMessage `json:"request,omitempty"`
}

func (begin) Kind() string { return "audit-begin" }

type end struct {
	begin
	Status Status `json:"status"`
	Code   string `json:"code,omitempty"`
}

func (end) Kind() string { return "audit-end" }

type refused struct {
	ID string `json:"id"`
}

func (refused) Kind() string { return "audit-refused" }

type trim struct{}

func (trim) Kind() string { return "audit-trim" }

type copied struct {
	Number int `json:"number"`
}

func (copied) Kind() string { return "audit-copied" }

type none struct{}

func linkKey(n int) string { return fmt.Sprintf("%s%012d", linkPrefix, n) }

// runBegin records that an action begins. It first ends actions older than lostAfter with status
// Unknown.
func runBegin(tx kv.Tx, now time.Time, cmd begin) (none, error) {
	if err := closeLost(tx, now); err != nil {
		return none{}, err
	}
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, pendingPrefix+cmd.ID, pending{now.UTC(), cmd.Act, cmd.Request, s.Number})
}

func closeLost(tx kv.Tx, now time.Time) error {
	entries, err := tx.List(pendingPrefix, "", batchSize)
	if err != nil {
		return err
	}
	for _, e := range entries {
		u, err := kv.Decode[pending](e.Key, e.Value)
		if err != nil {
			return err
		}
		if now.Before(u.Since.Add(lostAfter)) {
			continue
		}
		if _, err := add(tx, now, Event{Act: u.Act, Status: Unknown}); err != nil {
			return err
		}
		if err := tx.Delete(e.Key); err != nil {
			return err
		}
	}
	return nil
}

func runEnd(tx kv.Tx, now time.Time, cmd end) (Event, error) {
	if err := tx.Delete(pendingPrefix + cmd.ID); err != nil {
		return Event{}, err
	}
	return add(tx, now, Event{Act: cmd.Act, Status: cmd.Status, Code: cmd.Code})
}

// runRefused deletes an action that changed nothing.
func runRefused(tx kv.Tx, _ time.Time, cmd refused) (none, error) {
	return none{}, tx.Delete(pendingPrefix + cmd.ID)
}

// add appends an event to the chain. Event times never decrease, even if the servers'
// clocks do.
func add(tx kv.Tx, now time.Time, e Event) (Event, error) {
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return Event{}, err
	}
	if e.At = now.UTC(); e.At.Before(s.At) {
		e.At = s.At
	}
	e.Number, e.Before = s.Number+1, s.Hash
	l, err := newLink(e)
	if err != nil {
		return Event{}, err
	}
	e.Hash = l.Hash
	if err := kv.PutValue(tx, linkKey(e.Number), l); err != nil {
		return Event{}, err
	}
	s.Head, s.At = Head{e.Number, e.Hash}, e.At
	return e, kv.PutValue(tx, stateKey, s)
}

// runTrim ends actions older than lostAfter with status Unknown, deletes up to batchSize expired
// events, and reports whether there may be more of those.
func runTrim(tx kv.Tx, now time.Time, _ trim) (more bool, err error) {
	if err := closeLost(tx, now); err != nil {
		return false, err
	}
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return false, err
	}
	entries, err := tx.List(linkPrefix, "", batchSize)
	if err != nil {
		return false, err
	}
	n := 0
	for _, entry := range entries {
		e, err := decodeEvent(entry)
		if err != nil {
			return false, err
		}
		if now.Before(e.At.Add(Life)) {
			break
		}
		if err := tx.Delete(entry.Key); err != nil {
			return false, err
		}
		s.Dropped = Head{e.Number, e.Hash}
		n++
	}
	if n == 0 {
		return false, nil
	}
	return n == batchSize, kv.PutValue(tx, stateKey, s)
}

func runCopied(tx kv.Tx, _ time.Time, cmd copied) (none, error) {
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil || cmd.Number <= s.Copied {
		return none{}, err
	}
	s.Copied = cmd.Number
	return none{}, kv.PutValue(tx, stateKey, s)
}

func decodeEvent(entry kv.Entry) (Event, error) {
	l, err := kv.Decode[link](entry.Key, entry.Value)
	if err != nil {
		return Event{}, err
	}
	return l.event()
}

type readState struct{}

func (readState) Kind() string { return "audit-state" }

func runState(tx kv.Tx, _ time.Time, _ readState) (state, error) {
	s, _, err := kv.Load[state](tx, stateKey)
	return s, err
}

// readLinks reads links in order, after a number.
type readLinks struct {
	After int `json:"after"`
}

func (readLinks) Kind() string { return "audit-links" }

func runLinks(tx kv.Tx, _ time.Time, q readLinks) ([]json.RawMessage, error) {
	entries, err := tx.List(linkPrefix, linkKey(q.After), batchSize)
	if err != nil {
		return nil, err
	}
	links := make([]json.RawMessage, 0, len(entries))
	for _, e := range entries {
		links = append(links, e.Value)
	}
	return links, nil
}
