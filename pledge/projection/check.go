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

// driftChecks is the number of checks in which a record must differ to count as drifted. A record
// that is being updated changes between the checks.
const driftChecks = 5

// Drift is the result of checking one campaign.
type Drift struct {
	CampaignSlug string       `json:"campaignSlug"`
	InSync       bool         `json:"inSync"`
	Differences  []Difference `json:"drift"`
}

// Difference is a stored record that differs from the one made from the objects.
type Difference struct {
	Key      string          `json:"key"`
	Expected json.RawMessage `json:"expected"`
	Actual   json.RawMessage `json:"actual"` // null if the record is missing
}

// Check compares a campaign's stored index, numbers and vote results with the objects. It writes
// nothing. It fails with code NotFound for an unknown campaign.
func (p *Projector) Check(ctx context.Context, slug string) (Drift, error) {
	return p.check(ctx, slug, p.expected)
}

// CheckNumbers is like Check, but compares only the numbers. Its cost does not depend on the number
// of pledges.
func (p *Projector) CheckNumbers(ctx context.Context, slug string) (Drift, error) {
	return p.check(ctx, slug, p.expectedNumbers)
}

// CheckAll runs Check for every campaign of the catalogue.
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

// Repair rewrites the drifted records of a campaign's index, numbers and vote results, and returns
// their number. Sweep repairs the pledges' records.
func (p *Projector) Repair(ctx context.Context, slug string) (int, error) {
	return p.repair(ctx, slug, p.expected)
}

// RepairNumbers is like Repair, but rewrites only the numbers. They can be outdated if two servers
// write them at the same time.
func (p *Projector) RepairNumbers(ctx context.Context, slug string) (int, error) {
	return p.repair(ctx, slug, p.expectedNumbers)
}

func (p *Projector) repair(ctx context.Context, slug string, of expectations) (int, error) {
	drifted, err := p.drifted(ctx, slug, of)
	if err != nil {
		return 0, err
	}
	for _, r := range drifted {
		if r.decision != "" {
			err = p.WriteResults(ctx, slug, r.decision)
		} else {
			err = p.writer(slug).project(ctx, p, &job{segment: r.segment, platform: true})
		}
		if err != nil {
			return 0, err
		}
	}
	return len(drifted), nil
}

// record is an expected record of a campaign: a segment of its index, the results of a
// vote, or some of its numbers.
type record struct {
	kv.Write
	segment  int    // the index segment; none for other records
	decision string // the decision of vote results; "" for other records
	actual   []byte // the stored value; nil if the record is missing
}

// expectations yields the expected records of a campaign.
type expectations func(ctx context.Context, slug string) iter.Seq2[record, error]

// drifted returns the expected records that differ from the stored ones in every check.
func (p *Projector) drifted(ctx context.Context, slug string, of expectations) (left []record, err error) {
	if _, err := p.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	for r, err := range of(ctx, slug) {
		if err != nil {
			return nil, err
		}
		if differs, err := p.compareStored(ctx, &r); err != nil {
			return nil, err
		} else if differs {
			left = append(left, r)
		}
	}
	for range driftChecks - 1 {
		if len(left) == 0 {
			break
		}
		if left, err = p.recheck(ctx, slug, left); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// compareStored reads the stored record into r.actual and reports whether it differs. A missing
// record without pledges does not differ.
func (p *Projector) compareStored(ctx context.Context, r *record) (bool, error) {
	actual, err := p.storedRecord(ctx, r.Key)
	if err != nil {
		return false, err
	}
	r.actual = actual
	return !sameRecord(r.Value, actual) && (actual != nil || !isUntouched(r.Value)), nil
}

// recheck checks records again. It returns those that still differ and were not written in the
// meantime.
func (p *Projector) recheck(ctx context.Context, slug string, suspects []record) (left []record, err error) {
	for _, was := range suspects {
		r, err := p.reload(ctx, slug, was)
		if err != nil {
			return nil, err
		}
		differs, err := p.compareStored(ctx, &r)
		if err != nil {
			return nil, err
		}
		if differs && slices.Equal(r.actual, was.actual) {
			left = append(left, r)
		}
	}
	return left, nil
}

// reload returns the record as it is expected now.
func (p *Projector) reload(ctx context.Context, slug string, r record) (record, error) {
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

// expected yields all expected records except those of pledges and supporters.
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

// storedRecord returns the stored record, nil if absent.
func (p *Projector) storedRecord(ctx context.Context, key string) ([]byte, error) {
	b, err := p.storeOf(key).Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return b, err
}

// isUntouched reports whether a record has version 0, like those of a campaign without pledges,
// which are not stored.
func isUntouched(record []byte) bool {
	var r struct {
		Version int64 `json:"version"`
	}
	return json.Unmarshal(record, &r) == nil && r.Version == 0
}

// sameRecord reports whether two records are equal, ignoring the field updatedAt.
func sameRecord(a, b []byte) bool {
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
