package projection

import (
	"context"
	"errors"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Refresh updates a campaign's public numbers after units were held or released without a booking.
// It applies writes in the same batch, before the numbers.
func (p *Projector) Refresh(ctx context.Context, slug string, writes ...kv.Write) error {
	return p.writer(slug).project(ctx, p, &job{segment: none, platform: true, writes: writes})
}

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	CampaignSlug string `json:"campaignSlug"`
	Pledges      int    `json:"pledges"`
	Added        int    `json:"takenUp"` // pledges that the campaign's object did not list
	Records      int    `json:"records"` // written index segments, numbers and vote results
}

// Rebuild rewrites a campaign's projections from the objects: every pledge's record and its
// supporter's list, the index, the numbers, the vote results and the search terms. It also books
// pledges that have a record but are not listed in the campaign's object, which happens if only
// that object was restored from a backup. If a record of any campaign cannot be decoded, Rebuild
// does everything else and then returns an error.
func (p *Projector) Rebuild(ctx context.Context, slug string) (Rebuilt, error) {
	r := Rebuilt{CampaignSlug: slug}
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return r, err
	}
	listed, err := p.rebookListed(ctx, slug)
	if r.Pledges = len(listed); err != nil {
		return r, err
	}
	taken, unread := p.recoverUnlisted(ctx, slug, listed)
	r.Added, r.Pledges = taken, r.Pledges+taken
	for rec, err := range p.expected(ctx, slug) {
		if err != nil {
			return r, err
		}
		actual, err := p.storedRecord(ctx, rec.Key)
		if err != nil {
			return r, err
		}
		if actual == nil && isUntouched(rec.Value) {
			continue
		}
		if err := p.storeOf(rec.Key).Apply(ctx, []kv.Write{rec.Write}); err != nil {
			return r, err
		}
		r.Records++
	}
	p.cache.drop(slug)
	return r, errors.Join(unread, p.Search().Rebuild(ctx, slug))
}

// rebookListed books the pledges that a campaign's object lists, as stored in their orders, and
// returns their IDs. It skips pledges whose order is lost.
func (p *Projector) rebookListed(ctx context.Context, slug string) (map[string]bool, error) {
	listed := map[string]bool{}
	for from := 0; ; from += p.segmentSize() {
		ids, err := p.Inventory.Listed(ctx, slug, from, p.segmentSize())
		if err != nil {
			return listed, err
		}
		for _, id := range ids {
			found, err := p.rebook(ctx, id)
			if err != nil {
				return listed, err
			}
			if found {
				listed[id] = true
			}
		}
		if len(ids) < p.segmentSize() {
			return listed, nil
		}
	}
}

// recoverUnlisted books the campaign's pledges that have a record but are not listed, and returns
// their number. It skips pledges whose order is lost, which cannot be charged, and records that
// cannot be decoded, and returns an error for the latter at the end.
func (p *Projector) recoverUnlisted(ctx context.Context, slug string, listed map[string]bool) (n int, err error) {
	var unread []error
	for e, err := range kv.All(ctx, p.Store, pledge.Key("")) {
		if err != nil {
			return n, err
		}
		of, err := kv.Member[string](e.Key, e.Value, "campaignSlug")
		if err != nil {
			unread = append(unread, err)
			continue
		}
		id := strings.TrimPrefix(e.Key, pledge.Key(""))
		if of != slug || listed[id] {
			continue
		}
		found, err := p.rebook(ctx, id)
		if err != nil {
			return n, err
		}
		if found {
			n++
		}
	}
	return n, errors.Join(unread...)
}

// RebuildAll runs Rebuild for every campaign of the catalogue.
func (p *Projector) RebuildAll(ctx context.Context) ([]Rebuilt, error) {
	var all []Rebuilt
	for _, c := range p.Catalogue().Campaigns() {
		r, err := p.Rebuild(ctx, c.Slug)
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// WriteResults writes a decision's current tally to its public record.
func (p *Projector) WriteResults(ctx context.Context, slug, decision string) error {
	r := p.writer(slug)
	r.votes.Lock()
	defer r.votes.Unlock()
	tallies, err := vote.Client{Coordinator: p.Inventory.Coordinator}.Tallies(ctx, slug)
	if err != nil {
		return err
	}
	return kv.Save(ctx, p.Votes, vote.ResultsKey(slug, decision), tallies[decision])
}
