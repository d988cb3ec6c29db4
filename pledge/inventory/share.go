package inventory

import (
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// share returns the maximum number of an item's units that one holder can hold at a time: a tenth
// of the limit or, if that is more, four; but at most half of the limit, and at least one.
func share(limit int) int { return max(min(max(limit/10, 4), limit/2), 1) }

// networkShare returns the maximum number of units that all holders of a network can hold at a
// time: four times a holder's share, but at most half of the limit, rounded up.
func networkShare(limit int) int { return min(4*share(limit), (limit+1)/2) }

// shareKey returns the key under which a hold's units of an item are counted toward a holder or a
// network. Without a hold, it is the prefix of these keys for all holds. The double slash ends the
// item, which may contain single slashes.
func shareKey(holder, item, hold string) string {
	return sharePrefix + holder + "/" + item + "//" + hold
}

// takeShare counts units of a limited item toward the hold's holder and network. It fails with code
// Busy if one of them would exceed its share.
func takeShare(tx kv.Tx, h Hold, w Request, units int) error {
	if w.Limit == 0 {
		return nil
	}
	if err := countShare(tx, h.Holder, h, w, units, share(w.Limit)); err != nil {
		return err
	}
	return countShare(tx, h.Network, h, w, units, networkShare(w.Limit))
}

// countShare counts the hold's units toward one holder. It fails with code Busy if the holder
// would exceed most.
func countShare(tx kv.Tx, holder string, h Hold, w Request, units, most int) error {
	if holder == "" {
		return nil
	}
	byHold := map[string]int{}
	if err := loadAll(tx, shareKey(holder, w.Item, ""), byHold); err != nil {
		return err
	}
	held := 0
	for _, n := range byHold {
		held += n
	}
	if held+units > most {
		return beyondShare(w, most, max(most-held, 0))
	}
	return kv.PutValue(tx, shareKey(holder, w.Item, h.ID), byHold[h.ID]+units)
}

func beyondShare(w Request, most, left int) error {
	f := fault.New(fault.Busy, "At most %d of %s can be reserved at a time without a saved card", most, w.Name)
	if left < most {
		f = fault.New(fault.Busy,
			"At most %d of %s can be reserved at a time from your network, and %d are reserved: try again in a few minutes",
			most, w.Name, most-left)
	}
	f.Field, f.Remaining = w.Field, &left
	return f
}

// releaseShare removes a hold's units from its holder and network. It does not check that
// they were counted, because each read is a round trip on some hosts.
func releaseShare(tx kv.Tx, h Hold, item string) error {
	for _, holder := range []string{h.Holder, h.Network} {
		if holder == "" {
			continue
		}
		if err := tx.Delete(shareKey(holder, item, h.ID)); err != nil {
			return err
		}
	}
	return nil
}
