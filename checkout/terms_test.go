package checkout_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
)

// terms returns the processor's metadata entries with the agreed terms, by
// pledge.
func (w *fixture) terms(pledges ...string) map[string]string {
	w.t.Helper()
	page := must[psp.CustomerPage](w.t)(w.sim.Processor().Customers(w.ctx,
		psp.CustomerQuery{From: w.clock().Add(-48 * time.Hour), To: w.clock().Add(time.Hour), Limit: 100}))
	found := map[string]string{}
	for _, c := range page.Customers {
		for key, value := range c.Metadata {
			i := slices.IndexFunc(pledges, func(id string) bool { return key == agreement.Key(id) })
			switch {
			case i >= 0:
				found[pledges[i]] = value
			case agreement.IsKey(key):
				w.t.Errorf("terms %q of an unknown pledge", value)
			}
		}
	}
	return found
}

func (w *fixture) cardOf(pledgeID string) string {
	w.t.Helper()
	return must[psp.Card](w.t)(w.sim.Processor().Card(w.ctx, w.read(pledgeID).PaymentMethodID)).CustomerID
}

func TestCancel_RecordsTermsAndDeletesCard(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	if got := w.terms(id); len(got) != 0 {
		t.Errorf("an unchanged pledge has terms: %v", got)
	}
	for range 2 {
		if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{id: "r2 cancelled"}, w.terms(id)); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if w.cardOf(id) != "" || w.sim.Received(sim.DetachPaymentMethod) != 1 {
		t.Errorf("card of customer %q after %d deletions", w.cardOf(id), w.sim.Received(sim.DetachPaymentMethod))
	}
}

// A card is kept while another pledge of the order may be charged to it.
func TestCancel_KeepsCardOfOtherPledge(t *testing.T) {
	w := newFixture(t)
	order := w.pledge(bundle()).OrderID
	film, game := order+"-film", order+"-game"
	for _, id := range []string{film, game} {
		if w.cardOf(id) == "" {
			t.Fatalf("card deleted before %s is cancelled", id)
		}
		if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}); err != nil {
			t.Fatal(err)
		}
	}
	if w.cardOf(game) != "" {
		t.Error("card kept after all pledges are cancelled")
	}
	want := map[string]string{film: "r2 cancelled", game: "r2 cancelled"}
	if diff := cmp.Diff(want, w.terms(film, game)); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}

func TestModify_RecordsTerms(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	for _, tip := range []int{0, 10} {
		if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id), TipPercent: &tip}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{id: agreement.TermsOf(w.read(id)).String()}, w.terms(id)); diff != "" {
			t.Errorf("terms (-want +got):\n%s", diff)
		}
	}
}

// The change takes effect even if the processor is down. The sweep completes it:
// the terms are recorded before the supporter is emailed.
func TestCancel_CompletedBySweep(t *testing.T) {
	for name, op := range map[string]sim.Op{"terms": sim.UpdateCustomer, "card": sim.DetachPaymentMethod} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
		down := slices.Repeat([]sim.Fault{{Kind: sim.DropRequest, Op: op}}, 3)
		if err := w.sim.InjectFaults(down...); err != nil {
			t.Fatal(err)
		}
		if got, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}); err != nil ||
			got.Pledge.Status != "cancelled" {
			t.Errorf("%s: %+v, %v", name, got.Pledge.Status, err)
		}
		_, err := w.svc.Outbox.Delivery(w.ctx, "cancelled:"+id)
		if mailed := err == nil; mailed != (op == sim.DetachPaymentMethod) {
			t.Errorf("%s: supporter emailed: %t, %v", name, mailed, err)
		}
		w.sim.ClearFaults()
		w.advance(15 * time.Minute)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
		if terms := slices.Collect(maps.Values(w.terms(id))); !slices.Equal(terms, []string{"r2 cancelled"}) ||
			w.cardOf(id) != "" {
			t.Errorf("%s: after the sweep: terms %q, card of customer %q", name, terms, w.cardOf(id))
		}
		if d, err := w.svc.Outbox.Delivery(w.ctx, "cancelled:"+id); err != nil || d.Kind != notify.Cancelled {
			t.Errorf("%s: after the sweep: supporter not emailed: %v", name, err)
		}
	}
}

// If the write of an older change arrives last, the newest terms are recorded
// again.
func TestModify_OlderTermsOverwritten(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
	first, second := 0, 10
	w.svc.Processor = overtaken{w.svc.Processor, func() {
		w.svc.Processor = w.sim.Processor()
		if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id), TipPercent: &second}); err != nil {
			t.Error(err)
		}
	}}
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id), TipPercent: &first}); err != nil {
		t.Fatal(err)
	}
	p := w.read(id)
	if diff := cmp.Diff(map[string]string{id: agreement.TermsOf(p).String()}, w.terms(id)); diff != "" ||
		p.Revision != 3 {
		t.Errorf("revision %d, terms (-want +got):\n%s", p.Revision, diff)
	}
}

// overtaken is a processor that calls a function before it updates a customer.
type overtaken struct {
	psp.Processor
	by func()
}

func (o overtaken) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	o.by()
	return o.Processor.UpdateCustomer(ctx, id, key, metadata)
}
