package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// mail queues the mail about an event of a pledge's history, if there is one.
// Queuing it again changes nothing.
func (s *Service) mail(ctx context.Context, p *pledge.Pledge, event string) error {
	writes, err := s.mailWrites(ctx, p, event)
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, writes)
}

func (s *Service) mailWrites(ctx context.Context, p *pledge.Pledge, event string) ([]kv.Write, error) {
	var compose func(*pledge.Pledge, *campaign.Campaign, notify.Links, *time.Location, time.Time) (notify.Message, error)
	switch event {
	case "created":
		others, err := s.others(ctx, p)
		if err != nil {
			return nil, err
		}
		compose = notify.ConfirmationOf
		if slices.ContainsFunc(others, (*pledge.Pledge).Unpaid) {
			compose = notify.ConfirmationBesideOthers
		}
	case "modified":
		compose = notify.ModifiedOf
	case "cancelled":
		compose = notify.CancelledOf
	default:
		return nil, nil
	}
	m, err := compose(p, s.campaign(p.CampaignSlug), s.Links, s.Settings.Zone, s.Now())
	if err != nil {
		return nil, err
	}
	return s.Outbox.Writes(ctx, m)
}

// campaign returns a campaign, or, where its file is gone, one that has its
// name and nothing to offer.
func (s *Service) campaign(slug string) *campaign.Campaign {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return &campaign.Campaign{Slug: slug, Title: slug}
	}
	return c
}
