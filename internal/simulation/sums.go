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
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// tip is the platform's default, in percent.
const tip = 5

// share returns a share of an amount, rounded half up to the cent.
func share(of money.Cents, share, in int64) money.Cents {
	return money.Cents((int64(of)*share*2 + in) / (2 * in))
}

// checkSums checks S2, L3 and L5: the amount of every pledge is the sum of its parts, and the
// totals, funds and committed units of every campaign are the sums of its pledges.
func (a *checker) checkSums() {
	funds := map[string]*inventory.Funds{"film": {}, "game": {}, "album": {}}
	counted, statuses := map[string]money.Cents{}, map[string]map[pledge.Status]int{"film": {}, "game": {}, "album": {}}
	committed := map[string]map[string]int{"film": {}, "game": {}, inventory.Platform: {}}
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			a.checkPledgeSum(p)
			statuses[p.CampaignSlug][p.Status]++
			if p.Status == pledge.Cancelled {
				continue
			}
			counted[p.CampaignSlug] += p.CampaignSubtotal
			addFunds(funds[p.CampaignSlug], p)
			for _, l := range p.Lines {
				addCommitted(committed, p.CampaignSlug, l)
			}
		}
	}
	for slug, want := range statuses {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
		for _, s := range []pledge.Status{pledge.Active, pledge.PaymentFailed, pledge.Charged, pledge.Cancelled} {
			if snap.Totals.Statuses[s] != want[s] {
				a.reportViolation("L5", "%s counts %d pledges as %s, want %d", slug, snap.Totals.Statuses[s], s, want[s])
			}
		}
		if snap.Totals.Counted != counted[slug] {
			a.reportViolation("L5", "%s counts %s, but its pledges total %s", slug, snap.Totals.Counted, counted[slug])
		}
	}
	for slug, want := range funds {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
		if snap.Totals.Funds != *want {
			a.reportViolation("L3", "the funds of %s are %+v, but its pledges total %+v", slug, snap.Totals.Funds, *want)
		}
	}
	for object, items := range committed {
		snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, object) })
		for _, item := range slices.Sorted(maps.Keys(items)) {
			if got := snap.Stock[item].Committed; got != items[item] {
				a.reportViolation("L5", "%s has committed %d of %s, but %d are pledged", object, got, item, items[item])
			}
		}
	}
}

// addFunds adds the amounts of a pledge that is not cancelled.
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

func addCommitted(committed map[string]map[string]int, slug string, l pledge.Line) {
	switch {
	case limits[slug]["tier/"+l.ID] > 0:
		committed[slug]["tier/"+l.ID] += l.Quantity
	case limits[slug]["add-on/"+l.ID] > 0:
		committed[slug]["add-on/"+l.ID] += l.Quantity
	case l.ID == "sticker":
		committed[inventory.Platform]["add-on/sticker"] += l.Quantity
	}
}

// checkPledgeSum checks S2: a pledge's totals match its lines, the tax rate and its tip, and its
// financials add up.
func (a *checker) checkPledgeSum(p *pledge.Pledge) {
	var subtotal money.Cents
	for _, l := range p.Lines {
		subtotal += a.w.scenario.prices[l.ID] * money.Cents(l.Quantity)
	}
	tax, tipped := share(subtotal, a.w.scenario.taxRate, 100_000), share(subtotal, int64(a.tips[p.OrderID]), 100)
	if p.Subtotal != subtotal || p.Tax != tax || p.TipAmount != tipped || p.Amount != subtotal+tax+tipped+p.Shipping {
		a.reportViolation("S2", "the pledge %s is %+v, but its lines total %s, tax %s, tip %s",
			p.OrderID, p.Totals, subtotal, tax, tipped)
	}
	if p.Shipping != 0 {
		a.reportViolation("S2", "the pledge %s has no parcel, but pays %s for shipping", p.OrderID, p.Shipping)
	}
	if f := p.Financials; f != nil && f.Source == "actual" && (f.Gross != p.Paid() || f.Fee+f.Net != f.Gross) {
		a.reportViolation("S2", "the pledge %s of %s has the financials %+v", p.OrderID, p.Paid(), *f)
	}
}

// checkFees checks L3: every pledge of a paid group has the group's payment and its actual
// fee, and the shares of the fee add up to the fee.
func (a *checker) checkFees() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status != state.Succeeded {
				continue
			}
			var fee money.Cents
			for _, o := range g.Orders {
				p := a.pledge(o.ID)
				if p == nil || p.Financials == nil || p.PaymentIntentID != g.PaymentIntentID {
					a.reportViolation("L3", "the pledge %s is not charged by the payment %s of its group", o.ID, g.PaymentIntentID)
					continue
				}
				if p.Financials.Source != "actual" {
					a.reportViolation("L3", "the pledge %s has no financials", o.ID)
				}
				fee += p.Financials.Fee
			}
			if fee != sim.Fee(g.Amount) {
				a.reportViolation("L3", "the fees of %s total %s, but the processor charged %s", g.Key, fee, sim.Fee(g.Amount))
			}
		}
	}
}

// checkWaitingPeriods checks L2: no group is dropped before the grace period has passed since
// its first failure and since its supporter was asked for another card, unless all attempts
// were made.
func (a *checker) checkWaitingPeriods() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			p := policies[slug]
			if g.DroppedAt != nil && g.Generation < p.attempts &&
				g.DroppedAt.Before(g.FirstFailedAt.AddDate(0, 0, p.grace).Add(-2*a.w.scenario.skew())) {
				a.reportViolation("L2", "%s failed on %s and was dropped on %s", g.Key, g.FirstFailedAt, g.DroppedAt)
			}
			if g.DroppedAt == nil || g.Generation >= p.attempts || len(g.Orders) == 0 {
				continue
			}
			asked := a.cardRequestedAt(a.pledge(g.Orders[0].ID), g)
			if !asked.IsZero() && g.DroppedAt.Before(asked.AddDate(0, 0, p.grace).Add(-2*a.w.scenario.skew())) {
				a.reportViolation("L2", "%s was dropped on %s, but its supporter was asked for another card on %s",
					g.Key, g.DroppedAt, asked)
			}
		}
	}
}

// checkRetryDelay checks S7: a card is retried at the earliest a day after its group's first
// failure.
func (a *checker) checkRetryDelay(g state.Group, now time.Time) {
	last, ok := a.frozen[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)]
	if ok && last.PaymentMethodID == g.PaymentMethodID &&
		now.Before(a.failedAt[g.Hash].AddDate(0, 0, 1).Add(-2*a.w.scenario.skew())) {
		a.reportViolation("S7", "%s retries a declined card too early", g.Key)
	}
}

// checkGroup checks the preconditions of an attempt, among them S2 and S7: it charges
// everything that a supporter owes to the campaign and nothing else, with the card that was
// saved last before the pledges were claimed. A card saved between the claim and the charge
// may be used already; otherwise the next attempt uses it. A pledge that arrives during a run
// may be charged later.
func (a *checker) checkGroup(op memkv.Op) {
	var cmd struct{ Group state.Group }
	if op.Reply.Refused != nil || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g := cmd.Group
	a.checkRetryDelay(g, a.w.now)
	a.checkPromise(g)
	a.checkNotStopped(g)
	listed := a.listedPledges(g.CampaignSlug)
	a.checkFundedStart(g.CampaignSlug, listed)
	a.checkCardConsent(g)
	first := a.pledge(g.Orders[0].ID)
	joint := isJoint(g, first)
	if !joint && (len(g.Orders) > 1 || g.Hash != state.OwnGroupHash(g.CampaignSlug, first.OrderID)) {
		a.reportViolation("S2", "%s is neither a group of one pledge nor of joined ones", g.Key)
	}
	var now, claimed newestCards
	for _, id := range listed {
		in := slices.ContainsFunc(g.Orders, func(o state.Part) bool { return o.ID == id })
		p := a.pledge(id)
		if p == nil && a.restored && !in { // lost with its order
			continue
		}
		if p.Email != first.Email {
			if in {
				a.reportViolation("S2", "another supporter's pledge %s is in %s", id, g.Key)
			}
			continue
		}
		with := joint && p.JoinedAt != nil && (p.Group == "" || p.Group == g.Hash)
		if with && p.Unpaid() && !in && a.listedAt[id].Before(a.termFrom[g.CampaignSlug]) {
			a.reportViolation("S2", "the pledge %s is missing in %s", id, g.Key)
		}
		if in && (p.CardByLink || len(g.Orders) == 1) {
			now.add(p)
			claimed.add(a.claimed[id])
		}
	}
	if !now.has(g) && !claimed.has(g) {
		a.reportViolation("S7", "%s does not charge the most recently saved card", g.Key)
	}
}

// checkFundedStart checks S3: before a campaign's first charge, its sums include every change of
// every pledge and reach the goal. It is not checked if a clock is behind by more than the margin,
// so that later changes are accepted, or if an order was restored alone and lost changes that the
// sums still include.
func (a *checker) checkFundedStart(slug string, listed []string) {
	if a.started[slug] || a.w.scenario.farBehind || a.forgotten {
		return
	}
	a.started[slug] = true
	var sum money.Cents
	for _, id := range listed {
		if p := a.pledge(id); p != nil && p.Status != pledge.Cancelled {
			sum += p.CampaignSubtotal
		}
	}
	files := a.w.recentFiles(slug)
	if slices.ContainsFunc(files, func(c *campaign.Campaign) bool { return a.w.now.Before(a.w.endsAt(c)) }) {
		return // its file reopened it, and pledges change
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	if snap.Totals.Counted != sum ||
		!slices.ContainsFunc(files, func(c *campaign.Campaign) bool { return c.Funded(sum) }) {
		a.reportViolation("S3", "at the first charge of %s its sums are %s, but its pledges total %s",
			slug, snap.Totals.Counted, sum)
	}
}

// listedPledges returns the pledges in a campaign's object.
func (a *checker) listedPledges(slug string) (all []string) {
	for {
		page := quietly(a.w, func() ([]string, error) { return a.w.stock().Listed(a.w.ctx, slug, len(all), kv.MaxPage) })
		if all = append(all, page...); len(page) == 0 {
			return all
		}
	}
}

// newestCards are the pledges whose card was saved last; the processor reports
// that to the second.
type newestCards []*pledge.Pledge

func (n *newestCards) add(p *pledge.Pledge) {
	switch {
	case p == nil || p.PaymentMethodID == "":
	case len(*n) == 0 || p.CardSavedAt.After((*n)[0].CardSavedAt):
		*n = newestCards{p}
	case p.CardSavedAt.Equal((*n)[0].CardSavedAt):
		*n = append(*n, p)
	}
}

// has reports whether a group charges one of the cards.
func (n *newestCards) has(g state.Group) bool {
	return slices.ContainsFunc(*n, func(p *pledge.Pledge) bool {
		return p.PaymentMethodID == g.PaymentMethodID && p.CustomerID == g.CustomerID
	})
}

// maxListed exceeds the number of other campaigns' payments on the processor's list. One run may
// read a single one of them.
const maxListed = 1000

// checkReconciliation checks that the service's reconciliation finds exactly the differences that
// the checker expects.
func (a *checker) checkReconciliation() {
	a.w.sim.SetLimit(1_000_000) // no time passes from here on
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
			if still++; still > maxListed {
				a.reportViolation("L3", "the reconciliation of %s makes no progress: %+v", slug, r.Sums)
				break
			}
		}
		a.checkPayoutBreaks(slug, r.Breaks)
		for _, b := range r.Breaks {
			if b.Kind == reconcile.StaleJob && !a.funded(slug) {
				continue // it started, and stopped when a late cancellation was found
			}
			if (a.restored || a.reversed || a.w.scenario.mayNeedAttention()) && b.Kind != reconcile.ChargedTwice {
				continue // the report shows it
			}
			if b.Kind != reconcile.Ambiguous && (b.Kind != reconcile.NotBooked || a.amountInQuestion(slug) == 0) {
				a.reportViolation("L3", "%s: %s: %s", slug, b.Kind, b.Message)
			}
		}
		if r.Difference != a.amountInQuestion(slug) && !a.restored && !a.reversed {
			a.reportViolation("L3", "%s differs from the processor by %s", slug, r.Difference)
		}
	}
}

// amountInQuestion returns the amount paid for groups that wait for an operator.
func (a *checker) amountInQuestion(slug string) money.Cents {
	var sum money.Cents
	for _, g := range a.groups(slug) {
		payment := a.paid[slug+" "+g.Hash]
		if g.Status != state.NeedsAttention || payment == "" {
			continue
		}
		for _, e := range a.w.sim.Entries() {
			if e.PaymentID == payment {
				sum += e.Amount
			}
		}
	}
	return sum
}
