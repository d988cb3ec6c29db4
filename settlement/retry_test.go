package settlement

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A card that is replaced while another run holds the lease is charged right after that run,
// without waiting for the hourly job. The test replaces it at each of the other run's
// commands.
//
// Proves SET-33.
func TestRetryCard_DuringAnotherRun(t *testing.T) {
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

// cardsDuring replaces two supporters' cards at a command of a run, and reports whether the
// run has that many commands. One of the new cards is declined.
func cardsDuring(t *testing.T, run func(*Service, context.Context) error, at int) bool {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	bob := w.pledge("bob", "film", 2500, sim.CardChargeDeclined)
	cid := w.pledge("cid", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	commands := 0
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpDo || !op.After {
			return nil
		}
		if commands++; commands < at {
			return nil
		}
		w.conn.watch = nil
		w.newCard("cid", sim.CardChargeDeclined, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("cid")))
		w.newCard("bob", sim.CardOK, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
		return nil
	}
	w.ok(run(w.svc, w.ctx))
	if w.conn.watch != nil {
		w.conn.watch = nil
		return false
	}
	if p := w.pledgeByID(bob); p.Status != pledge.Charged {
		t.Errorf("bob's pledge is %s", p.Status)
	}
	if g := w.group("cid", "film"); w.pledgeByID(cid).Status != pledge.PaymentFailed || g.Generation != 2 {
		t.Errorf("cid's pledge is %s in generation %d", w.pledgeByID(cid).Status, g.Generation)
	}
	w.ok(w.sim.Check())
	return true
}

// A card that could not be charged at the end of another run is logged as waiting; a charged
// one is not.
func TestRetryCard_Waits(t *testing.T) {
	for _, fails := range []bool{false, true} {
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		bob := w.pledge("bob", "film", 2500, sim.CardChargeDeclined)
		w.deadline()
		w.settle("film", false)
		w.conn.watch = func(op memkv.Op) error {
			if op.Command.Kind != "renew" || !op.After {
				return nil
			}
			if w.conn.watch = nil; fails {
				w.failCommand("claim")
			}
			w.newCard("bob", sim.CardOK, 0)
			w.ok(w.svc.RetryCard(w.ctx, "film", email("bob")))
			return nil
		}
		var log bytes.Buffer
		w.svc.Log = slog.New(slog.NewTextHandler(&log, nil))
		w.settle("film", false)
		said := strings.Contains(log.String(), "a new card waits for the next hourly run")
		if p := w.pledgeByID(bob); p.Charged == fails || said != fails {
			t.Errorf("bob's pledge is %s, logged as waiting: %t\n%s", p.Status, said, log.String())
		}
	}
}

// A visit request is kept until all charges of the address are done.
func TestRetryCard_VisitRequestStays(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	for range 2 {
		w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)
	}
	ids := w.pledgesOf["ana"]
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	w.newCard("ana", sim.CardOK, 1)
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "claim" && op.Object.Name == ids[0] {
			return fault.New(fault.Unavailable, "No answer")
		}
		return nil
	}
	wantCode(t, "one of two cards", w.svc.RetryCard(w.ctx, "film", email("ana")), fault.Unavailable)
	w.conn.watch = nil
	if !w.status().Open || w.pledgeByID(ids[0]).Charged || !w.pledgeByID(ids[1]).Charged {
		t.Errorf("open: %t, the pledges are %s and %s", w.status().Open, w.pledgeByID(ids[0]).Status,
			w.pledgeByID(ids[1]).Status)
	}
	w.runHourlyJobs()
	if w.status().Open || !w.pledgeByID(ids[0]).Charged {
		t.Errorf("an hour later: open %t, the pledge is %s", w.status().Open, w.pledgeByID(ids[0]).Status)
	}
}

// A new card does not start a settlement, because all supporters have to be considered
// together first.
func TestRetryCard_BeforeTheSettlement(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if p := w.pledgeByID(id); len(w.conn.charges) != 0 || p.Claimed() {
		t.Errorf("%d charges were sent, and the pledge is claimed: %t", len(w.conn.charges), p.Claimed())
	}
	w.settle("film", false)
	if p := w.pledgeByID(id); !p.Charged || len(w.conn.charges) != 1 {
		t.Errorf("after the settlement the pledge is %s, by %d charges", p.Status, len(w.conn.charges))
	}
}

// Two cards that are saved within the same second of the processor's clock are distinguished,
// and the second one is charged.
//
// Proves SET-33.
func TestRetryCard_SameSecond(t *testing.T) {
	w := newFixture(t)
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
	if p := w.pledgeByID(id); p.Status != pledge.Charged || len(w.sim.Entries()) != 1 {
		t.Errorf("the pledge is %s, the processor has %+v", p.Status, w.sim.Entries())
	}
	w.ok(w.sim.Check())
}

func TestRetryCard_AddressStoredDecomposed(t *testing.T) {
	w := newFixture(t)
	const zoe = "zoe\u0308" // as earlier versions stored it
	p := w.pledge(zoe, "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.newCard(zoe, sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email(zoe)))
	if got := w.pledgeByID(p); got.Status != pledge.Charged {
		t.Errorf("the pledge is %s", got.Status)
	}
}
