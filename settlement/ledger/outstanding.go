package ledger

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const paymentPrefix = "ledger-payment/" // payment ID → Outstanding, once a part of it was taken

// Outstanding is what remains of a payment.
type Outstanding struct {
	Charge int `json:"charge"` // the number of the entry of its charge
	// Remaining are the components that are neither refunded nor taken for a refund.
	Remaining []PledgeComponents `json:"remaining"`
}

// ReadOutstanding returns what remains of a payment. It fails with code NotFound if the ledger does
// not have the payment.
func ReadOutstanding(tx kv.Tx, paymentID string) (Outstanding, error) {
	o, ok, err := kv.Load[Outstanding](tx, paymentPrefix+paymentID)
	if err != nil || ok {
		return o, err
	}
	e, ok, err := Find(tx, ChargeIdentity(paymentID))
	if err != nil {
		return Outstanding{}, err
	}
	if !ok {
		return Outstanding{}, fault.New(fault.NotFound, "The ledger does not have the payment %s", paymentID)
	}
	return Outstanding{Charge: e.Number, Remaining: e.PledgesOf()}, nil
}

// Take takes components from what remains of a payment. It fails with code Conflict if less remains
// of one of them, and then takes nothing.
func Take(tx kv.Tx, paymentID string, parts []PledgeComponents) error {
	return change(tx, paymentID, parts, func(remaining, part Components) (Components, bool) {
		return remaining.Minus(part), remaining.Covers(part)
	})
}

// Claim takes an amount that the processor has already paid back, in proportion to what remains, and
// returns its parts. What exceeds that is held for refunds that the processor will refuse, and is
// divided as they are.
func Claim(tx kv.Tx, paymentID string, amount money.Cents) ([]PledgeComponents, error) {
	o, err := ReadOutstanding(tx, paymentID)
	if err != nil {
		return nil, err
	}
	charge, _, err := Find(tx, ChargeIdentity(paymentID))
	if err != nil {
		return nil, err
	}
	available, taken := make([]PledgeComponents, len(o.Remaining)), charge.PledgesOf()
	for i, p := range o.Remaining {
		available[i] = PledgeComponents{p.Pledge, p.positive()}
		taken[i].Components = taken[i].Minus(available[i].Components)
	}
	first := min(amount, SumOf(available))
	parts := Divide(first, available)
	for _, more := range Divide(amount-first, taken) {
		parts = add(parts, more)
	}
	return parts, change(tx, paymentID, parts, func(remaining, part Components) (Components, bool) {
		return remaining.Minus(part), true
	})
}

// add adds the components of a pledge to a list.
func add(all []PledgeComponents, more PledgeComponents) []PledgeComponents {
	for i, p := range all {
		if p.Pledge == more.Pledge {
			all[i].Components = p.Plus(more.Components)
			return all
		}
	}
	return append(all, more)
}

// PutBack returns components that were taken.
func PutBack(tx kv.Tx, paymentID string, parts []PledgeComponents) error {
	return change(tx, paymentID, parts, func(remaining, part Components) (Components, bool) {
		return remaining.Plus(part), true
	})
}

func change(tx kv.Tx, paymentID string, parts []PledgeComponents,
	apply func(remaining, part Components) (Components, bool),
) error {
	o, err := ReadOutstanding(tx, paymentID)
	if err != nil {
		return err
	}
	o.Remaining = slices.Clone(o.Remaining)
	for _, part := range parts {
		at := slices.IndexFunc(o.Remaining, func(p PledgeComponents) bool { return p.Pledge == part.Pledge })
		if at < 0 {
			return fault.New(fault.Conflict, "The payment %s is not for the pledge %s", paymentID, part.Pledge)
		}
		left, ok := apply(o.Remaining[at].Components, part.Components)
		if !ok {
			return fault.New(fault.Conflict, "Only %s of the pledge %s is not refunded yet", o.Remaining[at].Sum(),
				part.Pledge)
		}
		o.Remaining[at].Components = left
	}
	return kv.PutValue(tx, paymentPrefix+paymentID, o)
}

// Of returns what remains of one pledge, zero if the payment is not for it.
func (o Outstanding) Of(pledgeID string) Components {
	for _, p := range o.Remaining {
		if p.Pledge == pledgeID {
			return p.Components
		}
	}
	return Components{}
}

// Sum returns the total that remains, in cents.
func (o Outstanding) Sum() money.Cents { return SumOf(o.Remaining) }
