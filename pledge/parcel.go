package pledge

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The fulfillers: who makes and sends a part of a pledge.
const (
	ByCampaign = "campaign"
	ByPlatform = "platform"
)

// ParcelStatus is how far a parcel is.
type ParcelStatus string

// The statuses. A parcel that nothing was said of is to be packed.
const (
	ToPack ParcelStatus = "to_pack"
	Packed ParcelStatus = "packed"
	Sent   ParcelStatus = "sent"
)

// Parcel is what one fulfiller sends of a pledge.
type Parcel struct {
	Fulfiller string       `json:"fulfiller" kv:"id"`
	Status    ParcelStatus `json:"status"`
	PackedAt  *time.Time   `json:"packedAt,omitempty"`
	// SentOn is the day, as 2026-01-31, and Link where the parcel is followed.
	SentOn   string `json:"sentOn,omitempty"`
	Carrier  string `json:"carrier,omitempty"`
	Tracking string `json:"trackingNumber,omitempty"`
	Link     string `json:"trackingUrl,omitempty"`
}

// The types of a pledge's history that parcels leave.
const (
	ParcelPacked   = "parcel_packed"
	ParcelSent     = "parcel_sent"
	ParcelReopened = "parcel_reopened"
	AddressChanged = "address_changed" // by an operator
)

// Event is the type of the history's entry that a parcel's status leaves.
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

// Fulfillers are those who have a part of the pledge to make and send, the campaign first.
func (p *Pledge) Fulfillers() (all []string) {
	for _, part := range []struct {
		fulfiller string
		kinds     []LineKind
	}{
		{ByCampaign, []LineKind{TierLine, CampaignAddOnLine}},
		{ByPlatform, []LineKind{PlatformAddOnLine}},
	} {
		if slices.ContainsFunc(p.Lines, func(l Line) bool { return slices.Contains(part.kinds, l.Kind) }) {
			all = append(all, part.fulfiller)
		}
	}
	return all
}

// ParcelOf returns a fulfiller's parcel as it stands.
func (p *Pledge) ParcelOf(fulfiller string) Parcel {
	for _, parcel := range p.Parcels {
		if parcel.Fulfiller == fulfiller {
			return parcel
		}
	}
	return Parcel{Fulfiller: fulfiller, Status: ToPack}
}

// AllSent reports whether nothing of the pledge is left to send.
func (p *Pledge) AllSent() bool {
	for _, f := range p.Fulfillers() {
		if p.ParcelOf(f).Status != Sent {
			return false
		}
	}
	return true
}

// Mark says how far a parcel is. Of one that is sent, SentOn is required; Carrier, Tracking
// and Link are kept as they were where they are "".
type Mark struct {
	Fulfiller string       `json:"fulfiller"`
	Status    ParcelStatus `json:"status"`
	SentOn    string       `json:"sentOn,omitempty"`
	Carrier   string       `json:"carrier,omitempty"`
	Tracking  string       `json:"trackingNumber,omitempty"`
	Link      string       `json:"trackingUrl,omitempty"`
}

// Marked returns the parcel as a mark leaves it, and whether that differs from what it was.
// It fails with code Conflict while the pledge is not charged, and for a parcel that is to be
// packed and was sent; with Invalid where the fulfiller has no part of the pledge.
func (p *Pledge) Marked(m Mark, now time.Time) (parcel Parcel, changed bool, err error) {
	was := p.ParcelOf(m.Fulfiller)
	switch {
	case !p.Charged:
		return was, false, fault.New(fault.Conflict, "The pledge is not charged").In("orderId")
	case !slices.Contains(p.Fulfillers(), m.Fulfiller):
		return was, false, fault.New(fault.Invalid, "The order has nothing to send from there").In("fulfiller")
	case m.Status == was.Status && m.Status != Sent:
		return was, false, nil
	}
	next := Parcel{Fulfiller: m.Fulfiller, Status: m.Status}
	switch m.Status {
	case ToPack:
	case Packed:
		if was.Status == Sent {
			return was, false, fault.New(fault.Conflict, "The parcel was sent already").In("status")
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
		return was, false, fault.New(fault.Invalid, "A parcel is %s, %s or %s", ToPack, Packed, Sent).In("status")
	}
	return next, next != was, nil
}

// SetParcel puts a parcel in the place of its fulfiller's.
func (p *Pledge) SetParcel(parcel Parcel) {
	i := slices.IndexFunc(p.Parcels, func(q Parcel) bool { return q.Fulfiller == parcel.Fulfiller })
	if i < 0 {
		p.Parcels = append(p.Parcels, parcel)
		return
	}
	p.Parcels[i] = parcel
}
