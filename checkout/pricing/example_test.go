package pricing_test

import (
	"context"
	"fmt"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// A cart with two posters becomes a pledge with its totals.
func Example() {
	ctx := context.Background()
	catalogue, err := campaignfile.Load(fstest.MapFS{"campaigns/film.md": {Data: []byte(filmFile)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	pricer := pricing.Pricer{
		Catalogue: catalogue, Tax: salesTax{percent: 8}, Shipping: shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Zone: time.UTC, Now: func() time.Time { return time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC) },
		DefaultTip: 5, MaxTip: 15,
	}
	two := 2
	cart := pricing.Cart{
		Items: []pricing.Item{{ID: "film__poster", Quantity: &two}},
		ShippingAddress: &pledge.Address{Name: "Ada", Line1: "1 Shore Road", City: "Taos",
			State: "NM", PostalCode: "87571", Country: "US"},
	}
	sel, err := cart.Select()
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := pricer.Inputs(cart)
	if err != nil {
		fmt.Println(err)
		return
	}
	choices, err := pricer.Choose(ctx, sel, nothingPledged)
	if err != nil {
		fmt.Println(err)
		return
	}
	draft, err := pricer.Price(ctx, choices, in)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := draft.Parts[0]
	fmt.Println(p.Lines[0].Quantity, "×", p.Lines[0].Name, p.Totals.Subtotal)
	fmt.Println("shipping", p.Totals.Shipping, "tax", p.Totals.Tax, "tip", p.Totals.TipAmount)
	fmt.Println("total", draft.Amount)
	// Output:
	// 2 × Poster $80.00
	// shipping $3.00 tax $6.64 tip $4.00
	// total $93.64
}
