package disputes

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// Warning is an early fraud warning that awaits a decision: to refund the payment, or to leave it.
type Warning struct {
	ID        string
	Amount    money.Cents // cents of the payment
	WarnedAt  time.Time
	PaymentID string
	Pledges   []string // of the payment
}

// Suspected returns a campaign's early fraud warnings that await a decision.
func (s *Service) Suspected(ctx context.Context, slug string) ([]Warning, error) {
	known, err := s.Settlement.AwaitedWarnings(ctx, slug)
	if err != nil {
		return nil, err
	}
	var all []Warning
	for _, w := range known {
		view, err := s.Warning(ctx, w)
		if err != nil {
			return nil, err
		}
		all = append(all, view)
	}
	return all, nil
}

// Warning returns a recorded warning with its payment.
func (s *Service) Warning(ctx context.Context, w dispute.Warning) (Warning, error) {
	out := Warning{ID: w.ID, WarnedAt: w.WarnedAt, PaymentID: w.PaymentID}
	g, err := s.Settlement.Group(ctx, w.CampaignSlug, w.Group)
	if err == nil && g != nil && g.PaymentIntentID == w.PaymentID {
		out.Amount, out.Pledges = g.Amount, g.OrderIDs()
	}
	return out, err
}

// Leave records that an operator leaves the payment of a warning as it is. It fails with code NotFound if the
// campaign has no such warning.
func (s *Service) Leave(ctx context.Context, slug, id, operator string) (dispute.Warning, error) {
	if id == "" || !isID(id) {
		return dispute.Warning{}, fault.New(fault.NotFound, "There is no such warning").In("warningId")
	}
	return s.Settlement.AcknowledgeWarning(ctx, slug, id, operator)
}
