package checkout

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// asked is the record of a payment whose secret was given to its supporter.
type asked struct {
	OrderID string `json:"orderId"`
}

// StartApproval gives the token's supporter what confirming the payment takes
// that the bank wants to see approved. It fails with code Conflict when no
// payment waits for that, or none can be confirmed on a page of ours.
func (s *Service) StartApproval(ctx context.Context, r ApprovalRequest) (ApprovalStarted, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return ApprovalStarted{}, err
	}
	if !s.canApprove(p) {
		return ApprovalStarted{}, fault.New(fault.Conflict, "No payment waits to be approved. Save another card instead.")
	}
	a, err := s.Processor.Approval(ctx, p.LastFailure.PaymentIntentID)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return ApprovalStarted{}, fault.Wrap(err, fault.Conflict, "The payment no longer waits to be approved")
	}
	if err != nil {
		return ApprovalStarted{}, outside(err)
	}
	// Kept before the secret leaves: what happens to the payment is looked at from then on.
	w, err := kv.Record(approvalKey(a.PaymentID), asked{OrderID: p.OrderID}, s.Now().Add(approvalLife))
	if err != nil {
		return ApprovalStarted{}, err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return ApprovalStarted{}, err
	}
	return ApprovalStarted{
		PaymentID: a.PaymentID, ClientSecret: a.ClientSecret, PaymentMethodID: a.PaymentMethodID,
		PublishableKey: s.Settings.PublishableKey, Amount: a.Amount, Currency: a.Currency, Until: p.Recovery.Until,
	}, nil
}

// canApprove reports whether a pledge waits for a payment that its supporter can
// confirm on a page of ours, which takes a publishable key.
func (s *Service) canApprove(p *pledge.Pledge) bool {
	return p.Unpaid() && p.Recovery != nil && p.Recovery.Lane == pledge.Approve &&
		p.LastFailure != nil && p.LastFailure.PaymentIntentID != "" && s.Settings.PublishableKey != ""
}

// CompleteApproval has the processor asked what became of the payment, and shows
// the pledge as it then is. It may be called at any time and again.
func (s *Service) CompleteApproval(ctx context.Context, r ApprovalRequest) (PledgeView, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return PledgeView{}, err
	}
	if s.canApprove(p) && s.Approved != nil {
		if err := s.Approved(ctx, p); err != nil {
			return PledgeView{}, err
		}
		if p, err = s.Orders.Pledge(ctx, p.OrderID); err != nil {
			return PledgeView{}, err
		}
	}
	return s.view(ctx, p)
}

// paid looks after a payment that its supporter has confirmed. Of all others
// settlement hears by itself.
func (s *Service) paid(ctx context.Context, paymentID string) (applied, error) {
	a, known, err := kv.Read[asked](ctx, s.Store, approvalKey(paymentID))
	if err != nil || !known || s.Approved == nil {
		return applied{}, err
	}
	p, err := s.Orders.Pledge(ctx, a.OrderID)
	if err != nil {
		return applied{}, err
	}
	return applied{orderID: p.OrderID, slug: p.CampaignSlug}, s.Approved(ctx, p)
}

const approvalLife = 90 * 24 * time.Hour
