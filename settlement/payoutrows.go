package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

// read reads the next page of a payout's rows. more is false if the next run has to continue: because no
// requests are left, or because an earlier payout that this one returns was not read yet.
func (r *payoutRun) read(ctx context.Context, p payout.Payout) (_ payout.Payout, more bool, err error) {
	if r.requests < 1 || !r.listed {
		return p, false, nil
	}
	after := ""
	if p.Reading != nil {
		after = p.Reading.After
	}
	r.requests--
	page, err := r.Processor.BalanceTransactions(ctx, psp.BalanceQuery{PayoutID: p.ID, After: after, Limit: rowPage})
	if after != "" && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound)) {
		p.Reading = nil // the last row read was removed from the list: start again
		return p, true, nil
	}
	if err != nil {
		return p, false, err
	}
	totals, ready, err := r.totals(ctx, p, page.Transactions)
	if err != nil || !ready {
		return p, false, err
	}
	totals.After = page.Next
	r.result.Rows += totals.Rows
	p, err = r.payouts().AddRows(ctx, p, totals)
	return p, true, err
}

// totals returns the totals of a page of rows by campaign, without the payout's own row. ready is false if a
// row is the return of an earlier payout whose contents are not known yet.
func (r *payoutRun) totals(ctx context.Context, p payout.Payout, page []psp.BalanceTransaction,
) (total payout.Contents, ready bool, err error) {
	var rows []payout.Row
	for _, b := range page {
		switch {
		case p.OwnRow(b), b.Currency != p.Currency:
		case b.PaymentID != "":
			rows = append(rows, payout.RowOf(b))
		default:
			failed, err := r.returned(ctx, b)
			switch {
			case err != nil:
				return total, false, err
			case failed == nil:
				total.AddOther(b.Net)
			case isDivided(*failed):
				total.AddReturned(*failed.Contents)
			default:
				return total, false, nil
			}
		}
	}
	err = r.addRows(ctx, &total, rows)
	return total, true, err
}

// returned returns the earlier payout whose return a row is, nil if it is none or if it cannot be divided: a
// manual payout took its money from no campaign in particular.
func (r *payoutRun) returned(ctx context.Context, b psp.BalanceTransaction) (*payout.Payout, error) {
	if b.Category != psp.BalancePayoutReversal || b.PayoutID == "" {
		return nil, nil
	}
	p, err := r.payouts().Get(ctx, b.PayoutID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // older than the list
	}
	if err != nil || p.Reason() != "" || p.Amount != b.Net || !isDivided(p) && p.IsFinished() {
		return nil, err
	}
	return &p, nil
}

// isDivided reports whether all of a payout's amount is divided.
func isDivided(p payout.Payout) bool { return p.Contents != nil && p.Difference() == 0 }

// addRows attributes rows of payments to campaigns, first by their ledgers and then by the processor's
// payments, and adds them to the totals.
func (r *payoutRun) addRows(ctx context.Context, total *payout.Contents, rows []payout.Row) error {
	for _, c := range r.Catalogue().Campaigns() {
		if len(rows) == 0 {
			return nil
		}
		matches, err := r.payoutsOf(c.Slug).Match(ctx, rows)
		if err != nil {
			return err
		}
		var left []payout.Row
		for i, m := range matches {
			if m.Ours {
				total.AddRow(c.Slug, rows[i], m.Booked)
			} else {
				left = append(left, rows[i])
			}
		}
		rows = left
	}
	return r.addUnknown(ctx, total, rows)
}

// addUnknown adds rows of payments that no ledger of a campaign in the catalogue has.
func (r *payoutRun) addUnknown(ctx context.Context, total *payout.Contents, rows []payout.Row) error {
	slugs := map[string]string{} // by payment
	for _, row := range rows {
		slug, known := slugs[row.PaymentID]
		if !known {
			var err error
			r.requests--
			if slug, _, err = r.namedBy(ctx, row.PaymentID); err != nil {
				return err
			}
			slugs[row.PaymentID] = slug
		}
		if err := r.addNamed(ctx, total, slug, row); err != nil {
			return err
		}
	}
	return nil
}

// addNamed adds a row of a payment that names a campaign, "" for none. While the campaign's file is missing, its
// ledger shows that it is one of this service.
func (r *payoutRun) addNamed(ctx context.Context, total *payout.Contents, slug string, row payout.Row) error {
	if slug == "" {
		total.AddOther(row.Net)
		return nil
	}
	matches, err := r.payoutsOf(slug).Match(ctx, []payout.Row{row})
	if err != nil {
		return err
	}
	if _, missing := r.Catalogue().Campaign(slug); missing != nil && !matches[0].Ours {
		total.AddOther(row.Net)
		return nil
	}
	total.AddRow(slug, row, matches[0].Booked)
	return nil
}
