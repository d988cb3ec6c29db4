package state

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const idlePrefix = "rest/" // slug → IdleState, in the platform's object

// IdleState records until when the scheduled jobs skip a campaign, because nothing is left to do.
type IdleState struct {
	Slug string `json:"slug"`
	// Woken counts the changes of the campaign. SetIdle takes the count from before the caller
	// checked that nothing is left to do, so that a change in the meantime keeps the campaign
	// active.
	Woken int       `json:"woken"`
	Until time.Time `json:"until"` // zero if active
	// Cards is true if Until is set. Servers of release 0.1.0 require it.
	Cards bool `json:"cards,omitempty"`
}

// wake records a change of a campaign and makes it active. It can be repeated.
type wake struct {
	Slug string `json:"slug"`
}

func (wake) Kind() string { return "wake" }

func runWake(tx kv.Tx, _ time.Time, cmd wake) (none, error) {
	r, _, err := kv.Load[IdleState](tx, idlePrefix+cmd.Slug)
	if err != nil {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, idlePrefix+cmd.Slug, IdleState{Slug: cmd.Slug, Woken: r.Woken + 1})
}

// setIdle makes a campaign idle unless it was woken.
type setIdle struct {
	State IdleState `json:"rest"`
}

func (setIdle) Kind() string { return "rest" }

func runSetIdle(tx kv.Tx, _ time.Time, cmd setIdle) (bool, error) {
	r, _, err := kv.Load[IdleState](tx, idlePrefix+cmd.State.Slug)
	if err != nil || r.Woken != cmd.State.Woken {
		return false, err
	}
	return true, kv.PutValue(tx, idlePrefix+cmd.State.Slug, cmd.State)
}

// listIdle requests a page of the campaigns that were ever idle or woken.
type listIdle struct {
	After string `json:"after"`
}

func (listIdle) Kind() string { return "rests" }

func runListIdle(tx kv.Tx, _ time.Time, q listIdle) ([]IdleState, error) {
	return idleAfter(tx, idlePrefix+q.After)
}

func idleAfter(tx kv.Tx, after string) ([]IdleState, error) {
	entries, err := tx.List(idlePrefix, after, kv.MaxPage)
	if err != nil {
		return nil, err
	}
	all := make([]IdleState, 0, len(entries))
	for _, e := range entries {
		r, _, err := kv.Load[IdleState](tx, e.Key)
		if err != nil {
			return nil, err
		}
		r.Slug = strings.TrimPrefix(e.Key, idlePrefix)
		all = append(all, r)
	}
	return all, nil
}

// wakeAll makes every idle campaign active.
func wakeAll(tx kv.Tx) error {
	for after := ""; ; {
		page, err := idleAfter(tx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			after = idlePrefix + r.Slug
			if err := kv.PutValue(tx, after, IdleState{Slug: r.Slug, Woken: r.Woken + 1}); err != nil {
				return err
			}
		}
	}
}
