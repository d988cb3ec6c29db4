package inventory

import (
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// share is how many of an item's units one holder may hold at a time: a tenth of
// them, but four where that is less, never more than half of them, and at least one.
func share(limit int) int { return max(min(max(limit/10, 4), limit/2), 1) }

func shareKey(holder, item string) string { return sharePrefix + holder + "/" + item }

// takeShare counts units of a limited item to their holder, or refuses.
func takeShare(tx kv.Tx, holder string, w Want, units int) error {
	if holder == "" || w.Limit == 0 {
		return nil
	}
	held, _, err := kv.Load[int](tx, shareKey(holder, w.Item))
	if err != nil {
		return err
	}
	most := share(w.Limit)
	if held+units > most {
		return beyondShare(w, most, max(most-held, 0))
	}
	return kv.Keep(tx, shareKey(holder, w.Item), held+units)
}

func beyondShare(w Want, most, left int) error {
	f := fault.New(fault.Busy, "At most %d of %s can be reserved at a time without a saved card", most, w.Name)
	if left < most {
		f = fault.New(fault.Busy, "At most %d of %s can be reserved at a time from your network, and %d are: try again in a few minutes", most, w.Name, most-left)
	}
	f.Field, f.Remaining = w.Field, &left
	return f
}

// giveShare takes units off their holder's count.
func giveShare(tx kv.Tx, holder, item string, units int) error {
	if holder == "" {
		return nil
	}
	held, counted, err := kv.Load[int](tx, shareKey(holder, item))
	if err != nil || !counted {
		return err
	}
	if held > units {
		return kv.Keep(tx, shareKey(holder, item), held-units)
	}
	return tx.Delete(shareKey(holder, item))
}
