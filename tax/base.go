package tax

import (
	"fmt"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Bases holds the taxable amounts in cents, by the categories that tax laws distinguish.
// Tips are not included.
type Bases struct {
	Physical money.Cents // rewards, support, custom amounts and add-ons that are shipped
	Digital  money.Cents // the same kinds, downloaded or attended
	Gifts    money.Cents // the same kinds, without a reward
	Shipping money.Cents
}

// Goods returns the sum of the amounts without shipping.
func (b *Bases) Goods() money.Cents { return b.Physical + b.Digital + b.Gifts }

// Bases adds up the lines. It fails with code Invalid and a field such as
// "lines[2].amount" if a line has an unknown kind or an invalid amount.
func (r Request) Bases() (Bases, error) {
	var b Bases
	for i, l := range r.Lines {
		if err := l.Amount.Check(); err != nil {
			return Bases{}, inLine(err, i, "amount")
		}
		switch l.Kind {
		case pledge.TierLine, pledge.SupportLine, pledge.CustomLine, pledge.CampaignAddOnLine, pledge.PlatformAddOnLine:
			*b.amountOf(l.Category) += l.Amount
		case pledge.ShippingLine:
			b.Shipping += l.Amount
		case pledge.TipLine:
		default:
			return Bases{}, inLine(fault.New(fault.Invalid, "A line of unknown kind cannot be taxed"), i, "kind")
		}
		// Each line is limited, so the sum of two cannot overflow.
		if _, err := money.Sum(b.Goods(), b.Shipping); err != nil {
			return Bases{}, inLine(err, i, "amount")
		}
	}
	return b, nil
}

// amountOf returns the field for lines of a category.
func (b *Bases) amountOf(c campaign.Category) *money.Cents {
	switch c {
	case campaign.Physical:
		return &b.Physical
	case campaign.Digital:
		return &b.Digital
	}
	return &b.Gifts
}

// inLine returns a validation error with the field of a line; other errors are returned unchanged.
func inLine(err error, line int, field string) error {
	if f := fault.Of(err); f != nil {
		return f.In(fmt.Sprintf("lines[%d].%s", line, field))
	}
	return err
}
