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
	switch event {
	case "created":
		return s.confirmation(ctx, p, false)
	case "modified":
		return s.written(ctx, p, notify.ModifiedOf)
	case "cancelled":
		return s.written(ctx, p, notify.CancelledOf)
	}
	return nil, nil
}

// confirmation queues the mail about a new pledge. Unless the pledge is known to be alone,
// others under its address are looked for.
func (s *Service) confirmation(ctx context.Context, p *pledge.Pledge, alone bool) ([]kv.Write, error) {
	if alone {
		return s.written(ctx, p, notify.ConfirmationOf)
	}
	with, err := s.combined(ctx, p)
	if err != nil {
		return nil, err
	}
	if with != nil {
		return s.written(ctx, p, notify.ConfirmationWith(s.Settings.Grouping, with.Others, with.Total))
	}
	others, err := s.others(ctx, p)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(others, (*pledge.Pledge).Unpaid) {
		return s.written(ctx, p, notify.ConfirmationBesideOthers)
	}
	return s.written(ctx, p, notify.ConfirmationOf)
}

type composer func(*pledge.Pledge, *campaign.Campaign, notify.Links, *time.Location, time.Time) (notify.Message, error)

func (s *Service) written(ctx context.Context, p *pledge.Pledge, compose composer) ([]kv.Write, error) {
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
