package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// UpcomingCharge is a charge that would be made if the campaign were settled now, or that would be
// skipped only because no card may pay for it.
type UpcomingCharge struct {
	Email   string
	Pledges []*pledge.Pledge // at least one
	Amount  money.Cents      // of all of them
	Card    *pledge.Pledge   // the one whose card would be charged; nil without a card
}

// UpcomingCharges returns the upcoming charges of a campaign's supporters after a cursor (""
// for the first page), and the next cursor ("" at the end). It stops after the supporter whose
// pledges reach the limit, so that all charges of an address are in one page. It does not
// check whether the campaign has ended or is funded.
func (s *Service) UpcomingCharges(ctx context.Context, c *campaign.Campaign, after string,
	limit int) (all []UpcomingCharge, next string, err error) {
	page, err := s.Inventory.Active(ctx, c.Slug, after, limit)
	if err != nil {
		return nil, "", err
	}
	for _, sup := range page.Supporters {
		groups, _, err := s.chargeGroups(ctx, c.Slug, sup)
		if err != nil {
			return nil, "", err
		}
		for _, cg := range groups {
			p := s.planCharge(c, cg)
			if p.verdict == toCharge || p.verdict == noCustomer {
				all = append(all, UpcomingCharge{Email: p.email, Pledges: p.pledges, Amount: totalOf(p.pledges), Card: p.card})
			}
		}
	}
	return all, page.Next, nil
}
