package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

// When a pledge's name changes, its new search terms replace the old ones.
func TestChange_NameReplacesTerms(t *testing.T) {
	s := newFixture(t)
	p := s.pledge(film, "ada@example.org", "Ada Byron")
	s.updateAll()
	after := *p
	after.ShippingAddress = &pledge.Address{Name: "Ada Lovelace"}
	writes := search.Change(p, &after)
	if err := s.Store.Apply(ctx, writes); err != nil {
		t.Fatal(err)
	}
	// The old name finds nothing as soon as the record is written, regardless of the order of
	// writes.
	if got := s.findIDs("lovelace", 5); len(got) != 0 {
		t.Errorf("found by the old name: %v", got)
	}
	s.save(pledge.Key(p.OrderID), after)
	if byron, lovelace := s.findIDs("byron", 5), s.findIDs("lovelace", 5); len(byron) != 0 || len(lovelace) != 1 {
		t.Errorf("the old name finds %v, the new one %v", byron, lovelace)
	}
	if left := s.terms(); strings.Contains(left, "byron") {
		t.Errorf("the old name is stored: %s", left)
	}
	if again := search.Change(&after, &after); len(again) != 0 {
		t.Errorf("writes for an unchanged pledge: %v", again)
	}
}

// After a rebuild, the index has exactly the terms of the records. Pledges can be found while it
// runs.
func TestRebuild_LeavesExactTerms(t *testing.T) {
	s := newFixture(t)
	for i := range 20 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), fmt.Sprintf("Ada %d", i))
	}
	s.updateAll()
	want := s.terms()
	other := s.pledge("game", "g@example.org", "Gus")
	stale := []kv.Write{
		kv.Put("supporter-search:v1:film:n:gus:"+other.OrderID, []byte("1")),
		kv.Put("supporter-search:v1:film:n:eve:"+s.all[3].OrderID, []byte("1")),
		kv.Put("supporter-search:v1:film:e:gone@example.org:pw-x", []byte("1")),
		kv.Delete("supporter-search:v1:film:n:4 ada:" + s.all[4].OrderID),
		kv.Put("supporter-search:v1:film:odd", []byte("1")),
	}
	if err := s.Store.Apply(ctx, stale); err != nil {
		t.Fatal(err)
	}
	s.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpDelete && strings.Contains(want, op.Key) {
			t.Errorf("%s was not found during the rebuild", op.Key)
		}
		return nil
	}
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.terms()); diff != "" {
		t.Error(diff)
	}
}

// All pledges are processed, even if they need more than one batch.
func TestRebuild_ManyPledges(t *testing.T) {
	s := newFixture(t)
	s.SegmentSize = 2000
	var ids []string
	for i := range 1001 {
		p := &pledge.Pledge{OrderID: fmt.Sprintf("pw-%026d", i), CampaignSlug: film, Email: fmt.Sprintf("s%d@example.org", i)}
		s.save(pledge.Key(p.OrderID), p)
		ids = append(ids, p.OrderID)
	}
	s.save(pledge.IndexKey(film, 0), ids)
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.terms(), "\n") + 1; n != len(ids) {
		t.Errorf("%d of %d processed", n, len(ids))
	}
}

// A rebuild ends even if the Store returns outdated progress.
func TestRebuild_StaleReads(t *testing.T) {
	now, calls := time.Unix(1e9, 0), 0
	db := memkv.New(memkv.Options{Now: func() time.Time { return now }, Stale: time.Minute, Fail: func(memkv.Op) error {
		if calls++; calls > 10000 {
			return errors.New("endless loop")
		}
		return nil
	}})
	s := newFixture(t)
	s.Index = search.Index{Store: db.Store(""), SegmentSize: 7}
	for i := range 20 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), fmt.Sprintf("Ada %d", i))
	}
	now = now.Add(time.Hour)
	if err := s.Rebuild(ctx, film); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if got := s.findIDs("ada", 50); len(got) != 20 {
		t.Errorf("found %d of 20", len(got))
	}
}

// A pledge can be listed before its record is written. It stays pending and does not
// block others.
func TestUpdate_LateRecord(t *testing.T) {
	s := newFixture(t)
	s.pledge(film, "a@example.org", "Ada")
	s.enlist(film, "pw-late")
	b := s.pledge(film, "b@example.org", "Bea")
	s.updateAll()
	if got := s.findIDs("bea", 5); !slices.Equal(got, []string{b.OrderID}) {
		t.Fatalf("the next pledge was not found: %v", got)
	}
	s.save(pledge.Key("pw-late"), &pledge.Pledge{OrderID: "pw-late", CampaignSlug: film, Email: "late@example.org"})
	s.updateAll()
	if got := s.findIDs("late@", 5); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	s.updateAll()
	s.wrote = 0
	if s.updateAll(); s.wrote != 0 {
		t.Errorf("the pledge is still pending: %d writes", s.wrote)
	}
	s.enlist(film, "pw-never")
	s.updateAll()
	c := s.pledge(film, "c@example.org", "Cy")
	if s.updateAll(); !slices.Equal(s.findIDs("cy", 5), []string{c.OrderID}) {
		t.Error("no pledge was found with the maximum number of late records")
	}
}

// The number of pending pledges is limited: no others are processed until some of them
// have records.
func TestUpdate_ManyLateRecords(t *testing.T) {
	s := newFixture(t)
	s.SegmentSize = 200
	var ids []string
	for i := range 150 {
		ids = append(ids, fmt.Sprintf("pw-%026d", i))
	}
	s.save(pledge.IndexKey(film, 0), ids)
	for _, want := range []int{100, 0} {
		if n, err := s.Update(ctx, film, 1000); err != nil || n != want {
			t.Errorf("processed %d, want %d, %v", n, want, err)
		}
	}
	for i, id := range ids {
		s.save(pledge.Key(id), &pledge.Pledge{OrderID: id, CampaignSlug: film, Email: fmt.Sprintf("s%d@example.org", i)})
	}
	s.updateAll()
	if got := s.findIDs("s", 50); !slices.Equal(got, ids) {
		t.Errorf("found %d of %d", len(got), len(ids))
	}
}

// A stale Store may list fewer pledges than were already processed.
func TestUpdate_StaleIndex(t *testing.T) {
	s := newFixture(t)
	for i := range 5 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), "")
	}
	s.updateAll()
	s.save(pledge.IndexKey(film, 0), s.ids[film][:3])
	if n, err := s.Update(ctx, film, 10); err != nil || n != 0 {
		t.Errorf("processed %d, %v", n, err)
	}
	s.pledge(film, "s5@example.org", "")
	s.updateAll()
	if got := s.findIDs("s", 10); len(got) != 6 {
		t.Errorf("found %d of 6", len(got))
	}
}

// After a failure at any point the next call continues, and a pledge whose name changed in
// between is found by its new name only.
func TestUpdate_FailureAtEveryWrite(t *testing.T) {
	for at := range 60 {
		s := newFixture(t)
		for i := range 12 {
			s.pledge(film, fmt.Sprintf("s%d@example.org", i), "Ada")
		}
		n := 0
		s.fail = func(op memkv.Op) error {
			if n++; n > at {
				return context.Canceled
			}
			return nil
		}
		_, _ = s.Update(ctx, film, 100)
		s.fail = nil
		s.updateAll()
		if got := s.findIDs("ada", 5); len(got) != 12 {
			t.Fatalf("failure at %d: found %d", at, len(got))
		}
	}
}

// If a name changes between reading the record and writing its terms, only the new name is found.
// If the record was deleted, the terms remain until the next rebuild.
func TestUpdate_NameChangesMeanwhile(t *testing.T) {
	s := newFixture(t)
	before := []*pledge.Pledge{s.pledge(film, "r@example.org", "Gone"), s.pledge(film, "s@example.org", "Byron"),
		s.pledge(film, "t@example.org", "Byron")}
	changed := false
	s.fail = func(op memkv.Op) error {
		if !strings.HasPrefix(op.Key, "supporter-search:v1:") || changed {
			return nil
		}
		changed = true
		for _, p := range before[1:] {
			after := *p
			after.ShippingAddress = &pledge.Address{Name: "Lovelace"}
			s.save(pledge.Key(p.OrderID), after)
			if err := s.Store.Apply(ctx, search.Change(p, &after)); err != nil {
				return err
			}
		}
		return s.Store.Apply(ctx, []kv.Write{kv.Delete(pledge.Key(before[0].OrderID))})
	}
	s.updateAll()
	left := s.terms()
	if !changed || strings.Contains(left, "byron") || strings.Count(left, "lovelace") != 2 ||
		strings.Count(left, "\n") != 5 {
		t.Errorf("changed %t: %s", changed, left)
	}
}

// Update processes at most limit pledges. Without new pledges, it reads two records and writes
// nothing.
func TestUpdate_Limit(t *testing.T) {
	s := newFixture(t)
	for i := range 30 {
		s.pledge(film, fmt.Sprintf("s%d@example.org", i), "")
	}
	for i, tc := range []struct{ limit, want int }{{12, 12}, {1, 1}, {0, 0}, {12, 12}, {12, 5}, {12, 0}} {
		if n, err := s.Update(ctx, film, tc.limit); err != nil || n != tc.want {
			t.Fatalf("run %d processed %d, want %d, %v", i, n, tc.want, err)
		}
	}
	s.read, s.wrote = 0, 0
	if _, err := s.Update(ctx, film, 12); err != nil || s.read > 4 || s.wrote != 0 { // each read is counted twice
		t.Errorf("without new pledges: %d reads, %d writes, %v", s.read, s.wrote, err)
	}
}
