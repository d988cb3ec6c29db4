package pledge

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// LineKind says what a line of a pledge is.
type LineKind string

// The kinds.
const (
	TierLine          LineKind = "tier"
	SupportLine       LineKind = "support"
	CustomLine        LineKind = "custom"
	CampaignAddOnLine LineKind = "campaign_add_on"
	PlatformAddOnLine LineKind = "platform_add_on"
	ShippingLine      LineKind = "shipping"
	TipLine           LineKind = "tip"
)

// Line is one thing a supporter chose, at the price it was promised for.
type Line struct {
	Kind    LineKind `json:"kind"`
	ID      string   `json:"id,omitempty"`      // of the tier, support item or add-on
	Variant string   `json:"variant,omitempty"` // of the add-on
	Name    string   `json:"name"`
	// VariantName is the variant as it is shown: "Medium".
	VariantName string            `json:"variantName,omitempty"`
	Quantity    int               `json:"quantity"`
	UnitPrice   money.Cents       `json:"unitPrice"` // cents
	Amount      money.Cents       `json:"amount"`    // cents: UnitPrice times Quantity
	Category    campaign.Category `json:"category,omitempty"`
}

// Item is the line's identity in an inventory: "tier/early-bird",
// "add-on/shirt/medium". Lines that nothing is counted for have none.
func (l Line) Item() string {
	switch l.Kind {
	case TierLine:
		return "tier/" + l.ID
	case CampaignAddOnLine, PlatformAddOnLine:
		if l.Variant != "" {
			return "add-on/" + l.ID + "/" + l.Variant
		}
		return "add-on/" + l.ID
	case SupportLine, CustomLine, ShippingLine, TipLine:
		return ""
	}
	return ""
}

// Totals are a pledge's amounts, in cents, each under its meaning.
type Totals struct {
	Subtotal   money.Cents `json:"subtotal"`
	Tax        money.Cents `json:"tax"`
	Shipping   money.Cents `json:"shipping"`
	TipPercent int         `json:"tipPercent"` // percent
	TipAmount  money.Cents `json:"tipAmount"`
	Amount     money.Cents `json:"amount"` // what will be charged
	// CampaignSubtotal is the part of Subtotal that counts toward the campaign:
	// all of it but platform add-ons.
	CampaignSubtotal money.Cents `json:"campaignSubtotal"`
}

// Add puts the parts of a pledge together. It fails with code Invalid when a
// part is negative or the sum is above money.Max.
func Add(lines []Line, tax, shipping money.Cents, tipPercent int) (Totals, error) {
	t := Totals{Tax: tax, Shipping: shipping, TipPercent: tipPercent}
	amounts, counted := make([]money.Cents, 0, len(lines)), make([]money.Cents, 0, len(lines))
	for _, l := range lines {
		if err := l.Amount.Check(); err != nil {
			return Totals{}, err
		}
		amounts = append(amounts, l.Amount)
		if l.Kind != PlatformAddOnLine {
			counted = append(counted, l.Amount)
		}
	}
	var err error
	if t.Subtotal, err = money.Sum(amounts...); err != nil {
		return Totals{}, err
	}
	if t.CampaignSubtotal, err = money.Sum(counted...); err != nil {
		return Totals{}, err
	}
	t.TipAmount = money.Percent(int64(tipPercent)).Of(t.Subtotal)
	t.Amount, err = money.Sum(t.Subtotal, t.Tax, t.Shipping, t.TipAmount)
	if err != nil {
		return Totals{}, err
	}
	return t, t.Check()
}

// Check reports whether the totals hold together: no part negative, Amount the
// sum of the others.
func (t Totals) Check() error {
	for _, part := range []money.Cents{t.Subtotal, t.Tax, t.Shipping, t.TipAmount, t.CampaignSubtotal} {
		if err := part.Check(); err != nil {
			return err
		}
	}
	sum, err := money.Sum(t.Subtotal, t.Tax, t.Shipping, t.TipAmount)
	if err != nil {
		return err
	}
	if sum != t.Amount || t.CampaignSubtotal > t.Subtotal {
		return fault.New(fault.Invalid, "The total is not the sum of its parts")
	}
	return nil
}
