package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// preview plans all charges without making them. It takes no lease.
func (s *Service) preview(ctx context.Context, c *campaign.Campaign) (Report, error) {
	out := Report{DryRun: true, CampaignSlug: c.Slug, Preview: &Preview{Supporters: []Supporter{}}}
	t := tally{}
	for cursor := ""; ; {
		page, err := s.Inventory.Supporters(ctx, c.Slug, cursor, s.batchSize())
		if err != nil {
			return Report{}, err
		}
		for _, sup := range page.Supporters {
			groups, _, err := s.chargeGroups(ctx, c.Slug, sup)
			if err != nil {
				return Report{}, err
			}
			for _, cg := range groups {
				p := s.planCharge(c, cg)
				t.addUncharged(p)
				out.add(p)
			}
		}
		if page.Next == "" {
			break
		}
		cursor = page.Next
	}
	out.SkippedNoCustomer = t.noCards
	out.Skipped = t.pick(DetailSkipped, DetailPending, DetailAttention)
	return out, nil
}
