package visits_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/admin/visits"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// server counts visits in a shared database.
type server struct {
	*visits.Counter
	t   *testing.T
	db  *memkv.DB
	now time.Time
	cut func(memkv.Op) error
}

func newServer(t *testing.T) *server {
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, now: time.Date(2026, 11, 2, 6, 59, 0, 0, time.UTC)} // November 1 in Denver
	class := kv.NewClass("counts")
	visits.Register(class)
	s.db = memkv.New(memkv.Options{Now: func() time.Time { return s.now }, Classes: []*kv.Class{class},
		Fail: func(op memkv.Op) error {
			if s.cut == nil {
				return nil
			}
			return s.cut(op)
		}})
	s.Counter = &visits.Counter{Coordinator: s.db.Coordinator(), Class: "counts", Zone: zone,
		Now: func() time.Time { return s.now }, Rand: rand.Reader}
	return s
}

func (s *server) flush() {
	s.t.Helper()
	if err := s.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) counts(slug string) visits.Counts {
	s.t.Helper()
	c, err := s.Of(s.t.Context(), slug)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func TestCount_Breakdowns(t *testing.T) {
	s := newServer(t)
	for range 2 {
		s.Count("night-ferry", pledge.Attribution{Referral: "maya", UTMSource: "news"})
	}
	s.Count("tidepool-traders", pledge.Attribution{})
	s.now = s.now.Add(time.Minute) // midnight in Denver
	s.Count("night-ferry",
		pledge.Attribution{UTMSource: "<b>news</b>", UTMMedium: "mail", UTMCampaign: "launch", UTMContent: "top"})
	s.flush()
	want := visits.Counts{
		CampaignSlug: "night-ferry", Total: 3,
		Days:      []visits.Row{{Name: "2026-11-01", Visits: 2}, {Name: "2026-11-02", Visits: 1}},
		Referrals: []visits.Row{{Name: "maya", Visits: 2}, {Name: "", Visits: 1}},
		Sources:   []visits.Row{{Name: "news", Visits: 2}, {Name: "bnewsb", Visits: 1}},
		Mediums:   []visits.Row{{Name: "", Visits: 2}, {Name: "mail", Visits: 1}},
		Campaigns: []visits.Row{{Name: "", Visits: 2}, {Name: "launch", Visits: 1}},
		Contents:  []visits.Row{{Name: "", Visits: 2}, {Name: "top", Visits: 1}},
		Links: []visits.Row{
			{Name: "ref=maya&utm_source=news", Visits: 2},
			{Name: "utm_campaign=launch&utm_content=top&utm_medium=mail&utm_source=bnewsb", Visits: 1},
		},
	}
	if diff := cmp.Diff(want, s.counts("night-ferry")); diff != "" {
		t.Error(diff)
	}
	if got := s.counts("tidepool-traders").Total; got != 1 {
		t.Errorf("another campaign has %d visits, want 1", got)
	}
	if diff := cmp.Diff(visits.Counts{CampaignSlug: "slow-weather"}, s.counts("slow-weather"),
		cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// Each visit is counted once, even if a call of a flush fails before or after it takes effect.
func TestFlush_CountsOnce(t *testing.T) {
	for _, after := range []bool{false, true} {
		for nth := 1; nth <= 4; nth++ {
			t.Run(fmt.Sprintf("call %d, after its effect %t", nth, after), func(t *testing.T) {
				s := newServer(t)
				calls := 0
				s.cut = func(op memkv.Op) error {
					if op.After != after {
						return nil
					}
					if calls++; calls == nth {
						return errors.New("lost")
					}
					return nil
				}
				want := 0
				for range 4 {
					s.Count("night-ferry", pledge.Attribution{Referral: "maya"})
					s.Count("tidepool-traders", pledge.Attribution{})
					want++
					_ = s.Flush(t.Context())
				}
				s.cut = nil
				s.flush()
				s.flush()
				if a, b := s.counts("night-ferry").Total, s.counts("tidepool-traders").Total; a != want || b != want {
					t.Errorf("%d and %d visits, want %d each", a, b, want)
				}
			})
		}
	}
}

// Anyone can put names into links. The number of stored names is limited, and every visit is
// counted.
func TestCount_NameLimit(t *testing.T) {
	s := newServer(t)
	for i := range 500 {
		s.Count("night-ferry", pledge.Attribution{Referral: fmt.Sprint("name-", i%250)})
		if i%100 == 0 {
			s.flush()
		}
	}
	s.flush()
	c := s.counts("night-ferry")
	if len(c.Referrals) != 201 || c.Total != 500 {
		t.Errorf("%d names with %d visits, want 200 plus Others, with 500", len(c.Referrals), c.Total)
	}
	if c.Referrals[0] != (visits.Row{Name: visits.Others, Visits: 100}) {
		t.Errorf("Others has %+v, want 100 visits", c.Referrals[0])
	}
}

func TestFlush_DropsOldDays(t *testing.T) {
	s := newServer(t)
	s.now = s.now.Add(12 * time.Hour)
	for range 405 {
		s.Count("night-ferry", pledge.Attribution{})
		s.flush()
		s.now = s.now.AddDate(0, 0, 1)
	}
	c := s.counts("night-ferry")
	if len(c.Days) != 400 || c.Days[0].Name != "2026-11-07" || c.Total != 405 {
		t.Errorf("%d days from %s with %d visits, want 400 from 2026-11-07 with 405", len(c.Days), c.Days[0].Name, c.Total)
	}
}

func TestFlush_SeveralServers(t *testing.T) {
	s := newServer(t)
	other := &visits.Counter{Coordinator: s.db.Coordinator(), Class: "counts", Zone: s.Zone, Now: s.Now, Rand: rand.Reader}
	var all sync.WaitGroup
	for _, c := range []*visits.Counter{s.Counter, other, s.Counter} {
		all.Go(func() {
			for range 50 {
				c.Count("night-ferry", pledge.Attribution{})
				if err := c.Flush(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := s.counts("night-ferry").Total; got != 150 {
		t.Errorf("%d visits, want 150", got)
	}
}
