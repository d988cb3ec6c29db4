package projection

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Refresh brings a campaign's public numbers up to date, where units were held
// or released and no pledge was booked. The writes are made in the same batch,
// before the numbers.
func (p *Projector) Refresh(ctx context.Context, slug string, writes ...kv.Write) error {
	return p.room(slug).project(ctx, p, &job{segment: none, platform: true, writes: writes})
}

// Rebuilt counts what a rebuild has written.
type Rebuilt struct {
	CampaignSlug string `json:"campaignSlug"`
	Pledges      int    `json:"pledges"`
	Records      int    `json:"records"` // indexes, numbers and results
}

// Rebuild writes a campaign's projections anew from the objects: every pledge's
// record and its supporter's list, the index, the numbers, the vote results, and the terms by
// which pledges are searched for.
func (p *Projector) Rebuild(ctx context.Context, slug string) (Rebuilt, error) {
	r := Rebuilt{CampaignSlug: slug}
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return r, err
	}
	for from := 0; ; from += p.segmentSize() {
		ids, err := p.Inventory.Listed(ctx, slug, from, p.segmentSize())
		if err != nil {
			return r, err
		}
		for _, id := range ids {
			if err := p.renew(ctx, id); err != nil {
				return r, err
			}
			r.Pledges++
		}
		if len(ids) < p.segmentSize() {
			break
		}
	}
	for rec, err := range p.expected(ctx, slug) {
		if err != nil {
			return r, err
		}
		actual, err := p.stored(ctx, rec.Key)
		if err != nil {
			return r, err
		}
		if actual == nil && untouched(rec.Value) {
			continue
		}
		if err := p.storeOf(rec.Key).Apply(ctx, []kv.Write{rec.Write}); err != nil {
			return r, err
		}
		r.Records++
	}
	p.cache.drop(slug)
	return r, p.Search().Rebuild(ctx, slug)
}

// RebuildAll is Rebuild over every campaign of the catalogue.
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

// Results writes a decision's tally as it is now.
func (p *Projector) Results(ctx context.Context, slug, decision string) error {
	r := p.room(slug)
	r.votes.Lock()
	defer r.votes.Unlock()
	tallies, err := vote.Client{Coordinator: p.Inventory.Coordinator}.Tallies(ctx, slug)
	if err != nil {
		return err
	}
	return kv.Save(ctx, p.Votes, vote.ResultsKey(slug, decision), tallies[decision])
}
