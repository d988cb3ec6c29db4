// Package flat taxes everything at one configured rate, wherever it goes. The
// base is the subtotal: rewards, support, custom amounts and add-ons. Shipping
// and tip are not taxed.
package flat

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider is a tax.Provider that always has an answer: it asks nothing of the
// destination.
type Provider struct {
	Rate money.Rate // pricing.sales_tax_rate
}

// Quote taxes the subtotal of the request, with one rounding. It fails as
// tax.Request.Bases does.
func (p Provider) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	b, err := r.Bases()
	if err != nil {
		return tax.Quote{}, err
	}
	base := b.Goods()
	due := p.Rate.Of(base)
	return tax.Quote{
		Status: tax.Quoted, Tax: due, Base: base, Provider: "flat", Source: "pricing.sales_tax_rate",
		Breakdown: []tax.Part{{Label: "Sales tax", Rate: p.Rate, Base: base, Tax: due}},
	}, nil
}
