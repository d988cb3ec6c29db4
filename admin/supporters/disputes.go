package supporters

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// Dispute is a dispute of a pledge's payment.
type Dispute struct {
	ID     string            `json:"disputeId"`
	Phase  dispute.Phase     `json:"phase"`
	Status psp.DisputeStatus `json:"status"` // as named by the processor
	Amount money.Cents       `json:"amount"` // cents
	Reason string            `json:"reason"` // as named by the processor
	// AnswerBy is the deadline for an answer; nil if none is awaited.
	AnswerBy  *time.Time `json:"answerBy,omitempty"`
	OpenedAt  time.Time  `json:"openedAt"`
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
}

// Warning is a card network's early fraud warning about a pledge's payment.
type Warning struct {
	ID     string    `json:"warningId"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"` // as named by the processor
	// Actionable reports whether a refund can still prevent a dispute.
	Actionable bool `json:"actionable"`
	// LeftAt is when an operator left the payment as it is; nil if none did.
	LeftAt *time.Time `json:"acknowledgedAt,omitempty"`
}

// addDisputes adds the disputes and warnings of a pledge's payment, if the view shows the payment.
func (s *Service) addDisputes(ctx context.Context, v *Pledge, p *pledge.Pledge) error {
	if s.Disputes == nil || v.PaymentID == "" || !p.Charged {
		return nil
	}
	of, err := s.Disputes(ctx, p.CampaignSlug, v.PaymentID)
	if err != nil {
		return err
	}
	for _, d := range of.Disputes {
		out := Dispute{ID: d.ID, Phase: d.Phase(), Status: d.Status, Amount: d.Amount, Reason: d.Reason,
			OpenedAt: d.OpenedAt, DecidedAt: d.DecidedAt}
		if by, ok := d.AnswerDue(); ok {
			out.AnswerBy = &by
		}
		v.Disputes = append(v.Disputes, out)
	}
	for _, w := range of.Warnings {
		v.Warnings = append(v.Warnings, Warning{ID: w.ID, At: w.WarnedAt, Reason: w.Reason,
			Actionable: w.Actionable, LeftAt: w.AcknowledgedAt})
	}
	return nil
}
