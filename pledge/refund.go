package pledge

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// RefundStatus is the state of a refund.
type RefundStatus string

// The statuses.
const (
	RefundPending   RefundStatus = "pending"   // accepted by the processor
	RefundSucceeded RefundStatus = "succeeded" // on its way to the supporter
	RefundFailed    RefundStatus = "failed"    // it came back, and is still owed to the supporter
	RefundRepaid    RefundStatus = "repaid"    // failed, and paid in another way
	RefundEnded     RefundStatus = "ended"     // failed before anything moved
)

// Refund is a refund of a charged pledge, as its supporter and operators see it. The ledger has the
// amounts in force.
type Refund struct {
	ID     string       `json:"id" kv:"id"`
	Amount money.Cents  `json:"amount"` // cents, of this pledge
	Status RefundStatus `json:"status"`
	At     time.Time    `json:"at"` // of the status
	// The parts of Amount, in cents. The rest of it is for rewards, the campaign's add-ons and support.
	AddOns   money.Cents `json:"addOns,omitempty"` // platform add-ons
	Shipping money.Cents `json:"shipping,omitempty"`
	Tip      money.Cents `json:"tip,omitempty"`
	Tax      money.Cents `json:"tax,omitempty"`
}

// Items returns the part for rewards, the campaign's add-ons and support, in cents.
func (r Refund) Items() money.Cents { return r.Amount - r.AddOns - r.Shipping - r.Tip - r.Tax }

// Refunded returns the amount that was refunded, in cents. It does not include pending refunds, and
// those that failed.
func (p *Pledge) Refunded() money.Cents { return p.TotalRefund().Amount }

// TotalRefund returns the amounts of the refunds that Refunded includes.
func (p *Pledge) TotalRefund() (total Refund) {
	for _, r := range p.Refunds {
		if r.Status == RefundSucceeded || r.Status == RefundRepaid {
			total.Amount += r.Amount
			total.AddOns += r.AddOns
			total.Shipping += r.Shipping
			total.Tip += r.Tip
			total.Tax += r.Tax
		}
	}
	return total
}

// SetRefund adds a refund or its new status, and reports whether it changed the pledge.
func (p *Pledge) SetRefund(r Refund) bool {
	at := slices.IndexFunc(p.Refunds, func(known Refund) bool { return known.ID == r.ID })
	switch {
	case at < 0:
		p.Refunds = append(p.Refunds, r)
	case p.Refunds[at].Status == r.Status:
		return false
	default:
		p.Refunds[at] = r
	}
	return true
}
