package pricing

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// ShippingQuote is a preview of the shipping of a cart's parcels.
type ShippingQuote struct {
	Quotes   []ParcelQuote   `json:"quotes"`
	Shipping money.Cents     `json:"totalShippingCents"`
	Address  *pledge.Address `json:"shippingAddress,omitempty"`
}

// ParcelQuote is the quote for one parcel, sent by a campaign or, for its
// add-ons, the platform.
type ParcelQuote struct {
	CampaignSlug string `json:"campaignSlug"` // "" for the platform's parcel
	shipping.Quote
}

// QuoteShipping previews the shipping of a cart's parcels. The quote of a parcel
// whose price depends on an incomplete address names the missing fields.
func (pr Pricer) QuoteShipping(ctx context.Context, c Cart) (ShippingQuote, error) {
	sel, err := c.Select()
	if err != nil {
		return ShippingQuote{}, err
	}
	in, err := pr.Inputs(c)
	if err != nil {
		return ShippingQuote{}, err
	}
	choices, err := pr.Choose(ctx, sel, allTiersOpen)
	if err != nil {
		return ShippingQuote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	out := ShippingQuote{Address: in.ShipTo}
	inputs := in.split(choices)
	for i, c := range choices {
		parcels, err := pr.quoteParcels(ctx, c, inputs[i])
		if err != nil {
			return ShippingQuote{}, err
		}
		for _, p := range parcels {
			out.Quotes = append(out.Quotes, p)
			out.Shipping += p.Shipping
		}
	}
	return out, nil
}

// quoteParcels quotes the campaign's parcel and the platform's, if there is one.
// The platform's parcel uses the platform's own terms, without the campaign's
// shipping options.
func (pr Pricer) quoteParcels(ctx context.Context, c Choice, in Inputs) ([]ParcelQuote, error) {
	r := shipping.Request{Overrides: c.Campaign.Shipping, Items: c.sent, Option: in.Option, At: in.At}
	if in.ShipTo != nil {
		r.Destination = *in.ShipTo
	}
	own, err := pr.quoteParcel(ctx, c.Campaign.Slug, r)
	if err != nil {
		return nil, err
	}
	r = shipping.Request{Items: c.sentByPlatform, Destination: r.Destination, At: in.At}
	platform, err := pr.quoteParcel(ctx, "", r)
	if err != nil || platform.Reason == shipping.NothingToSend {
		return []ParcelQuote{own}, err
	}
	return []ParcelQuote{own, platform}, nil
}

// checkDestination fails if an item does not ship to the destination country. An
// unknown country passes.
func checkDestination(r shipping.Request) error {
	to := r.Destination.Country
	for _, item := range r.Items {
		if to != "" && !item.Reaches(to) {
			return fault.New(fault.Invalid, "%s ships to %s only", item.Name,
				strings.Join(item.ShipsTo, ", ")).In("shippingAddress.country")
		}
	}
	return nil
}

func (pr Pricer) quoteParcel(ctx context.Context, slug string, r shipping.Request) (ParcelQuote, error) {
	if err := checkDestination(r); err != nil {
		return ParcelQuote{}, err
	}
	q, err := pr.Shipping.Quote(ctx, r)
	if pr.Log != nil && (q.Fallback == shipping.CarrierBusy || q.Fallback == shipping.CarrierDown) {
		pr.Log.WarnContext(ctx, "quoted the flat rate for a parcel", "campaign", slug, "reason", q.Fallback)
	}
	return ParcelQuote{slug, q}, err
}

// derivation explains the parcel's share of the pledge's shipping.
func (p ParcelQuote) derivation() pledge.Derivation {
	d := pledge.Derivation{Amount: "shipping", Cents: p.Shipping, Rule: string(p.Reason), Source: p.Source}
	if p.Fallback != "" {
		d.Rule += ": " + string(p.Fallback)
	}
	if p.CampaignSlug == "" {
		d.Rule = "platform's parcel, " + d.Rule
	}
	return d
}
