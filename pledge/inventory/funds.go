package inventory

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Funds are four sums of pledge amounts in cents, including tax, shipping and tips. Totals.Counted
// is the sum that counts toward the goal.
type Funds struct {
	Pledged     money.Cents `json:"pledged"`     // all pledges that are not cancelled
	Collectable money.Cents `json:"collectable"` // charged, or unpaid with a saved card
	Collected   money.Cents `json:"collected"`   // charged
	Available   money.Cents `json:"available"`   // payments that Stripe has booked, net of its fees
}

func fundsOf(p *pledge.Pledge) Funds {
	f := Funds{}
	if p.Status == pledge.Cancelled {
		return f
	}
	f.Pledged = p.Amount
	if p.Charged {
		f.Collectable, f.Collected = p.Paid(), p.Paid()
	} else if p.Unpaid() && p.CustomerID != "" && p.PaymentMethodID != "" {
		f.Collectable = p.Amount
	}
	if p.Financials != nil && p.BalanceTransactionID != "" {
		f.Available = p.Financials.Net
	}
	return f
}

// replace updates the sums for an account whose funds changed from last to next.
func (f *Funds) replace(last, next Funds) {
	f.Pledged += next.Pledged - last.Pledged
	f.Collectable += next.Collectable - last.Collectable
	f.Collected += next.Collected - last.Collected
	f.Available += next.Available - last.Available
}
