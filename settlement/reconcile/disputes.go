package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// returnTime is how long after a won dispute its money has to be back.
const returnTime = 7 * 24 * time.Hour

// compareDisputes compares the campaign's mirrored disputes with the processor's, and the ledger's accounts
// with the disputes. A dispute that differs is looked up first: it may have changed since its last lookup.
func (l *comparison) compareDisputes(ctx context.Context) error {
	listed, err := l.round.listDisputes(ctx, l.pass.From)
	if err != nil {
		return err
	}
	ours, err := l.disputesHere(ctx, listed)
	if err != nil {
		return err
	}
	mirrored, err := l.mirroredDisputes(ctx)
	if err != nil {
		return err
	}
	for id := range mirrored {
		if !slices.Contains(ours, id) {
			ours = append(ours, id)
		}
	}
	slices.Sort(ours)
	for _, id := range ours {
		at, known := listed[id]
		if err := l.compareDispute(ctx, mirrored[id], at, known); err != nil {
			return err
		}
	}
	return l.compareDisputeAccounts(ctx)
}

// disputesHere returns the IDs of the listed disputes that are known to belong to the campaign. Those that
// were never imported are imported.
func (l *comparison) disputesHere(ctx context.Context, listed map[string]psp.Dispute) (ours []string, err error) {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(listed)), kv.MaxPage) {
		slugs, err := l.Settlement.DisputeCampaigns(ctx, ids)
		if err != nil {
			return nil, err
		}
		var missing []string
		for _, id := range ids {
			if _, known := slugs[id]; !known {
				missing = append(missing, id)
				err = l.Settlement.ImportPaymentDisputes(ctx, listed[id].PaymentID)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(missing) > 0 {
			if slugs, err = l.Settlement.DisputeCampaigns(ctx, ids); err != nil {
				return nil, err
			}
		}
		for _, id := range ids {
			if slugs[id] == l.campaign.Slug {
				ours = append(ours, id)
			}
		}
	}
	return ours, nil
}

// mirroredDisputes returns the campaign's disputes by ID.
func (l *comparison) mirroredDisputes(ctx context.Context) (map[string]dispute.Dispute, error) {
	all := map[string]dispute.Dispute{}
	for after := ""; ; {
		page, err := l.Settlement.Disputes(ctx, l.campaign.Slug, false, after, kv.MaxPage)
		if err != nil || len(page.Disputes) == 0 {
			return all, err
		}
		for _, d := range page.Disputes {
			all[d.ID] = d
		}
		after = page.Next
	}
}

// compareDispute compares a mirrored dispute, which has no ID if there is none, with the processor's.
func (l *comparison) compareDispute(ctx context.Context, d dispute.Dispute, at psp.Dispute, listed bool) error {
	if listed && differsFrom(d, at) != "" {
		var err error
		if d, at, err = l.lookUpDispute(ctx, at); err != nil {
			return err
		}
	}
	f := Finding{Kind: DisputeDiffers, Subject: d.ID, PaymentID: d.PaymentID, Booked: d.Amount, Processor: at.Amount}
	switch {
	case !listed:
		f.Message = "The processor does not have the dispute " + d.ID
	case differsFrom(d, at) != "":
		f.Subject, f.PaymentID = at.ID, at.PaymentID
		f.Message = fmt.Sprintf("The dispute %s differs in its %s", at.ID, differsFrom(d, at))
	case l.isReturnLate(d):
		f.Kind, f.Booked, f.Processor = DisputeUnpaid, d.Disputed(), 0
		f.Message = fmt.Sprintf("The dispute %s is %s since %s, but %s was not returned", d.ID, d.Status,
			d.DecidedAt.UTC().Format(time.DateOnly), d.Disputed())
	default:
		return nil
	}
	l.report(f)
	return nil
}

// lookUpDispute imports a dispute, and returns its mirror and what the processor has now.
func (l *comparison) lookUpDispute(ctx context.Context, at psp.Dispute) (dispute.Dispute, psp.Dispute, error) {
	if err := l.Settlement.ImportPaymentDisputes(ctx, at.PaymentID); err != nil {
		return dispute.Dispute{}, at, err
	}
	d, err := l.Settlement.Dispute(ctx, l.campaign.Slug, at.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return d, at, err
	}
	r, err := l.Processor.Reversals(ctx, at.PaymentID)
	for _, now := range r.Disputes {
		if now.ID == at.ID {
			at = now
		}
	}
	return d, at, err
}

func (l *comparison) isReturnLate(d dispute.Dispute) bool {
	return d.Disputed() != 0 && d.DecidedAt != nil && l.Now().Sub(*d.DecidedAt) > returnTime
}

// differsFrom returns what differs between a mirrored dispute and the processor's, or "".
func differsFrom(d dispute.Dispute, at psp.Dispute) string {
	switch {
	case d.ID == "":
		return "existence: it is not recorded"
	case d.Status != at.Status:
		return fmt.Sprintf("status: %s is recorded, and it is %s", d.Status, at.Status)
	case d.Amount != at.Amount:
		return fmt.Sprintf("amount: %s is recorded, and it is %s", d.Amount, at.Amount)
	case d.PaymentID != at.PaymentID:
		return "payment: " + d.PaymentID + " is recorded, and it is " + at.PaymentID
	}
	var net money.Cents
	for _, m := range d.Movements {
		if m.Currency != money.USD {
			return "currency: " + m.Currency + " was moved, which the ledger does not record"
		}
		net += m.Amount - m.Fee
	}
	var moved money.Cents
	for _, m := range at.Movements {
		moved += m.Net
	}
	if net != moved {
		return fmt.Sprintf("movements: %s is recorded, and it is %s", net, moved)
	}
	return ""
}

// compareDisputeAccounts compares the ledger's accounts with the disputes that explain them.
func (l *comparison) compareDisputeAccounts(ctx context.Context) error {
	sums, err := l.Settlement.DisputeSums(ctx, l.campaign.Slug)
	if fault.Is(err, fault.Internal) {
		return nil // the ledger is damaged, which compareLedger reports
	}
	if err != nil {
		return err
	}
	if sums.Disputed != sums.LedgerDisputed || sums.Lost != sums.LedgerLost {
		l.report(Finding{Kind: DisputedSum, Subject: "disputed", Booked: sums.LedgerDisputed + sums.LedgerLost,
			Processor: sums.Disputed + sums.Lost, Message: fmt.Sprintf(
				"The ledger has %s as disputed and %s as lost, but the disputes have %s and %s",
				sums.LedgerDisputed, sums.LedgerLost, sums.Disputed, sums.Lost)})
	}
	if sums.Suspense != 0 {
		l.report(Finding{Kind: Unexplained, Subject: "suspense", Booked: sums.Suspense, Message: fmt.Sprintf(
			"%s was moved in a way that this release does not know; it is in the ledger's account suspense",
			sums.Suspense)})
	}
	return nil
}
