package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

var ctx = context.Background()

const film = "film"

// fixture stores pledge records and a campaign's index.
type fixture struct {
	search.Index
	t    testing.TB
	all  []*pledge.Pledge
	ids  map[string][]string // the index, by campaign
	mine map[string][]string // a supporter's pledges, by address
	fail func(memkv.Op) error
	wrote,
	read int
}

func newFixture(t testing.TB) *fixture {
	s := &fixture{t: t, ids: map[string][]string{}, mine: map[string][]string{}}
	db := memkv.New(memkv.Options{Now: func() time.Time { return time.Unix(1e9, 0) }, Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete {
			s.wrote++
		} else {
			s.read++
		}
		if s.fail != nil {
			return s.fail(op)
		}
		return nil
	}})
	s.Index = search.Index{Store: db.Store(""), SegmentSize: 7}
	return s
}

func (s *fixture) save(key string, v any) {
	s.t.Helper()
	if err := kv.Save(ctx, s.Store, key, v); err != nil {
		s.t.Fatal(err)
	}
}

// enlist adds a pledge to the index, possibly without a record.
func (s *fixture) enlist(slug, id string) {
	s.t.Helper()
	s.ids[slug] = append(s.ids[slug], id)
	n := (len(s.ids[slug]) - 1) / 7
	s.save(pledge.IndexKey(slug, n), s.ids[slug][n*7:])
}

// pledge adds a pledge and its index entry.
func (s *fixture) pledge(slug, email, name string) *pledge.Pledge {
	s.t.Helper()
	p := &pledge.Pledge{
		OrderID: fmt.Sprintf("pw-%026d", len(s.all)), CampaignSlug: slug, Email: email,
		ShippingAddress: &pledge.Address{Name: name},
	}
	s.all = append(s.all, p)
	s.save(pledge.Key(p.OrderID), p)
	s.enlist(slug, p.OrderID)
	s.mine[email] = append(s.mine[email], p.OrderID)
	s.save(pledge.EmailKey(email), s.mine[email])
	return p
}

// updateAll calls Update until all pledges are processed.
func (s *fixture) updateAll() {
	s.t.Helper()
	for {
		if n, err := s.Update(ctx, film, 10); err != nil {
			s.t.Fatal(err)
		} else if n == 0 {
			return
		}
	}
}

// findIDs returns the IDs of the pledges on all pages, sorted.
func (s *fixture) findIDs(text string, limit int) (ids []string) {
	s.t.Helper()
	for cursor := ""; ; {
		page, err := s.Find(ctx, film, text, true, cursor, limit)
		if err != nil {
			s.t.Fatalf("%q: %v", text, err)
		}
		if len(page.Pledges) > limit {
			s.t.Errorf("%q: a page of %d", text, len(page.Pledges))
		}
		for _, p := range page.Pledges {
			ids = append(ids, p.OrderID)
		}
		if cursor = page.Next; cursor == "" {
			slices.Sort(ids)
			return ids
		}
	}
}

func (s *fixture) terms() string {
	var all []string
	for e, err := range kv.All(ctx, s.Store, "supporter-search:v1:") {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	return strings.Join(all, "\n")
}
