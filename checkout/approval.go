package checkout

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// approvalRecord marks a payment whose client secret was given to the supporter.
type approvalRecord struct {
	OrderID string `json:"orderId"`
}

// StartApproval returns the data that the browser needs to authenticate a payment with the bank. It
// fails with code Conflict if no payment of the pledge awaits authentication, or if no publishable
// key is configured.
func (s *Service) StartApproval(ctx context.Context, r ApprovalRequest) (ApprovalStarted, error) {
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
	if err != nil {
		return ApprovalStarted{}, err
	}
	if !s.canApprove(p) {
		return ApprovalStarted{}, fault.New(fault.Conflict,
			"No payment is awaiting approval. Save another card instead.")
	}
	a, err := s.Processor.Approval(ctx, p.LastFailure.PaymentIntentID)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return ApprovalStarted{}, fault.Wrap(err, fault.Conflict, "The payment is no longer awaiting approval")
	}
	if err != nil {
		return ApprovalStarted{}, processorError(err)
	}
	// Save the record before returning the secret: handleApprovedPayment ignores payments without
	// one.
	w, err := kv.Record(approvalKey(a.PaymentID), approvalRecord{OrderID: p.OrderID}, s.Now().Add(approvalLife))
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

// canApprove reports whether the pledge has a payment that its supporter can confirm on one of
// our pages. That requires a publishable key.
func (s *Service) canApprove(p *pledge.Pledge) bool {
	return p.Unpaid() && p.Recovery != nil && p.Recovery.Lane == pledge.Approve &&
		p.LastFailure != nil && p.LastFailure.PaymentIntentID != "" && s.Settings.PublishableKey != ""
}

// CompleteApproval returns the pledge after settlement has looked up its payment at the processor.
// Without a payment that awaits approval, it only returns the pledge. It may be repeated.
func (s *Service) CompleteApproval(ctx context.Context, r ApprovalRequest) (PledgeView, error) {
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
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
	return s.pledgeView(ctx, p)
}

// handleApprovedPayment notifies settlement that a payment succeeded whose client secret was given
// to the supporter. It ignores other payments, because settlement already has their results.
func (s *Service) handleApprovedPayment(ctx context.Context, paymentID string) (eventResult, error) {
	a, known, err := kv.Read[approvalRecord](ctx, s.Store, approvalKey(paymentID))
	if err != nil || !known || s.Approved == nil {
		return eventResult{}, err
	}
	p, err := s.Orders.Pledge(ctx, a.OrderID)
	if err != nil {
		return eventResult{}, err
	}
	return eventResult{orderID: p.OrderID, slug: p.CampaignSlug}, s.Approved(ctx, p)
}

// approvalLife is how long an approvalRecord is kept.
const approvalLife = 90 * 24 * time.Hour
