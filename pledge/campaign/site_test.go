package campaign_test

import (
	"os"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const exampleSite = "../../examples/site"

func denver(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExampleSiteIsAsTheDemoNeedsIt(t *testing.T) {
	catalogue, err := campaign.Load(os.DirFS(exampleSite))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range catalogue.Warnings() {
		t.Error(w)
	}
	presets := map[string]bool{"sticker": true, "tshirt": true, "poster": true, "cd": true, "vinyl": true,
		"dvd": true, "bluray": true, "signed_script": true}
	if err := catalogue.Validate(func(name string) bool { return presets[name] }); err != nil {
		t.Error(err)
	}
	if n := len(catalogue.AddOns()); n != 3 {
		t.Errorf("%d platform add-ons, want 3", n)
	}
	now := at(t, "2026-11-20T18:00:00-07:00")
	want := map[string]campaign.State{
		"night-ferry": campaign.Live, "tidepool-traders": campaign.Live, "slow-weather": campaign.Upcoming,
	}
	for _, c := range catalogue.Campaigns() {
		if got := c.State(now, denver(t)); got != want[c.Slug] {
			t.Errorf("%s is %s, want %s", c.Slug, got, want[c.Slug])
		}
		delete(want, c.Slug)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	game, err := catalogue.Campaign("tidepool-traders")
	if err != nil {
		t.Fatal(err)
	}
	if end := game.EndsAt(denver(t)); !end.Equal(at(t, "2026-11-22T00:00:00-07:00")) {
		t.Errorf("the board game ends at %s", end)
	}
}
