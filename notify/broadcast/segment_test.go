package broadcast_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// A supporter is in a segment if one of their pledges matches all of its lists.
func TestPreview_Segment(t *testing.T) {
	w := newFixture(true)
	w.Audience = fixedAudience{
		{Email: "a@example.org", Lang: "en", Status: "active", Country: "US", Rewards: []string{"poster", "jacket"}},
		{Email: "a@example.org", Lang: "en", Status: "charged", Country: "CA"},
		{Email: "b@example.org", Lang: "es", Status: "active", Country: "CA", Rewards: []string{"jacket"}},
		{Email: "c@example.org", Lang: "en", Status: "charged"},
	}
	hashes := map[string]bool{}
	for name, tt := range map[string]struct {
		segment *broadcast.Segment
		want    int
	}{
		"none":              {nil, 3},
		"empty":             {&broadcast.Segment{}, 3},
		"poster":            {&broadcast.Segment{Rewards: []string{"poster"}}, 1},
		"poster or jacket":  {&broadcast.Segment{Rewards: []string{"poster", "jacket"}}, 2},
		"jacket to Canada":  {&broadcast.Segment{Rewards: []string{"jacket"}, Countries: []string{"CA"}}, 1},
		"poster to Canada":  {&broadcast.Segment{Rewards: []string{"poster"}, Countries: []string{"CA"}}, 0},
		"charged":           {&broadcast.Segment{Statuses: []string{"charged"}}, 2},
		"charged, Spanish":  {&broadcast.Segment{Statuses: []string{"charged"}, Languages: []string{"es"}}, 0},
		"several countries": {&broadcast.Segment{Countries: []string{"CA", "US"}}, 2},
	} {
		m := message("segment")
		m.Segment = tt.segment
		p, err := w.Preview(ctx, m)
		if err != nil || p.Recipients != tt.want || hashes[p.Hash] {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		hashes[p.Hash] = true
	}
}

// A supporter with several pledges is counted once in each group.
func TestReach(t *testing.T) {
	w := newFixture(true)
	w.Audience = fixedAudience{
		{Email: "a@example.org", Lang: "en", Status: "active", Country: "US", Rewards: []string{"poster", "jacket"}},
		{Email: "a@example.org", Lang: "en", Status: "charged", Country: "CA", Rewards: []string{"jacket"}},
		{Email: "b@example.org", Lang: "es", Status: "active", Country: "CA", Rewards: []string{"jacket"}},
		{Email: "c@example.org", Lang: "en", Status: "charged"},
	}
	got, err := w.Reach(ctx, "film", broadcast.Segment{Countries: []string{"CA"}, Languages: []string{"es"}})
	if err != nil {
		t.Fatal(err)
	}
	want := broadcast.Reach{
		Recipients: 1, Supporters: 3,
		Rewards:   []broadcast.Group{{Value: "jacket", Supporters: 2}, {Value: "poster", Supporters: 1}},
		Statuses:  []broadcast.Group{{Value: "active", Supporters: 2}, {Value: "charged", Supporters: 2}},
		Countries: []broadcast.Group{{Value: "CA", Supporters: 2}, {Value: "US", Supporters: 1}},
		Languages: []broadcast.Group{{Value: "en", Supporters: 2}, {Value: "es", Supporters: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
