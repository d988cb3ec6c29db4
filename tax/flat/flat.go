// Package flat implements tax.Provider with one configured rate for every destination.
// The base is the subtotal: rewards, support, custom amounts and add-ons. Shipping and
// tips are not taxed.
package flat

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Provider implements tax.Provider. Its quotes are always final and do not depend on the
// destination.
type Provider struct {
	Rate money.Rate // pricing.sales_tax_rate
}

// Quote taxes the subtotal and rounds once. It fails like tax.Request.Bases.
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
