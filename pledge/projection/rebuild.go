package projection

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Refresh brings a campaign's public numbers up to date, where units were held
// or released and no pledge was booked. The writes are made in the same batch,
// before the numbers.
func (p *Projector) Refresh(ctx context.Context, slug string, writes ...kv.Write) error {
	return p.room(slug).project(ctx, p, &job{segment: none, platform: true, writes: writes})
}

// Drift is what a check has found out about one campaign.
type Drift struct {
	CampaignSlug string       `json:"campaignSlug"`
	InSync       bool         `json:"inSync"`
	Differences  []Difference `json:"drift"`
}

// Difference is a record that does not say what the objects say.
type Difference struct {
	Key      string          `json:"key"`
	Expected json.RawMessage `json:"expected"`
	Actual   json.RawMessage `json:"actual"` // null where the record is missing
}

// Check compares a campaign's index, numbers and vote results with its object.
// It writes nothing.
func (p *Projector) Check(ctx context.Context, slug string) (Drift, error) {
	d := Drift{CampaignSlug: slug, InSync: true, Differences: []Difference{}}
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return d, err
	}
	for w, err := range p.expected(ctx, slug) {
		if err != nil {
			return d, err
		}
		actual, err := p.stored(ctx, w.Key)
		if err != nil {
			return d, err
		}
		if !same(w.Value, actual) && !(actual == nil && untouched(w.Value)) {
			d.InSync = false
			d.Differences = append(d.Differences, Difference{Key: w.Key, Expected: w.Value, Actual: orNull(actual)})
		}
	}
	return d, nil
}

// CheckAll is Check over every campaign of the catalogue.
func (p *Projector) CheckAll(ctx context.Context) ([]Drift, error) {
	var all []Drift
	for _, c := range p.Catalogue().Campaigns() {
		d, err := p.Check(ctx, c.Slug)
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Rebuilt counts what a rebuild has written.
type Rebuilt struct {
	CampaignSlug string `json:"campaignSlug"`
	Pledges      int    `json:"pledges"`
	Records      int    `json:"records"` // indexes, numbers and results
}

// Rebuild writes a campaign's projections anew from the objects: every pledge's
// record and its supporter's list, the index, the numbers, the vote results.
func (p *Projector) Rebuild(ctx context.Context, slug string) (Rebuilt, error) {
	r := Rebuilt{CampaignSlug: slug}
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return r, err
	}
	for from := 0; ; from += pledge.IndexSegment {
		ids, err := p.Inventory.Listed(ctx, slug, from, pledge.IndexSegment)
		if err != nil {
			return r, err
		}
		for _, id := range ids {
			if err := p.renew(ctx, id); err != nil {
				return r, err
			}
			r.Pledges++
		}
		if len(ids) < pledge.IndexSegment {
			break
		}
	}
	for w, err := range p.expected(ctx, slug) {
		if err != nil {
			return r, err
		}
		actual, err := p.stored(ctx, w.Key)
		if err != nil {
			return r, err
		}
		if actual == nil && untouched(w.Value) {
			continue
		}
		if err := p.storeOf(w.Key).Apply(ctx, []kv.Write{w}); err != nil {
			return r, err
		}
		r.Records++
	}
	p.cache.drop(slug)
	return r, nil
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

// expected yields the records, but for the pledges' own, that a campaign's
// object stands for.
func (p *Projector) expected(ctx context.Context, slug string) func(func(kv.Write, error) bool) {
	return func(yield func(kv.Write, error) bool) {
		for n := 0; ; n++ {
			w, err := p.segment(ctx, slug, n)
			if err == nil && string(w.Value) == "[]" {
				break
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
		numbers, err := p.numbers(ctx, slug, true)
		if err != nil {
			yield(kv.Write{}, err)
			return
		}
		for _, w := range numbers {
			if !yield(w, nil) {
				return
			}
		}
		tallies, err := vote.Client{Coordinator: p.Inventory.Coordinator}.Tallies(ctx, slug)
		if err != nil {
			yield(kv.Write{}, err)
			return
		}
		for decision, t := range tallies {
			w, err := kv.Record(vote.ResultsKey(slug, decision), t, time.Time{})
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
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

func (p *Projector) storeOf(key string) kv.Store {
	if len(key) > len("results:") && key[:len("results:")] == "results:" {
		return p.Votes
	}
	return p.Store
}

// stored returns the record as it is, nil where there is none.
func (p *Projector) stored(ctx context.Context, key string) ([]byte, error) {
	b, err := p.storeOf(key).Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return b, err
}

// untouched reports whether a record is of a campaign that nobody has pledged
// to: it is written with the first pledge.
func untouched(record []byte) bool {
	var r struct {
		Version *int64 `json:"version"`
	}
	return json.Unmarshal(record, &r) == nil && r.Version != nil && *r.Version == 0
}

// same compares two records, but for when they were written.
func same(a, b []byte) bool {
	if slices.Equal(a, b) {
		return true
	}
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, "updatedAt")
	delete(y, "updatedAt")
	p, errA := json.Marshal(x)
	q, errB := json.Marshal(y)
	return errA == nil && errB == nil && slices.Equal(p, q)
}

func orNull(b []byte) json.RawMessage {
	if b == nil {
		return json.RawMessage("null")
	}
	return b
}
