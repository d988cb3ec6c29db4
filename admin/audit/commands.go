package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Register adds the commands of the chain to a class. One object of it has the chain.
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
	stateKey    = "audit/state"
	linkPrefix  = "audit/event/"
	underPrefix = "audit/under-way/"
)

// lost is how long an act may be under way before it is taken for one whose program died.
const lost = 6 * time.Hour

// atOnce is how many links are read, copied or dropped at once.
const atOnce = 100

// Head is a place in the chain.
type Head struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
}

// state is where the chain stands.
type state struct {
	Head
	At      time.Time `json:"at"`      // of the newest event
	Dropped Head      `json:"dropped"` // the newest event that is kept no more
	Copied  int       `json:"copied"`  // the newest event whose copy is in the Store
}

// underWay is an act that has not ended.
type underWay struct {
	Since time.Time `json:"since"`
	Act   Act       `json:"act"`
	// Request is what the act takes to go on; it is gone when the act has ended.
	Request json.RawMessage `json:"request,omitempty"`
	// After is how many events there were.
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

// runBegin notes that an act begins, after it has ended those that nobody will end.
func runBegin(tx kv.Tx, now time.Time, cmd begin) (none, error) {
	if err := endLost(tx, now); err != nil {
		return none{}, err
	}
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return none{}, err
	}
	return none{}, kv.Keep(tx, underPrefix+cmd.ID, underWay{now.UTC(), cmd.Act, cmd.Request, s.Number})
}

func endLost(tx kv.Tx, now time.Time) error {
	entries, err := tx.List(underPrefix, "", atOnce)
	if err != nil {
		return err
	}
	for _, e := range entries {
		u, err := kv.Decode[underWay](e.Key, e.Value)
		if err != nil {
			return err
		}
		if now.Before(u.Since.Add(lost)) {
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
	if err := tx.Delete(underPrefix + cmd.ID); err != nil {
		return Event{}, err
	}
	return add(tx, now, Event{Act: cmd.Act, Status: cmd.Status, Code: cmd.Code})
}

// runRefused forgets an act that has changed nothing.
func runRefused(tx kv.Tx, _ time.Time, cmd refused) (none, error) {
	return none{}, tx.Delete(underPrefix + cmd.ID)
}

// add puts an event at the chain's end. The times of events never go back, whatever the
// clocks of servers do.
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
	if err := kv.Keep(tx, linkKey(e.Number), l); err != nil {
		return Event{}, err
	}
	s.Head, s.At = Head{e.Number, e.Hash}, e.At
	return e, kv.Keep(tx, stateKey, s)
}

// runTrim ends acts that nobody will end, drops some of the events that are too old, and
// tells whether there may be more of these.
func runTrim(tx kv.Tx, now time.Time, _ trim) (more bool, err error) {
	if err := endLost(tx, now); err != nil {
		return false, err
	}
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return false, err
	}
	entries, err := tx.List(linkPrefix, "", atOnce)
	if err != nil {
		return false, err
	}
	n := 0
	for _, entry := range entries {
		e, err := eventOf(entry)
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
	return n == atOnce, kv.Keep(tx, stateKey, s)
}

func runCopied(tx kv.Tx, _ time.Time, cmd copied) (none, error) {
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil || cmd.Number <= s.Copied {
		return none{}, err
	}
	s.Copied = cmd.Number
	return none{}, kv.Keep(tx, stateKey, s)
}

func eventOf(entry kv.Entry) (Event, error) {
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

// readLinks asks for links in their order, after a number.
type readLinks struct {
	After int `json:"after"`
}

func (readLinks) Kind() string { return "audit-links" }

func runLinks(tx kv.Tx, _ time.Time, q readLinks) ([]json.RawMessage, error) {
	entries, err := tx.List(linkPrefix, linkKey(q.After), atOnce)
	if err != nil {
		return nil, err
	}
	links := make([]json.RawMessage, 0, len(entries))
	for _, e := range entries {
		links = append(links, e.Value)
	}
	return links, nil
}
