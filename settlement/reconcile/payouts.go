package reconcile

import (
	"context"
	"fmt"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// comparePayouts compares the campaign's shares of payouts with its ledger, and reports payouts whose rows do
// not explain them.
func (l *comparison) comparePayouts(ctx context.Context) error {
	for after := ""; ; {
		page, err := l.Settlement.Payouts(ctx, after, kv.MaxPage)
		if err != nil {
			return err
		}
		if err := l.comparePayoutPage(ctx, page.Payouts); err != nil {
			return err
		}
		if after = page.Next; after == "" {
			return nil
		}
	}
}

func (l *comparison) comparePayoutPage(ctx context.Context, page []payout.Payout) error {
	var ids []string
	var ours []payout.Payout
	for _, p := range page {
		if _, ok := p.ShareOf(l.campaign.Slug); ok {
			ids, ours = append(ids, p.ID), append(ours, p)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	booked, err := l.Settlement.BookedPayouts(ctx, l.campaign.Slug, ids)
	if fault.Is(err, fault.Internal) {
		return nil // the ledger is damaged, which compareLedger reports
	}
	if err != nil {
		return err
	}
	for _, p := range ours {
		if err := l.comparePayout(ctx, p, booked[p.ID]); err != nil {
			return err
		}
	}
	return nil
}

func (l *comparison) comparePayout(ctx context.Context, p payout.Payout, booked payout.Booked) error {
	share, _ := p.ShareOf(l.campaign.Slug)
	if isMissing(p, share, booked) {
		var err error
		if booked, err = l.Settlement.BookPayout(ctx, l.campaign.Slug, p); err != nil {
			return err
		}
	}
	rows := p.Amount - p.Difference()
	switch {
	case rows != p.Amount:
		l.report(Finding{Kind: PayoutDiffers, Subject: p.ID, Booked: rows, Processor: p.Amount,
			Message: fmt.Sprintf("The payout %s is %s, but its rows add up to %s", p.ID, p.Amount, rows)})
	case isMissing(p, share, booked):
		l.report(Finding{Kind: PayoutDiffers, Subject: p.ID, Booked: booked.Share, Processor: share.Amount,
			Message: fmt.Sprintf("The campaign's share of the payout %s is %s, but the ledger has %s, and %s of its return",
				p.ID, share.Amount, booked.Share, booked.Returned)})
	}
	if share.Unmatched > 0 {
		l.report(Finding{Kind: PayoutUnknown, Subject: p.ID, Processor: share.Amount, Message: fmt.Sprintf(
			"The payout %s has %d rows of the campaign that the ledger does not have, such as %s", p.ID,
			share.Unmatched, strings.Join(share.Examples, ", "))})
	}
	return nil
}

// isMissing reports whether a ledger lacks a share of a payout that is booked, or its return.
func isMissing(p payout.Payout, share payout.Share, booked payout.Booked) bool {
	return p.BookedAt != nil && booked.Share != share.Amount || p.ReversedAt != nil && booked.Returned != share.Amount
}
