package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// comparison is the part of a pass that one run makes.
type comparison struct {
	*Service
	campaign *campaign.Campaign
	round    *Round
	pass     Pass
	left     int // payments that may still be read
	payments map[string]psp.Payment
	seen     map[string]bool // supporters visited in this run
	found    []Finding
}

const (
	// bookingTime is how long after a payment succeeded its pledges have to record it. Until
	// then a settlement run may be booking it, or have crashed and be waiting for the next
	// one.
	bookingTime = 2 * time.Hour
	// stale is how long after its last batch a running job counts as stopped.
	stale = 30 * time.Minute
)

// run compares the part. It starts with the processor's list, which reveals double charges and
// returns a hundred payments per request.
func (l *comparison) run(ctx context.Context) error {
	if err := l.checkJob(ctx); err != nil {
		return err
	}
	for listed := 0; !l.pass.ListDone && listed < MaxRetrievals; listed += l.paymentPage() {
		if err := l.compareList(ctx); err != nil {
			return err
		}
	}
	for l.pass.ListDone && !l.pass.BooksDone && l.left > 0 {
		if err := l.comparePledges(ctx); err != nil {
			return err
		}
	}
	if !l.pass.ListDone || !l.pass.BooksDone {
		return nil
	}
	if err := l.compareLedger(ctx); err != nil {
		return err
	}
	if err := l.compareTotals(ctx); err != nil {
		return err
	}
	if err := l.compareDisputes(ctx); err != nil {
		return err
	}
	return l.comparePayouts(ctx)
}

// compareLedger verifies the campaign's ledger, and compares its charges with the charged pledges.
// Charges from before there was a ledger are recorded first.
func (l *comparison) compareLedger(ctx context.Context) error {
	_, err := l.Settlement.RecordEarlierCharges(ctx, l.campaign.Slug)
	var verified settlement.VerifiedLedger
	if err == nil {
		verified, err = l.Settlement.VerifyLedger(ctx, l.campaign.Slug)
	}
	if damage := fault.Of(err); damage != nil && damage.Code == fault.Internal {
		l.report(Finding{Kind: LedgerDiffers, Subject: "ledger", Message: damage.Message})
		return nil
	}
	if err != nil || verified.Charged == l.pass.Booked {
		return err
	}
	explained, err := l.isExplained(ctx)
	if err != nil || explained {
		return err
	}
	l.report(Finding{Kind: LedgerDiffers, Subject: "ledger", Booked: verified.Charged, Processor: l.pass.Processor,
		Message: fmt.Sprintf("The charged pledges total %s, but the charges in the ledger %s",
			l.pass.Booked, verified.Charged)})
	return nil
}

// compareTotals compares the totals of a complete pass.
func (l *comparison) compareTotals(ctx context.Context) error {
	if l.pass.Processor == l.pass.Booked {
		return nil
	}
	explained, err := l.isExplained(ctx)
	if err != nil || explained {
		return err
	}
	l.report(Finding{Kind: TotalsDiffer, Subject: "totals", Booked: l.pass.Booked, Processor: l.pass.Processor,
		Message: fmt.Sprintf("The charged pledges total %s and the processor's payments %s",
			l.pass.Booked, l.pass.Processor)})
	return nil
}

// isExplained reports whether another break, or a charge during the pass, explains different totals.
func (l *comparison) isExplained(ctx context.Context) (bool, error) {
	if l.pass.Recent || len(l.found) > 0 {
		return true, nil
	}
	st, err := kv.Ask[progress](ctx, l.Coordinator, objectOf(l.campaign.Slug), getProgress{})
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(st.Breaks, func(b Break) bool { return b.LastPass == l.pass.Number && b.Kind != OrderLost }) {
		return true, nil
	}
	last, err := l.Settlement.LastChargeAt(ctx, l.campaign.Slug)
	return last.After(l.pass.StartedAt.Add(-bookingTime)), err
}

func (l *comparison) report(f Finding) { l.found = append(l.found, f) }

func (l *comparison) checkJob(ctx context.Context) error {
	j, err := l.Settlement.Job(ctx, l.campaign.Slug)
	if err != nil || j == nil || j.Status != state.JobRunning || l.Now().Sub(j.LastBatchAt) <= stale {
		return err
	}
	l.report(Finding{Kind: StaleJob, Subject: "job", Message: fmt.Sprintf(
		"The settlement job has made no progress since %s", j.LastBatchAt.UTC().Format(time.RFC3339))})
	return nil
}

// comparePledges compares the next of the campaign's pledges, in the order of its index.
func (l *comparison) comparePledges(ctx context.Context) error {
	ids, err := l.Inventory.Listed(ctx, l.campaign.Slug, l.pass.Next, l.pledgePage())
	if err != nil {
		return err
	}
	for _, id := range ids {
		if l.left <= 0 {
			return nil
		}
		if err := l.comparePledge(ctx, id); err != nil {
			return err
		}
		l.pass.Next++
		l.pass.Checked++
	}
	l.pass.BooksDone = len(ids) < l.pledgePage()
	return nil
}

func (l *comparison) comparePledge(ctx context.Context, id string) error {
	p, err := l.Orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	if !p.Charged {
		return l.reportAmbiguous(ctx, p)
	}
	l.pass.Booked += p.Paid()
	if p.PaymentIntentID == "" {
		l.report(Finding{Kind: WithoutPayment, Subject: p.OrderID, OrderIDs: []string{p.OrderID}, Booked: p.Paid(),
			Message: "The pledge is charged but records no payment"})
		return nil
	}
	payment, known, err := l.readPayment(ctx, p.PaymentIntentID)
	if err != nil {
		return err
	}
	f := Finding{Subject: p.PaymentIntentID, PaymentID: p.PaymentIntentID, OrderIDs: []string{p.OrderID},
		Booked: p.Paid(), Processor: payment.Received}
	switch {
	case !known:
		f.Kind, f.Message = Unavailable, "The processor does not have the payment of a charged pledge"
	case payment.Status != psp.Succeeded:
		f.Kind, f.Message = NotSucceeded, fmt.Sprintf("The payment of a charged pledge is %s", payment.Status)
	case payment.Currency != p.Currency:
		f.Kind, f.Message = Currency, fmt.Sprintf("The pledge is in %s and its payment in %s", p.Currency, payment.Currency)
	case l.isOtherCharge(p, payment):
		f.Kind, f.Message = OtherCharge,
			"The payment of a charged pledge is for another charge or the other mode"
	default:
		return l.compareAmount(ctx, p, payment)
	}
	l.report(f)
	return nil
}

// isOtherCharge reports whether a payment was not made for the charge of a pledge, because it
// has another group or mode. One payment settles one group.
func (l *comparison) isOtherCharge(p *pledge.Pledge, payment psp.Payment) bool {
	hash, ours := state.GroupOf(payment.Group, l.campaign.Slug)
	return !ours || payment.Mode != l.Processor.Mode() || p.Settlement != nil && p.Settlement.Group != hash
}

// reportAmbiguous reports a pledge's charge if its outcome is unknown.
func (l *comparison) reportAmbiguous(ctx context.Context, p *pledge.Pledge) error {
	if p.Settlement == nil {
		return nil
	}
	g, err := l.Settlement.Group(ctx, l.campaign.Slug, p.Settlement.Group)
	if err != nil || g == nil || g.Status != state.NeedsAttention {
		return err
	}
	l.report(Finding{Kind: Ambiguous, Subject: g.Hash, PaymentID: g.PaymentIntentID,
		OrderIDs: []string{p.OrderID}, Booked: g.Amount,
		Message: "It is not known whether the charge happened: " + g.Reason})
	return nil
}

// compareAmount compares a payment with all the pledges that it charged, once per run.
func (l *comparison) compareAmount(ctx context.Context, p *pledge.Pledge, payment psp.Payment) error {
	supporter := pledge.EmailHash(p.Email)
	if l.seen[supporter+payment.ID] {
		return nil
	}
	l.seen[supporter+payment.ID] = true
	sup, err := l.Inventory.Supporter(ctx, l.campaign.Slug, supporter)
	if err != nil {
		return err
	}
	var booked money.Cents
	var ids []string
	for _, id := range sup.Pledges {
		other, err := l.Orders.Pledge(ctx, id)
		if err != nil {
			return err
		}
		if other.Charged && other.PaymentIntentID == payment.ID {
			booked += other.Paid()
			ids = append(ids, id)
		}
	}
	if booked != payment.Received {
		l.report(Finding{Kind: AmountDiffers, Subject: payment.ID, PaymentID: payment.ID, OrderIDs: ids,
			Booked: booked, Processor: payment.Received,
			Message: fmt.Sprintf("The pledges total %s and their payment is %s", booked, payment.Received)})
	}
	return nil
}

// compareList compares the next page of the processor's payments.
func (l *comparison) compareList(ctx context.Context) error {
	page, err := l.round.page(ctx,
		psp.PaymentQuery{From: l.pass.From, To: l.pass.To, After: l.pass.After, Limit: l.paymentPage()})
	if err != nil {
		return err
	}
	for _, p := range page.Payments {
		hash, ours := state.GroupOf(p.Group, l.campaign.Slug)
		if !ours || p.Status != psp.Succeeded {
			continue
		}
		l.pass.Listed++
		g, err := l.Settlement.Group(ctx, l.campaign.Slug, hash)
		if err != nil {
			return err
		}
		if p.Refunded >= p.Received && (g == nil || g.PaymentIntentID != p.ID) {
			continue // refunded, and never booked
		}
		l.pass.Processor += p.Received
		if err := l.compareSucceeded(ctx, g, p); err != nil {
			return err
		}
	}
	l.pass.After, l.pass.ListDone = page.Next, page.Next == ""
	return nil
}

// compareSucceeded compares a successful payment with its pledges.
func (l *comparison) compareSucceeded(ctx context.Context, g *state.Group, p psp.Payment) error {
	f := Finding{Kind: NotBooked, Subject: p.ID, PaymentID: p.ID, Processor: p.Received}
	if g != nil && g.Status == state.Succeeded && g.PaymentIntentID != p.ID {
		f.Kind, f.Message = ChargedTwice, "The supporter is charged by the payment "+g.PaymentIntentID+" as well"
		l.report(f)
		return nil
	}
	if l.Now().Sub(p.CreatedAt) < bookingTime {
		l.pass.Recent = true
		return nil
	}
	if g == nil {
		f.Message = "A payment succeeded without a record of its charge"
		l.report(f)
		return nil
	}
	if len(g.Orders) == 0 { // imported, but its pledges are charged by another payment
		f.Message = "A payment succeeded that does not belong to a pledge"
		l.report(f)
		return nil
	}
	var without []string
	shown := false // some refund
	for _, o := range g.Orders {
		pl, err := l.Orders.Pledge(ctx, o.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err != nil || !pl.Charged || pl.PaymentIntentID != p.ID {
			without = append(without, o.ID)
			continue
		}
		shown = shown || len(pl.Refunds) > 0
	}
	if g.PaymentIntentID == p.ID && len(without) == 0 {
		if p.Refunded == 0 && !shown {
			return nil
		}
		return l.compareRefunds(ctx, g, p)
	}
	f.OrderIDs, f.Booked = without, g.Amount
	f.Message = "A payment succeeded but its pledges are not recorded as charged by it: " + strings.Join(without, ", ")
	l.report(f)
	return nil
}

// compareRefunds compares a payment's refunds with the recorded ones, after it has recorded those that
// were made at the processor. A refund that is under way is compared later.
func (l *comparison) compareRefunds(ctx context.Context, g *state.Group, p psp.Payment) error {
	l.left -= 2
	if err := l.Settlement.UpdateRefunds(ctx, p.ID); err != nil {
		return err
	}
	of, err := l.Settlement.RefundsOfPayment(ctx, l.campaign.Slug, p.ID)
	if fault.Is(err, fault.NotFound) {
		return nil // compareLedger reports it
	}
	if err != nil {
		return err
	}
	var recorded money.Cents
	for _, r := range of.Refunds {
		if r.Status == refund.Submitted || l.Now().Sub(r.GrantedAt) < bookingTime {
			l.pass.Recent = true
			return nil
		}
		if r.Status == refund.Pending || r.Status == refund.Succeeded {
			recorded += r.Amount
		}
	}
	if recorded != p.Refunded {
		l.report(Finding{Kind: RefundDiffers, Subject: p.ID, PaymentID: p.ID, OrderIDs: g.OrderIDs(),
			Booked: recorded, Processor: p.Refunded,
			Message: fmt.Sprintf("Refunds of %s are recorded, and the processor has %s", recorded, p.Refunded)})
	}
	return nil
}

// readPayment reads a payment; known is false if the processor does not have it.
func (l *comparison) readPayment(ctx context.Context, id string) (p psp.Payment, known bool, err error) {
	if p, known = l.payments[id]; known {
		return p, p.ID != "", nil
	}
	l.left--
	l.pass.Retrieved++
	p, err = l.Processor.Payment(ctx, id)
	if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) {
		return p, false, err
	}
	if err != nil {
		p = psp.Payment{}
	}
	l.payments[id] = p
	return p, p.ID != "", nil
}
