package pledge

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// LineKind is the kind of a Line.
type LineKind string

// Kinds of lines.
const (
	TierLine          LineKind = "tier"
	SupportLine       LineKind = "support"
	CustomLine        LineKind = "custom"
	CampaignAddOnLine LineKind = "campaign_add_on"
	PlatformAddOnLine LineKind = "platform_add_on"
	ShippingLine      LineKind = "shipping"
	TipLine           LineKind = "tip"
)

// Line is one item that a supporter chose, at the agreed price.
type Line struct {
	Kind    LineKind `json:"kind"`
	ID      string   `json:"id,omitempty"`      // of the tier, support item or add-on
	Variant string   `json:"variant,omitempty"` // of the add-on
	Name    string   `json:"name"`
	// VariantName is the variant's display name: "Medium".
	VariantName string            `json:"variantName,omitempty"`
	Quantity    int               `json:"quantity"`
	UnitPrice   money.Cents       `json:"unitPrice"` // cents
	Amount      money.Cents       `json:"amount"`    // cents: UnitPrice times Quantity
	Category    campaign.Category `json:"category,omitempty"`
	// PromisedDelivery is the month in which the reward was expected when the supporter chose it,
	// such as "2027-05". It is "" if the campaign gave none, and in lines of release 0.1.0.
	PromisedDelivery string `json:"promisedDelivery,omitempty"`
}

// Item returns the line's key in an inventory, such as "tier/early-bird" or
// "add-on/shirt/medium". Lines without stock have none.
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

// Totals are the amounts of a pledge, in cents.
type Totals struct {
	Subtotal   money.Cents `json:"subtotal"`
	Tax        money.Cents `json:"tax"`
	Shipping   money.Cents `json:"shipping"`
	TipPercent int         `json:"tipPercent"` // percent; 0 if the supporter chose an amount
	TipAmount  money.Cents `json:"tipAmount"`
	Amount     money.Cents `json:"amount"` // the amount to charge
	// CampaignSubtotal is the part of Subtotal that counts toward the campaign's goal: all
	// except platform add-ons.
	CampaignSubtotal money.Cents `json:"campaignSubtotal"`
}

// Tip is a supporter's tip: a percentage of the subtotal or, if Percent is 0, an
// amount in cents.
type Tip struct {
	Percent int
	Amount  money.Cents
}

// Of returns the tip on a subtotal in cents.
func (t Tip) Of(subtotal money.Cents) money.Cents {
	if t.Percent != 0 {
		return money.Percent(int64(t.Percent)).Of(subtotal)
	}
	return t.Amount
}

// Tip returns the tip that the supporter chose.
func (t Totals) Tip() Tip {
	if t.TipPercent != 0 {
		return Tip{Percent: t.TipPercent}
	}
	return Tip{Amount: t.TipAmount}
}

// CalculateTotals calculates the totals of a pledge. It fails with code Invalid if a part is
// negative or the sum exceeds money.Max.
func CalculateTotals(lines []Line, tax, shipping money.Cents, tip Tip) (Totals, error) {
	t := Totals{Tax: tax, Shipping: shipping, TipPercent: tip.Percent}
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
	t.TipAmount = tip.Of(t.Subtotal)
	t.Amount, err = money.Sum(t.Subtotal, t.Tax, t.Shipping, t.TipAmount)
	if err != nil {
		return Totals{}, err
	}
	return t, t.Check()
}

// Check returns an Invalid fault unless all parts are non-negative, Amount is their sum, and
// CampaignSubtotal is at most Subtotal.
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
