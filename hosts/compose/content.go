package compose

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// CheckContent holds campaign files against the pledges that rely on them. It fails with
// code Conflict where a campaign with pledges has no file, and where one that was closed
// would take pledges again. While the clock is wrong, the latter is not known: then it fails
// with code Unavailable and ErrClock. A file that promises something else than pledges rely on is
// logged: its settlement is held.
func (s *Services) CheckContent(ctx context.Context, files *campaign.Catalogue) error {
	for cursor := ""; ; {
		page, err := s.Stores.Pledges.List(ctx, kv.Query{Prefix: pledge.StatsKey(""), Cursor: cursor, Limit: kv.MaxPage, KeysOnly: true})
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := s.checkFile(ctx, files, strings.TrimPrefix(e.Key, pledge.StatsKey(""))); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func (s *Services) checkFile(ctx context.Context, files *campaign.Catalogue, slug string) error {
	c, err := files.Campaign(slug)
	if err == nil {
		if err := s.staysClosed(ctx, c); err != nil {
			return err
		}
		broken, err := s.Settlement.Broken(ctx, c)
		for _, p := range broken {
			s.Log.WarnContext(ctx, "settlement is held: the campaign's file promises something else than its pledges rely on",
				"campaign", slug, "pledges", p.Pledges, "deadline", p.EndsAt, "goal", p.Goal)
		}
		return err
	}
	snap, err := s.Settlement.Inventory.Snapshot(ctx, slug)
	if err != nil || snap.Totals.Pledges() == 0 {
		return err
	}
	return fault.New(fault.Conflict, "The campaign %s has pledges (%d) and no file any more. Put campaigns/%s.md back; published: false takes it off the site",
		slug, snap.Totals.Pledges(), slug)
}

// staysClosed refuses a later deadline for a campaign that missed its goal and was closed:
// what is pledged to it could never be charged.
func (s *Services) staysClosed(ctx context.Context, c *campaign.Campaign) error {
	if c.State(s.Now(), s.Config.Site.Timezone.Location()) == campaign.Ended {
		return nil
	}
	closed, err := s.Settlement.Closed(ctx, c.Slug)
	if err != nil || !closed {
		return err
	}
	if err := s.Clock.Check(ctx); err != nil { // it may have ended by the right time
		return err
	}
	return fault.New(fault.Conflict, "The campaign %s missed its goal and is closed: its cards are deleted. Put its deadline back, and begin a new campaign under another slug", c.Slug)
}
