package shipping

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Surcharges of the options that require a signature, in cents.
const (
	SignatureRequired money.Cents = 395
	AdultSignature    money.Cents = 970
)

// Rules is the platform's shipping policy. The price of a parcel is the first of these that
// applies:
//
//   - 0, including options, if the campaign or the platform ships for free
//   - the campaign's flat rate
//   - the carrier's price
//   - the platform's flat rate
type Rules struct {
	FlatRate      money.Cents // cents per parcel, shipping.fallback_flat_rate
	FreeByDefault bool        // for campaigns without their own setting, shipping.free_shipping_default
	OriginCountry string      // ISO 3166 alpha-2, upper case, shipping.origin_country
	// Excluded lists the countries that nothing is shipped to, shipping.excluded_countries.
	Excluded []string
	// DefaultOption is used if it is offered and no option is chosen; "" means the standard
	// option. It is shipping.default_option.
	DefaultOption string
	Carrier       Carrier // nil means no carrier; parcels are then not packed
}

// Quote prices one parcel. A parcel without physical items is free and has no options.
//
// Quote fails with code Invalid and field "shippingOption" if the campaign does not offer the
// requested option, or if the destination is abroad, where only the standard option is available.
// It fails with code Invalid and field "shippingAddress.country" if the destination is excluded.
func (u Rules) Quote(ctx context.Context, r Request) (Quote, error) {
	if !slices.ContainsFunc(r.Items, Item.IsShipped) {
		return Quote{Reason: NothingToSend, Source: "items", Options: []Option{}}, nil
	}
	if to := r.Destination.Country; slices.Contains(u.Excluded, to) {
		return Quote{}, fault.New(fault.Invalid,
			"Nothing is shipped to %s. Choose another country, or remove everything that is shipped.",
			pledge.CountryName(to, "en")).In("shippingAddress.country")
	}
	options := u.options(r)
	option, err := u.choose(r, options)
	if err != nil {
		return Quote{}, err
	}
	q := u.price(ctx, r, option)
	q.Option, q.Options = option.ID, options
	if q.Reason == Free {
		for i := range q.Options {
			q.Options[i].Surcharge = 0
		}
		return q, nil
	}
	if option.Surcharge > 0 {
		q.Source += " + " + option.ID
	}
	q.Shipping, err = money.Sum(q.Shipping, option.Surcharge)
	return q, err
}

// options returns the available options, the standard one first.
func (u Rules) options(r Request) []Option {
	all := []Option{{ID: campaign.StandardShipping}}
	if to := r.Destination.Country; to != "" && !Domestic(u.OriginCountry, to) {
		return all
	}
	for _, o := range []Option{{campaign.SignatureRequired, SignatureRequired},
		{campaign.AdultSignature, AdultSignature}} {
		if slices.Contains(r.Overrides.Options, o.ID) {
			all = append(all, o)
		}
	}
	return all
}

// choose returns the requested option. If none is requested, it returns the default option, or
// the standard one if the default is not offered. It fails with code Invalid if the requested
// option is not offered.
func (u Rules) choose(r Request, offered []Option) (Option, error) {
	find := func(id string) int { return slices.IndexFunc(offered, func(o Option) bool { return o.ID == id }) }
	if r.Option == "" {
		return offered[max(find(u.DefaultOption), 0)], nil
	}
	if i := find(r.Option); i >= 0 {
		return offered[i], nil
	}
	refused := fault.New(fault.Invalid, "The shipping option is not offered")
	if to := r.Destination.Country; to != "" && !Domestic(u.OriginCountry, to) &&
		slices.Contains(r.Overrides.Options, r.Option) {
		refused = fault.New(fault.Invalid, "The shipping option is only available within %s", u.OriginCountry)
	}
	return Option{}, refused.In("shippingOption")
}

// price returns the parcel's price without the option's surcharge.
func (u Rules) price(ctx context.Context, r Request, option Option) Quote {
	own := r.Overrides
	switch {
	case own.Free != nil && *own.Free:
		return Quote{Reason: Free, Source: "campaign free_shipping"}
	case own.Free == nil && u.FreeByDefault:
		return Quote{Reason: Free, Source: "shipping.free_shipping_default"}
	case own.FallbackFlatRate != nil:
		return Quote{Shipping: *own.FallbackFlatRate, Reason: CampaignFlat, Source: "campaign shipping_fallback_flat_rate"}
	case u.Carrier == nil:
		return Quote{Shipping: u.FlatRate, Reason: PlatformFlat, Source: flatSource}
	}
	return u.quoteCarrier(ctx, r, option)
}

const flatSource = "shipping.fallback_flat_rate"

// quoteCarrier packs the parcel and requests the carrier's price. If there is none, it returns
// the platform's flat rate with the cause.
func (u Rules) quoteCarrier(ctx context.Context, r Request, option Option) Quote {
	fallback := Quote{Shipping: u.FlatRate, Reason: Fallback, Source: flatSource}
	parcel, missing, ok := Pack(r.Items)
	if !ok {
		fallback.Fallback, fallback.Source = MissingPackage, flatSource+", "+missing+" has no package"
		return fallback
	}
	fallback.Parcel = &parcel
	if fallback.Missing = u.missingFields(r.Destination); len(fallback.Missing) > 0 {
		fallback.Fallback = MissingDestination
		return fallback
	}
	rate, err := u.Carrier.Rate(ctx, Shipment{Parcel: parcel, To: r.Destination, Signed: option.Surcharge > 0, At: r.At})
	if err != nil || rate.Price.Check() != nil {
		fallback.Fallback = cause(err)
		return fallback
	}
	return Quote{Shipping: rate.Price, Reason: CarrierRate, Source: cmp.Or(rate.Source, "carrier"), Parcel: &parcel}
}

// missingFields returns the fields that a carrier requires and the destination lacks.
func (u Rules) missingFields(to Address) []string {
	switch {
	case to.Country == "" && to.PostalCode == "":
		return []string{"country", "postalCode"}
	case to.Country == "":
		return []string{"country"}
	case to.PostalCode == "" && Domestic(u.OriginCountry, to.Country):
		return []string{"postalCode"}
	}
	return nil
}

// cause returns why the carrier has no price. err is nil if its price was not valid.
func cause(err error) Cause {
	switch {
	case errors.Is(err, ErrNotCarried):
		return NotCarried
	case errors.Is(err, ErrBusy):
		return CarrierBusy
	}
	return CarrierDown
}
