package inventory

import "github.com/pledgeworks/pledgeworks/pledge"

// Parcels counts the parcels of charged pledges by status, including the platform's parcels.
type Parcels struct {
	ToPack int `json:"toPack,omitempty"`
	Packed int `json:"packed,omitempty"`
	Sent   int `json:"sent,omitempty"`
	// Tracked is the number of sent parcels with a tracking number.
	Tracked int `json:"tracked,omitempty"`
	// Held and Lost are parcels that are not sent and are in no other number: Held because a dispute is
	// open, and Lost because one was lost.
	Held int `json:"held,omitempty"`
	Lost int `json:"heldAfterLoss,omitempty"`
	// Pledges is the number of charged pledges included in these numbers.
	Pledges int `json:"pledges,omitempty"`
}

func parcelsOf(p *pledge.Pledge) (n Parcels) {
	if !p.Charged {
		return n
	}
	n.Pledges = 1
	held := p.Held()
	for _, fulfiller := range p.Fulfillers() {
		switch parcel := p.ParcelOf(fulfiller); {
		case parcel.Status == pledge.Sent:
			n.Sent++
			if parcel.Tracking != "" {
				n.Tracked++
			}
		case held == pledge.HeldByLoss:
			n.Lost++
		case held != "":
			n.Held++
		case parcel.Status == pledge.Packed:
			n.Packed++
		default:
			n.ToPack++
		}
	}
	return n
}

// replace updates the counts for an account whose parcels changed from last to next.
func (n *Parcels) replace(last, next Parcels) {
	n.ToPack += next.ToPack - last.ToPack
	n.Packed += next.Packed - last.Packed
	n.Sent += next.Sent - last.Sent
	n.Tracked += next.Tracked - last.Tracked
	n.Held += next.Held - last.Held
	n.Lost += next.Lost - last.Lost
	n.Pledges += next.Pledges - last.Pledges
}

// KnownParcels returns the numbers of parcels. ok is false if they do not include all charged
// pledges, because some accounts are older than these numbers.
func (t *Totals) KnownParcels() (n Parcels, ok bool) {
	return t.Parcels, t.Parcels.Pledges >= t.Statuses[pledge.Charged]
}
