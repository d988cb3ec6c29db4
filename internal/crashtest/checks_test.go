package crashtest

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// checkBooks compares every pledge with the processor: each supporter of a funded
// campaign has one charge for the sum of the joined pledges, and one for each
// other pledge, and there are no other charges.
func (w *fixture) checkBooks() {
	if err := w.sim.Check(); err != nil {
		w.Error(err)
	}
	owed := map[string]int64{}
	for _, m := range w.pledges {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil {
			w.Error(err)
		}
		switch {
		case m.slug == "film" && v.Status == "charged" && v.Charged:
			who := m.order // charged separately
			if v.Joined {
				who = m.email
			}
			owed[who] += v.Amount
		case m.slug == "dream" && !v.Charged && (v.Status == "active" || v.Status == "cancelled"),
			v.Status == "cancelled" && !v.Charged:
		default:
			w.Errorf("%s of %s in %s is %s", m.order, m.email, m.slug, v.Status)
		}
	}
	charges, gross, want := map[string]int{}, int64(0), int64(0)
	for _, e := range w.sim.Entries() {
		charges[e.Group]++
		gross += int64(e.Amount)
	}
	for group, n := range charges {
		if n != 1 {
			w.Errorf("group %s was charged %d times", group, n)
		}
	}
	for _, cents := range owed {
		want += cents
	}
	if len(charges) != len(owed) || gross != want {
		w.Errorf("the processor has %d charges totaling %d cents, want %d totaling %d cents",
			len(charges), gross, len(owed), want)
	}
	w.checkProjections()
	if w.Failed() {
		w.Logf("the last settlement: %s", w.report)
	}
}

// checkNoDoubleCharges checks in the processor's books that no group was charged twice,
// regardless of the attempt.
func (w *fixture) checkNoDoubleCharges() {
	groups := map[string]bool{}
	for _, e := range w.sim.Entries() {
		who := e.Group[:strings.LastIndexByte(e.Group, ':')]
		if groups[who] {
			w.Errorf("after %d kills: %s was charged twice", w.kills, who)
		}
		groups[who] = true
	}
}

// checkReconciliation checks that the service's own reconciliation finds no difference from the
// processor and no critical breaks.
func (w *fixture) checkReconciliation() {
	w.shift(3 * time.Hour)
	for _, slug := range []string{"film", "dream"} {
		var r struct {
			Truncated  bool
			Difference int64
			Critical   int `json:"criticalBreaks"`
			Breaks     []any
		}
		for r.Truncated = true; r.Truncated; {
			if _, err := w.fleet.call("POST", "/admin/reconciliation/"+slug, w.asAdmin(), nil, &r); err != nil {
				w.Fatal(err)
			}
		}
		if r.Difference != 0 || r.Critical > 0 { // an interrupted job is only a warning
			w.Errorf("%s differs from the processor by %d cents: %v", slug, r.Difference, r.Breaks)
		}
	}
}

// checkConfirmations checks in the database that every pledge's confirmation was queued, and that
// none has failed.
func (w *fixture) checkConfirmations() {
	db, err := sqlitekv.Open(w.Context(), backup(w.T, w.fleet.servers[0].env), sqlitekv.Options{Now: time.Now})
	if err != nil {
		w.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			w.Error(err)
		}
	}()
	outbox := notify.Outbox{Store: db.Store("pledges"), Now: time.Now}
	for _, m := range w.pledges {
		if d, err := outbox.Delivery(w.Context(), "confirmation:"+m.order); err != nil || d.Status == notify.Failed {
			w.Errorf("confirmation of %s: %s, %v", m.order, d.Status, err)
		}
	}
}

func (w *fixture) checkProjections() {
	for _, slug := range []string{"film", "dream"} {
		var d projection.Drift
		if _, err := w.fleet.call("POST", "/stats/"+slug+"/check", w.asAdmin(), nil, &d); err != nil || !d.InSync {
			w.Errorf("%s: projections in sync: %t, %v", slug, d.InSync, err)
		}
		for _, r := range d.Differences {
			w.Errorf("%s of %s is %s, not %s", r.Key, slug, r.Actual, r.Expected)
		}
	}
}

// checkPledgesExist checks that every supporter who saved a card has a pledge, which is
// cancelled if the supporter cancelled it, and that the limited tier is not oversold.
func (w *fixture) checkPledgesExist() {
	for _, m := range w.pledges {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil {
			w.Errorf("%s of %s: %v", m.order, m.email, err)
		}
		if m.cancelled != (v.Status == "cancelled") {
			w.Errorf("%s is %s, cancelled by its supporter: %t", m.order, v.Status, m.cancelled)
		}
	}
	for _, slug := range []string{"film", "dream"} {
		if n := w.goldClaimed(slug); n > goldLeft {
			w.Errorf("%s: %d of %d gold units claimed", slug, n, goldLeft)
		}
	}
}

// goldClaimed returns the number of claimed and reserved units of the limited tier.
func (w *fixture) goldClaimed(slug string) int {
	var stock struct {
		Tiers map[string]struct{ Claimed, Reserved int }
	}
	if _, err := w.fleet.call("GET", "/inventory/"+slug, nil, nil, &stock); err != nil {
		w.Error(err)
	}
	return stock.Tiers["gold"].Claimed + stock.Tiers["gold"].Reserved
}
