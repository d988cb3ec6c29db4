package tax

import (
	"fmt"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Bases returns what a provider may tax, in cents: the goods (rewards, support,
// custom amounts and add-ons) and the shipping. A tip is in neither. It fails
// with code Invalid, and a field such as "lines[2].amount", when a line has an
// unknown kind or no possible amount.
func (r Request) Bases() (goods, shipping money.Cents, err error) {
	for i, l := range r.Lines {
		if err := l.Amount.Check(); err != nil {
			return 0, 0, in(err, i, "amount")
		}
		switch l.Kind {
		case pledge.TierLine, pledge.SupportLine, pledge.CustomLine, pledge.CampaignAddOnLine, pledge.PlatformAddOnLine:
			goods, err = money.Sum(goods, l.Amount)
		case pledge.ShippingLine:
			shipping, err = money.Sum(shipping, l.Amount)
		case pledge.TipLine:
		default:
			return 0, 0, in(fault.New(fault.Invalid, "A line of unknown kind cannot be taxed"), i, "kind")
		}
		if err != nil {
			return 0, 0, in(err, i, "amount")
		}
	}
	return goods, shipping, nil
}

func in(err error, line int, field string) error {
	if f := fault.Of(err); f != nil {
		return f.In(fmt.Sprintf("lines[%d].%s", line, field))
	}
	return err
}
