package settlement

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Whoever replaces a card while another run has the campaign is charged at once all the
// same, at whatever command of the other run it is: nobody waits for the schedule.
//
// Proves SET-33.
func TestCardsDuringAnotherRun(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(*Service, context.Context) error
	}{
		{"another new card", func(s *Service, ctx context.Context) error { return s.RetryCard(ctx, "film", email("ana")) }},
		{"a settlement", func(s *Service, ctx context.Context) error {
			_, err := s.Settle(ctx, "film", false)
			return err
		}},
		{"a batch", func(s *Service, ctx context.Context) error {
			_, err := s.Dispatch(ctx, "film")
			return err
		}},
	} {
		at := 1
		for ; cardsDuring(t, tt.run, at); at++ {
			if t.Failed() {
				t.Fatalf("%s, at command %d", tt.name, at)
			}
		}
		if at < 8 {
			t.Errorf("%s has %d commands", tt.name, at-1)
		}
	}
}

// cardsDuring has two people replace their cards at a command of a run, and reports
// whether it has so many. One of the new cards is refused.
func cardsDuring(t *testing.T, run func(*Service, context.Context) error, at int) bool {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	bob := w.pledge("bob", "film", 2500, sim.CardChargeDeclined)
	cid := w.pledge("cid", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	commands := 0
	w.line.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpDo || !op.After {
			return nil
		}
		if commands++; commands < at {
			return nil
		}
		w.line.watch = nil
		w.newCard("cid", sim.CardChargeDeclined, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("cid")))
		w.newCard("bob", sim.CardOK, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
		return nil
	}
	w.ok(run(w.svc, w.ctx))
	if w.line.watch != nil {
		w.line.watch = nil
		return false
	}
	if p := w.truth(bob); p.Status != pledge.Charged {
		t.Errorf("bob's pledge is %s", p.Status)
	}
	if g := w.group("cid", "film"); w.truth(cid).Status != pledge.PaymentFailed || g.Generation != 2 {
		t.Errorf("cid's pledge is %s in generation %d", w.truth(cid).Status, g.Generation)
	}
	w.ok(w.sim.Check())
	return true
}

// A new card does not begin a settlement: before it, everybody is still to be looked at
// together.
func TestACardBeforeTheSettlement(t *testing.T) {
	w := newWorld(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if p := w.truth(id); len(w.line.charges) != 0 || p.Claimed() {
		t.Errorf("%d charges were sent, and the pledge is claimed: %t", len(w.line.charges), p.Claimed())
	}
	w.settle("film", false)
	if p := w.truth(id); !p.Charged || len(w.line.charges) != 1 {
		t.Errorf("after the settlement the pledge is %s, by %d charges", p.Status, len(w.line.charges))
	}
}

// Two cards that are given within one second of the processor's clock are two cards: the
// second is charged, whoever's page is so quick.
//
// Proves SET-33.
func TestTwoCardsInOneSecond(t *testing.T) {
	w := newWorld(t)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	saved := w.now.Add(time.Hour).Truncate(time.Second)
	for i, c := range []string{sim.CardChargeDeclined, sim.CardChargeDeclined, sim.CardOK} {
		card := w.saveCard("ana", c)
		card.SavedAt = saved
		session := fmt.Sprintf("cs_quick_%d", i)
		w.ok(w.svc.Orders.StartCard(w.ctx, id, session))
		_, err := w.svc.Orders.ReplaceCard(w.ctx, id, session, card)
		w.ok(err)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	}
	if p := w.truth(id); p.Status != pledge.Charged || len(w.sim.Books()) != 1 {
		t.Errorf("the pledge is %s, the books have %+v", p.Status, w.sim.Books())
	}
	w.ok(w.sim.Check())
}
