package pricing_test

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

const filmFile = `---
title: Film
slug: film
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 1000
tiers:
  - {id: seat, name: Seat, price: 25, limit_total: 3, stackable: true}
  - {id: thanks, name: Thanks, price: 5}
  - {id: poster, name: Poster, price: 40, category: physical, stackable: true}
  - {id: premiere, name: Premiere, price: 100, requires_threshold: 50}
support_items:
  - {id: lens, label: Lens, target: 500}
campaign_add_ons:
  - {id: mug, name: Mug, price: 12, category: physical, inventory: 2}
custom_amount: {min: 2, max: 500}
---
`

const gameFile = `---
title: Game
slug: game
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-15
goal_amount: 2000
single_tier_only: true
tiers:
  - {id: box, name: Box, price: 60}
  - {id: print, name: Print and play, price: 10}
---
`

const addOnsFile = `enabled: true
products:
  - {id: sticker, name: Sticker, price: 4, inventory: 3}
`

// salesTax taxes every line. For addresses in Canada it needs the postal code, and for those in
// Antarctica the tax is unavailable.
type salesTax struct{ percent int64 }

func (s salesTax) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	switch {
	case r.Destination.Country == "CA" && r.Destination.PostalCode == "":
		return tax.Quote{Status: tax.NeedsInput, Missing: []string{"postalCode"}}, nil
	case r.Destination.Country == "AQ":
		return tax.Quote{Status: tax.Unavailable}, nil
	}
	var base money.Cents
	for _, l := range r.Lines {
		base += l.Amount
	}
	return tax.Quote{Status: tax.Quoted, Provider: "sales tax", Base: base, Tax: money.Percent(s.percent).Of(base)}, nil
}

func nothingPledged(context.Context, *campaign.Campaign, []pricing.Pick) (money.Cents, error) {
	return 0, nil
}

func newPricer(t testing.TB) pricing.Pricer {
	t.Helper()
	catalogue, err := campaignfile.Load(fstest.MapFS{
		"campaigns/film.md": {Data: []byte(filmFile)}, "campaigns/game.md": {Data: []byte(gameFile)},
		"add-ons.yml": {Data: []byte(addOnsFile)},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	return pricing.Pricer{
		Catalogue: catalogue, Tax: salesTax{percent: 8}, Shipping: shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Zone: time.UTC, Now: func() time.Time { return now }, DefaultTip: 5, MaxTip: 15,
	}
}

// price selects, chooses and prices a cart.
func price(t testing.TB, pr pricing.Pricer, c pricing.Cart) (pricing.Draft, error) {
	t.Helper()
	sel, err := c.Select()
	if err != nil {
		return pricing.Draft{}, err
	}
	in, err := pr.Inputs(c)
	if err != nil {
		return pricing.Draft{}, err
	}
	choices, err := pr.Choose(t.Context(), sel, nothingPledged)
	if err != nil {
		return pricing.Draft{}, err
	}
	return pr.Price(t.Context(), choices, in)
}

func home() *pledge.Address {
	return &pledge.Address{Name: "Ada", Line1: "1 Shore Road", City: "Taos", State: "NM",
		PostalCode: "87571", Country: "US"}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
