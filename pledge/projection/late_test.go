package projection_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// A writer delayed between reading a pledge and writing its record finds a newer record
// when it checks afterwards, and rewrites it.
func TestBook_DelayedWriter(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	p := w.bookPledge("a@example.org", tier("seat", 2500, 1))
	other := projection.New(w.p.Deps)
	done := false
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && op.Key == pledge.Key(p.OrderID) && !done {
			done = true // the changes below happen during this write
			cancelled, err := w.p.Orders.Cancel(ctx, p.OrderID, "nonce", time.Time{})
			w.must(err)
			_, err = other.Book(ctx, cancelled, "")
			w.must(err)
		}
		return nil
	}
	w.book(p)
	if got := read[pledge.Pledge](w, pledge.Key(p.OrderID)); got.Status != pledge.Cancelled {
		t.Errorf("record status %s", got.Status)
	}
}

// A writer that crashes before it checks again leaves an older record, which Sweep
// repairs.
func TestSweep_RepairsOutdatedRecords(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	var ids []string
	for range 5 {
		ids = append(ids, w.bookPledge("a@example.org", tier("thanks", 500, 1)).OrderID)
	}
	for _, id := range []string{ids[1], ids[4]} {
		_, err := w.p.Orders.Cancel(ctx, id, "nonce", time.Time{})
		w.must(err)
	}
	sweep := func(from int, want projection.Swept) {
		t.Helper()
		got, err := w.p.Sweep(ctx, "film", from, 3)
		if w.must(err); got != want {
			t.Errorf("from %d: %+v, want %+v", from, got, want)
		}
	}
	sweep(0, projection.Swept{Repaired: 1, Next: 3})
	sweep(3, projection.Swept{Repaired: 1, Next: 0})
	sweep(0, projection.Swept{Next: 3})
	for _, id := range []string{ids[1], ids[4]} {
		if got := read[pledge.Pledge](w, pledge.Key(id)); got.Status != pledge.Cancelled {
			t.Errorf("%s: %s", id, got.Status)
		}
	}
	_, err := w.p.Orders.Cancel(ctx, ids[2], "nonce", time.Time{})
	w.must(err)
	cut := errors.New("cut")
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut {
			return cut
		}
		return nil
	}
	if _, err := w.p.Sweep(ctx, "film", 0, 10); !errors.Is(err, cut) {
		t.Errorf("failed sweep: %v", err)
	}
}

// If a supporter's name changes, its search terms change in the same batch, and the old name is
// no longer stored.
func TestBook_ChangedNameReplacesSearchTerms(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	pl := w.bookPledge("s0@example.org", tier("seat", 2500, 1))
	_, err := w.p.Search().Update(ctx, "film", 10)
	w.must(err)
	for _, name := range []string{"Ada Byron", "Ada Lovelace"} {
		pl, err = w.p.Orders.Modify(ctx, pl.OrderID, pl.Revision, name, order.Change{
			Lines: pl.Lines, Totals: pl.Totals, Promise: pl.Promise, FulfillmentType: pl.FulfillmentType,
			ShippingAddress: &pledge.Address{Name: name},
		})
		w.must(err)
		pl, err = w.p.Book(ctx, pl, "")
		w.must(err)
	}
	for text, want := range map[string]int{"byron": 0, "lovelace": 1, "ada": 1} {
		page, err := w.p.Search().Find(ctx, "film", text, false, "", 5)
		w.must(err)
		if len(page.Pledges) != want {
			t.Errorf("%s finds %d", text, len(page.Pledges))
		}
	}
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		if strings.Contains(e.Key, "byron") {
			t.Errorf("the old name is stored: %s", e.Key)
		}
	}
}

// Sweep and Rebuild count a pledge whose order is lost, skip it and keep its record.
func TestSweep_LostOrder(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	lost := w.bookPledge("a@example.org", tier("thanks", 500, 1)).OrderID
	kept := w.bookPledge("b@example.org", tier("thanks", 500, 1)).OrderID
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: lost}, memkv.Snapshot{})
	_, err := w.p.Orders.Cancel(ctx, kept, "nonce", time.Time{})
	w.must(err)
	swept, err := w.p.Sweep(ctx, "film", 0, 3)
	w.must(err)
	if want := (projection.Swept{Repaired: 1, Lost: 1}); swept != want {
		t.Errorf("swept %+v, want %+v", swept, want)
	}
	rebuilt, err := w.p.Rebuild(ctx, "film")
	w.must(err)
	if rebuilt.Pledges != 1 || rebuilt.Added != 0 {
		t.Errorf("rebuilt %+v", rebuilt)
	}
	if got := read[pledge.Pledge](w, pledge.Key(lost)); got.Status != pledge.Active {
		t.Errorf("record of the lost order: %s", got.Status)
	}
}
