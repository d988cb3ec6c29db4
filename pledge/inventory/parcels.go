package inventory

import "github.com/pledgeworks/pledgeworks/pledge"

// Parcels counts the parcels of charged pledges by status, including those that the
// platform ships.
type Parcels struct {
	ToPack int `json:"toPack,omitempty"`
	Packed int `json:"packed,omitempty"`
	Sent   int `json:"sent,omitempty"`
	// Tracked is how many of the sent parcels have a tracking number.
	Tracked int `json:"tracked,omitempty"`
	// Pledges is how many charged pledges are counted.
	Pledges int `json:"pledges,omitempty"`
}

func parcelsOf(p *pledge.Pledge) (n Parcels) {
	if !p.Charged {
		return n
	}
	n.Pledges = 1
	for _, fulfiller := range p.Fulfillers() {
		switch parcel := p.ParcelOf(fulfiller); parcel.Status {
		case pledge.ToPack:
			n.ToPack++
		case pledge.Packed:
			n.Packed++
		case pledge.Sent:
			n.Sent++
			if parcel.Tracking != "" {
				n.Tracked++
			}
		}
	}
	return n
}

func (n *Parcels) move(last, next Parcels) {
	n.ToPack += next.ToPack - last.ToPack
	n.Packed += next.Packed - last.Packed
	n.Sent += next.Sent - last.Sent
	n.Tracked += next.Tracked - last.Tracked
	n.Pledges += next.Pledges - last.Pledges
}

// KnownParcels returns the numbers of parcels. ok is false if charged pledges are missing
// in them, because their accounts are older than these numbers.
func (t *Totals) KnownParcels() (n Parcels, ok bool) {
	return t.Parcels, t.Parcels.Pledges >= t.Statuses[pledge.Charged]
}
