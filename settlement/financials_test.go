package settlement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Each pledge gets its share of the processor's fee, and the shares add up.
//
// Proves SET-17, PLG-27, PLG-28 and PLG-48.
func TestFinancials(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledge("ana", "film", 701, sim.CardOK),
		w.pledge("ana", "film", 333, sim.CardOK)}
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	entry := w.sim.Entries()[0]
	var sum pledge.Financials
	for _, id := range ids {
		p := w.pledgeByID(id)
		if !p.Charged || p.Status != pledge.Charged || p.PaymentIntentID != entry.PaymentID || p.ChargeID != entry.ChargeID ||
			p.BalanceTransactionID == "" || p.ProcessorAvailableAt == nil || p.Financials.Source != "actual" ||
			p.Financials.Gross != p.Amount {
			t.Errorf("a pledge of the payment is %+v with %+v", p, p.Financials)
		}
		stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
		w.ok(err)
		if diff := cmp.Diff(*p, stored); diff != "" {
			t.Errorf("the record of %s (-object +store):\n%s", id, diff)
		}
		sum.Gross += p.Financials.Gross
		sum.Fee += p.Financials.Fee
		sum.Net += p.Financials.Net
	}
	want := pledge.Financials{Gross: 3534, Fee: entry.Fee, Net: entry.Net}
	if diff := cmp.Diff(want, sum); diff != "" || entry.Amount != 3534 {
		t.Errorf("the shares of %s (-want +got):\n%s", entry.Amount, diff)
	}
}

// The processor books a payment after it has answered. The fees are copied later, once, by
// reading only those payments of the campaign; a crash in the meantime is repaired.
//
// Proves REC-06, REC-07 and PLG-48.
func TestFillFinancials(t *testing.T) {
	start := func() *fixture {
		w := newFixture(t)
		w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true,
			AsyncCapture: true, BookAfter: time.Hour})
		w.conn.Processor = w.sim.Processor()
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.pledge("ana", "film", 701, sim.CardOK)
		w.pledge("bob", "film", 1000, sim.CardOK)
		w.pledge("cleo", "film", 1000, sim.CardChargeDeclined)
		w.pledge("dora", "album", 2500, sim.CardOK)
		w.deadline()
		w.settle("film", false)
		w.settle("album", false)
		return w
	}
	w := start()
	asked := w.sim.Received(sim.RetrieveIntent)
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			t.Errorf("the prefix %q was listed", op.Key)
		}
		return nil
	}
	if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != (Filled{Checked: 2, Pending: true}) {
		t.Errorf("before the processor has the fees: %+v, %v", f, err)
	}
	w.now = w.now.Add(2 * time.Hour)
	if f, err := w.svc.FillFinancials(w.ctx, "film", 1); err != nil ||
		f != (Filled{Checked: 1, Filled: 1, Pending: true}) {
		t.Errorf("one of two: %+v, %v", f, err)
	}
	w.conn.effects = 0
	for _, want := range []Filled{{Checked: 1, Filled: 1}, {}} {
		if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != want {
			t.Errorf("the rest: %+v, %v, want %+v", f, err, want)
		}
	}
	if n := w.sim.Received(sim.RetrieveIntent) - asked; n != 2+1+1 {
		t.Errorf("%d payments were read", n)
	}
	effects := w.conn.effects
	for cut := 0; cut <= 2*effects; cut += stride() {
		w := start()
		w.now = w.now.Add(2 * time.Hour)
		w.conn.effects, w.conn.failAt = 0, cut
		_, _ = w.svc.FillFinancials(w.ctx, "film", 10)
		w.restart()
		w.now = w.now.Add(time.Hour)
		_, err := w.svc.FillFinancials(w.ctx, "film", 10)
		w.ok(err)
		for name, gross := range map[string]money.Cents{"ana": 3201, "bob": 1000} {
			w.checkCopy(name)
			fee, g := sim.Fee(gross), w.group(name, "film")
			want, sum := pledge.Financials{Gross: gross, Fee: fee, Net: gross - fee}, pledge.Financials{}
			if g.BalanceTransactionID == "" || g.AvailableAt == nil || g.Fee != want.Fee || g.Net != want.Net {
				t.Fatalf("cut at %d: the group of %s is %+v", cut, name, g)
			}
			for _, id := range w.pledgesOf[name] {
				p := w.pledgeByID(id)
				stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
				w.ok(err)
				if diff := cmp.Diff(*p, stored); diff != "" || p.Financials.Source != "actual" ||
					p.BalanceTransactionID != g.BalanceTransactionID ||
					p.ProcessorAvailableAt == nil || !p.ProcessorAvailableAt.Equal(*g.AvailableAt) {
					t.Fatalf("cut at %d: %+v %s", cut, p.Financials, diff)
				}
				sum.Gross += p.Financials.Gross
				sum.Fee += p.Financials.Fee
				sum.Net += p.Financials.Net
			}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Fatalf("cut at %d: the shares of %s (-want +got):\n%s", cut, name, diff)
			}
		}
	}
}

// The fees of a payment are copied even if its supporter turns out to have paid by an earlier
// attempt too and operators have to decide, because its pledges are charged.
func TestFillFinancials_DoubleCharge(t *testing.T) {
	w := newFixture(t)
	w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true,
		AsyncCapture: true, BookAfter: time.Hour})
	w.conn.Processor = w.sim.Processor()
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	first := *w.group("ana", "film")
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.RecordResult(w.ctx,
		state.Lease{}, first, state.Result{Status: psp.Succeeded, PaymentID: first.PaymentIntentID,
			Amount: 2500, Received: 2500, Currency: money.USD})
	w.ok(err)
	w.now = w.now.Add(2 * time.Hour)
	if f, err := w.svc.FillFinancials(w.ctx, "film", 10); err != nil || f != (Filled{Checked: 1, Filled: 1}) {
		t.Errorf("%+v, %v", f, err)
	}
	if p, g := w.pledgeByID(id), w.group("ana", "film"); p.Financials.Fee != sim.Fee(2500) ||
		g.Status != state.NeedsAttention || g.Reason != state.EarlierSucceeded {
		t.Errorf("the pledge has %+v, the group is %s (%s)", p.Financials, g.Status, g.Reason)
	}
}

// Late fees are read in parts, regardless of their number.
func TestFillFinancials_Limit(t *testing.T) {
	w := newFixture(t)
	w.sim = sim.New(sim.Options{Now: func() time.Time { return w.now }, NoLimits: true,
		AsyncCapture: true, BookAfter: time.Hour})
	w.conn.Processor = w.sim.Processor()
	w.run([]string{"crowd", "60", "film", "1000"})
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(2 * time.Hour)
	for _, want := range []Filled{{Checked: 30, Filled: 30, Pending: true},
		{Checked: 26, Filled: 26, Pending: true}, {Checked: 4, Filled: 4}, {}} {
		if f, err := w.svc.FillFinancials(w.ctx, "film", max(want.Checked, 5)); err != nil || f != want {
			t.Errorf("%+v, %v, want %+v", f, err, want)
		}
	}
}
