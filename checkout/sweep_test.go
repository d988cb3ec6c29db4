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

// A checkout in progress without scarce units is not swept until its card can no longer be saved.
func TestSweep_CheckoutInProgress(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", one("film__thanks")))
	for _, wait := range []time.Duration{0, checkout.DefaultSessionLife - 2*time.Minute, 3 * time.Minute} {
		w.advance(wait)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got != (checkout.Swept{}) {
			t.Errorf("%s later: swept %+v", wait, got)
		}
	}
	w.advance(2 * time.Minute)
	if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Released == 0 || got.Left != 0 {
		t.Errorf("after the session's end: swept %+v", got)
	}
	if _, ok := w.value("pending-tiers:" + s.OrderID); ok {
		t.Error("its records were not deleted")
	}
}

// A checkout whose units are booked may still have missing effects. The sweep finds it by its
// records, and deletes them once all effects are applied or if the order does not exist.
func TestSweep_PendingRecords(t *testing.T) {
	w := newFixture(t)
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
	if got, want := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)),
		(checkout.Swept{Seen: 3, Booked: 1, Released: 2}); got != want {
		t.Errorf("swept %+v, want %+v", got, want)
	}
	all := w.db.Snapshot().Stores["PLEDGES"]
	if storedStatus(w, s.OrderID) != "active1" || len(keys(all, "pending-")) != 0 ||
		len(keys(all, "email-outbox:v1:")) != 1 {
		t.Errorf("stored status %s, records %s", storedStatus(w, s.OrderID), keys(all, "pending-"))
	}
}

// A checkout that cannot be ended, or a hold that cannot be released, keeps its
// units and is retried.
func TestSweep_RetriesFailures(t *testing.T) {
	for kind, prepare := range map[string]func(w *fixture){
		"release": func(w *fixture) { w.start(request("a@example.org", seats(2))) },
		"modify": func(w *fixture) {
			tok := w.link(w.pledge(request("a@example.org", one("film__thanks"))).OrderID)
			w.failCommands("modify")
			if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2))}); err == nil {
				t.Error("Modify succeeded")
			}
		},
	} {
		w := newFixture(t)
		prepare(w)
		w.advance(2 * time.Hour)
		w.failCommands(kind)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 2 || got.Seen != 2 {
			t.Errorf("no reply to %s: swept %+v", kind, got)
		}
		if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Held: 2}) {
			t.Errorf("no reply to %s: stock %+v", kind, st)
		}
		w.fail = nil
		w.advance(time.Hour)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 0 {
			t.Errorf("reply to %s: swept %+v", kind, got)
		}
		w.wantPublicStock("reply to "+kind, 0, 3)
	}
}

// failCommands makes commands of a kind fail without a reply.
func (w *fixture) failCommands(kind string) {
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == kind {
			return errors.New("no response")
		}
		return nil
	}
}

// A campaign that cannot be read does not block the others, and its error is
// returned.
func TestSweep_ContinuesAfterFailure(t *testing.T) {
	for _, away := range []string{"film", "game", "*platform", "the records"} {
		w := newFixture(t)
		w.start(shipped(request("a@example.org", seats(1), one("game__box"))))
		w.advance(2 * time.Hour)
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpQuery && op.Object.Name == away || op.Kind == memkv.OpList && away == "the records" {
				return errors.New("no response")
			}
			return nil
		}
		got, err := w.svc.Sweep(w.ctx, 10)
		w.fail = nil
		if err == nil || got.Seen == 0 {
			t.Errorf("%s fails: swept %+v, %v", away, got, err)
		}
		w.advance(time.Hour)
		if got, err := w.svc.Sweep(w.ctx, 10); err != nil || got.Left != 0 {
			t.Errorf("%s available again: swept %+v, %v", away, got, err)
		}
	}
}
