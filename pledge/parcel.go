package pledge

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Fulfillers of a pledge: the campaign ships its rewards and add-ons, and the platform ships the
// platform add-ons.
const (
	ByCampaign = "campaign"
	ByPlatform = "platform"
)

// ParcelStatus is the shipping status of a parcel.
type ParcelStatus string

// Statuses of a parcel. The initial one is ToPack.
const (
	ToPack ParcelStatus = "to_pack"
	Packed ParcelStatus = "packed"
	Sent   ParcelStatus = "sent"
)

// Parcel is the part of a pledge that one fulfiller ships.
type Parcel struct {
	Fulfiller string       `json:"fulfiller" kv:"id"`
	Status    ParcelStatus `json:"status"`
	PackedAt  *time.Time   `json:"packedAt,omitempty"`
	// SentOn is a date such as 2026-01-31. Link is the tracking page.
	SentOn   string `json:"sentOn,omitempty"`
	Carrier  string `json:"carrier,omitempty"`
	Tracking string `json:"trackingNumber,omitempty"`
	Link     string `json:"trackingUrl,omitempty"`
}

// Types of history entries about parcels.
const (
	ParcelPacked   = "parcel_packed"
	ParcelSent     = "parcel_sent"
	ParcelReopened = "parcel_reopened"
	AddressChanged = "address_changed" // by an operator
)

// Event returns the type of the history entry for a parcel's new status.
func (s ParcelStatus) Event() string {
	switch s {
	case Packed:
		return ParcelPacked
	case Sent:
		return ParcelSent
	case ToPack:
	}
	return ParcelReopened
}

// Fulfillers returns the fulfillers that ship a part of the pledge, the campaign first. A fulfiller whose
// items are all refunded ships nothing, unless its parcel was packed before.
func (p *Pledge) Fulfillers() (all []string) {
	back := p.TotalRefund()
	for _, part := range []struct {
		fulfiller string
		kinds     []LineKind
		left      money.Cents // of its items' prices, after refunds
	}{
		{ByCampaign, []LineKind{TierLine, CampaignAddOnLine}, p.CampaignSubtotal - back.Items()},
		{ByPlatform, []LineKind{PlatformAddOnLine}, p.Subtotal - p.CampaignSubtotal - back.AddOns},
	} {
		if !slices.ContainsFunc(p.Lines, func(l Line) bool { return slices.Contains(part.kinds, l.Kind) }) {
			continue
		}
		if back.Amount == 0 || part.left > 0 || p.ParcelOf(part.fulfiller).Status != ToPack {
			all = append(all, part.fulfiller)
		}
	}
	return all
}

// ParcelOf returns a fulfiller's parcel. Its status is ToPack if it was never changed.
func (p *Pledge) ParcelOf(fulfiller string) Parcel {
	for _, parcel := range p.Parcels {
		if parcel.Fulfiller == fulfiller {
			return parcel
		}
	}
	return Parcel{Fulfiller: fulfiller, Status: ToPack}
}

// AllSent reports whether all parcels of the pledge are sent.
func (p *Pledge) AllSent() bool {
	for _, f := range p.Fulfillers() {
		if p.ParcelOf(f).Status != Sent {
			return false
		}
	}
	return true
}

// ToShip reports whether the pledge is charged and has an unsent parcel that is not held.
func (p *Pledge) ToShip() bool {
	return p.Charged && p.FulfillmentType == "physical" && !p.AllSent() && p.Held() == ""
}

// Mark changes a parcel's status. The other fields are for Sent, which requires SentOn. An empty
// Carrier keeps the old one, and an empty Tracking keeps the old tracking number and link.
type Mark struct {
	Fulfiller string       `json:"fulfiller"`
	Status    ParcelStatus `json:"status"`
	SentOn    string       `json:"sentOn,omitempty"`
	Carrier   string       `json:"carrier,omitempty"`
	Tracking  string       `json:"trackingNumber,omitempty"`
	Link      string       `json:"trackingUrl,omitempty"`
}

// Marked returns the parcel with the mark applied, and whether it changed.
//
// It fails with code Conflict if the pledge is not charged, if the parcel was sent and is marked
// packed, and if it is held and is marked packed, or sent without a tracking number. With one, a carrier
// has the parcel already, which is evidence for the dispute. It fails with Invalid for an unknown status,
// and for a fulfiller that ships no part of the pledge.
func (p *Pledge) Marked(m Mark, now time.Time) (parcel Parcel, changed bool, err error) {
	was := p.ParcelOf(m.Fulfiller)
	switch {
	case !p.Charged:
		return was, false, fault.New(fault.Conflict, "The pledge has not been charged").In("orderId")
	case !slices.Contains(p.Fulfillers(), m.Fulfiller):
		return was, false, fault.New(fault.Invalid, "The order has nothing to ship from this fulfiller, or it was refunded").In("fulfiller")
	case m.Status == was.Status && m.Status != Sent:
		return was, false, nil
	case p.Held() != "" && (m.Status == Packed || m.Status == Sent && was.Status != Sent && m.Tracking == ""):
		return was, false, fault.New(fault.Conflict,
			"The payment is disputed and its parcels are held: release them first").In("orderId")
	}
	next := Parcel{Fulfiller: m.Fulfiller, Status: m.Status}
	switch m.Status {
	case ToPack:
	case Packed:
		if was.Status == Sent {
			return was, false, fault.New(fault.Conflict, "The parcel has already been sent").In("status")
		}
		next.PackedAt = &now
	case Sent:
		next = was
		if next.Status, next.SentOn = Sent, m.SentOn; next.PackedAt == nil {
			next.PackedAt = &now
		}
		if m.Carrier != "" {
			next.Carrier = m.Carrier
		}
		if m.Tracking != "" {
			next.Tracking, next.Link = m.Tracking, m.Link
		}
	default:
		return was, false, fault.New(fault.Invalid,
			"A parcel status must be %s, %s or %s", ToPack, Packed, Sent).In("status")
	}
	return next, next != was, nil
}

// SetParcel replaces the parcel of the same fulfiller or adds it.
func (p *Pledge) SetParcel(parcel Parcel) {
	i := slices.IndexFunc(p.Parcels, func(q Parcel) bool { return q.Fulfiller == parcel.Fulfiller })
	if i < 0 {
		p.Parcels = append(p.Parcels, parcel)
		return
	}
	p.Parcels[i] = parcel
}
