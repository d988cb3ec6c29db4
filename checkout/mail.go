package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// queueMail queues the email about an event in a pledge's history, if there is one for that event.
// It is idempotent.
func (s *Service) queueMail(ctx context.Context, p *pledge.Pledge, event string) error {
	writes, err := s.mailWrites(ctx, p, event)
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, writes)
}

func (s *Service) mailWrites(ctx context.Context, p *pledge.Pledge, event string) ([]kv.Write, error) {
	switch event {
	case "created":
		return s.confirmationMail(ctx, p, false)
	case "modified":
		return s.composeMail(ctx, p, mailtext.ModifiedMail)
	case "cancelled":
		return s.composeMail(ctx, p, mailtext.CancelledMail)
	case pledge.CardUpdated:
		return s.composeMail(ctx, p, mailtext.CardReplacedMail)
	}
	return nil, nil
}

// confirmationMail returns the writes that queue the email about a new pledge. Unless the pledge is
// known to be the address's only one, it reads the other pledges.
func (s *Service) confirmationMail(ctx context.Context, p *pledge.Pledge, alone bool) ([]kv.Write, error) {
	if alone {
		return s.composeMail(ctx, p, mailtext.ConfirmationMail)
	}
	with, err := s.combined(ctx, p)
	if err != nil {
		return nil, err
	}
	if with != nil {
		return s.composeMail(ctx, p, mailtext.GroupedConfirmation(s.Settings.Grouping, with.Others, with.Total))
	}
	others, err := s.otherPledges(ctx, p)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(others, (*pledge.Pledge).Unpaid) {
		return s.composeMail(ctx, p, mailtext.ConfirmationAmongOthers)
	}
	return s.composeMail(ctx, p, mailtext.ConfirmationMail)
}

// composer composes the email about a pledge.
type composer func(*pledge.Pledge, *campaign.Campaign, mailtext.Links, *time.Location,
	time.Time) (notify.Message, error)

func (s *Service) composeMail(ctx context.Context, p *pledge.Pledge, compose composer) ([]kv.Write, error) {
	m, err := compose(p, s.campaign(p.CampaignSlug), s.Links, s.Settings.Zone, s.Now())
	if err != nil {
		return nil, err
	}
	return s.Outbox.Writes(ctx, m)
}

// campaign returns a campaign of the catalogue. If its file no longer exists, it returns an empty
// campaign whose title is the slug.
func (s *Service) campaign(slug string) *campaign.Campaign {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return &campaign.Campaign{Slug: slug, Title: slug}
	}
	return c
}
