package checkout

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// TaxQuoteRequest asks what tax a cart would bear. Without items, Subtotal
// stands for them.
type TaxQuoteRequest struct {
	Cart
	Subtotal *money.Cents `json:"subtotalCents,omitempty"` // cents
	Shipping *money.Cents `json:"shippingCents,omitempty"` // cents; nil with items is quoted
}

// TaxQuote is a preview. Provisional is true while the tax cannot be charged
// yet: Missing then names the parts of the address it takes.
type TaxQuote struct {
	Subtotal    money.Cents        `json:"subtotalCents"`
	Shipping    money.Cents        `json:"shippingCents"`
	Tax         money.Cents        `json:"taxCents"`
	Provisional bool               `json:"provisional"`
	Missing     []string           `json:"missing"`
	Campaigns   []CampaignTaxQuote `json:"campaigns"`
}

// CampaignTaxQuote is one campaign's part of it.
type CampaignTaxQuote struct {
	CampaignSlug string    `json:"campaignSlug,omitempty"`
	Quote        tax.Quote `json:"taxDetails"`
}

// ShippingQuote is a preview of what a cart's parcels cost.
type ShippingQuote struct {
	Quotes   []CampaignShippingQuote `json:"quotes"`
	Shipping money.Cents             `json:"totalShippingCents"`
	Address  *pledge.Address         `json:"shippingAddress,omitempty"`
}

// CampaignShippingQuote is one parcel's.
type CampaignShippingQuote struct {
	CampaignSlug string `json:"campaignSlug"`
	shipping.Quote
	Options []string `json:"availableOptions"`
}
