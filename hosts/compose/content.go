package compose

import (
	"context"
	"errors"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A ContentConflict is a campaign file that must not be used because it conflicts with existing
// pledges.
type ContentConflict struct {
	Slug string
	// Err has code Conflict if the campaign has pledges but no file, or if the file would reopen a
	// closed campaign. While the clock is wrong, it is unknown whether a campaign would be
	// reopened, and Err is ErrClock with code Unavailable.
	Err error
}

// CheckContent compares campaign files with the existing pledges and returns the conflicts. A file
// that breaks a promise to supporters, such as the deadline or the goal, is only logged; it holds
// the campaign's settlement. CheckContent fails if the pledges cannot be read.
func (s *Services) CheckContent(ctx context.Context, files *campaign.Catalogue) ([]ContentConflict, error) {
	var conflicts []ContentConflict
	for cursor := ""; ; {
		page, err := s.Stores.Pledges.List(ctx,
			kv.Query{Prefix: pledge.StatsKey(""), Cursor: cursor, Limit: kv.MaxPage, KeysOnly: true})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			slug := strings.TrimPrefix(e.Key, pledge.StatsKey(""))
			err := s.checkFile(ctx, files, slug)
			switch {
			case err == nil:
			case fault.Is(err, fault.Conflict), errors.Is(err, ErrClock):
				conflicts = append(conflicts, ContentConflict{slug, err})
			default:
				return nil, err
			}
		}
		if cursor = page.Next; cursor == "" {
			return conflicts, nil
		}
	}
}

func (s *Services) checkFile(ctx context.Context, files *campaign.Catalogue, slug string) error {
	c, err := files.Campaign(slug)
	if err == nil {
		if err := s.checkStaysClosed(ctx, c); err != nil {
			return err
		}
		broken, err := s.Settlement.BrokenPromises(ctx, c)
		for _, p := range broken {
			s.Log.WarnContext(ctx, "settlement held: the campaign file breaks a promise to its supporters",
				"campaign", slug, "pledges", p.Pledges, "deadline", p.EndsAt, "goal", p.Goal)
		}
		return err
	}
	snap, err := s.Settlement.Inventory.Snapshot(ctx, slug)
	if err != nil || snap.Totals.Pledges() == 0 {
		return err
	}
	return fault.New(fault.Conflict,
		"The campaign %s has pledges (%d) but no usable file. Restore campaigns/%s.md; to take the campaign off the site, set published: false",
		slug, snap.Totals.Pledges(), slug)
}

// checkStaysClosed fails with code Conflict if a file's deadline would reopen a campaign that
// missed its goal and was closed, because its pledges could never be charged.
func (s *Services) checkStaysClosed(ctx context.Context, c *campaign.Campaign) error {
	if c.State(s.Now(), s.Config.Site.Timezone.Location()) == campaign.Ended {
		return nil
	}
	closed, err := s.Settlement.Closed(ctx, c.Slug)
	if err != nil || !closed {
		return err
	}
	if err := s.Clock.Check(ctx); err != nil { // at the right time it may have ended
		return err
	}
	return fault.New(fault.Conflict,
		"The campaign %s missed its goal and is closed: its cards are deleted. Restore its deadline and start a new campaign with another slug", c.Slug)
}
