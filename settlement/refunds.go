package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// Operators refund charged pledges. A refund follows the rules of a charge: its request is frozen, has
// its own key, and is sent again only after a lookup found nothing.

// RefundRequest is an operator's decision to refund a pledge.
type RefundRequest struct {
	ID       string        `json:"id"` // of the refund: a repeated request has the same
	PledgeID string        `json:"orderId"`
	Choice   refund.Choice `json:"choice"`
	Reason   refund.Reason `json:"reason"`
	Message  string        `json:"message"` // to the supporter; "" for none
}

// maxRefundMessage is the maximum length of a message to the supporter, in bytes.
const maxRefundMessage = 2000

// aloneAtMost is how much of a payment one operator alone can refund, in cents.
const aloneAtMost money.Cents = 50_000

// RefundQuote is what a refund would take.
type RefundQuote struct {
	Parts  ledger.Components `json:"parts"`
	Amount money.Cents       `json:"amount"` // cents
	// Left is what remains of the pledge after the refund, in cents.
	Left   money.Cents `json:"left"`
	Second bool        `json:"second"` // a second operator has to confirm
}

// QuoteRefund returns what a refund would take, and changes nothing. It fails as GrantRefund does.
func (s *Service) QuoteRefund(ctx context.Context, slug string, req RefundRequest) (RefundQuote, error) {
	_, _, q, err := s.quoteRefund(ctx, slug, req)
	return q, err
}

func (s *Service) quoteRefund(ctx context.Context, slug string, req RefundRequest,
) (*campaign.Campaign, *pledge.Pledge, RefundQuote, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return nil, nil, RefundQuote{}, err
	}
	if !slices.Contains(refund.Reasons, req.Reason) {
		return nil, nil, RefundQuote{}, fault.New(fault.Invalid, "Choose a reason").In("reason")
	}
	p, err := s.Orders.Pledge(ctx, req.PledgeID)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) || err == nil && p.CampaignSlug != slug {
		return nil, nil, RefundQuote{}, fault.New(fault.NotFound, "The campaign has no such pledge").In("orderId")
	}
	if err != nil {
		return nil, nil, RefundQuote{}, err
	}
	if !p.Charged {
		return nil, nil, RefundQuote{}, fault.New(fault.Conflict, "The pledge was not charged").In("orderId")
	}
	of, err := s.refundsOf(slug).OfPayment(ctx, p.PaymentIntentID)
	if err != nil {
		return nil, nil, RefundQuote{}, err
	}
	remaining := of.Outstanding.Of(p.OrderID)
	parts, err := req.Choice.Of(p, remaining)
	q := RefundQuote{Parts: parts, Amount: parts.Sum(), Left: remaining.Minus(parts).Sum(),
		Second: refund.Unconfirmed(of.Refunds)+parts.Sum() > aloneAtMost}
	return c, p, q, err
}

// GrantRefund decides a refund and, unless a second operator has to confirm it, sends it. A repeated
// request returns the same refund.
//
// It fails with code Invalid for a choice that the pledge does not have, with Conflict if the pledge
// was not charged, if less remains than is refunded, while charging is stopped, and while the payment is
// disputed. It fails with Unavailable if the processor does not answer; if the refund is granted by
// then, it is sent later.
func (s *Service) GrantRefund(ctx context.Context, slug, operator string, req RefundRequest) (refund.Refund, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return refund.Refund{}, err
	}
	if !refund.ValidID(req.ID) {
		return refund.Refund{}, fault.New(fault.Invalid,
			"The ID must have 8 to 64 letters, digits, hyphens or underscores").In("id")
	}
	if len(req.Message) > maxRefundMessage {
		return refund.Refund{}, fault.New(fault.Invalid, "The message can have at most %d bytes", maxRefundMessage).
			In("message")
	}
	object := s.refundsOf(slug)
	known, err := object.Get(ctx, req.ID)
	switch {
	case err == nil && known.Parts[0].Pledge != req.PledgeID:
		return refund.Refund{}, fault.New(fault.Conflict, "Another pledge has a refund with this ID").In("id")
	case err == nil:
		return known, nil
	case !fault.Is(err, fault.NotFound):
		return refund.Refund{}, err
	}
	c, p, q, err := s.quoteRefund(ctx, slug, req)
	if err != nil {
		return refund.Refund{}, err
	}
	account, err := s.admitRefund(ctx, c, p.PaymentIntentID, p.Group)
	if err != nil {
		return refund.Refund{}, err
	}
	if err := s.Wake(ctx, slug); err != nil {
		return refund.Refund{}, err
	}
	r, err := object.Grant(ctx, refund.Refund{
		ID: req.ID, CampaignSlug: slug, Group: p.Group, PaymentID: p.PaymentIntentID,
		Parts:  []ledger.PledgeComponents{{Pledge: p.OrderID, Components: q.Parts}},
		Reason: req.Reason, Message: req.Message, GrantedBy: operator, Key: refund.Key(account, req.ID),
	}, aloneAtMost)
	if err != nil {
		return refund.Refund{}, err
	}
	return s.runRefund(ctx, c, r)
}

// ConfirmRefund records a second operator's consent, and sends the refund. It fails as GrantRefund does,
// and with code Conflict for the operator who granted the refund.
func (s *Service) ConfirmRefund(ctx context.Context, slug, operator, id string) (refund.Refund, error) {
	return s.continueRefund(ctx, slug, id, func(object refund.Client) (refund.Refund, error) {
		return object.Confirm(ctx, id, operator)
	})
}

// WithdrawRefund ends a refund that the processor does not have. It fails with code Conflict if the
// refund may have reached it.
func (s *Service) WithdrawRefund(ctx context.Context, slug, id string) (refund.Refund, error) {
	return s.continueRefund(ctx, slug, id, func(object refund.Client) (refund.Refund, error) {
		return object.Withdraw(ctx, id)
	})
}

// RepayRefund records an operator's statement that a failed refund was paid in another way. It takes
// effect when a second operator states the same.
func (s *Service) RepayRefund(ctx context.Context, slug, operator, id string) (refund.Refund, error) {
	return s.continueRefund(ctx, slug, id, func(object refund.Client) (refund.Refund, error) {
		return object.MarkRepaid(ctx, id, operator)
	})
}

// continueRefund changes a refund and executes its next steps.
func (s *Service) continueRefund(ctx context.Context, slug, id string,
	change func(refund.Client) (refund.Refund, error)) (refund.Refund, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return refund.Refund{}, err
	}
	if !refund.ValidID(id) {
		return refund.Refund{}, fault.New(fault.NotFound, "There is no such refund").In("id")
	}
	object := s.refundsOf(slug)
	if _, err := object.Get(ctx, id); err != nil {
		return refund.Refund{}, err
	}
	if err := s.Wake(ctx, slug); err != nil {
		return refund.Refund{}, err
	}
	r, err := change(object)
	if err != nil {
		return refund.Refund{}, err
	}
	return s.runRefund(ctx, c, r)
}

// Refunds returns at most limit refunds of a campaign after an ID, or only those that wait for a person.
func (s *Service) Refunds(ctx context.Context, slug string, attention bool, after string, limit int) (refund.Page, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return refund.Page{}, err
	}
	return s.refundsOf(slug).List(ctx, attention, after, min(limit, kv.MaxPage))
}

// RefundsOfPayment returns a payment's refunds, and what remains of it. It fails with code NotFound if
// the ledger does not have the payment.
func (s *Service) RefundsOfPayment(ctx context.Context, slug, paymentID string) (refund.OfPayment, error) {
	return s.refundsOf(slug).OfPayment(ctx, paymentID)
}
