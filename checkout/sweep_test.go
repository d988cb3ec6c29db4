package checkout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A checkout under way is left alone until nobody can save a card for it any more,
// where nothing of it is scarce.
func TestSweepLeavesWhatIsUnderWay(t *testing.T) {
	w := newWorld(t)
	s := w.start(request("a@example.org", one("film__thanks")))
	for _, wait := range []time.Duration{0, checkout.DefaultSessionLife - 2*time.Minute, 3 * time.Minute} {
		w.advance(wait)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got != (checkout.Swept{}) {
			t.Errorf("%s on: swept %+v", wait, got)
		}
	}
	w.advance(2 * time.Minute)
	if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Released == 0 || got.Left != 0 {
		t.Errorf("in the end: swept %+v", got)
	}
	if _, ok := w.value("pending-tiers:" + s.OrderID); ok {
		t.Error("its records are left")
	}
}

// A checkout whose units are booked may still have consequences: they are drawn by
// its records, which go when there is none any more, or nothing that they are of.
func TestSweepFindsCheckoutsByTheirRecords(t *testing.T) {
	w := newWorld(t)
	s := w.start(request("a@example.org", seats(1)))
	for _, id := range []string{"nonsense", "pw-01jc0000000000000000000000"} {
		if err := kv.Save(w.ctx, w.svc.Store, "pending-tiers:"+id, "{}"); err != nil {
			t.Fatal(err)
		}
	}
	w.save(s.SessionID)
	w.beforeNth(1, "book", func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpPut {
				return errCut
			}
			return nil
		}
	})
	if err := w.deliver(); err == nil {
		t.Fatal("nothing was cut")
	}
	w.restore()
	w.advance(2 * time.Hour)
	if got, want := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)), (checkout.Swept{Seen: 3, Booked: 1, Released: 2}); got != want {
		t.Errorf("swept %+v, want %+v", got, want)
	}
	all := w.db.Snapshot().Stores["PLEDGES"]
	if stored(w, s.OrderID) != "active1" || len(keys(all, "pending-")) != 0 || len(keys(all, "email-outbox:v1:")) != 1 {
		t.Errorf("the record says %s, and there are %s", stored(w, s.OrderID), keys(all, "pending-"))
	}
}

// What cannot be ended, or given back, keeps its units and is looked after again.
func TestSweepLeavesWhatCannotBeEnded(t *testing.T) {
	for kind, prepare := range map[string]func(w *world){
		"release": func(w *world) { w.start(request("a@example.org", seats(2))) },
		"modify": func(w *world) {
			tok := w.link(w.pledge(request("a@example.org", one("film__thanks"))).OrderID)
			w.away("modify")
			if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2))}); err == nil {
				t.Error("it is modified")
			}
		},
	} {
		w := newWorld(t)
		prepare(w)
		w.advance(2 * time.Hour)
		w.away(kind)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 2 || got.Seen != 2 {
			t.Errorf("without an answer to %s: swept %+v", kind, got)
		}
		if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Held: 2}) {
			t.Errorf("without an answer to %s: stock %+v", kind, st)
		}
		w.fail = nil
		w.advance(time.Hour)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 0 {
			t.Errorf("with an answer to %s: swept %+v", kind, got)
		}
		w.wantShown("with an answer to "+kind, 0, 3)
	}
}

// away leaves commands of a kind without an answer.
func (w *world) away(kind string) {
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == kind {
			return errors.New("no answer")
		}
		return nil
	}
}

// Who cannot be asked keeps nobody else from being looked after, and is told of.
func TestSweepGoesOnAfterAFailure(t *testing.T) {
	for _, away := range []string{"film", "game", "*platform", "the records"} {
		w := newWorld(t)
		w.start(shipped(request("a@example.org", seats(1), one("game__box"))))
		w.advance(2 * time.Hour)
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpQuery && op.Object.Name == away || op.Kind == memkv.OpList && away == "the records" {
				return errors.New("no answer")
			}
			return nil
		}
		got, err := w.svc.Sweep(w.ctx, 10)
		w.fail = nil
		if err == nil || got.Seen == 0 {
			t.Errorf("without %s: swept %+v, %v", away, got, err)
		}
		w.advance(time.Hour)
		if got, err := w.svc.Sweep(w.ctx, 10); err != nil || got.Left != 0 {
			t.Errorf("after %s is back: swept %+v, %v", away, got, err)
		}
	}
}
