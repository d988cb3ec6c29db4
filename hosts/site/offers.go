package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// postage is what a reward's parcel costs, as far as a page that is the same for
// everybody can know.
type postage struct {
	Free  bool
	Cost  money.Cents // cents, for the whole pledge; 0 where Free or Later
	Later bool        // it depends on the address
}

// postage asks the platform's own rules, without the carrier.
func (e *edition) postage(c *campaign.Campaign, d campaign.Delivery) (postage, error) {
	own := e.config.Shipping
	rules := shipping.Rules{FlatRate: own.FallbackFlatRate, FreeByDefault: own.FreeByDefault,
		OriginCountry: string(own.OriginCountry), DefaultOption: own.DefaultOption}
	q, err := rules.Quote(context.Background(), shipping.Request{Overrides: c.Shipping, Items: []shipping.Item{{Quantity: 1, Delivery: d}}})
	if err != nil {
		return postage{}, err
	}
	if q.Reason == shipping.PlatformFlat && e.config.Carrier.Enabled {
		return postage{Later: true}, nil
	}
	return postage{Free: q.Shipping == 0, Cost: q.Shipping}, nil
}

// checkCountries refuses countries that there are none of, with their lines.
func checkCountries(c *campaign.Campaign) error {
	var faults []error
	look := func(field string, countries []string) {
		for _, code := range countries {
			if !pledge.IsCountry(code) {
				line := max(c.Lines[field+".ships_to"], c.Lines["ships_to"])
				faults = append(faults, campaign.Problems{{File: c.File, Line: line, Field: "ships_to", Message: code + " is no country"}})
			}
		}
	}
	for i, t := range c.Tiers {
		look(fmt.Sprintf("tiers[%d]", i), t.ShipsTo)
	}
	for i, s := range c.SupportItems {
		look(fmt.Sprintf("support_items[%d]", i), s.ShipsTo)
	}
	for i, a := range c.AddOns {
		look(fmt.Sprintf("campaign_add_ons[%d]", i), a.ShipsTo)
	}
	return errors.Join(faults...)
}
