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

// A ContentConflict is why a campaign's file must not be used: pledges rely on another one.
type ContentConflict struct {
	Slug string
	// Err has code Conflict: the campaign has pledges and no file, or was closed and would take
	// pledges again. While the clock is wrong, the latter is not known: then it is ErrClock, with
	// code Unavailable.
	Err error
}

// CheckContent compares campaign files with the pledges that rely on them, and returns the
// conflicts. A file that promises something else than pledges rely on is only logged: its
// settlement is held. It fails if the pledges cannot be read.
func (s *Services) CheckContent(ctx context.Context, files *campaign.Catalogue) ([]ContentConflict, error) {
	var conflicts []ContentConflict
	for cursor := ""; ; {
		page, err := s.Stores.Pledges.List(ctx, kv.Query{Prefix: pledge.StatsKey(""), Cursor: cursor, Limit: kv.MaxPage, KeysOnly: true})
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
	return fault.New(fault.Conflict, "The campaign %s has pledges (%d) and no usable file. Put campaigns/%s.md back; published: false takes it off the site",
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
