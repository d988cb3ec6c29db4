package shipping

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The surcharges of the options, in cents.
const (
	SignatureRequired money.Cents = 395
	AdultSignature    money.Cents = 970
)

// Flat prices a parcel at one rate, whatever it weighs and wherever it goes: at
// the campaign's own where it has one, or else at the platform's. Free shipping
// comes before both and covers the options too.
type Flat struct {
	Rate          money.Cents // cents a parcel, shipping.fallback_flat_rate
	FreeByDefault bool        // for campaigns that inherit, shipping.free_shipping_default
	OriginCountry string      // ISO 3166 alpha-2, upper case, shipping.origin_country
}

// Quote prices one parcel. A parcel without a physical line costs nothing and
// has no options. It fails with code Invalid and field "shippingOption" when
// the campaign does not offer the option, or the destination is known to be
// abroad, where options other than the standard one are not available.
func (f Flat) Quote(_ context.Context, r Request) (Quote, error) {
	if !slices.ContainsFunc(r.Lines, physical) {
		return Quote{Reason: NothingToSend, Source: "lines"}, nil
	}
	option, surcharge, err := f.option(r)
	if err != nil {
		return Quote{}, err
	}
	q := f.base(r.Overrides)
	q.Option = option
	if q.Reason == Free || surcharge == 0 {
		return q, nil
	}
	q.Source += " + " + option
	q.Shipping, err = money.Sum(q.Shipping, surcharge)
	if err != nil {
		return Quote{}, err
	}
	return q, nil
}

// base is the price of the standard option.
func (f Flat) base(own campaign.Shipping) Quote {
	switch {
	case own.Free != nil && *own.Free:
		return Quote{Reason: Free, Source: "campaign free_shipping"}
	case own.Free == nil && f.FreeByDefault:
		return Quote{Reason: Free, Source: "shipping.free_shipping_default"}
	case own.FallbackFlatRate != nil:
		return Quote{Shipping: *own.FallbackFlatRate, Reason: CampaignFlat, Source: "campaign shipping_fallback_flat_rate"}
	}
	return Quote{Shipping: f.Rate, Reason: PlatformFlat, Source: "shipping.fallback_flat_rate"}
}

func (f Flat) option(r Request) (string, money.Cents, error) {
	if r.Option == "" || r.Option == campaign.StandardShipping {
		return campaign.StandardShipping, 0, nil
	}
	surcharges := map[string]money.Cents{
		campaign.SignatureRequired: SignatureRequired,
		campaign.AdultSignature:    AdultSignature,
	}
	surcharge, known := surcharges[r.Option]
	if !known || !slices.Contains(r.Overrides.Options, r.Option) {
		return "", 0, fault.New(fault.Invalid, "The shipping option is not offered").In("shippingOption")
	}
	if to := r.Destination.Country; to != "" && to != f.OriginCountry {
		return "", 0, fault.New(fault.Invalid, "The shipping option is only available within %s", f.OriginCountry).In("shippingOption")
	}
	return r.Option, surcharge, nil
}

// physical reports whether a line is something to send; shipping is a price.
func physical(l pledge.Line) bool {
	return l.Category == campaign.Physical && l.Quantity > 0 && l.Kind != pledge.ShippingLine && l.Kind != pledge.TipLine
}
