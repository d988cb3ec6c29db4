package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// tip is the platform's, in percent.
const tip = 5

// part is a share of an amount, half a cent rounded up.
func part(of money.Cents, share, in int64) money.Cents {
	return money.Cents((int64(of)*share*2 + in) / (2 * in))
}

// sumsAgree: S2 and L3 in detail, every amount is what its parts come to.
func (a *watch) sumsAgree() {
	funds := map[string]*inventory.Funds{"film": {}, "game": {}, "album": {}}
	counted, statuses := map[string]money.Cents{}, map[string]map[pledge.Status]int{"film": {}, "game": {}, "album": {}}
	committed := map[string]map[string]int{"film": {}, "game": {}, inventory.Platform: {}}
	for _, id := range a.known() {
		for _, p := range a.order(id).Pledges {
			a.pledgeAddsUp(p)
			statuses[p.CampaignSlug][p.Status]++
			if p.Status == pledge.Cancelled {
				continue
			}
			counted[p.CampaignSlug] += p.CampaignSubtotal
			addFunds(funds[p.CampaignSlug], p)
			for _, l := range p.Lines {
				commit(committed, p.CampaignSlug, l)
			}
		}
	}
	for slug, want := range statuses {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
		for _, s := range []pledge.Status{pledge.Active, pledge.PaymentFailed, pledge.Charged, pledge.Cancelled} {
			if snap.Totals.Statuses[s] != want[s] {
				a.violated("L5", "%s counts %d pledges as %s, there are %d", slug, snap.Totals.Statuses[s], s, want[s])
			}
		}
		if snap.Totals.Counted != counted[slug] {
			a.violated("L5", "%s counts %s and its pledges come to %s", slug, snap.Totals.Counted, counted[slug])
		}
	}
	for slug, want := range funds {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
		if snap.Totals.Funds != *want {
			a.violated("L3", "the funds of %s are %+v, its pledges come to %+v", slug, snap.Totals.Funds, *want)
		}
	}
	for object, items := range committed {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, object) })
		for _, item := range slices.Sorted(maps.Keys(items)) {
			if got := snap.Stock[item].Committed; got != items[item] {
				a.violated("L5", "%s has given away %d of %s, and %d are pledged", object, got, item, items[item])
			}
		}
	}
}

// addFunds adds what one pledge that is not cancelled comes to.
func addFunds(f *inventory.Funds, p *pledge.Pledge) {
	f.Pledged += p.Amount
	switch {
	case p.Status == pledge.Charged:
		f.Collected += p.Paid()
		f.Collectable += p.Paid()
	case !p.Dropped() && p.CardForgottenAt == nil && p.PaymentMethodID != "" && p.CustomerID != "":
		f.Collectable += p.Amount
	}
	if p.Financials != nil && p.Financials.Source == "actual" {
		f.Available += p.Paid() - p.Financials.Fee
	}
}

func commit(committed map[string]map[string]int, slug string, l pledge.Line) {
	switch {
	case limits[slug]["tier/"+l.ID] > 0:
		committed[slug]["tier/"+l.ID] += l.Quantity
	case limits[slug]["add-on/"+l.ID] > 0:
		committed[slug]["add-on/"+l.ID] += l.Quantity
	case l.ID == "sticker":
		committed[inventory.Platform]["add-on/sticker"] += l.Quantity
	}
}

func (a *watch) pledgeAddsUp(p *pledge.Pledge) {
	var subtotal money.Cents
	for _, l := range p.Lines {
		subtotal += a.w.scenario.prices[l.ID] * money.Cents(l.Quantity)
	}
	tax, tipped := part(subtotal, a.w.scenario.taxRate, 100_000), part(subtotal, int64(a.tips[p.OrderID]), 100)
	if p.Subtotal != subtotal || p.Tax != tax || p.TipAmount != tipped || p.Amount != subtotal+tax+tipped+p.Shipping {
		a.violated("S2", "the pledge %s is %+v, and its lines come to %s, tax %s, tip %s", p.OrderID, p.Totals, subtotal, tax, tipped)
	}
	if p.Shipping != 0 {
		a.violated("S2", "the pledge %s has nothing to send and pays %s for sending it", p.OrderID, p.Shipping)
	}
	if f := p.Financials; f != nil && f.Source == "actual" && (f.Gross != p.Paid() || f.Fee+f.Net != f.Gross) {
		a.violated("S2", "the pledge %s of %s brought %+v", p.OrderID, p.Paid(), *f)
	}
}

// feesAgree: L3, the shares of a payment's fee come to the fee.
func (a *watch) feesAgree() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status != settlement.Succeeded {
				continue
			}
			var fee money.Cents
			for _, o := range g.Orders {
				p := a.pledge(o.ID)
				if p == nil || p.Financials == nil || p.PaymentIntentID != g.PaymentIntentID {
					a.violated("L3", "the pledge %s is not charged by the payment %s of its group", o.ID, g.PaymentIntentID)
					continue
				}
				if p.Financials.Source != "actual" {
					a.violated("L3", "the figures of the pledge %s are still to come", o.ID)
				}
				fee += p.Financials.Fee
			}
			if fee != sim.Fee(g.Amount) {
				a.violated("L3", "the fees of %s come to %s, the processor took %s", g.Key, fee, sim.Fee(g.Amount))
			}
		}
	}
}

// patience: nobody is given up before the time, and no card that was refused is
// tried again before its day.
func (a *watch) patience() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			p := policies[slug]
			if g.DroppedAt != nil && g.Generation < p.attempts &&
				g.DroppedAt.Before(g.FirstFailedAt.AddDate(0, 0, p.grace).Add(-2*a.w.scenario.skew())) {
				a.violated("L2", "%s failed on %s and was given up on %s", g.Key, g.FirstFailedAt, g.DroppedAt)
			}
			if g.DroppedAt == nil || g.Generation >= p.attempts || len(g.Orders) == 0 {
				continue
			}
			asked := a.askedAt(a.pledge(g.Orders[0].ID), g)
			if !asked.IsZero() && g.DroppedAt.Before(asked.AddDate(0, 0, p.grace).Add(-2*a.w.scenario.skew())) {
				a.violated("L2", "%s was given up on %s, and its supporter asked for another card on %s", g.Key, g.DroppedAt, asked)
			}
		}
	}
}

func (a *watch) notTooSoon(g settlement.Group, now time.Time) {
	last, ok := a.frozen[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)]
	if ok && last.PaymentMethodID == g.PaymentMethodID && now.Before(a.failedAt[g.Hash].AddDate(0, 0, 1).Add(-2*a.w.scenario.skew())) {
		a.violated("S7", "%s tries a refused card again, too soon", g.Key)
	}
}

// wholeGroup: a supporter's charge is for all that the supporter owes to the
// campaign and for nothing that anybody else does, with the card that was saved last
// before the pledges were claimed. One that is saved in the moment between the claim and
// the charge may be taken already; else the next attempt takes it. A pledge that comes
// while a run is at it may be late.
func (a *watch) wholeGroup(op memkv.Op) {
	var cmd struct{ Group settlement.Group }
	if op.Reply.Refused != nil || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g := cmd.Group
	a.notTooSoon(g, a.w.now)
	a.asPromised(g)
	a.checkNotStopped(g)
	listed := a.listed(g.CampaignSlug)
	a.beginsFunded(g.CampaignSlug, listed)
	a.agreed(g)
	first := a.pledge(g.Orders[0].ID)
	joint := isJoint(g, first)
	if !joint && (len(g.Orders) > 1 || g.Hash != settlement.OwnGroupHash(g.CampaignSlug, first.OrderID)) {
		a.violated("S2", "%s is no group of one pledge, and not of joined ones", g.Key)
	}
	var now, claimed newest
	for _, id := range listed {
		in := slices.ContainsFunc(g.Orders, func(o settlement.Part) bool { return o.ID == id })
		p := a.pledge(id)
		if p == nil && a.restored && !in { // lost with its order
			continue
		}
		if p.Email != first.Email {
			if in {
				a.violated("S2", "the pledge %s of another is in %s", id, g.Key)
			}
			continue
		}
		with := joint && p.JoinedAt != nil && (p.Group == "" || p.Group == g.Hash)
		if with && p.Unpaid() && !in && a.listedAt[id].Before(a.termFrom[g.CampaignSlug]) {
			a.violated("S2", "the pledge %s is left out of %s", id, g.Key)
		}
		if in && (p.CardByLink || len(g.Orders) == 1) {
			now.add(p)
			claimed.add(a.claimed[id])
		}
	}
	if !now.has(g) && !claimed.has(g) {
		a.violated("S7", "%s does not charge the card that was saved last", g.Key)
	}
}

// beginsFunded: S3, before the first charge of a campaign every change of every pledge
// is in its sums, and they reach the goal. A clock that is behind by more than the margin
// lets pledges be changed after that, and an order that went back by itself has lost changes
// that the sums still have.
func (a *watch) beginsFunded(slug string, listed []string) {
	if a.begun[slug] || a.w.scenario.farBehind || a.forgotten {
		return
	}
	a.begun[slug] = true
	var sum money.Cents
	for _, id := range listed {
		if p := a.pledge(id); p != nil && p.Status != pledge.Cancelled {
			sum += p.CampaignSubtotal
		}
	}
	files := a.w.recentFiles(slug)
	if slices.ContainsFunc(files, func(c *campaign.Campaign) bool { return a.w.now.Before(a.w.endsAt(c)) }) {
		return // while its file says so it is live, and pledges change
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	if snap.Totals.Counted != sum || !slices.ContainsFunc(files, func(c *campaign.Campaign) bool { return c.Funded(sum) }) {
		a.violated("S3", "the first charge of %s is made while its sums say %s and its pledges %s", slug, snap.Totals.Counted, sum)
	}
}

// listed are the pledges of a campaign, as its object lists them.
func (a *watch) listed(slug string) (all []string) {
	for {
		page := quietly(a.w, func() ([]string, error) { return a.w.stock().Listed(a.w.ctx, slug, len(all), kv.MaxPage) })
		if all = append(all, page...); len(page) == 0 {
			return all
		}
	}
}

// newest are the pledges whose card was saved last; the processor tells it to the second.
type newest []*pledge.Pledge

func (n *newest) add(p *pledge.Pledge) {
	switch {
	case p == nil || p.PaymentMethodID == "":
	case len(*n) == 0 || p.CardSavedAt.After((*n)[0].CardSavedAt):
		*n = newest{p}
	case p.CardSavedAt.Equal((*n)[0].CardSavedAt):
		*n = append(*n, p)
	}
}

// has reports whether a group charges one of the cards.
func (n newest) has(g settlement.Group) bool {
	return slices.ContainsFunc(n, func(p *pledge.Pledge) bool {
		return p.PaymentMethodID == g.PaymentMethodID && p.CustomerID == g.CustomerID
	})
}

// mostListed is more payments than there are of any other campaign on the processor's list,
// which one run may read one of.
const mostListed = 1000

// reconciles: the service's own reconciliation finds what the watch knows, and
// nothing else.
func (a *watch) reconciles() {
	a.w.sim.Limit(1_000_000) // time stands still by now
	services := a.w.services()
	for _, slug := range []string{"film", "game"} {
		var r reconcile.Report
		for more, still := true, 0; more; more = r.Truncated {
			was := r.Sums
			r = quietly(a.w, func() (reconcile.Report, error) {
				return services.Reconcile.Run(a.w.ctx, slug, a.w.scenario.retrievals)
			})
			if r.Sums != was {
				still = 0
			}
			if still++; still > mostListed {
				a.violated("L3", "the reconciliation of %s stands still: %+v", slug, r.Sums)
				break
			}
		}
		for _, b := range r.Breaks {
			if b.Kind == reconcile.StaleJob && !a.funded(slug) {
				continue // it began, and stopped when a late cancellation was found
			}
			if (a.restored || a.reversed || a.w.scenario.misleads()) && b.Kind != reconcile.ChargedTwice {
				continue // it is seen
			}
			if b.Kind != reconcile.Ambiguous && (b.Kind != reconcile.NotBooked || a.inQuestion(slug) == 0) {
				a.violated("L3", "%s: %s: %s", slug, b.Kind, b.Message)
			}
		}
		if r.Difference != a.inQuestion(slug) && !a.restored && !a.reversed {
			a.violated("L3", "%s differs from the processor by %s", slug, r.Difference)
		}
	}
}

// inQuestion is what was paid for groups that wait for an operator.
func (a *watch) inQuestion(slug string) money.Cents {
	var sum money.Cents
	for _, g := range a.groups(slug) {
		payment := a.paid[slug+" "+g.Hash]
		if g.Status != settlement.NeedsAttention || payment == "" {
			continue
		}
		for _, e := range a.w.sim.Books() {
			if e.PaymentID == payment {
				sum += e.Amount
			}
		}
	}
	return sum
}
