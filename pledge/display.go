package pledge

import (
	"cmp"
	"slices"
	"strconv"
)

// DisplayStatus returns Status, or "dropped" for a pledge that was dropped after a declined
// charge, to distinguish it from one that waits for another card.
func (p *Pledge) DisplayStatus() Status {
	if p.Dropped() {
		return Status(Dropped)
	}
	return p.Status
}

// Statuses of a charged pledge that DetailedStatus distinguishes.
const (
	FullyRefunded  Status = "refunded"
	PartlyRefunded Status = "partly_refunded"
	InDispute      Status = "disputed"
	LostToDispute  Status = "dispute_lost"
)

// DetailedStatus is DisplayStatus with what happened to the money of a charged pledge: an open dispute, else
// a lost one, else a refund. A refund that came back does not count.
func (p *Pledge) DetailedStatus() Status {
	if !p.Charged {
		return p.DisplayStatus()
	}
	switch p.Disputed() {
	case DisputeOpen:
		return InDispute
	case DisputeLost:
		return LostToDispute
	case DisputeWon, DisputeClosed:
	}
	switch back := p.Refunded(); {
	case back == 0:
		return Charged
	case back < p.Paid():
		return PartlyRefunded
	}
	return FullyRefunded
}

// SupporterName returns the name in the shipping address or, if there is none, in the billing
// address; "" if neither has a name.
func (p *Pledge) SupporterName() string {
	var shipping, billing string
	if p.ShippingAddress != nil {
		shipping = p.ShippingAddress.Name
	}
	if p.BillingAddress != nil {
		billing = p.BillingAddress.Name
	}
	return cmp.Or(shipping, billing)
}

// RewardNames returns the names of the chosen rewards with their quantities, such as "2 × Seat". It
// is empty for a pledge without a reward.
func (p *Pledge) RewardNames() []string {
	names := []string{}
	for _, l := range p.Lines {
		if l.Kind == TierLine {
			names = append(names, l.display())
		}
	}
	return names
}

func (l Line) display() string {
	name := l.Name
	if l.VariantName != "" {
		name += ", " + l.VariantName
	}
	if l.Quantity > 1 {
		name = strconv.Itoa(l.Quantity) + " × " + name
	}
	return name
}

// Country returns the two-letter country code of the shipping address or, if there is none, of
// the billing address; "" if neither has a country.
func (p *Pledge) Country() string {
	for _, a := range []*Address{p.ShippingAddress, p.BillingAddress} {
		if a != nil && a.Country != "" {
			return a.Country
		}
	}
	return ""
}

// Filter selects pledges. Each field is optional.
type Filter struct {
	Status   Status // as DisplayStatus or DetailedStatus
	RewardID string // one of the pledge's rewards
	Country  string // as Country
	ToShip   bool   // charged, with an unsent parcel
}

// Matches reports whether a pledge matches all fields that are set.
func (f Filter) Matches(p *Pledge) bool {
	return (f.Status == "" || p.DisplayStatus() == f.Status || p.DetailedStatus() == f.Status) &&
		(f.Country == "" || p.Country() == f.Country) &&
		(f.RewardID == "" ||
			slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Kind == TierLine && l.ID == f.RewardID })) &&
		(!f.ToShip || p.ToShip())
}
