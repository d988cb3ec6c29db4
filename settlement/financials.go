package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Filled is the result of FillFinancials.
type Filled struct {
	Checked int `json:"checked"` // payments that were read
	Filled  int `json:"filled"`
	// Pending reports whether payments without fees are left: the processor has not booked them,
	// or the limit was reached.
	Pending bool `json:"pending"`
}

// FillFinancials copies the fee, net amount and availability date of a campaign's payments
// from the processor to the pledges, as soon as the processor has them, for at most limit
// payments. It reads only payments without these values.
func (s *Service) FillFinancials(ctx context.Context, slug string, limit int) (Filled, error) {
	var f Filled
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return f, err
	}
	object := s.objectOf(slug)
	for after := ""; f.Checked < limit; {
		page, err := object.Unbooked(ctx, after, min(s.batchSize(), limit-f.Checked))
		if err != nil {
			return f, err
		}
		for _, g := range page.Groups {
			f.Checked++
			filled, err := s.copyFees(ctx, c, g)
			if err != nil {
				return f, err
			}
			if filled {
				f.Filled++
			} else {
				f.Pending = true
			}
		}
		if page.Next == "" {
			return f, nil
		}
		after = page.Next
	}
	f.Pending = true
	return f, nil
}

// copyFees copies a payment's fees to its pledges and to its group, and reports whether the
// processor has them. The group is updated last, because it then leaves the list of successes
// without fees.
func (s *Service) copyFees(ctx context.Context, c *campaign.Campaign, g state.Group) (bool, error) {
	p, err := s.Processor.Payment(ctx, g.PaymentIntentID)
	if err != nil || p.Financials.BalanceTransactionID == "" {
		return false, err
	}
	f := s.lookupResult(g, p)
	if f.Differs != "" {
		return false, nil
	}
	f.FeesApplied = true // the group is updated last
	known := g.WithResult(f, s.Now())
	ids, err := s.markCharged(ctx, known)
	if err != nil {
		return false, err
	}
	pledges, err := s.readPledges(ctx, ids)
	if err != nil {
		return false, err
	}
	for _, pl := range pledges {
		if _, err := s.Projector.Book(ctx, pl, ""); err != nil {
			return false, err
		}
	}
	if err := s.copyGroup(ctx, known); err != nil {
		return false, err
	}
	_, err = s.objectOf(c.Slug).RecordResult(ctx, state.Lease{}, g, f)
	return err == nil, err
}
