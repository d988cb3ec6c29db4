package inventory

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Funds are four sums that look alike and are not the same, in cents: whole
// amounts, with tax, shipping and tip, as the processor moves them. What counts
// toward the goal is another sum, Totals.Counted.
type Funds struct {
	Pledged     money.Cents `json:"pledged"`     // by all pledges that are not cancelled
	Collectable money.Cents `json:"collectable"` // charged, or with a card and not given up
	Collected   money.Cents `json:"collected"`   // charged
	Available   money.Cents `json:"available"`   // of that, less the processor's fees, as far as it has booked them
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

func (f *Funds) move(last, next Funds) {
	f.Pledged += next.Pledged - last.Pledged
	f.Collectable += next.Collectable - last.Collectable
	f.Collected += next.Collected - last.Collected
	f.Available += next.Available - last.Available
}
