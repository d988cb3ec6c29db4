package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Filled is what a look for late figures has done.
type Filled struct {
	Checked int `json:"checked"` // payments that were asked after
	Filled  int `json:"filled"`
	// Pending is whether there are payments left whose figures are not known:
	// the processor has not booked them, or the limit was reached.
	Pending bool `json:"pending"`
}

// FillFinancials takes over what the processor has booked since about the
// payments of a campaign, at most limit of them: fee, net and when it is
// available. It asks only for payments without these figures.
func (s *Service) FillFinancials(ctx context.Context, slug string, limit int) (Filled, error) {
	var f Filled
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return f, err
	}
	object := client{s.Coordinator, slug}
	for after := ""; f.Checked < limit; {
		page, err := object.unbooked(ctx, after, min(s.batchSize(), limit-f.Checked))
		if err != nil {
			return f, err
		}
		for _, g := range page.Groups {
			f.Checked++
			filled, err := s.fill(ctx, c, g)
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

// fill tells the pledges first: the group leaves the list of those without
// figures only when nothing is left to tell.
func (s *Service) fill(ctx context.Context, c *campaign.Campaign, g Group) (bool, error) {
	p, err := s.Processor.Payment(ctx, g.PaymentIntentID)
	if err != nil || p.Financials.BalanceTransactionID == "" {
		return false, err
	}
	f := s.lookupResult(g, p)
	if f.Differs != "" {
		return false, nil
	}
	f.Told = true // when the group hears of it, which is last
	known := g
	known.hear(tellOf(g, f), s.Now())
	ids, err := s.markCharged(ctx, known)
	if err != nil {
		return false, err
	}
	pledges, err := s.read(ctx, ids)
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
	_, err = client{s.Coordinator, c.Slug}.tell(ctx, Lease{}, g, f)
	return err == nil, err
}
