package refund

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Choice is what an operator refunds of one pledge: everything that remains, an amount, or units of
// its lines. Exactly one of All, Amount and Units is set.
type Choice struct {
	All    bool        `json:"all,omitempty"`
	Amount money.Cents `json:"amount,omitempty"` // cents
	Units  []Units     `json:"units,omitempty"`
	// Shipping refunds what remains of the shipping, in addition to Units. Tip includes the tip in All
	// and Amount, and refunds what remains of it in addition to Units.
	Shipping bool `json:"shipping,omitempty"`
	Tip      bool `json:"tip,omitempty"`
}

// Units are units of one line of a pledge.
type Units struct {
	Line     int `json:"line"` // index in the pledge's lines
	Quantity int `json:"quantity"`
}

// Of returns the components that the choice takes from what remains of a pledge. It fails with code
// Invalid, and the field, if the choice is not valid for the pledge, and with Conflict if less remains
// than it takes.
func (c Choice) Of(p *pledge.Pledge, remaining ledger.Components) (ledger.Components, error) {
	if err := c.check(p); err != nil {
		return ledger.Components{}, err
	}
	available := remaining
	if !c.Tip {
		available.Tips = 0
	}
	switch {
	case available.Sum() == 0:
		return ledger.Components{}, fault.New(fault.Conflict, "Nothing remains of the pledge %s to refund", p.OrderID)
	case c.All:
		return available, nil
	case c.Amount > 0:
		return ofAmount(c.Amount, available)
	}
	return c.ofUnits(p, remaining)
}

func (c Choice) check(p *pledge.Pledge) error {
	set := 0
	for _, is := range []bool{c.All, c.Amount != 0, len(c.Units) > 0} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fault.New(fault.Invalid, "Choose everything, an amount, or units of lines").In("choice")
	}
	if c.Amount < 0 {
		return fault.New(fault.Invalid, "The amount must be positive").In("amount")
	}
	seen := map[int]bool{}
	for _, u := range c.Units {
		if u.Line < 0 || u.Line >= len(p.Lines) || seen[u.Line] {
			return fault.New(fault.Invalid, "The pledge has no other line %d", u.Line).In("units")
		}
		if seen[u.Line] = true; u.Quantity < 1 || u.Quantity > p.Lines[u.Line].Quantity {
			return fault.New(fault.Invalid, "%s was pledged %d times", p.Lines[u.Line].Name, p.Lines[u.Line].Quantity).
				In("units")
		}
	}
	return nil
}

func ofAmount(amount money.Cents, available ledger.Components) (ledger.Components, error) {
	if amount > available.Sum() {
		return ledger.Components{}, fault.New(fault.Conflict, "At most %s can be refunded", available.Sum()).In("amount")
	}
	return ledger.Divide(amount, []ledger.PledgeComponents{{Components: available}})[0].Components, nil
}

// ofUnits returns the price of the units, with the tax in proportion to the goods that remain. Tax on
// shipping is not separated in a pledge, so the goods bear all of it.
func (c Choice) ofUnits(p *pledge.Pledge, remaining ledger.Components) (ledger.Components, error) {
	var out ledger.Components
	for _, u := range c.Units {
		l := p.Lines[u.Line]
		price, err := l.UnitPrice.Times(u.Quantity)
		if err != nil {
			return out, err
		}
		if l.Kind == pledge.PlatformAddOnLine {
			out.AddOns += price
		} else {
			out.Pledges += price
		}
	}
	if out.Pledges > remaining.Pledges || out.AddOns > remaining.AddOns {
		return out, fault.New(fault.Conflict, "Only %s of these lines is not refunded yet",
			remaining.Pledges+remaining.AddOns).In("units")
	}
	goods, left := out.Pledges+out.AddOns, remaining.Pledges+remaining.AddOns
	out.Tax = money.Split(remaining.Tax, []money.Cents{goods, left - goods})[0]
	if c.Shipping {
		out.Shipping = remaining.Shipping
	}
	if c.Tip {
		out.Tips = remaining.Tips
	}
	return out, nil
}
