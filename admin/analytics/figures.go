package analytics

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Basis says where fees are from.
type Basis string

// The bases.
const (
	Nothing   Basis = ""          // there are no fees: nothing stands
	Actual    Basis = "actual"    // the processor's own figures
	Estimated Basis = "estimated" // its list price
	Mixed     Basis = "mixed"     // some pledges have the one, some the other
)

// Figures are sums over pledges, or over a part of each, in cents.
type Figures struct {
	Pledges int         `json:"pledges"` // that stand, or stood and were cancelled or given up
	Pledged money.Cents `json:"pledged"` // of those that stand
	Charged money.Cents `json:"charged"` // of those that were charged
	// Fees are the processor's, of what stands, and Net is the charged or due amount less Fees.
	Fees  money.Cents `json:"fees"`
	Net   money.Cents `json:"net"`
	Basis Basis       `json:"basis"`
}

// add adds one pledge's part, with its shares of the charged amount and of the fee.
func (f *Figures) add(p *pledge.Pledge, amount, paid, fee money.Cents, basis Basis) {
	f.Pledges++
	if !stands(p) {
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

// stands reports whether a pledge is to be charged, or was.
func stands(p *pledge.Pledge) bool { return p.Status != pledge.Cancelled && !p.Dropped() }

// The list price of the processor for cards of the US, from
// https://stripe.com/pricing: 2.9 percent, rounded half up, and 30 cents a charge. It is a
// plan: a supporter's pledges that are charged together have one fixed part.
// The test of a plan shows that the rate can be read.
var listRate, _ = money.ParseRate("0.029")

const listFixed money.Cents = 30

// fee is what the processor keeps of a pledge.
func fee(p *pledge.Pledge) (money.Cents, Basis) {
	if p.Financials != nil && p.Financials.Source == "actual" {
		return p.Financials.Fee, Actual
	}
	amount := p.PaidOrDue()
	return min(listRate.Of(amount)+listFixed, amount), Estimated
}

// Category is what a part of a pledge is for.
type Category string

// The categories. Platform ones are not the campaign's money.
const (
	Rewards        Category = "rewards"
	Support        Category = "support" // support items, and amounts of the supporter's own choice
	AddOns         Category = "add_ons"
	PlatformAddOns Category = "platform_add_ons"
	Shipping       Category = "shipping"
	Tax            Category = "tax"
	Tip            Category = "tip" // the platform's
)

var categories = []Category{Rewards, Support, AddOns, PlatformAddOns, Shipping, Tax, Tip}

var categoryOf = map[pledge.LineKind]Category{
	pledge.TierLine: Rewards, pledge.SupportLine: Support, pledge.CustomLine: Support,
	pledge.CampaignAddOnLine: AddOns, pledge.PlatformAddOnLine: PlatformAddOns,
}

// parts are a pledge's amounts in the order of categories. They add up to its amount.
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
