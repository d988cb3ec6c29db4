package analytics

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Basis is the source of the fees.
type Basis string

// The bases.
const (
	Nothing   Basis = ""          // there are no active pledges, so no fees
	Actual    Basis = "actual"    // the processor's own figures
	Estimated Basis = "estimated" // computed from the processor's list price
	Mixed     Basis = "mixed"     // actual for some pledges, estimated for others
)

// Figures are sums over pledges, or over one part of each pledge, in cents.
type Figures struct {
	Pledges int         `json:"pledges"` // including cancelled and dropped ones
	Pledged money.Cents `json:"pledged"` // of active and charged pledges
	Charged money.Cents `json:"charged"` // of charged pledges
	// Fees are the processor's, for active and charged pledges. Net is the charged or due
	// amount less Fees.
	Fees  money.Cents `json:"fees"`
	Net   money.Cents `json:"net"`
	Basis Basis       `json:"basis"`
}

// add adds one pledge's part, with its shares of the charged amount and of the fee.
func (f *Figures) add(p *pledge.Pledge, amount, paid, fee money.Cents, basis Basis) {
	f.Pledges++
	if !counts(p) {
		return
	}
	f.Pledged += amount
	f.Fees += fee
	if p.Charged {
		f.Charged += paid
		f.Net += paid - fee
	} else {
		f.Net += amount - fee
	}
	switch f.Basis {
	case Nothing, basis:
		f.Basis = basis
	case Actual, Estimated, Mixed:
		f.Basis = Mixed
	}
}

// counts reports whether a pledge was charged or can still be charged.
func counts(p *pledge.Pledge) bool { return p.Status != pledge.Cancelled && !p.Dropped() }

// Stripe's list price for US cards (https://stripe.com/pricing): 2.9 percent, rounded half
// up, plus 30 cents per charge. The estimate can be too high, because several pledges of a
// supporter that are charged together cost the fixed part only once. A test verifies that
// the rate parses.
var listRate, _ = money.ParseRate("0.029")

const listFixed money.Cents = 30

// fee returns the processor's fee for a pledge and its basis.
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
