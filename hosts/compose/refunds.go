package compose

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// refundLimit is how many refunds of a campaign one call of Minute continues.
const refundLimit = 20

// runRefunds continues the refunds that are due. Campaigns without one are idle at some time, so that
// this costs a query per campaign that ended recently.
func (s *Services) runRefunds(ctx context.Context) error {
	active, err := s.Settlement.ActiveCampaigns(ctx)
	errs := []error{err}
	zone := s.Config.Site.Timezone.Location()
	for _, c := range active {
		if c.State(s.Now(), zone) == campaign.Ended {
			errs = append(errs, s.Settlement.RunRefunds(ctx, c.Slug, refundLimit))
		}
	}
	return errors.Join(errs...)
}

const (
	refundsKey = "cron:refunds"
	// refundOverlap is how far back each search starts before the end of the last one, because the
	// processor's list can be late.
	refundOverlap = time.Hour
	// firstRefundSearch is how far back the first search starts.
	firstRefundSearch = 35 * daily
	refundPages       = 10 // of 100 balance transactions, in one run
)

// refundSearch is the position in the processor's balance transactions.
type refundSearch struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`    // of the running search
	After string    `json:"after"` // within the running search
}

// findRefunds searches the processor's balance for refunds, and for refunds that came back, and records
// them: those that were made at the processor, and those whose webhook was lost. It continues where the
// last run stopped.
func (s *Services) findRefunds(ctx context.Context) error {
	if !s.Config.Settlement.Reconcile {
		return nil
	}
	at, known, err := kv.Read[refundSearch](ctx, s.Stores.Pledges, refundsKey)
	if err != nil {
		return err
	}
	if !known {
		at.From = s.Now().Add(-firstRefundSearch)
	}
	if at.After == "" {
		at.To = s.Now().UTC()
	}
	for range refundPages {
		page, err := s.Processor.BalanceTransactions(ctx, psp.BalanceQuery{From: at.From, To: at.To.Add(time.Second),
			After: at.After, Limit: 100})
		if err != nil {
			return err
		}
		for _, t := range page.Transactions {
			if t.PaymentID == "" || t.Category != psp.BalanceRefund && t.Category != psp.BalanceRefundFailure {
				continue
			}
			if err := s.Settlement.UpdateRefunds(ctx, t.PaymentID); err != nil {
				return err
			}
		}
		if at.After = page.Next; at.After == "" {
			at.From = at.To.Add(-refundOverlap)
			break
		}
	}
	return kv.Save(ctx, s.Stores.Pledges, refundsKey, at)
}
