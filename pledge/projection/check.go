package projection

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// looks is how often a record is looked at before it has drifted: what is only on its way
// changes meanwhile.
const looks = 5

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
	return p.check(ctx, slug, p.expected)
}

// CheckNumbers is Check of the numbers alone, which costs the same however many have
// pledged.
func (p *Projector) CheckNumbers(ctx context.Context, slug string) (Drift, error) {
	return p.check(ctx, slug, p.expectedNumbers)
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

func (p *Projector) check(ctx context.Context, slug string, of expectations) (Drift, error) {
	d := Drift{CampaignSlug: slug, InSync: true, Differences: []Difference{}}
	drifted, err := p.drifted(ctx, slug, of)
	for _, r := range drifted {
		d.InSync = false
		d.Differences = append(d.Differences, Difference{Key: r.Key, Expected: r.Value, Actual: orNull(r.actual)})
	}
	return d, err
}

// Mend writes what has drifted of a campaign's index, numbers and vote results anew, and
// returns how many records that were. For the pledges' own records there is Sweep.
func (p *Projector) Mend(ctx context.Context, slug string) (int, error) {
	return p.mend(ctx, slug, p.expected)
}

// MendNumbers is Mend of the numbers alone. Two servers that write them at one moment may
// leave the older ones.
func (p *Projector) MendNumbers(ctx context.Context, slug string) (int, error) {
	return p.mend(ctx, slug, p.expectedNumbers)
}

func (p *Projector) mend(ctx context.Context, slug string, of expectations) (int, error) {
	drifted, err := p.drifted(ctx, slug, of)
	if err != nil {
		return 0, err
	}
	for _, r := range drifted {
		if r.decision != "" {
			err = p.Results(ctx, slug, r.decision)
		} else {
			err = p.room(slug).project(ctx, p, &job{segment: r.segment, platform: true})
		}
		if err != nil {
			return 0, err
		}
	}
	return len(drifted), nil
}

// record is what a campaign's object stands for under one key: a piece of its index, a
// vote's results, or some of its numbers.
type record struct {
	kv.Write
	segment  int    // of the index, or none
	decision string // of the votes, or ""
	actual   []byte // what is stored, where it differs
}

// expectations yield the records of a campaign.
type expectations func(ctx context.Context, slug string) iter.Seq2[record, error]

// drifted returns the records that differ from what is stored, and stay so.
func (p *Projector) drifted(ctx context.Context, slug string, of expectations) (left []record, err error) {
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	for r, err := range of(ctx, slug) {
		if err != nil {
			return nil, err
		}
		if differs, err := p.differs(ctx, &r); err != nil {
			return nil, err
		} else if differs {
			left = append(left, r)
		}
	}
	for range looks - 1 {
		if len(left) == 0 {
			break
		}
		if left, err = p.again(ctx, slug, left); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// differs looks at what is stored.
func (p *Projector) differs(ctx context.Context, r *record) (bool, error) {
	actual, err := p.stored(ctx, r.Key)
	if err != nil {
		return false, err
	}
	r.actual = actual
	return !same(r.Value, actual) && (actual != nil || !untouched(r.Value)), nil
}

// again looks once more at records, and returns those that still differ and were not
// written meanwhile.
func (p *Projector) again(ctx context.Context, slug string, suspects []record) (left []record, err error) {
	for _, was := range suspects {
		r, err := p.anew(ctx, slug, was)
		if err != nil {
			return nil, err
		}
		differs, err := p.differs(ctx, &r)
		if err != nil {
			return nil, err
		}
		if differs && slices.Equal(r.actual, was.actual) {
			left = append(left, r)
		}
	}
	return left, nil
}

// anew is the record as its object stands for it now.
func (p *Projector) anew(ctx context.Context, slug string, r record) (record, error) {
	if r.segment != none {
		return p.indexRecord(ctx, slug, r.segment)
	}
	some := p.expectedNumbers
	if r.decision != "" {
		some = p.expectedResults
	}
	for current, err := range some(ctx, slug) {
		if err != nil || current.Key == r.Key {
			return current, err
		}
	}
	return r, nil
}

// expected yields all records but the pledges' own.
func (p *Projector) expected(ctx context.Context, slug string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, some := range []expectations{p.expectedIndex, p.expectedNumbers, p.expectedResults} {
			for r, err := range some(ctx, slug) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

func (p *Projector) expectedIndex(ctx context.Context, slug string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for n := 0; ; n++ {
			r, err := p.indexRecord(ctx, slug, n)
			if err == nil && string(r.Value) == "[]" || !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (p *Projector) indexRecord(ctx context.Context, slug string, n int) (record, error) {
	w, err := p.segment(ctx, slug, n)
	return record{Write: w, segment: n}, err
}

func (p *Projector) expectedNumbers(ctx context.Context, slug string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		numbers, err := p.numbers(ctx, slug, true)
		if err != nil {
			yield(record{}, err)
			return
		}
		for _, w := range numbers {
			if !yield(record{Write: w, segment: none}, nil) {
				return
			}
		}
	}
}

func (p *Projector) expectedResults(ctx context.Context, slug string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		tallies, err := vote.Client{Coordinator: p.Inventory.Coordinator}.Tallies(ctx, slug)
		if err != nil {
			yield(record{}, err)
			return
		}
		for decision, t := range tallies {
			w, err := kv.Record(vote.ResultsKey(slug, decision), t, time.Time{})
			if !yield(record{Write: w, segment: none, decision: decision}, err) || err != nil {
				return
			}
		}
	}
}

func (p *Projector) storeOf(key string) kv.Store {
	if strings.HasPrefix(key, "results:") {
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
		Version int64 `json:"version"`
	}
	return json.Unmarshal(record, &r) == nil && r.Version == 0
}

// same compares two records, but for when they were written.
func same(a, b []byte) bool {
	if slices.Equal(a, b) {
		return true
	}
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, "updatedAt")
	delete(y, "updatedAt")
	return maps.EqualFunc(x, y, slices.Equal[json.RawMessage])
}

func orNull(b []byte) json.RawMessage {
	if b == nil {
		return json.RawMessage("null")
	}
	return b
}
