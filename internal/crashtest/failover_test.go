package crashtest

import (
	"net/http"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Two servers keep running while the database fails over to a lagging standby. The
// first has cached a lost write; the second then commits as many new ones, so that a
// version counter would match again.
func TestFailover_LosesPledges(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real programs and two databases")
	}
	db := newPair(t)
	w := newFixture(t, launchServer(t), map[string]string{"DATABASE_URL": db.url}, 0, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	one, other := w.fleet.servers[0], w.fleet.servers[1]
	kept := w.buy(one, "kept@example.org", "gold")
	db.lag(t)
	lost := w.buy(one, "lost@example.org", "gold")
	db.failOver(t)
	w.pledges = []*placedPledge{kept, w.buy(other, "new@example.org", "seat"), w.buy(one, "newer@example.org", "gold")}

	w.checkPledgesExist()
	w.checkProjections()
	for i, s := range w.fleet.servers {
		if status, _ := s.once("GET", "/pledge?token="+w.token(lost), nil, nil, nil); status != http.StatusNotFound {
			t.Errorf("server %d: status %d for a lost pledge", i, status)
		}
	}
	w.shift(40 * 24 * time.Hour) // everything cached has expired
	if n := w.goldClaimed("film"); n != 2 {
		t.Errorf("%d gold tiers claimed, want 2", n)
	}
	w.settle()
	w.checkBooks()
	w.checkReconciliation()
	w.checkConfirmations()
}

// buy makes a pledge to the film campaign through one server.
func (w *fixture) buy(at *server, email, tier string) *placedPledge {
	w.Helper()
	return w.buyFrom(at, "film", email, tier)
}

// buyFrom makes a pledge to a campaign through one server.
func (w *fixture) buyFrom(at *server, slug, email, tier string) *placedPledge {
	w.Helper()
	must := func(_ int, err error) {
		w.Helper()
		if err != nil {
			w.Fatal(err)
		}
	}
	var started struct{ OrderID, SessionID string }
	must(at.once("POST", "/checkout-intent/start", nil, map[string]any{
		"campaignSlug": slug, "email": email, "items": []any{map[string]any{"id": slug + "__" + tier}},
	}, &started))
	if err := w.sim.Complete(started.SessionID, sim.CardOK); err != nil {
		w.Fatal(err)
	}
	must(at.once("POST", "/checkout-intent/complete", nil,
		map[string]any{"orderId": started.OrderID, "sessionId": started.SessionID}, nil))
	w.deliverTo(at)
	return &placedPledge{email: email, order: started.OrderID, slug: slug}
}

// The database fails over during a settlement, and loses charges. They are found at the processor,
// and no pledge is charged twice.
//
// Proves SET-03.
func TestFailover_LosesCharges(t *testing.T) {
	if testing.Short() {
		t.Skip("kills real programs for a while")
	}
	db := newPair(t)
	w := newFixture(t, launchServer(t), map[string]string{"DATABASE_URL": db.url}, 0, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	w.chaos(30, w.actAsSupporter)
	w.deliverAll()
	w.checkPledgesExist()

	w.shift(40 * 24 * time.Hour)
	db.lag(t)
	lost := 0
	w.chaosWith(30, w.actAsOperator, func(kill int) {
		if kill != 1 {
			return
		}
		for lost < 4 && !t.Failed() {
			time.Sleep(time.Millisecond)
			lost = len(w.sim.Entries())
		}
		db.failOver(t)
	})
	w.settle()
	w.checkBooks()
	w.checkReconciliation()
	w.checkConfirmations()
	t.Logf("%d of %d charges were made before the failover and lost by it", lost, len(w.sim.Entries()))
}
