package checkout_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// updating is a processor that calls a function before the first update of a
// customer.
type updating struct {
	psp.Processor
	before func()
}

func (u *updating) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	if f := u.before; f != nil {
		u.before = nil
		f()
	}
	return u.Processor.UpdateCustomer(ctx, id, key, metadata)
}

// tip changes the tip of a pledge, in percent.
func (w *fixture) tip(id string, percent int) error {
	_, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id), TipPercent: &percent})
	return err
}

// If a pledge is changed twice concurrently and the first change's terms reach the processor
// last, the newest terms are written again.
func TestModify_ConcurrentTerms(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	w.svc.Processor = &updating{w.sim.Processor(), func() {
		if err := w.tip(id, 15); err != nil {
			t.Fatal(err)
		}
	}}
	if err := w.tip(id, 10); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.advance(time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
	}
	if got, want := w.terms(id)[id], agreement.TermsOf(w.read(id)).String(); got != want {
		t.Errorf("terms at the processor %q, of the pledge %q", got, want)
	}
}

// After a restore, a change creates the same revision with another amount.
func TestModify_TermsAfterRestore(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	backup := w.db.Snapshot()
	if err := w.tip(id, 10); err != nil {
		t.Fatal(err)
	}
	w.db.Restore(backup)
	w.restart()
	if err := w.tip(id, 15); err != nil {
		t.Fatal(err)
	}
	for hour := range 30 {
		got, want := w.terms(id)[id], agreement.TermsOf(w.read(id)).String()
		holds, err := w.svc.Inventory.Due(w.ctx, "film", w.clock().AddDate(1, 0, 0), 10)
		if err != nil {
			t.Fatal(err)
		}
		if hour%6 == 0 || hour == 29 {
			t.Logf("hour %d: terms at the processor %q, of the pledge %q, %d holds", hour, got, want, len(holds))
		}
		if hour == 1 && got != want {
			t.Errorf("an hour later: terms at the processor %q, of the pledge %q", got, want)
		}
		w.advance(time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
	}
}
