package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
)

// TaxQuoteRequest requests a preview of a cart's tax.
type TaxQuoteRequest = pricing.TaxQuoteRequest

// TaxQuote is a preview of a cart's tax.
type TaxQuote = pricing.TaxQuote

// CampaignTaxQuote is one campaign's part of a TaxQuote.
type CampaignTaxQuote = pricing.CampaignTaxQuote

// ShippingQuote is a preview of the shipping of a cart's parcels.
type ShippingQuote = pricing.ShippingQuote

// ParcelQuote is the quote for one parcel.
type ParcelQuote = pricing.ParcelQuote

// Limits of a cart, and of the time to quote it.
const (
	MaxItems     = pricing.MaxItems
	MaxQuantity  = pricing.MaxQuantity
	MaxCampaigns = pricing.MaxCampaigns
	QuoteTimeout = pricing.QuoteTimeout
)

// pricer returns a Pricer that uses the current catalogue.
func (s *Service) pricer() pricing.Pricer {
	return pricing.Pricer{
		Catalogue: s.Catalogue(), Tax: s.Tax, Shipping: s.Shipping, Zone: s.Settings.Zone, Now: s.Now,
		DefaultTip: s.Settings.DefaultTip, MaxTip: s.Settings.MaxTip, TestMode: s.Settings.TestMode, Log: s.Log,
	}
}

// QuoteTax previews a cart's tax; see [pricing.Pricer.QuoteTax].
func (s *Service) QuoteTax(ctx context.Context, r TaxQuoteRequest) (TaxQuote, error) {
	return s.pricer().QuoteTax(ctx, r)
}

// QuoteShipping previews the shipping of a cart's parcels; see
// [pricing.Pricer.QuoteShipping].
func (s *Service) QuoteShipping(ctx context.Context, c Cart) (ShippingQuote, error) {
	return s.pricer().QuoteShipping(ctx, c)
}
