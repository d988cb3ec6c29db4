package analytics

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Basis is the source of the fees of charged pledges.
type Basis string

// The bases.
const (
	Nothing   Basis = ""          // nothing was charged, so there are no fees
	Actual    Basis = "actual"    // the processor's own figures
	Estimated Basis = "estimated" // computed from the processor's list price
	Mixed     Basis = "mixed"     // actual for some pledges, estimated for others
)

// Figures are sums over pledges, or over one part of each pledge, in cents.
type Figures struct {
	Pledges int `json:"pledges"` // including cancelled and dropped ones
	// Pledged counts toward the goal. Like the campaign's public total it includes dropped pledges.
	// Total is the full amount of the pledges that are neither cancelled nor dropped, with tax,
	// shipping, tip and platform add-ons.
	Pledged money.Cents `json:"pledged"`
	Total   money.Cents `json:"total"`
	// Charged is the collected amount, Refunded the part of it that was paid back, Fees the processor's
	// fees, and Net the difference, which is never more than Charged. Disputes are only in Report.Ledger.
	Charged  money.Cents `json:"charged"`
	Refunded money.Cents `json:"refunded"`
	Fees     money.Cents `json:"fees"`
	Net      money.Cents `json:"net"`
	Basis    Basis       `json:"basis"`
	// ExpectedFees are the estimated fees of pledges that can still be charged. ExpectedNet is Net
	// plus the net amount of these pledges if all are charged.
	ExpectedFees money.Cents `json:"expectedFees"`
	ExpectedNet  money.Cents `json:"expectedNet"`
}

// part is one pledge's contribution to Figures: the whole pledge or one category of it.
type part struct {
	amount  money.Cents // with tax, shipping and tip
	counted money.Cents // toward the goal
	paid    money.Cents
	back    money.Cents // refunded
	fee     money.Cents
}

// add adds one pledge's part.
func (f *Figures) add(p *pledge.Pledge, of part, basis Basis) {
	f.Pledges++
	if p.Status != pledge.Cancelled {
		f.Pledged += of.counted
	}
	if !isCollectible(p) {
		return
	}
	f.Total += of.amount
	if !p.Charged {
		f.ExpectedFees += of.fee
		f.ExpectedNet += of.amount - of.fee
		return
	}
	f.Charged += of.paid
	f.Refunded += of.back
	f.Fees += of.fee
	f.Net += of.paid - of.back - of.fee
	f.ExpectedNet += of.paid - of.back - of.fee
	switch f.Basis {
	case Nothing, basis:
		f.Basis = basis
	case Actual, Estimated, Mixed:
		f.Basis = Mixed
	}
}

// isCollectible reports whether a pledge was charged or can still be charged.
func isCollectible(p *pledge.Pledge) bool { return p.Status != pledge.Cancelled && !p.Dropped() }

// Stripe's list price for US cards (https://stripe.com/pricing): 2.9 percent, rounded half
// up, plus 30 cents per charge. The estimate can be too high, because several pledges of a
// supporter that are charged together cost the fixed part only once. A test verifies that
// the rate parses.
var listRate, _ = money.ParseRate("0.029")

const listFixed money.Cents = 30

// fee returns the processor's fee for a pledge: the actual fee if it is known, otherwise an
// estimate from the list price, also for a pledge that is not charged yet.
func fee(p *pledge.Pledge) (money.Cents, Basis) {
	if p.Financials != nil && p.Financials.Source == "actual" {
		return p.Financials.Fee, Actual
	}
	amount := p.PaidOrDue()
	return min(listRate.Of(amount)+listFixed, amount), Estimated
}

// Category is the purpose of a part of a pledge's amount.
type Category string

// The categories. Amounts in PlatformAddOns and Tip belong to the platform, not the
// campaign.
const (
	Rewards        Category = "rewards"
	Support        Category = "support" // support items and custom amounts
	AddOns         Category = "add_ons"
	PlatformAddOns Category = "platform_add_ons"
	Shipping       Category = "shipping"
	Tax            Category = "tax"
	Tip            Category = "tip" // tip to the platform
)

var categories = []Category{Rewards, Support, AddOns, PlatformAddOns, Shipping, Tax, Tip}

var categoryOf = map[pledge.LineKind]Category{
	pledge.TierLine: Rewards, pledge.SupportLine: Support, pledge.CustomLine: Support,
	pledge.CampaignAddOnLine: AddOns, pledge.PlatformAddOnLine: PlatformAddOns,
}

// countsTowardGoal reports whether a category counts toward the goal.
func (c Category) countsTowardGoal() bool { return c == Rewards || c == Support || c == AddOns }

// parts returns a pledge's amounts in the order of categories. They add up to its amount.
func parts(p *pledge.Pledge) []money.Cents {
	by := map[Category]money.Cents{Shipping: p.Shipping, Tax: p.Tax, Tip: p.TipAmount}
	for _, l := range p.Lines {
		if c, ok := categoryOf[l.Kind]; ok {
			by[c] += l.Amount
		}
	}
	out := make([]money.Cents, 0, len(categories))
	for _, c := range categories {
		out = append(out, by[c])
	}
	return out
}

// refundedParts returns the refunded parts of a pledge in the order of categories. The refunds of
// rewards, add-ons and support together are divided among them in proportion to their amounts.
func refundedParts(p *pledge.Pledge, amounts []money.Cents) []money.Cents {
	r := p.TotalRefund()
	by := map[Category]money.Cents{PlatformAddOns: r.AddOns, Shipping: r.Shipping, Tax: r.Tax, Tip: r.Tip}
	weights := make([]money.Cents, len(categories))
	for i, c := range categories {
		if c.countsTowardGoal() {
			weights[i] = amounts[i]
		}
	}
	out := money.Split(r.Amount-r.AddOns-r.Shipping-r.Tax-r.Tip, weights)
	for i, c := range categories {
		out[i] += by[c]
	}
	return out
}
