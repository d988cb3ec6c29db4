package inventory

import (
	"fmt"
	"maps"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Booked is the result of a booking.
type Booked struct {
	Totals Totals `json:"totals"`
	Number int    `json:"number"` // the pledge's position in the campaign's list, from 0
	// OnlyPledge reports whether the supporter is known to have no other pledge to the campaign
	// that is not cancelled. Most bookings of a known pledge do not check and leave it false.
	OnlyPledge bool `json:"alone,omitempty"`
}

// runBook updates the sums by the difference between the account's revisions. It does not check
// limits, because a hold reserved the pledge's units before. Booking an old revision only drops the
// hold.
func runBook(tx kv.Tx, now time.Time, cmd book) (Booked, error) {
	if err := dropHold(tx, now, cmd.Hold); err != nil {
		return Booked{}, err
	}
	next := cmd.Account
	last, known, err := kv.Load[Account](tx, accountPrefix+next.Pledge)
	if err != nil {
		return Booked{}, err
	}
	totals, _, err := kv.Load[Totals](tx, totalsKey)
	if err != nil {
		return Booked{}, err
	}
	if known && last.Revision >= next.Revision || !known && cmd.IfKnown && len(next.Units) == 0 {
		return Booked{Totals: totals, Number: last.Number}, nil
	}
	if known {
		next.Number, next.Day = last.Number, last.Day
	} else {
		next.Number, totals.NewestAt = totals.Listed, now.UTC()
		if err := enlist(tx, &totals, next); err != nil {
			return Booked{}, err
		}
	}
	totals.replace(last, next, known)
	if err := markActive(tx, &totals, next, known); err != nil {
		return Booked{}, err
	}
	alone, err := markUncancelled(tx, &totals, next)
	if err != nil {
		return Booked{}, err
	}
	if err := updateStock(tx, last.Units, next.Units); err != nil {
		return Booked{}, err
	}
	if err := updateSupport(tx, last.Support, next.Support); err != nil {
		return Booked{}, err
	}
	if err := updatePromise(tx, last.Promise, next.Promise); err != nil {
		return Booked{}, err
	}
	if err := kv.PutValue(tx, accountPrefix+next.Pledge, next); err != nil {
		return Booked{}, err
	}
	return Booked{Totals: totals, Number: next.Number, OnlyPledge: alone}, kv.PutValue(tx, totalsKey, totals)
}

// replace updates the sums for an account that changed from last to next. known reports whether it
// existed before.
func (t *Totals) replace(last, next Account, known bool) {
	t.Version++
	t.Counted += next.Counted - last.Counted
	t.Custom += next.Custom - last.Custom
	t.Funds.replace(last.Funds, next.Funds)
	t.Repairable.replace(last, next)
	t.Parcels.replace(last.Parcels, next.Parcels)
	t.replaceInDay(last, next, known)
	if t.Statuses == nil {
		t.Statuses = map[pledge.Status]int{}
	}
	if known {
		t.Statuses[last.Status]--
	}
	t.Statuses[next.Status]++
}

// enlist appends a new pledge to the campaign's list.
func enlist(tx kv.Tx, totals *Totals, a Account) error {
	if err := tx.Put(listKey(a.Number), []byte(a.Pledge)); err != nil {
		return err
	}
	totals.Listed++
	if !a.SavedAt.IsZero() && (totals.Since.IsZero() || a.SavedAt.Before(totals.Since)) {
		totals.Since = a.SavedAt.UTC()
	}
	return tx.Put(supporterPrefix+pledge.EmailHash(a.Email)+"/"+a.Pledge, []byte{})
}

// markActive updates the index of active pledges and the number of its entries. It does not read
// the entry of a new pledge, because each read is a round trip on some hosts.
func markActive(tx kv.Tx, totals *Totals, a Account, known bool) (err error) {
	key := activePrefix + pledge.EmailHash(a.Email) + "/" + a.Pledge
	var mark []byte
	if known {
		if mark, err = tx.Get(key); err != nil {
			return err
		}
	}
	switch active := a.Status == pledge.Active; {
	case active && mark == nil:
		totals.Indexed++
		return tx.Put(key, []byte("1"))
	case !active && mark != nil:
		totals.Indexed--
		return tx.Delete(key)
	}
	return nil
}

// markUncancelled updates the pledge's mark in its supporter's list, which is set unless the pledge
// is cancelled, and the number of people. alone reports whether the supporter has no other pledge
// with a mark; it is false if the mark did not change.
func markUncancelled(tx kv.Tx, totals *Totals, a Account) (alone bool, err error) {
	of := supporterPrefix + pledge.EmailHash(a.Email) + "/"
	mark, err := tx.Get(of + a.Pledge)
	uncancelled := a.Status != pledge.Cancelled
	if err != nil || uncancelled == (string(mark) == uncancelledMark) {
		return false, err
	}
	by, mark := -1, []byte{}
	if uncancelled {
		by, mark = 1, []byte(uncancelledMark)
	}
	if err := tx.Put(of+a.Pledge, mark); err != nil {
		return false, err
	}
	totals.CountedPledges += by
	others, err := hasOtherUncancelled(tx, of, a.Pledge)
	if !others {
		totals.People += by
	}
	return !others, err
}

// hasOtherUncancelled reports whether a supporter has another pledge that is not cancelled.
func hasOtherUncancelled(tx kv.Tx, of, id string) (bool, error) {
	for after := ""; ; {
		entries, err := tx.List(of, after, MaxPage)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			if after = e.Key; e.Key != of+id && string(e.Value) == uncancelledMark {
				return true, nil
			}
		}
		if len(entries) < MaxPage {
			return false, nil
		}
	}
}

func listKey(n int) string { return fmt.Sprintf("%s%09d", listPrefix, n) }

// updateStock changes the committed units of items by the difference between two accounts.
func updateStock(tx kv.Tx, last, next map[string]int) error {
	for item, by := range difference(last, next) {
		stock, _, err := kv.Load[Stock](tx, stockPrefix+item)
		if err != nil {
			return err
		}
		stock.Committed += by
		if err := kv.PutValue(tx, stockPrefix+item, stock); err != nil {
			return err
		}
	}
	return nil
}

// updateSupport changes the cents given to support items by the difference between two accounts.
func updateSupport(tx kv.Tx, last, next map[string]money.Cents) error {
	for item, by := range difference(last, next) {
		given, _, err := kv.Load[money.Cents](tx, supportPrefix+item)
		if err != nil {
			return err
		}
		if err := kv.PutValue(tx, supportPrefix+item, given+by); err != nil {
			return err
		}
	}
	return nil
}

// difference returns next minus last, without zeros.
func difference[N int | money.Cents](last, next map[string]N) map[string]N {
	by := map[string]N{}
	maps.Copy(by, next)
	for k, n := range last {
		by[k] -= n
		if by[k] == 0 {
			delete(by, k)
		}
	}
	return by
}
