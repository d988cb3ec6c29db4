package settlement

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// FindDisagreements compares the pledges of a campaign with the terms that the processor has
// for them now, and returns the differences with the operators' decisions so far. Unlike
// Disagreements it calls the processor, and it works before the deadline and while charging is
// stopped. It takes no lease and stores nothing.
func (s *Service) FindDisagreements(ctx context.Context, c *campaign.Campaign) ([]state.Disagreement, error) {
	known, err := s.Disagreements(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	now, all := s.Now(), []state.Disagreement{}
	err = s.compareTerms(ctx, c, func(found []state.Disagreement) error {
		for _, d := range found {
			d.FoundAt = now
			if i := slices.IndexFunc(known, d.IsSame); i >= 0 {
				d = known[i]
			}
			d.SeenAt = now
			all = append(all, d)
		}
		return nil
	})
	return all, err
}

// Disagreements lists the pledges of a campaign whose terms differ from the processor's record, as
// the last import found them. It includes those that operators decided about. It fails with code
// NotFound for an unknown campaign.
func (s *Service) Disagreements(ctx context.Context, slug string) ([]state.Disagreement, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	return s.objectOf(slug).Disagreements(ctx)
}

// AcceptTerms records an operator's decision that a pledge with a disagreement may be charged its
// current amount. It takes effect when a second operator decides the same.
//
// It fails with code NotFound for an unknown campaign or a pledge without a disagreement, with
// Conflict if the terms have changed, and with Invalid for a reason that state.CheckReason rejects.
func (s *Service) AcceptTerms(ctx context.Context, slug, operator, pledgeID,
	reason string) (state.Disagreement, error) {
	if err := state.CheckReason(reason); err != nil {
		return state.Disagreement{}, err
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return state.Disagreement{}, err
	}
	about, err := s.disagreementOf(ctx, c, pledgeID)
	if err != nil {
		return state.Disagreement{}, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return state.Disagreement{}, err
	}
	w, err := evidence.Decision{Operator: operator, CampaignSlug: slug, Subject: pledgeID,
		Decision: "charge_as_is", Reason: reason, At: s.Now()}.Write(nonce)
	if err != nil {
		return state.Disagreement{}, err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return state.Disagreement{}, err
	}
	d, err := s.objectOf(slug).AcceptTerms(ctx, about, operator, reason, nonce)
	if err != nil || !d.Accepted() {
		return d, err
	}
	return d, s.Wake(ctx, slug)
}

// disagreementOf returns the disagreement of a pledge: the recorded one or, if no run has
// recorded one yet, the one found at the processor now. It fails with code NotFound if there
// is none.
func (s *Service) disagreementOf(ctx context.Context, c *campaign.Campaign,
	pledgeID string) (state.Disagreement, error) {
	hash := state.HashOf(c.Slug, pledgeID)
	f, err := s.objectOf(c.Slug).Groups(ctx, []string{hash})
	if err != nil {
		return state.Disagreement{}, err
	}
	if d := f.Records[hash].Disagreement; d != nil {
		return *d, nil
	}
	p, err := s.Orders.Pledge(ctx, pledgeID)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) || err == nil && p.CampaignSlug != c.Slug {
		return state.Disagreement{}, noDisagreement()
	}
	if err != nil {
		return state.Disagreement{}, err
	}
	found, err := s.FindDisagreements(ctx, c)
	if err != nil {
		return state.Disagreement{}, err
	}
	for _, d := range found {
		if d.PledgeID == pledgeID {
			return d, nil
		}
	}
	return state.Disagreement{}, noDisagreement()
}

func noDisagreement() error {
	return fault.New(fault.NotFound, "The pledge's terms do not differ from the processor's record").In("orderId")
}
