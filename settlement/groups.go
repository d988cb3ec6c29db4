package settlement

import (
	"context"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// groupsAtOnce is the maximum number of groups in one query.
const groupsAtOnce = 100

// chargeGroups reads the pledges of an address and divides them into charge groups. It also
// returns the nonce of the address's visit request, or "".
func (s *Service) chargeGroups(ctx context.Context, slug string,
	sup inventory.Supporter) (all []chargeGroup, nonce string, err error) {
	f, err := s.records(ctx, slug, sup)
	if err != nil {
		return nil, "", err
	}
	pledges, err := s.readPledges(ctx, sup.Pledges)
	if err != nil {
		return nil, "", err
	}
	all = groupPledges(s.Grouping, slug, sup.Hash, pledges, f.Records)
	for i := range all {
		all[i].held = f.Held
	}
	return all, f.Records[state.HashOf(slug, sup.Hash)].Nonce, nil
}

// records returns the records of all groups that an address may have, by group hash.
func (s *Service) records(ctx context.Context, slug string, sup inventory.Supporter) (state.GroupRecords, error) {
	hashes := []string{state.HashOf(slug, sup.Hash)}
	for _, id := range sup.Pledges {
		hashes = append(hashes, state.HashOf(slug, id))
	}
	all := state.GroupRecords{Records: map[string]state.GroupRecord{}}
	for part := range slices.Chunk(hashes, groupsAtOnce) {
		f, err := s.objectOf(slug).Groups(ctx, part)
		if err != nil {
			return state.GroupRecords{}, err
		}
		maps.Copy(all.Records, f.Records)
		all.Held = f.Held
	}
	return all, nil
}

// groupOf returns the group that a pledge is part of, or nil.
func (s *Service) groupOf(ctx context.Context, p *pledge.Pledge) (*state.Group, error) {
	sup, err := s.Inventory.Supporter(ctx, p.CampaignSlug, pledge.EmailHash(p.Email))
	if err != nil {
		return nil, err
	}
	sup.Hash = pledge.EmailHash(p.Email)
	if !slices.Contains(sup.Pledges, p.OrderID) {
		sup.Pledges = append(slices.Clone(sup.Pledges), p.OrderID)
	}
	f, err := s.records(ctx, p.CampaignSlug, sup)
	if err != nil {
		return nil, err
	}
	for _, rec := range f.Records {
		if g := rec.Group; g != nil && slices.Contains(g.OrderIDs(), p.OrderID) {
			return g, nil
		}
	}
	return nil, nil
}

func (s *Service) planCharge(c *campaign.Campaign, cg chargeGroup) plan {
	p := cg.plan(c.Recovery, s.Now())
	if p.verdict == toCharge && cg.disagreed {
		p.verdict = disagreed
	}
	return p
}
