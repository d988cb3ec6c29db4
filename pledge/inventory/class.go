package inventory

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Keys of a campaign object's state.
const (
	totalsKey       = "totals"
	stockPrefix     = "stock/"     // item → Stock
	supportPrefix   = "support/"   // support item → cents
	accountPrefix   = "account/"   // pledge → Account
	holdPrefix      = "hold/"      // hold → Hold
	sharePrefix     = "share/"     // holder, item, hold → the hold's units
	duePrefix       = "due/"       // due time, hold → empty
	overPrefix      = "over/"      // hold that was released before its command arrived → a mark
	overAtPrefix    = "over-at/"   // time of the mark, hold → empty
	listPrefix      = "list/"      // number → pledge
	supporterPrefix = "supporter/" // email hash, pledge → uncancelledMark unless cancelled
	promisePrefix   = "promise/"   // deadline, goal → Promised
	activePrefix    = "active/"    // email hash, pledge → a mark, while it is active
	closedKey       = "closed"     // when the campaign was closed
)

// uncancelledMark is the value of a supporter's list entry for a pledge that is not cancelled.
const uncancelledMark = "1"

// NewClass returns the class of campaign objects.
func NewClass() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.On(c, runHold)
	kv.OnRepeatable(c, runExtend)
	kv.OnRepeatable(c, runRelease)
	kv.OnRepeatable(c, runBook)
	kv.OnRepeatable(c, runClose)
	kv.OnRepeatable(c, runReopen)
	kv.OnQuery(c, runCanHold)
	kv.OnQuery(c, runDue)
	kv.OnQuery(c, runSnapshot)
	kv.OnQuery(c, runTotals)
	kv.OnQuery(c, runPromises)
	kv.OnQuery(c, runListed)
	kv.OnQuery(c, runSupporters)
	kv.OnQuery(c, runOfSupporter)
	return c
}

func runHold(tx kv.Tx, _ time.Time, cmd hold) (none, error) {
	if _, held, err := kv.Load[Hold](tx, holdPrefix+cmd.Hold.ID); err != nil || held {
		return none{}, err
	}
	if err := checkNotReleased(tx, cmd.Hold.ID); err != nil {
		return none{}, err
	}
	if err := checkOpen(tx); err != nil {
		return none{}, err
	}
	account, _, err := kv.Load[Account](tx, accountPrefix+cmd.Hold.Pledge)
	if err != nil {
		return none{}, err
	}
	cmd.Hold.Units = map[string]int{}
	for _, w := range cmd.Wants {
		had := max(min(account.Units[w.Item], w.Quantity), 0)
		more := w.Quantity - had
		account.Units = addTo(account.Units, w.Item, -had) // a second request for the item must not count them again
		if more <= 0 {
			continue
		}
		if err := takeUnits(tx, w, more); err != nil {
			return none{}, err
		}
		if err := takeShare(tx, cmd.Hold, w, more); err != nil {
			return none{}, err
		}
		cmd.Hold.Units[w.Item] += more
	}
	if err := tx.Put(dueKey(cmd.Hold), []byte{}); err != nil {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, holdPrefix+cmd.Hold.ID, cmd.Hold)
}

func runCanHold(tx kv.Tx, now time.Time, cmd canHold) (none, error) {
	return none{}, kv.Rehearse(tx, func(tx kv.Tx) error {
		_, err := runHold(tx, now, hold(cmd))
		return err
	})
}

// takeUnits adds to the held units of an item. It fails with code SoldOut and the number of
// remaining units if too few remain.
func takeUnits(tx kv.Tx, w Request, units int) error {
	stock, _, err := kv.Load[Stock](tx, stockPrefix+w.Item)
	if err != nil {
		return err
	}
	if left := w.Limit - stock.Committed - stock.Held; w.Limit != 0 && units > left {
		return soldOut(w, max(left, 0))
	}
	stock.Held += units
	return kv.PutValue(tx, stockPrefix+w.Item, stock)
}

func soldOut(w Request, left int) error {
	f := fault.New(fault.SoldOut, "%s is sold out", w.Name)
	if left > 0 {
		f = fault.New(fault.SoldOut, "Only %d of %s remaining", left, w.Name)
	}
	f.Field, f.Remaining = w.Field, &left
	return f
}

func runExtend(tx kv.Tx, _ time.Time, cmd extend) (bool, error) {
	h, ok, err := kv.Load[Hold](tx, holdPrefix+cmd.ID)
	if err != nil || !ok {
		return false, err
	}
	if !cmd.Due.After(h.Due) {
		return true, nil
	}
	if err := tx.Delete(dueKey(h)); err != nil {
		return false, err
	}
	h.Due = cmd.Due
	if err := tx.Put(dueKey(h), []byte{}); err != nil {
		return false, err
	}
	return true, kv.PutValue(tx, holdPrefix+h.ID, h)
}

func runRelease(tx kv.Tx, now time.Time, cmd release) (none, error) {
	return none{}, dropHold(tx, now, cmd.ID)
}

// dropHold releases a hold's units. It marks a hold that does not exist, in case its command
// arrives later.
func dropHold(tx kv.Tx, now time.Time, id string) error {
	if id == "" {
		return nil
	}
	h, ok, err := kv.Load[Hold](tx, holdPrefix+id)
	if err != nil {
		return err
	}
	if !ok {
		return markReleased(tx, now, id)
	}
	for item, units := range h.Units {
		stock, _, err := kv.Load[Stock](tx, stockPrefix+item)
		if err != nil {
			return err
		}
		stock.Held -= units
		if err := kv.PutValue(tx, stockPrefix+item, stock); err != nil {
			return err
		}
		if err := releaseShare(tx, h, item); err != nil {
			return err
		}
	}
	if err := tx.Delete(dueKey(h)); err != nil {
		return err
	}
	return tx.Delete(holdPrefix + id)
}

// dueKey returns the key of a hold's entry in the index by due time.
func dueKey(h Hold) string { return dueAt(h.Due) + h.ID }

// dueAt returns a key that sorts before those of holds due at or after a time, and after all
// others.
func dueAt(t time.Time) string { return fmt.Sprintf("%s%012d/", duePrefix, t.Unix()) }
