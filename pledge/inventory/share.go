package inventory

import (
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// share is how many of an item's units one holder may hold at a time: a tenth of
// them, but four where that is less, never more than half of them, and at least one.
func share(limit int) int { return max(min(max(limit/10, 4), limit/2), 1) }

// shareKey holds the units of an item that one hold counts to its holder. Items have slashes
// of their own.
func shareKey(holder, item, hold string) string {
	return sharePrefix + holder + "/" + item + "//" + hold
}

// takeShare counts units of a limited item to the hold's holder, or refuses.
func takeShare(tx kv.Tx, h Hold, w Want, units int) error {
	if h.Holder == "" || w.Limit == 0 {
		return nil
	}
	byHold := map[string]int{}
	if err := each(tx, shareKey(h.Holder, w.Item, ""), byHold); err != nil {
		return err
	}
	held := 0
	for _, n := range byHold {
		held += n
	}
	most := share(w.Limit)
	if held+units > most {
		return beyondShare(w, most, max(most-held, 0))
	}
	return kv.Keep(tx, shareKey(h.Holder, w.Item, h.ID), byHold[h.ID]+units)
}

func beyondShare(w Want, most, left int) error {
	f := fault.New(fault.Busy, "At most %d of %s can be reserved at a time without a saved card", most, w.Name)
	if left < most {
		f = fault.New(fault.Busy, "At most %d of %s can be reserved at a time from your network, and %d are: try again in a few minutes", most, w.Name, most-left)
	}
	f.Field, f.Remaining = w.Field, &left
	return f
}

// giveShare takes a hold's units off its holder's. It does not look whether they were
// counted: each read is a round trip on some hosts.
func giveShare(tx kv.Tx, h Hold, item string) error {
	if h.Holder == "" {
		return nil
	}
	return tx.Delete(shareKey(h.Holder, item, h.ID))
}
