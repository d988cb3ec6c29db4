package ledger

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Components are the components of a pledge's amount, in cents.
type Components struct {
	Pledges  money.Cents `json:"pledges,omitempty"` // what counts toward the goal
	AddOns   money.Cents `json:"addOns,omitempty"`  // platform add-ons
	Shipping money.Cents `json:"shipping,omitempty"`
	Tips     money.Cents `json:"tips,omitempty"`
	Tax      money.Cents `json:"tax,omitempty"`
}

// ComponentsOf returns the components of a pledge's totals.
func ComponentsOf(t pledge.Totals) Components {
	return Components{Pledges: t.CampaignSubtotal, AddOns: t.Subtotal - t.CampaignSubtotal, Shipping: t.Shipping,
		Tips: t.TipAmount, Tax: t.Tax}
}

// Sum returns the total of the components.
func (p Components) Sum() money.Cents { return p.Pledges + p.AddOns + p.Shipping + p.Tips + p.Tax }

// Minus returns the components without q.
func (p Components) Minus(q Components) Components {
	return Components{p.Pledges - q.Pledges, p.AddOns - q.AddOns, p.Shipping - q.Shipping, p.Tips - q.Tips, p.Tax - q.Tax}
}

// Plus returns the components and those of q.
func (p Components) Plus(q Components) Components { return p.Minus(Components{}.Minus(q)) }

// Covers reports whether no component of q is negative or larger than p's.
func (p Components) Covers(q Components) bool {
	left := p.Minus(q).list()
	for i, c := range q.list() {
		if c < 0 || left[i] < 0 {
			return false
		}
	}
	return true
}

// positive returns the components with zero in place of negative ones.
func (p Components) positive() Components {
	all := p.list()
	for i := range all {
		all[i] = max(0, all[i])
	}
	return fromList(all)
}

// Scale divides another total in proportion to the components, for a charge whose amount operators
// accepted although it differs.
func (p Components) Scale(total money.Cents) Components {
	if total == p.Sum() {
		return p
	}
	return fromList(money.Split(total, p.list()))
}

// list returns the components in the order of their accounts.
func (p Components) list() []money.Cents {
	return []money.Cents{p.Pledges, p.AddOns, p.Shipping, p.Tips, p.Tax}
}

func fromList(c []money.Cents) Components { return Components{c[0], c[1], c[2], c[3], c[4]} }

// incomeAccounts are the accounts of the components, in the order of list.
var incomeAccounts = []Account{Pledges, AddOns, Shipping, Tips, Tax}

// PledgeComponents are the components of one pledge in a payment.
type PledgeComponents struct {
	Pledge string `json:"pledge" kv:"id"` // its order ID
	Components
}

// SumOf returns the total of several pledges' components.
func SumOf(all []PledgeComponents) (sum money.Cents) {
	for _, p := range all {
		sum += p.Sum()
	}
	return sum
}

// Divide divides a refund among what remains of the pledges of a payment, in proportion to every
// remaining component. It never takes more than remains, and a refund of everything takes exactly
// everything. The amount must be at most the total of what remains.
//
// Dividing the sum of all refunds by the original components instead would be wrong: rounding the
// larger sum can lower a component that was already refunded.
func Divide(amount money.Cents, remaining []PledgeComponents) []PledgeComponents {
	var weights []money.Cents
	for _, p := range remaining {
		weights = append(weights, p.list()...)
	}
	shares := money.Split(amount, weights)
	var out []PledgeComponents
	for i, p := range remaining {
		if c := fromList(shares[i*len(incomeAccounts):]); c.Sum() != 0 {
			out = append(out, PledgeComponents{p.Pledge, c})
		}
	}
	return out
}
