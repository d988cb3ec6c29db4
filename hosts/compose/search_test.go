package compose_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Minute makes new pledges of live campaigns searchable at once, and those of ended campaigns
// within as many minutes as there are campaigns.
func TestMinute_UpdatesSearchIndex(t *testing.T) {
	const many = 4
	s := newSongs(t, many, sim.CardOK, "false")
	found := func() (n int) {
		t.Helper()
		for _, c := range s.Services.Campaigns().Campaigns() {
			page, err := s.Services.Projector.Search().Find(t.Context(), c.Slug, "fan", false, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			n += len(page.Pledges)
		}
		return n
	}
	minute := func() {
		t.Helper()
		s.Advance(time.Minute)
		if err := s.Services.Minute(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := found(); n != 0 {
		t.Fatalf("found %d pledges before the update", n)
	}
	if minute(); found() != many {
		t.Errorf("found %d of %d pledges", found(), many)
	}
	s = newSongs(t, many, sim.CardOK, "false")
	s.Advance(10 * 24 * time.Hour)
	for range many {
		minute()
	}
	if n := found(); n != many {
		t.Errorf("found %d pledges of ended campaigns", n)
	}
}
