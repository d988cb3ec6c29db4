package inventory

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Promise has the terms on which a pledge's card may be charged: after the deadline EndsAt, if the
// campaign has reached the goal in cents.
type Promise struct {
	EndsAt time.Time   `json:"endsAt"`
	Goal   money.Cents `json:"goal"`
}

// Promised is a promise with the number of unpaid pledges that were made on its terms.
type Promised struct {
	Promise
	Pledges int `json:"pledges"`
}

func promiseOf(p *pledge.Pledge) *Promise {
	if !p.Unpaid() || p.Promise.EndsAt.IsZero() {
		return nil
	}
	return &Promise{EndsAt: p.Promise.EndsAt.UTC(), Goal: p.Promise.Goal}
}

// updatePromise counts a pledge with its new promise instead of the last one.
func updatePromise(tx kv.Tx, last, next *Promise) error {
	if last != nil && next != nil && last.key() == next.key() {
		return nil
	}
	if err := countPromise(tx, last, -1); err != nil {
		return err
	}
	return countPromise(tx, next, 1)
}

func countPromise(tx kv.Tx, p *Promise, by int) error {
	if p == nil {
		return nil
	}
	made, _, err := kv.Load[Promised](tx, p.key())
	if err != nil {
		return err
	}
	made.Promise = *p
	if made.Pledges += by; made.Pledges == 0 {
		return tx.Delete(p.key())
	}
	return kv.PutValue(tx, p.key(), made)
}

func (p *Promise) key() string {
	return fmt.Sprintf("%s%012d/%d", promisePrefix, p.EndsAt.Unix(), p.Goal)
}

// runPromises returns all promises without paging. There are few, because deadlines and goals are
// edited by hand.
func runPromises(tx kv.Tx, _ time.Time, _ promises) ([]Promised, error) {
	made := map[string]Promised{}
	if err := loadAll(tx, promisePrefix, made); err != nil {
		return nil, err
	}
	list := make([]Promised, 0, len(made))
	for _, key := range slices.Sorted(maps.Keys(made)) {
		list = append(list, made[key])
	}
	return list, nil
}
