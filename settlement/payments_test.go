package settlement

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Whoever follows on its own last lease, of which the database has the end, needs no list
// of payments. Everybody else does, whatever the database says.
func TestWhoVouches(t *testing.T) {
	for name, tt := range map[string]struct {
		between func(w *world)
		lists   bool
	}{
		"the same process":           {func(*world) {}, false},
		"the same, hours later":      {func(w *world) { w.now = w.now.Add(vouched - time.Minute) }, false},
		"the same, half a day later": {func(w *world) { w.now = w.now.Add(vouched) }, true},
		"the same, and again half a day later": {func(w *world) {
			w.now = w.now.Add(vouched - time.Minute)
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			w.now = w.now.Add(time.Minute)
		}, true},
		"a new process": {func(w *world) { w.svc = w.service() }, true},
		"another one in between": {func(w *world) {
			_, err := w.service().Settle(w.ctx, "film", false)
			w.ok(err)
		}, true},
		"one in between that died": {func(w *world) {
			_, err := client{w.db.Coordinator(), "film"}.acquire(w.ctx, acquire{Owner: "dead"})
			w.ok(err)
			w.now = w.now.Add(LeaseDuration)
		}, true},
		"a database without its last lease":       {func(w *world) { w.db.Restore(w.backup) }, true},
		"a database without the end of its lease": {func(w *world) { w.db.Restore(w.during); w.now = w.now.Add(LeaseDuration) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.backup = w.db.Snapshot()
			w.line.watch = w.keepDuring
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			w.line.watch = nil
			tt.between(w)
			before := w.line.lists
			_, err = w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			if got := w.line.lists > before; got != tt.lists {
				t.Errorf("the payments were listed: %t, want %t", got, tt.lists)
			}
			if n := len(w.line.charges); n != 1 {
				t.Errorf("%d charges were sent", n)
			}
		})
	}
}

// Nobody is charged before the list was whole.
func TestNoChargeBeforeTheListIsWhole(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"ana", "bob", "cleo"} {
		w.pledge(name, "film", 2500, sim.CardOK)
	}
	w.deadline()
	w.backup = w.db.Snapshot()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.now = w.now.Add(25 * time.Hour)
	w.db.Restore(w.backup)
	w.pledge("dan", "film", 900, sim.CardOK)
	w.svc = w.service()
	w.line.blind = true
	_, err = w.svc.Settle(w.ctx, "film", false)
	wantCode(t, "a list that breaks off", err, fault.Unavailable)
	wantCode(t, "a card's retry", w.svc.RetryCard(w.ctx, "film", email("dan")), fault.Unavailable)
	if n := len(w.line.charges); n != 3 {
		t.Fatalf("%d charges were sent", n)
	}
	w.line.blind = false
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if len(w.line.charges) != 4 || r.PledgesCharged != 4 {
		t.Errorf("%d charges were sent and %d pledges are charged", len(w.line.charges), r.PledgesCharged)
	}
	w.ok(w.sim.Check())
}

// A charge that the database has as frozen and not yet sent may have been sent: where the
// processor still works on it, it is waited for, however old its key is.
func TestASendingThatWasForgotten(t *testing.T) {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, "processing:40h")
	w.deadline()
	w.line.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "attempt" && !op.After {
			w.backup = w.db.Snapshot()
		}
		return nil
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.line.watch = nil
	w.now = w.now.Add(25 * time.Hour)
	w.db.Restore(w.backup)
	w.svc = w.service()
	for range 20 {
		_, err = w.svc.Settle(w.ctx, "film", false)
		w.ok(err)
		w.now = w.now.Add(time.Hour)
	}
	if g := w.group("ana", "film"); len(w.line.charges) != 1 || g.Status != Succeeded || !g.Booked {
		t.Errorf("%d charges were sent, and the group is %s", len(w.line.charges), g.Status)
	}
}

// What an attempt follows on is kept with it, and a success is never replaced.
func TestAdoptedAttempts(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 3000, sim.CardChargeDeclined)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	object := client{w.db.Coordinator(), "film"}
	lease, err := object.acquire(w.ctx, acquire{Owner: "me"})
	w.ok(err)
	for name, want := range map[string]int{"bob": 2, "ana": 1} {
		was := *w.group(name, "film")
		second := Group{Hash: was.Hash, CampaignSlug: "film", Generation: 2, Amount: was.Amount, Currency: money.USD}
		_, err := object.adopt(w.ctx, lease, second, fact{Status: psp.Succeeded, PaymentID: "pi_2", Amount: was.Amount, Currency: money.USD, Asked: true})
		w.ok(err)
		g := w.group(name, "film")
		if g.Generation != want || g.Status != Succeeded {
			t.Errorf("%s: attempt %d %s", name, g.Generation, g.Status)
		}
		if want == 2 && (len(g.History) != 1 || g.History[0].Code != was.Code || !g.FirstFailedAt.Equal(*was.FirstFailedAt)) {
			t.Errorf("%s has forgotten the first attempt: %+v", name, g.History)
		}
	}
}

func (w *world) keepDuring(op memkv.Op) error {
	if op.Kind == memkv.OpDo && op.Command.Kind == "release" && !op.After {
		w.during = w.db.Snapshot()
	}
	return nil
}

// A charge is sent again as it was frozen, whatever its campaign is called by then.
func TestTheDescriptionIsFrozen(t *testing.T) {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.line.deaf = 1
	w.ok(w.sim.Order(sim.Fault{Kind: sim.BadGateway, Op: sim.CreateIntent}))
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	c, err := w.catalogue.Campaign("film")
	w.ok(err)
	c.Title = "Another name"
	w.now = w.now.Add(time.Hour)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if len(w.line.charges) != 2 {
		t.Fatalf("%d charges were sent", len(w.line.charges))
	}
	for _, c := range w.line.charges {
		if c.Description != "Pledge to Film" {
			t.Errorf("it is described as %q", c.Description)
		}
	}
}
