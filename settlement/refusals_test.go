package settlement

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Some requests are rejected because of one record. Operators release the breaker each
// time; the other supporters are charged, and the rejected ones can recover.
func TestRejections_CausedByOneCard(t *testing.T) {
	w := newFixture(t)
	bad := map[string]bool{}
	for i := range 12 {
		id := w.pledge(fmt.Sprintf("fan%02d", i), "film", 1000, sim.CardOK)
		if i < 9 {
			bad[w.pledgeByID(id).CustomerID] = true
		}
	}
	w.deadline()
	w.svc.Processor = refusingCustomers{w.conn, bad}
	releases := 0
	for range 30 {
		_, _ = w.svc.Settle(w.ctx, "film", false)
		st, err := w.svc.Status(w.ctx, "film")
		w.ok(err)
		if st.Held != nil {
			_, err := w.svc.Release(w.ctx, "film")
			w.ok(err)
			releases++
		}
		w.now = w.now.Add(2 * time.Hour)
	}
	w.settle("film", false)
	if len(w.charged()) != 3 {
		t.Errorf("after %d releases %d of 3 good cards are charged, mails %v", releases, len(w.charged()), w.mails())
	}
	for i := range 9 {
		name := fmt.Sprintf("fan%02d", i)
		if p := w.pledgeByID(w.pledgesOf[name][0]); p.Status == "active" {
			_, err := w.svc.CancelUnchargeable(w.ctx, p.OrderID)
			t.Errorf("%s: %s; cancelling: %v", name, w.showGroup(name), err)
		}
	}
}

func (w *fixture) showGroup(name string) string {
	g := w.group(name, "film")
	if g == nil {
		return "none"
	}
	return fmt.Sprintf("%s gen %d refused %t void %t booked %t", g.Status, g.Generation, g.Refused, g.Void, g.Booked)
}

type refusingCustomers struct {
	psp.Processor
	bad map[string]bool
}

func (r refusingCustomers) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if r.bad[c.CustomerID] {
		return psp.Outcome{Status: psp.Refused, Code: "parameter_invalid"}
	}
	return r.Processor.Charge(ctx, c)
}

// Operators see why a campaign is not closed.
func TestStatus_Unclosed(t *testing.T) {
	for name, block := range map[string]func(w *fixture, id string){
		"a payment": func(w *fixture, _ string) { w.payByHand("album", "ana", 500) },
		"a change that was not completed": func(w *fixture, id string) {
			w.ok(w.svc.Inventory.Hold(w.ctx, "album",
				inventory.Hold{ID: id + ":change-x", Pledge: id, Order: id, Due: w.now.Add(-day)}, nil))
		},
	} {
		w, id := missedFixture(t)
		block(w, id)
		w.now = w.now.Add(10 * day)
		_, err := w.deleteCards("album")
		w.ok(err)
		st, err := w.svc.Status(w.ctx, "album")
		w.ok(err)
		if st.ClosedAt != nil || st.Unclosed == nil || st.Unclosed.Reason == "" {
			t.Errorf("%s: ten days later: closed at %v, reason %+v", name, st.ClosedAt, st.Unclosed)
		}
	}
}

// Attempts that were rejected as invalid and released by operators do not count as the
// supporter's attempts. A card that is declined afterwards gets the whole recovery period.
func TestRejections_DoNotCountAsAttempts(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	for i := range 3 {
		w.pledge(fmt.Sprintf("fan%d", i), "film", 1000, sim.CardChargeDeclined)
	}
	w.deadline()
	for range 10 {
		var faults []sim.Fault
		for range 20 {
			faults = append(faults, sim.Fault{Kind: sim.Refuse, Op: sim.CreateIntent})
		}
		w.ok(w.sim.InjectFaults(faults...))
		_, _ = w.svc.Settle(w.ctx, "film", false)
		_, err := w.svc.Release(w.ctx, "film")
		w.ok(err)
		w.now = w.now.Add(2 * time.Hour)
	}
	w.sim.ClearFaults()
	w.settle("film", false)
	w.sendMails()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	for i := range 3 {
		name := fmt.Sprintf("fan%d", i)
		if p := w.pledgeByID(w.pledgesOf[name][0]); p.Dropped() {
			t.Errorf("%s is dropped an hour after the only decline: %s, mails %v", name, w.showGroup(name), w.mails())
		}
	}
}
