package settlement

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// A campaign that cannot deliver refunds all of its payments in a run. The minute job continues it,
// payment by payment.

// RefundRunPreview is what a run would refund.
type RefundRunPreview struct {
	Payments int         `json:"payments"`
	Pledges  int         `json:"pledges"`
	Amount   money.Cents `json:"amount"` // cents
	// Refunded counts the payments of which nothing remains.
	Refunded int `json:"refunded"`
}

// PreviewRefundRun returns what a run would refund, with or without tips, and changes nothing. Disputed
// payments are included, although a run skips them.
func (s *Service) PreviewRefundRun(ctx context.Context, slug string, tip bool) (RefundRunPreview, error) {
	var sum RefundRunPreview
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return sum, err
	}
	for after := 0; ; {
		page, err := s.refundsOf(slug).Payments(ctx, after, kv.MaxPage)
		if err != nil || page.Next == 0 {
			return sum, err
		}
		for _, p := range page.Payments {
			parts := refundable(p.Remaining, tip)
			if len(parts) == 0 {
				sum.Refunded++
				continue
			}
			sum.Payments, sum.Pledges, sum.Amount = sum.Payments+1, sum.Pledges+len(parts), sum.Amount+ledger.SumOf(parts)
		}
		after = page.Next
	}
}

// refundable returns what a run takes from what remains of a payment.
func refundable(remaining []ledger.PledgeComponents, tip bool) (parts []ledger.PledgeComponents) {
	for _, p := range remaining {
		if !tip {
			p.Tips = 0
		}
		if (ledger.Components{}) != p.Components && p.Covers(ledger.Components{}) {
			parts = append(parts, p)
		}
	}
	return parts
}

// StartRefundRun decides to refund all payments of a campaign. The run waits until a second operator confirms
// it. A repeated request returns the same run. It fails with code Invalid for a field of the run, and with
// Conflict while another run is open, and for the ID of an earlier run.
func (s *Service) StartRefundRun(ctx context.Context, slug, operator string, r refund.Run) (refund.Run, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return refund.Run{}, err
	}
	switch {
	case !refund.ValidID(r.ID) || len(r.ID) > maxRunID:
		return refund.Run{}, fault.New(fault.Invalid,
			"The ID must have 8 to %d letters, digits, hyphens or underscores", maxRunID).In("id")
	case !slices.Contains(refund.Reasons, r.Reason):
		return refund.Run{}, fault.New(fault.Invalid, "Choose a reason").In("reason")
	case len(r.Message) > maxRefundMessage:
		return refund.Run{}, fault.New(fault.Invalid, "The message can have at most %d bytes", maxRefundMessage).In("message")
	}
	return s.refundsOf(slug).StartRun(ctx, refund.Run{ID: r.ID, Tip: r.Tip, Reason: r.Reason, Message: r.Message,
		StartedBy: operator})
}

// maxRunID leaves room for the number of a payment in the IDs of a run's refunds.
const maxRunID = 48

// RefundRun returns a campaign's last run, the zero Run if there was none.
func (s *Service) RefundRun(ctx context.Context, slug string) (refund.Run, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return refund.Run{}, err
	}
	return s.refundsOf(slug).Run(ctx)
}

// ChangeRefundRun confirms, continues, pauses or ends a run. Refunds that it granted before continue. It fails as
// [refund.Client.ChangeRun] does.
func (s *Service) ChangeRefundRun(ctx context.Context, slug, operator, id string, change refund.RunChange) (refund.Run, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return refund.Run{}, err
	}
	if err := s.Wake(ctx, slug); err != nil {
		return refund.Run{}, err
	}
	return s.refundsOf(slug).ChangeRun(ctx, id, operator, change)
}

// ContinueRefundRun visits at most limit further payments of a campaign's active run. It stops at the first
// error, and the next call continues there.
func (s *Service) ContinueRefundRun(ctx context.Context, slug string, limit int) error {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return err
	}
	object := s.refundsOf(slug)
	run, err := object.Run(ctx)
	for after := run.After; err == nil && run.Status == refund.RunActive && limit > 0; {
		var page refund.PaymentPage
		if page, err = object.Payments(ctx, after, limit); err != nil {
			return err
		}
		for _, p := range page.Payments {
			if run, err = s.visitPayment(ctx, c, run, p); err != nil || run.Status != refund.RunActive {
				return err
			}
		}
		limit -= len(page.Payments)
		if after = page.Next; after == 0 {
			run, err = object.FinishRun(ctx, run.ID)
		}
	}
	return err
}

// visitPayment refunds what remains of a payment, and records the visit.
func (s *Service) visitPayment(ctx context.Context, c *campaign.Campaign, run refund.Run, p refund.Payment) (refund.Run, error) {
	object := s.refundsOf(c.Slug)
	r, err := object.Get(ctx, run.ID+"-"+strconv.Itoa(p.Entry))
	if fault.Is(err, fault.NotFound) {
		r, err = s.grantInRun(ctx, c, run, p)
	}
	if errors.Is(err, errNotRefundable) { // unless another server has granted it meanwhile
		if granted, known := object.Get(ctx, run.ID+"-"+strconv.Itoa(p.Entry)); known == nil {
			r, err = granted, nil
		}
	}
	if errors.Is(err, errNotRefundable) || fault.Is(err, fault.NotFound) { // the processor does not have it
		return object.RecordVisit(ctx, run.ID, refund.Visit{Entry: p.Entry})
	}
	if err != nil {
		return run, err
	}
	if r, err = s.runRefund(ctx, c, r); err != nil {
		return run, err
	}
	return object.RecordVisit(ctx, run.ID, refund.Visit{Entry: p.Entry, Amount: r.Amount,
		Accepted: r.Status == refund.Succeeded || r.Status == refund.Pending})
}

// grantInRun grants the refund of a payment in a run. It fails with errNotRefundable if nothing remains, or the
// payment is disputed.
func (s *Service) grantInRun(ctx context.Context, c *campaign.Campaign, run refund.Run, p refund.Payment) (refund.Refund, error) {
	if len(refundable(p.Remaining, run.Tip)) == 0 {
		return refund.Refund{}, errNotRefundable
	}
	first, err := s.Orders.Pledge(ctx, p.Remaining[0].Pledge)
	if err != nil && !fault.Is(err, fault.NotFound) { // a restore lost the order
		return refund.Refund{}, err
	}
	group := ""
	if first != nil {
		group = first.Group
	}
	account, err := s.admitRefund(ctx, c, p.ID, group)
	if err != nil {
		return refund.Refund{}, err
	}
	of, err := s.refundsOf(c.Slug).OfPayment(ctx, p.ID) // without the refunds that were adopted now
	if err != nil {
		return refund.Refund{}, err
	}
	parts := refundable(of.Outstanding.Remaining, run.Tip)
	if len(parts) == 0 {
		return refund.Refund{}, errNotRefundable
	}
	id := run.ID + "-" + strconv.Itoa(p.Entry)
	return s.refundsOf(c.Slug).GrantInRun(ctx, refund.Refund{ID: id, CampaignSlug: c.Slug, Group: group, PaymentID: p.ID,
		Parts: parts, Reason: run.Reason, Message: run.Message, GrantedBy: run.StartedBy, ConfirmedBy: run.ConfirmedBy,
		ConfirmedAt: run.ConfirmedAt, Key: refund.Key(account, id)}, run.ID)
}
