package site

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// shippingCost is what a campaign's page states about the shipping cost of a reward.
type shippingCost struct {
	Free  bool
	Cost  money.Cents // for the whole pledge; 0 if Free or Later is set
	Later bool        // the cost depends on the address
}

// shippingCost computes the cost of shipping one reward without the carrier. If the carrier would
// determine it, Later is set.
func (e *edition) shippingCost(c *campaign.Campaign, d campaign.Delivery) (shippingCost, error) {
	own := e.config.Shipping
	rules := shipping.Rules{FlatRate: own.FallbackFlatRate, FreeByDefault: own.FreeByDefault,
		OriginCountry: string(own.OriginCountry), DefaultOption: own.DefaultOption}
	q, err := rules.Quote(context.Background(),
		shipping.Request{Overrides: c.Shipping, Items: []shipping.Item{{Quantity: 1, Delivery: d}}})
	if err != nil {
		return shippingCost{}, err
	}
	if q.Reason == shipping.PlatformFlat && e.config.Carrier.Enabled {
		return shippingCost{Later: true}, nil
	}
	return shippingCost{Free: q.Shipping == 0, Cost: q.Shipping}, nil
}
