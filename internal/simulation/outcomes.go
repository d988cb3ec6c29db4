package simulation

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// outcomes are the kinds of mail about a pledge's outcome.
var outcomes = []notify.Kind{notify.Charged, notify.UpdateCard, notify.Dropped, notify.Missed}

// outcome is an accepted mail about an outcome.
type outcome struct {
	kind notify.Kind
	key  string
	to   string
	at   time.Time
}

// recordOutcome records a mail about an outcome when the provider first accepts
// it.
func (a *checker) recordOutcome(m mail) {
	known := func(o outcome) bool { return o.key == m.key && o.to == m.to }
	if slices.Contains(outcomes, m.kind) && !slices.ContainsFunc(a.sentOutcomes, known) {
		a.sentOutcomes = append(a.sentOutcomes, outcome{m.kind, m.key, m.to, a.w.now})
	}
}

// checkLastMails checks L7: at the end, the last mail about each pledge's outcome is correct.
func (a *checker) checkLastMails() {
	about := a.pledgesByMail()
	last := map[string]outcome{} // pledge → mail
	for _, o := range a.sentOutcomes {
		for _, id := range about[o.key] {
			last[id] = o
		}
	}
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			o, ok := last[p.OrderID]
			if !ok || slices.Contains(a.w.returned, o.to) || o.to == a.w.refused {
				continue // mails to these addresses are kept and visible
			}
			if g, known := a.groupOf(p); known && g.Status == state.NeedsAttention {
				continue // waits for an operator
			}
			payment := a.paidFor[p.OrderID]
			if !p.Charged && payment != "" && a.refundedInFull(payment) {
				continue // operators may have ended its charge
			}
			paid := payment != "" || p.Charged && p.ChargedAmount != 0 // with an amount that operators accepted
			switch {
			case paid != (o.kind == notify.Charged):
				a.reportViolation("L7", "the last mail about %s is %s at %s, but paid is %t", p.OrderID, o.kind, o.at, paid)
			case o.kind == notify.Missed && a.funded(p.CampaignSlug):
				a.reportViolation("L7", "the last mail about %s reports that %s missed its goal, but it did not",
					p.OrderID, p.CampaignSlug)
			}
		}
	}
}

// isWhole reports whether the database has all pledges of a group.
func (a *checker) isWhole(g state.Group) bool {
	return len(g.Orders) > 0 && !slices.ContainsFunc(g.Orders, func(o state.Part) bool { return a.pledge(o.ID) == nil })
}

// refundedInFull reports whether a payment was fully refunded. Operators may then have ended its
// charge.
func (a *checker) refundedInFull(payment string) bool {
	return slices.ContainsFunc(a.w.sim.Entries(),
		func(e sim.Entry) bool { return e.PaymentID == payment && e.Refunded >= e.Amount })
}

// checkPaymentsBooked checks L3: an existing pledge that was paid is charged, its group succeeded,
// or it waits for an operator. Reconciliation shows a pledge that is not charged although its
// group succeeded.
func (a *checker) checkPaymentsBooked() {
	for _, id := range slices.Sorted(maps.Keys(a.paidFor)) {
		payment := a.paidFor[id]
		p := a.pledge(id)
		if p == nil || p.Charged || a.partial[payment] || a.refundedInFull(payment) {
			continue
		}
		if g, ok := a.groupOf(p); !ok || g.Status != state.NeedsAttention && g.Status != state.Succeeded {
			a.reportViolation("L3", "the pledge %s was paid by %s and is %s", id, payment, p.Status)
		}
	}
}

// pledgesByMail maps the key of each mail about an outcome to its pledges.
func (a *checker) pledgesByMail() map[string][]string {
	about := map[string][]string{}
	add := func(identity string, g state.Group) {
		key := notify.Hash(identity)
		for _, o := range g.Orders {
			if !slices.Contains(about[key], o.ID) {
				about[key] = append(about[key], o.ID)
			}
		}
	}
	for _, all := range []map[string]state.Group{a.lost, a.frozen} {
		for _, g := range all {
			add(fmt.Sprintf("update-card:%s:%s:%d", g.CampaignSlug, g.Hash, g.Generation), g)
			add(fmt.Sprintf("dropped:%s:%s", g.CampaignSlug, g.Hash), g)
		}
	}
	for _, e := range a.w.sim.Entries() {
		_, hash, generation := splitKey(e.Group)
		if g, ok := a.attempt(hash, generation); ok {
			add("charged:"+e.PaymentID, g)
		}
	}
	for id := range a.owners {
		about[notify.Hash("missed:"+id)] = []string{id}
	}
	return about
}
