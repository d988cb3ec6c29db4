package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// While nothing is due, the per-minute run reads one record.
func TestCarts_NoListBeforeDue(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	var ops []string
	w.fail = func(op memkv.Op) error {
		ops = append(ops, string(op.Kind)+" "+op.Key)
		return nil
	}
	w.ok(w.carts.Dispatch(t.Context(), 25, false))
	if diff := cmp.Diff([]string{"get abandoned-cart-queue:v1"}, ops); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// After a run that found due carts, and after an hourly run, the per-minute runs list nothing
// until the next cart is due.
func TestCarts_ListsOnlyWhenDue(t *testing.T) {
	w := open(t)
	store := w.db.Store("")
	w.ok(w.carts.Dispatch(t.Context(), 2, true))
	if kept := w.keys(""); len(kept) != 0 {
		t.Errorf("without carts, an hourly run writes %v", kept)
	}
	w.abandonCheckout(ada, "pw-1", "film")
	w.now = w.now.Add(time.Hour)
	for i := range 3 {
		w.abandonCheckout(fmt.Sprintf("b%d@example.org", i), fmt.Sprintf("pw-b%d", i), "film")
	}
	var lists int
	w.carts.Store = countingStore{store, &lists}
	for _, step := range []struct {
		after         time.Duration
		all           bool
		lists, mailed int
	}{
		{time.Hour, true, 1, 0},      // none is due, and there is more than one page
		{time.Minute, false, 0, 0},   // nothing has changed
		{4 * time.Hour, false, 1, 1}, // the first is due
		{time.Minute, false, 1, 0},   // there was more than one page
		{time.Minute, false, 0, 0},
		{time.Hour, false, 1, 2},
		{time.Minute, false, 1, 1},
		{time.Minute, false, 0, 0},
	} {
		w.now, lists = w.now.Add(step.after), 0
		w.ok(w.carts.Dispatch(t.Context(), 2, step.all))
		if mails := w.drain(); lists != step.lists || len(mails) != step.mailed {
			t.Errorf("at %s: %d lists, %d mails; want %d and %d", w.now.Format(time.TimeOnly),
				lists, len(mails), step.lists, step.mailed)
		}
	}
}

// countingStore is a store that counts calls of List.
type countingStore struct {
	kv.Store
	n *int
}

func (l countingStore) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	*l.n++
	return l.Store.List(ctx, q)
}

// A failed list is reported, and due carts are processed in the next minute.
func TestCarts_ListFails(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	w.now = w.now.Add(6 * time.Hour)
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			return errors.New("no answer")
		}
		return nil
	}
	if err := w.carts.Dispatch(t.Context(), 25, false); err == nil {
		t.Error("no error for the failure")
	}
	w.fail, w.now = nil, w.now.Add(time.Minute)
	w.ok(w.carts.Dispatch(t.Context(), 25, false))
	if mails := w.drain(); len(mails) != 1 {
		t.Errorf("%d mails", len(mails))
	}
}

// Invalid keys in the queue are deleted and do not delay carts.
func TestCarts_InvalidQueueKeys(t *testing.T) {
	const due = "2026-12-05T12:00:30Z"
	for _, rest := range []string{"", "x", due[1:], due, "someday, when there is time:pw-9"} {
		w := open(t)
		w.abandonCheckout(ada, "pw-1", "film")
		w.ok(w.db.Store("").Apply(t.Context(), []kv.Write{kv.Put("abandoned-cart-queue:v1:"+rest, []byte("{}"))}))
		w.advance(361)
		if mails, left := w.drain(), w.keys("abandoned-cart-queue:v1:"); len(mails) != 1 || len(left) != 0 {
			t.Errorf("%q: %d mails, left: %v", rest, len(mails), left)
		}
	}
}

// The hourly run finds carts whose nextKey was lost.
func TestCarts_LostNextKey(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	w.ok(w.db.Store("").Apply(t.Context(), []kv.Write{kv.Delete("abandoned-cart-queue:v1")}))
	w.advance(60 * 7)
	if n := len(w.drain()); n != 1 {
		t.Errorf("%d reminders", n)
	}
}
