package projection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Proves WHK-15, MON-04.
func TestStats_IncludeNewBooking(t *testing.T) {
	w := newFixture(t)
	var stats projection.PublicStats
	w.public(w.p.Stats, "film", &stats)
	if stats.PledgeCount != 0 || stats.GoalAmount != 10_000 || stats.State != campaign.Live {
		t.Fatalf("before: %+v", stats)
	}
	var before projection.Stock
	w.public(w.p.Stock, "film", &before)
	if before.Tiers["seat"].Remaining != 10 {
		t.Errorf("before: %+v", before)
	}
	var live projection.LiveCampaign
	w.public(w.p.Live, "film", &live)
	w.addOns(`"shirt/s":{"name":"Shirt, S","limit":4,"claimed":0,"reserved":0,"remaining":4},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":0,"reserved":0,"remaining":50}`)
	w.bookPledge("a@example.org", tier("seat", 2500, 3), sticker(2))
	w.public(w.p.Stats, "film", &stats)
	if stats.PledgedAmount != 7500 || stats.PercentFunded != 75 {
		t.Errorf("stats: %+v", stats)
	}
	var stock projection.Stock
	w.public(w.p.Stock, "film", &stock)
	if stock.Tiers["seat"].Remaining != 7 {
		t.Errorf("stock: %+v", stock)
	}
	w.public(w.p.Live, "film", &live)
	if live.Stats.PledgeCount != 1 || live.Inventory.Tiers["seat"].Claimed != 3 ||
		live.Campaign.Title != "Film" || !live.Campaign.Decisions {
		t.Errorf("live: %+v", live)
	}
	w.addOns(`"shirt/s":{"name":"Shirt, S","limit":4,"claimed":0,"reserved":0,"remaining":4},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":2,"reserved":0,"remaining":48}`)
}

// Only the results of closed decisions are public.
func TestLive_ResultsOfClosedDecisions(t *testing.T) {
	w := newFixture(t)
	votes := vote.Client{Coordinator: w.db.Coordinator()}
	for i, option := range []string{"Sunset", "Sunset", "Sunrise"} {
		_, err := votes.Cast(context.Background(), "film", fmt.Sprintf("s%d@example.org", i), "ending", option, "n")
		w.must(err)
	}
	w.must(w.p.WriteResults(context.Background(), "film", "ending"))
	var live projection.LiveCampaign
	if w.public(w.p.Live, "film", &live); live.Results == nil || len(live.Results) > 0 {
		t.Errorf("open: %v", live.Results)
	}
	w.now = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	live = projection.LiveCampaign{}
	w.public(w.p.Live, "film", &live)
	want := map[string]vote.Tally{
		"ending": {Version: 3, Options: map[string]int{"Sunset": 2, "Sunrise": 1}, Total: 3},
		"poster": {Options: map[string]int{}},
	}
	if diff := cmp.Diff(want, live.Results); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	w.p.Votes = nil // votes are disabled
	w.now = w.now.Add(time.Minute)
	live = projection.LiveCampaign{}
	if w.public(w.p.Live, "film", &live); len(live.Results) > 0 {
		t.Errorf("without votes: %v", live.Results)
	}
}

// A booking during a read invalidates the response.
//
// Proves WHK-15.
func TestLive_BookingDuringRead(t *testing.T) {
	w := newFixture(t)
	p := w.confirmed("a@example.org", tier("seat", 2500, 3))
	once := sync.OnceFunc(func() { w.book(p) })
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpGet && op.Key == "tier-inventory:film" {
			once()
		}
		return nil
	}
	var live projection.LiveCampaign
	if w.public(w.p.Live, "film", &live); live.Stats.PledgeCount != 0 || live.Inventory.Tiers["seat"].Claimed != 3 {
		t.Fatalf("during the booking: %+v", live)
	}
	if w.public(w.p.Live, "film", &live); live.Stats.PledgeCount != 1 {
		t.Errorf("after the booking: %+v", live)
	}
}

func TestAddOns_BookingDuringRead(t *testing.T) {
	w := newFixture(t)
	p := w.confirmed("a@example.org", sticker(2))
	catalogue, read := w.p.Catalogue, false
	w.p.Catalogue = func() *campaign.Catalogue {
		if !read {
			read = true
			w.book(p)
		}
		return catalogue()
	}
	const sold = `"shirt/s":{"name":"Shirt, S","limit":4,"claimed":0,"reserved":0,"remaining":4},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":%d,"reserved":0,"remaining":%d}`
	w.addOns(fmt.Sprintf(sold, 0, 50))
	w.addOns(fmt.Sprintf(sold, 2, 48))
}

// A response built while a booking is being written is not cached.
//
// Proves WHK-15.
func TestStats_ReadDuringBooking(t *testing.T) {
	w := newFixture(t)
	var stats projection.PublicStats
	p := w.confirmed("a@example.org", tier("seat", 2500, 3))
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && !op.After {
			w.public(w.p.Stats, "film", &stats)
		}
		return nil
	}
	w.book(p)
	if stats.GoalAmount == 0 || stats.PledgeCount != 0 {
		t.Fatalf("during the booking: %+v", stats)
	}
	if w.public(w.p.Stats, "film", &stats); stats.PledgeCount != 1 {
		t.Errorf("after the booking: %+v", stats)
	}
}

func TestStats_HiddenAndUnknownCampaigns(t *testing.T) {
	w := newFixture(t)
	for _, slug := range []string{"hidden", "rehearsal", "nothing", "../film", ""} {
		for name, get := range map[string]func(context.Context, string) (json.RawMessage,
			error){"stats": w.p.Stats, "stock": w.p.Stock, "live": w.p.Live} {
			if _, err := get(context.Background(), slug); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s of %q: %v", name, slug, err)
			}
		}
	}
}

func TestStats_TestMode(t *testing.T) {
	w := newFixture(t)
	w.p.TestMode = true
	for name, get := range map[string]func(context.Context, string) (json.RawMessage,
		error){"stats": w.p.Stats, "stock": w.p.Stock, "live": w.p.Live} {
		if b, err := get(context.Background(), "rehearsal"); err != nil ||
			strings.Contains(string(b), `"hasDecisions":true`) {
			t.Errorf("%s: %s, %v", name, b, err)
		}
		if _, err := get(context.Background(), "hidden"); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of hidden campaign: %v", name, err)
		}
	}
}

func TestAddOns_PlatformStock(t *testing.T) {
	w := newFixture(t)
	shirt := pledge.Line{Kind: pledge.PlatformAddOnLine, ID: "shirt", Variant: "s",
		Quantity: 1, UnitPrice: 900, Amount: 900}
	w.bookPledge("a@example.org", tier("seat", 2500, 1), sticker(2), shirt)
	w.addOns(`"shirt/s":{"name":"Shirt, S","limit":4,"claimed":1,"reserved":0,"remaining":3},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":2,"reserved":0,"remaining":48}`)
}

// addOns compares the stock in the response of AddOns with want.
func (w *fixture) addOns(want string) {
	w.t.Helper()
	b, err := w.p.AddOns(context.Background())
	if err != nil || !strings.Contains(string(b), `"products":{`+want+`}`) {
		w.t.Errorf("add-ons: %s, %v", b, err)
	}
}

// Held units are not available, even before they are booked.
func TestRefresh_HeldUnits(t *testing.T) {
	w := newFixture(t)
	w.hold("film", "tier/seat", 4)
	w.hold(inventory.Platform, "add-on/sticker", 3)
	w.must(w.p.Refresh(context.Background(), "film"))
	if got := read[projection.Stock](w, "tier-inventory:film").Tiers["seat"]; got.Reserved != 4 || got.Remaining != 6 {
		t.Errorf("seat: %+v", got)
	}
	w.addOns(`"shirt/s":{"name":"Shirt, S","limit":4,"claimed":0,"reserved":0,"remaining":4},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":0,"reserved":3,"remaining":47}`)
	w.inSync(true)
	if ids, ok, err := kv.Read[[]string](context.Background(), w.p.Store, "email:"); ok || err != nil {
		t.Errorf("unknown supporter's list: %v, %v", ids, err)
	}
}

// Public reads are at most five seconds behind another server.
func TestStats_CachedForSeconds(t *testing.T) {
	w := newFixture(t)
	var stats projection.PublicStats
	w.public(w.p.Stats, "film", &stats)
	other := projection.New(w.p.Deps)
	_, err := other.Book(context.Background(), w.confirmed("a@example.org", tier("seat", 2500, 1)), "")
	w.must(err)
	for want, after := range []time.Duration{5*time.Second - 1, 5 * time.Second} {
		w.now = noon.Add(after)
		if w.public(w.p.Stats, "film", &stats); stats.PledgeCount != want {
			t.Errorf("after %s: %d pledges, want %d", after, stats.PledgeCount, want)
		}
	}
}

// A campaign without a goal can be published.
func TestStats_CampaignWithoutGoal(t *testing.T) {
	w := newFixture(t)
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{{Slug: "film", Published: true}},
		campaign.PlatformAddOns{})
	w.must(err)
	w.p.Catalogue = func() *campaign.Catalogue { return catalogue }
	w.bookPledge("a@example.org", tier("seat", 2500, 1))
	var live projection.LiveCampaign
	if w.public(w.p.Live, "film", &live); live.Stats.PercentFunded != 0 || live.Campaign.Funded {
		t.Errorf("%+v", live)
	}
}
