package settlement

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// admitRefund makes the checks before a refund is granted and before it is sent: charging is not
// stopped, the database belongs to the processor's account, the clock is right, the payment is not
// disputed, and all refunds that the processor has for it are recorded. It returns the account.
func (s *Service) admitRefund(ctx context.Context, c *campaign.Campaign, paymentID, group string,
) (account string, err error) {
	if err := s.checkStop(ctx); err != nil {
		return "", err
	}
	if err := s.checkProcessor(ctx); err != nil {
		return "", err
	}
	its, err := s.Processor.Account(ctx)
	if err != nil {
		return "", err
	}
	at, err := s.Processor.Reversals(ctx, paymentID)
	if err != nil {
		return "", err
	}
	if err := s.adoptRefunds(ctx, c, paymentID, group, at); err != nil {
		return "", err
	}
	for _, d := range at.Disputes {
		if !d.Refundable && d.Status != psp.DisputeStatusWon && d.Status != psp.DisputeStatusWarningClosed {
			return "", fault.Wrap(errNotRefundable, fault.Conflict, "The payment is disputed (%s): it cannot be refunded",
				d.Status)
		}
	}
	return its.ID, nil
}

// errNotRefundable is the cause of an error about a payment that cannot be refunded.
var errNotRefundable = errors.New("not refundable")

// maxRefundSteps is the maximum number of steps in one visit to a refund.
const maxRefundSteps = 6

// runRefund executes a refund's next steps until it has to wait or is done.
func (s *Service) runRefund(ctx context.Context, c *campaign.Campaign, r refund.Refund) (refund.Refund, error) {
	for range maxRefundSteps {
		step := refund.NextStep(r, s.Now())
		if step == refund.Wait || step == refund.Finished {
			return r, nil
		}
		var err error
		if r, err = s.runRefundStep(ctx, c, step, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (s *Service) runRefundStep(ctx context.Context, c *campaign.Campaign, step refund.Step, r refund.Refund,
) (refund.Refund, error) {
	object := s.refundsOf(c.Slug)
	switch step {
	case refund.Send:
		return s.sendRefund(ctx, object, c, r)
	case refund.Find:
		at, err := s.Processor.Reversals(ctx, r.PaymentID)
		if err != nil {
			return r, err
		}
		return object.RecordResult(ctx, r, foundRefund(at, r))
	case refund.Stop:
		return object.MarkUnanswered(ctx, r.ID)
	case refund.Tell:
		return s.tellRefund(ctx, object, c, r)
	case refund.Wait, refund.Finished:
	}
	return r, nil
}

// foundRefund returns the result of a lookup. Once the processor's ID is known, only that refund is the
// record's: another one can carry our ID in its metadata.
func foundRefund(at psp.Reversals, r refund.Refund) refund.Result {
	for _, f := range at.Refunds {
		if f.ID == r.RefundID || r.RefundID == "" && (f.OurID == r.ID || f.ID == r.ID) {
			return refund.Accepted(f, true)
		}
	}
	return refund.Result{FromLookup: true}
}

func (s *Service) sendRefund(ctx context.Context, object refund.Client, c *campaign.Campaign, r refund.Refund,
) (refund.Refund, error) {
	if _, err := s.admitRefund(ctx, c, r.PaymentID, r.Group); err != nil {
		return r, err
	}
	r, err := object.Attempt(ctx, r)
	if err != nil {
		return r, err
	}
	out := s.Processor.Refund(ctx, r.Request())
	if out.Status == psp.Accepted {
		return object.RecordResult(ctx, r, refund.Accepted(out.Refund, false))
	}
	return object.RecordResult(ctx, r, refund.Result{Status: out.Status, Code: out.Code, Refusal: out.Refusal,
		RetryAfter: int(out.RetryAfter.Seconds())})
}

// refundStatuses maps the statuses of refunds that pledges show.
var refundStatuses = map[refund.Status]pledge.RefundStatus{
	refund.Pending: pledge.RefundPending, refund.Succeeded: pledge.RefundSucceeded, refund.Failed: pledge.RefundFailed,
	refund.Repaid: pledge.RefundRepaid, refund.Refused: pledge.RefundEnded,
}

// tellRefund shows a refund in its pledges and emails the supporters about one that succeeded or came
// back. Each step can be repeated.
func (s *Service) tellRefund(ctx context.Context, object refund.Client, c *campaign.Campaign, r refund.Refund,
) (refund.Refund, error) {
	for _, part := range r.Parts {
		shown := pledge.Refund{ID: r.ID, Amount: part.Sum(), Status: refundStatuses[r.Status], At: *r.SettledAt,
			AddOns: part.AddOns, Shipping: part.Shipping, Tip: part.Tips, Tax: part.Tax}
		p, err := s.noteRefund(ctx, c.Slug, r.Group, part.Pledge, shown)
		if fault.Is(err, fault.NotFound) {
			continue // a restore lost the order
		}
		if err != nil {
			return r, err
		}
		if p, err = s.Projector.Book(ctx, p, ""); err != nil {
			return r, err
		}
		if err := s.mailRefund(ctx, c, p, r, shown); err != nil {
			return r, err
		}
	}
	return object.MarkTold(ctx, r.ID, r.Status)
}

// noteRefund shows a refund in a pledge. If a restore removed the pledge's charge, that is recorded first.
func (s *Service) noteRefund(ctx context.Context, slug, group, pledgeID string, shown pledge.Refund) (*pledge.Pledge, error) {
	p, err := s.Orders.NoteRefund(ctx, pledgeID, shown)
	if !fault.Is(err, fault.Conflict) {
		return p, err
	}
	rec, reading := s.objectOf(slug).Group(ctx, group)
	if reading != nil || rec.Group == nil || rec.Group.Status != state.Succeeded {
		return nil, errors.Join(err, reading)
	}
	if _, err := s.markCharged(ctx, *rec.Group); err != nil {
		return nil, err
	}
	return s.Orders.NoteRefund(ctx, pledgeID, shown)
}

func (s *Service) mailRefund(ctx context.Context, c *campaign.Campaign, p *pledge.Pledge, r refund.Refund,
	shown pledge.Refund) error {
	var m notify.Message
	var err error
	switch r.Status {
	case refund.Succeeded:
		m, err = mailtext.RefundedMail(p, shown, r.Message, c, s.Links, s.Now())
	case refund.Failed:
		m, err = mailtext.RefundFailedMail(p, shown, c, s.Links, s.Now())
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}

// verifyRefund checks what a mail states about a refund.
func (s *Service) verifyRefund(ctx context.Context, k notify.Kind, slug, id string) (notify.Verdict, string, error) {
	r, err := s.refundsOf(slug).Get(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return notify.Discard, "its refund is not known", nil
	}
	if err != nil {
		return "", "", err
	}
	if k == notify.Refunded && r.Status == refund.Succeeded || k == notify.RefundFailed && r.Status == refund.Failed {
		return notify.SendNow, "", nil
	}
	return notify.Discard, "its statement is no longer true", nil
}

// adoptRefunds records the refunds that the processor has for a payment and the campaign does not: they
// were made at the processor, or a restore lost their records. One that came back is owed. It fails with code NotFound if the
// ledger does not have the payment.
func (s *Service) adoptRefunds(ctx context.Context, c *campaign.Campaign, paymentID, group string, at psp.Reversals) error {
	object := s.refundsOf(c.Slug)
	for _, f := range at.Refunds {
		failed := f.Status == psp.RefundStatusFailed || f.Status == psp.RefundStatusCanceled
		if failed && f.BalanceTransactionID == "" {
			continue // nothing has moved
		}
		found := refund.Found(f, c.Slug, group)
		found.PaymentID = paymentID
		recorded, err := recordID(ctx, object, &found)
		if err != nil {
			return err
		}
		if recorded {
			continue
		}
		if err := s.Wake(ctx, c.Slug); err != nil {
			return err
		}
		r, err := object.Adopt(ctx, found, refund.Accepted(f, true))
		if err != nil {
			return err
		}
		if _, err := s.runRefund(ctx, c, r); err != nil {
			return err
		}
	}
	return nil
}

// recordID reports whether a refund of the processor is recorded. If it is not, and another refund has its ID,
// it gets one that is free, so that two refunds that carry the same ID are both recorded.
func recordID(ctx context.Context, object refund.Client, found *refund.Refund) (recorded bool, err error) {
	of, err := object.OfPayment(ctx, found.PaymentID)
	if err != nil {
		return false, err
	}
	for _, r := range of.Refunds {
		if r.RefundID == found.RefundID || r.ID == found.ID && r.RefundID == "" {
			return true, nil
		}
	}
	for _, id := range []string{found.ID, found.RefundID, found.RefundID + "-adopted"} {
		if _, err = object.Get(ctx, id); fault.Is(err, fault.NotFound) {
			found.ID = id
			return false, nil
		}
	}
	return false, fault.Wrap(err, fault.Conflict, "The IDs of the refund %s are taken", found.RefundID)
}

// RefundOverlap is how far back the search of the processor's balance for refunds has to start before the
// end of the last one: its list can be late, and a charge may be recorded a while after its refund was
// listed.
const RefundOverlap = time.Hour

// refundDelay is after how long the refunds of a charge are looked up when it is recorded. It is less than
// RefundOverlap.
const refundDelay = 30 * time.Minute

// UpdateRefunds compares a payment's refunds with the processor: it adopts those that are unknown and
// updates the others. A payment of another service is ignored, and so is one whose charge is not recorded
// yet: recording it includes its refunds.
func (s *Service) UpdateRefunds(ctx context.Context, paymentID string) error {
	p, err := s.Processor.Payment(ctx, paymentID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c, err := s.Catalogue().Campaign(p.Campaign)
	if err != nil {
		return nil //nolint:nilerr // not a payment of this service
	}
	group, ours := state.GroupOf(p.Group, c.Slug)
	if !ours {
		return nil
	}
	at, err := s.Processor.Reversals(ctx, paymentID)
	if err != nil {
		return err
	}
	if err = s.adoptRefunds(ctx, c, paymentID, group, at); err == nil {
		err = s.updateKnownRefunds(ctx, c, paymentID, at)
	}
	if fault.Is(err, fault.NotFound) { // in the ledger
		return nil
	}
	return err
}

func (s *Service) updateKnownRefunds(ctx context.Context, c *campaign.Campaign, paymentID string, at psp.Reversals) error {
	object := s.refundsOf(c.Slug)
	known, err := object.OfPayment(ctx, paymentID)
	if err != nil {
		return err
	}
	for _, r := range known.Refunds {
		found := foundRefund(at, r)
		if found.Status == "" {
			continue
		}
		if r, err = object.RecordResult(ctx, r, found); err != nil {
			return err
		}
		if _, err := s.runRefund(ctx, c, r); err != nil {
			return err
		}
	}
	return nil
}

// RunRefunds executes the next steps of a campaign's refunds that are due, at most limit of them. An
// error concerns single refunds; the others are executed.
func (s *Service) RunRefunds(ctx context.Context, slug string, limit int) error {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return err
	}
	due, err := s.refundsOf(slug).Due(ctx, limit)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range due {
		_, err := s.runRefund(ctx, c, r)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
