package compose

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// refundLimit is how many refunds of a campaign one call of Minute continues, and runLimit how many
// payments it visits in a run that refunds all of them.
const refundLimit, runLimit = 20, 60

// runRefunds continues the refunds that are due. Campaigns without one are idle at some time, so that
// this costs a query per campaign that ended recently.
func (s *Services) runRefunds(ctx context.Context) error {
	active, err := s.Settlement.ActiveCampaigns(ctx)
	errs := []error{err}
	zone := s.Config.Site.Timezone.Location()
	for _, c := range active {
		if c.State(s.Now(), zone) == campaign.Ended {
			errs = append(errs, s.Settlement.RunRefunds(ctx, c.Slug, refundLimit),
				s.Settlement.ContinueRefundRun(ctx, c.Slug, runLimit))
		}
	}
	return errors.Join(errs...)
}

const (
	refundsKey = "cron:refunds"
	// refundAge is how far back the first search and one after a restore start, and how long the search
	// tries a payment again.
	refundAge   = 120 * daily
	refundPages = 10 // of 100 balance transactions, in one run
	maxLater    = 1000
)

// refundSearch is the position in the processor's balance transactions.
type refundSearch struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`    // of the running search
	After string    `json:"after"` // within the running search
	// Restored is when charging was stopped for the last restore before the search started.
	Restored time.Time `json:"restored,omitzero"`
	// Later has the payments that the next run tries again because an error occurred, with the time of
	// their first failure.
	Later map[string]time.Time `json:"later,omitempty"`
}

// findRefunds searches the processor's balance for refunds, and for refunds that came back, and records
// them: those that were made at the processor, and those whose webhook was lost. It continues where the
// last run stopped, and starts again after a restore.
func (s *Services) findRefunds(ctx context.Context) error {
	at, known, err := kv.Read[refundSearch](ctx, s.Stores.Pledges, refundsKey)
	if err != nil {
		return err
	}
	restored, err := s.Settlement.Switch().RestoredAt(ctx)
	if err != nil {
		return err
	}
	if !known || !restored.Equal(at.Restored) {
		at = refundSearch{From: s.Now().Add(-refundAge), Restored: restored, Later: at.Later}
	}
	searched := s.searchRefunds(ctx, &at)
	updated := s.updateRefunds(ctx, &at)
	return errors.Join(searched, updated, kv.Save(ctx, s.Stores.Pledges, refundsKey, at))
}

// searchRefunds reads the next pages, and adds the payments of refunds to at.Later.
func (s *Services) searchRefunds(ctx context.Context, at *refundSearch) error {
	if at.After == "" {
		at.To = s.Now().UTC()
	}
	if at.Later == nil {
		at.Later = map[string]time.Time{}
	}
	for range refundPages {
		if len(at.Later) >= maxLater {
			return nil // the next run continues here
		}
		page, err := s.Processor.BalanceTransactions(ctx, psp.BalanceQuery{From: at.From, To: at.To.Add(time.Second),
			After: at.After, Limit: 100})
		if err != nil {
			return err
		}
		for _, t := range page.Transactions {
			refund := t.Category == psp.BalanceRefund || t.Category == psp.BalanceRefundFailure
			if _, listed := at.Later[t.PaymentID]; refund && t.PaymentID != "" && !listed {
				at.Later[t.PaymentID] = s.Now().UTC()
			}
		}
		if at.After = page.Next; at.After == "" {
			at.From = at.To.Add(-settlement.RefundOverlap)
			return nil
		}
	}
	return nil
}

// updateRefunds updates the refunds of the payments in at.Later, and removes those that are done or too
// old.
func (s *Services) updateRefunds(ctx context.Context, at *refundSearch) error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(at.Later)) {
		err := s.Settlement.UpdateRefunds(ctx, id)
		if errs = append(errs, err); err == nil || s.Now().Sub(at.Later[id]) > refundAge {
			delete(at.Later, id)
		}
	}
	return errors.Join(errs...)
}
