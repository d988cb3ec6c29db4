package site

import (
	"context"

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
