package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// prices are what the campaigns state, in cents. Every sum is made again from
// them, by other code than the service's.
var prices = map[string]money.Cents{
	"seat": 2500, "thanks": 500, "mug": 1249, "print": 1000, "box": 6000, "copy": 1500, "sticker": 333,
}

// The demo's tax, in hundred-thousandths, and its tip, in percent.
const (
	taxRate = 7875
	tip     = 5
)

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
		f.Collected += p.Amount
		f.Collectable += p.Amount
	case !p.Dropped() && p.PaymentMethodID != "" && p.CustomerID != "":
		f.Collectable += p.Amount
	}
	if p.Financials != nil && p.Financials.Source == "actual" {
		f.Available += p.Amount - p.Financials.Fee
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
		subtotal += prices[l.ID] * money.Cents(l.Quantity)
	}
	tax, tipped := part(subtotal, taxRate, 100_000), part(subtotal, tip, 100)
	if p.Subtotal != subtotal || p.Tax != tax || p.TipAmount != tipped || p.Amount != subtotal+tax+tipped+p.Shipping {
		a.violated("S2", "the pledge %s is %+v, and its lines come to %s, tax %s, tip %s", p.OrderID, p.Totals, subtotal, tax, tipped)
	}
	if p.Shipping != 0 {
		a.violated("S2", "the pledge %s has nothing to send and pays %s for sending it", p.OrderID, p.Shipping)
	}
	if f := p.Financials; f != nil && f.Source == "actual" && (f.Gross != p.Amount || f.Fee+f.Net != f.Gross) {
		a.violated("S2", "the pledge %s of %s brought %+v", p.OrderID, p.Amount, *f)
	}
}

// feesAgree: L3, the shares of a payment's fee come to the fee.
func (a *watch) feesAgree() {
	for _, slug := range []string{"film", "game", "album"} {
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

// policies are what the campaigns state about failed charges.
var policies = map[string]struct{ grace, attempts int }{"film": {14, 4}, "game": {2, 6}, "album": {14, 10}}

// patience: nobody is given up before the time, and no card that was refused is
// tried again before its day.
func (a *watch) patience() {
	for _, slug := range []string{"film", "game", "album"} {
		for _, g := range a.groups(slug) {
			p := policies[slug]
			if g.DroppedAt != nil && g.Generation < p.attempts &&
				g.DroppedAt.Before(g.FirstFailedAt.AddDate(0, 0, p.grace).Add(-2*maxSkew)) {
				a.violated("L2", "%s failed on %s and was given up on %s", g.Key, g.FirstFailedAt, g.DroppedAt)
			}
		}
	}
}

func (a *watch) notTooSoon(g settlement.Group, now time.Time) {
	last, ok := a.frozen[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)]
	if ok && last.PaymentMethodID == g.PaymentMethodID && now.Before(a.failedAt[g.Hash].AddDate(0, 0, 1).Add(-2*maxSkew)) {
		a.violated("S7", "%s tries a refused card again, too soon", g.Key)
	}
}

// wholeGroup: a supporter's charge is for all that the supporter owes to the
// campaign, with the card that was saved last before the pledges were claimed.
// One that is saved in the moment between the claim and the charge may be taken
// already; else the next attempt takes it.
func (a *watch) wholeGroup(op memkv.Op) {
	var cmd struct{ Group settlement.Group }
	if op.Reply.Refused != nil || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g := cmd.Group
	a.notTooSoon(g, a.w.now)
	sup := quietly(a.w, func() (inventory.Supporter, error) {
		return a.w.stock().Supporter(a.w.ctx, g.CampaignSlug, g.Supporter)
	})
	var newest, claimed *pledge.Pledge
	for _, id := range sup.Pledges {
		p := a.pledge(id)
		in := slices.ContainsFunc(g.Orders, func(o settlement.Part) bool { return o.ID == id })
		if settlement.GroupHash(p.CampaignSlug, p.Email) != g.Hash {
			a.violated("S2", "the pledge %s of another is among those of %s", id, g.Key)
		}
		if p.Unpaid() && !in {
			a.violated("S2", "the pledge %s is left out of %s", id, g.Key)
		}
		if in {
			newest, claimed = newer(newest, p), newer(claimed, a.claimed[id])
		}
	}
	if !charges(g, newest) && !charges(g, claimed) {
		a.violated("S7", "%s does not charge the card that was saved last", g.Key)
	}
}

// newer is the pledge whose card was saved later.
func newer(a, b *pledge.Pledge) *pledge.Pledge {
	if b == nil || b.PaymentMethodID == "" || a != nil && !b.CardSavedAt.After(a.CardSavedAt) {
		return a
	}
	return b
}

func charges(g settlement.Group, p *pledge.Pledge) bool {
	return p != nil && p.PaymentMethodID == g.PaymentMethodID && p.CustomerID == g.CustomerID
}

// reconciles: the service's own reconciliation finds what the watch knows, and
// nothing else.
func (a *watch) reconciles() {
	services := quietly(a.w, a.w.servers[0].compose)
	for _, slug := range []string{"film", "game"} {
		r := quietly(a.w, func() (reconcile.Report, error) { return services.Reconcile.Run(a.w.ctx, slug, 0) })
		if r.Truncated {
			a.violated("L3", "one run does not reconcile %s: %+v", slug, r.Sums)
		}
		for _, b := range r.Breaks {
			if b.Kind == reconcile.StaleJob && !a.funded(slug) {
				continue // it began, and stopped when a late cancellation was found
			}
			if b.Kind != reconcile.Ambiguous && (b.Kind != reconcile.NotBooked || a.inQuestion(slug) == 0) {
				a.violated("L3", "%s: %s: %s", slug, b.Kind, b.Message)
			}
		}
		if r.Difference != a.inQuestion(slug) {
			a.violated("L3", "%s differs from the processor by %s", slug, r.Difference)
		}
	}
}

// inQuestion is what was paid for groups that wait for an operator.
func (a *watch) inQuestion(slug string) money.Cents {
	var sum money.Cents
	for _, g := range a.groups(slug) {
		if g.Status == settlement.NeedsAttention && a.paid[slug+" "+g.Hash] != "" {
			sum += g.Amount
		}
	}
	return sum
}
