package campaignfile_test

import (
	"os"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

const exampleSite = "../../../examples/site"

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

func TestLoad_ExampleSite(t *testing.T) {
	catalogue, err := campaignfile.Load(os.DirFS(exampleSite))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range catalogue.Warnings() {
		t.Error(w)
	}
	if err := catalogue.Validate([]string{"sticker", "tshirt", "poster", "cd", "vinyl", "dvd",
		"bluray", "signed_script"}); err != nil {
		t.Error(err)
	}
	if err := catalogue.CheckFiles(os.DirFS(exampleSite)); err != nil {
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
			t.Errorf("%s: %s, want %s", c.Slug, got, want[c.Slug])
		}
		delete(want, c.Slug)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	game, err := catalogue.Campaign("tidepool-traders")
	if err != nil {
		t.Fatal(err)
	}
	if end := game.EndsAt(denver(t)); !end.Equal(at(t, "2026-11-22T00:00:00-07:00")) {
		t.Errorf("board game ends at %s", end)
	}
}
