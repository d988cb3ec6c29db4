package checkout

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// ShippingQuote is a preview of what a cart's parcels cost.
type ShippingQuote struct {
	Quotes   []ParcelQuote   `json:"quotes"`
	Shipping money.Cents     `json:"totalShippingCents"`
	Address  *pledge.Address `json:"shippingAddress,omitempty"`
}

// ParcelQuote is one parcel's: what a campaign sends, or the platform of its add-ons.
type ParcelQuote struct {
	CampaignSlug string `json:"campaignSlug"` // "" is the platform's parcel
	shipping.Quote
}

// QuoteShipping previews what a cart's parcels cost. A parcel whose price waits for
// the address says what is missing.
func (s *Service) QuoteShipping(ctx context.Context, c Cart) (ShippingQuote, error) {
	sel, err := c.parse()
	if err != nil {
		return ShippingQuote{}, err
	}
	t, err := s.terms(c)
	if err != nil {
		return ShippingQuote{}, err
	}
	choices, err := s.choices(ctx, sel, everything)
	if err != nil {
		return ShippingQuote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	out := ShippingQuote{Address: t.shipTo}
	for _, c := range choices {
		parcels, err := s.ship(ctx, c, t)
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

// ship quotes the campaign's parcel, and the platform's where there is one: on the
// platform's own terms, and without the options that the campaign offers.
func (s *Service) ship(ctx context.Context, c choice, t terms) ([]ParcelQuote, error) {
	r := shipping.Request{Overrides: c.campaign.Shipping, Items: c.sent, Option: t.option, At: t.at}
	if t.shipTo != nil {
		r.Destination = *t.shipTo
	}
	own, err := s.parcel(ctx, c.campaign.Slug, r)
	if err != nil {
		return nil, err
	}
	r = shipping.Request{Items: c.sentByPlatform, Destination: r.Destination, At: t.at}
	platform, err := s.parcel(ctx, "", r)
	if err != nil || platform.Reason == shipping.NothingToSend {
		return []ParcelQuote{own}, err
	}
	return []ParcelQuote{own, platform}, nil
}

// reaches fails where something is not sent to the destination, as far as that is known.
func reaches(r shipping.Request) error {
	to := r.Destination.Country
	for _, item := range r.Items {
		if to != "" && !item.Reaches(to) {
			return fault.New(fault.Invalid, "%s ships to %s only", item.Name, strings.Join(item.ShipsTo, ", ")).In("shippingAddress.country")
		}
	}
	return nil
}

func (s *Service) parcel(ctx context.Context, slug string, r shipping.Request) (ParcelQuote, error) {
	if err := reaches(r); err != nil {
		return ParcelQuote{}, err
	}
	q, err := s.Shipping.Quote(ctx, r)
	if q.Fallback == shipping.CarrierBusy || q.Fallback == shipping.CarrierDown {
		s.Log.WarnContext(ctx, "a parcel is charged at the flat rate", "campaign", slug, "because", q.Fallback)
	}
	return ParcelQuote{slug, q}, err
}

// derivation explains the parcel's part of the pledge's shipping.
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
