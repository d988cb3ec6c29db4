package pledge

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// DisputeStatus is the state of a dispute, as a pledge shows it.
type DisputeStatus string

// The statuses. An inquiry of the bank is open until it is closed.
const (
	DisputeOpen   DisputeStatus = "open"
	DisputeWon    DisputeStatus = "won"
	DisputeLost   DisputeStatus = "lost"
	DisputeClosed DisputeStatus = "closed" // without a decision
)

// Dispute is a dispute about the payment of a charged pledge. The settlement object has its amounts.
type Dispute struct {
	ID     string        `json:"id" kv:"id"` // the processor's
	Status DisputeStatus `json:"status"`
	At     time.Time     `json:"at"` // of the observation
	// HoldsParcels is set if the campaign holds the parcels of disputed pledges.
	HoldsParcels bool `json:"holdsParcels,omitempty"`
}

// Types of history entries about held parcels.
const (
	ParcelsHeld     = "parcels_held"
	ParcelsReleased = "parcels_released"
)

// HoldChoice is an operator's choice for the parcels of one disputed pledge. "" follows the campaign.
type HoldChoice string

// The choices.
const (
	HoldParcels    HoldChoice = "hold"
	ReleaseParcels HoldChoice = "release"
)

// Event returns the type of the history entry for a choice.
func (c HoldChoice) Event() string {
	if c == HoldParcels {
		return ParcelsHeld
	}
	return ParcelsReleased
}

// HoldReason is why the parcels of a pledge are held.
type HoldReason string

// The reasons.
const (
	HeldByDispute HoldReason = "disputed"     // a dispute is open
	HeldByLoss    HoldReason = "dispute_lost" // the supporter got the money back
)

// Held returns why the parcels that were not sent yet are held, "" if they are not. An open dispute holds
// them if the campaign holds disputed pledges, and so does a lost one, unless an operator chose otherwise.
func (p *Pledge) Held() HoldReason {
	reason := HoldReason("")
	for _, d := range p.Disputes {
		if p.HoldChoice == "" && !d.HoldsParcels {
			continue
		}
		switch d.Status {
		case DisputeOpen:
			return p.unlessReleased(HeldByDispute)
		case DisputeLost:
			reason = HeldByLoss
		case DisputeWon, DisputeClosed:
		}
	}
	return p.unlessReleased(reason)
}

func (p *Pledge) unlessReleased(r HoldReason) HoldReason {
	if p.HoldChoice == ReleaseParcels {
		return ""
	}
	return r
}

// Disputed returns the status of the pledge's disputes: open if one is open, otherwise lost if one was lost;
// "" if there is neither.
func (p *Pledge) Disputed() DisputeStatus {
	status := DisputeStatus("")
	for _, d := range p.Disputes {
		if d.Status == DisputeOpen || d.Status == DisputeLost && status == "" {
			status = d.Status
		}
	}
	return status
}

// ChooseHold sets an operator's choice for the pledge's parcels, and reports whether it changed. It fails
// with code Conflict if the payment is not disputed, or all parcels were sent, and with Invalid for an
// unknown choice.
func (p *Pledge) ChooseHold(c HoldChoice) (changed bool, err error) {
	switch {
	case c != HoldParcels && c != ReleaseParcels:
		return false, fault.New(fault.Invalid, "Choose %s or %s", HoldParcels, ReleaseParcels).In("choice")
	case p.Disputed() == "":
		return false, fault.New(fault.Conflict, "The payment is not disputed").In("orderId")
	case p.AllSent():
		return false, fault.New(fault.Conflict, "The pledge has no parcel that is left to send").In("orderId")
	case p.HoldChoice == c || p.HoldChoice == "" && (p.Held() != "") == (c == HoldParcels):
		return false, nil
	}
	p.HoldChoice = c
	return true, nil
}

// SetDispute adds a dispute or its new status, and reports whether the pledge and the dispute's status
// changed. It ignores an observation that is older than the known one. A new dispute ends an operator's
// earlier choice to release the parcels.
func (p *Pledge) SetDispute(d Dispute) (changed, newStatus bool) {
	at := slices.IndexFunc(p.Disputes, func(known Dispute) bool { return known.ID == d.ID })
	if at < 0 {
		p.Disputes = append(p.Disputes, d)
		if p.HoldChoice == ReleaseParcels {
			p.HoldChoice = ""
		}
		return true, true
	}
	known := p.Disputes[at]
	if d.At.Before(known.At) {
		return false, false
	}
	newStatus = known.Status != d.Status
	if !newStatus {
		d.At = known.At
	}
	p.Disputes[at] = d
	return newStatus || known.HoldsParcels != d.HoldsParcels, newStatus
}
