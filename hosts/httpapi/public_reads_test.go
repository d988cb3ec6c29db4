package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// Public reads include a new pledge immediately, even one without a tier.
//
// Proves PUB-09.
func TestPublicReads_ShowPledgeAtOnce(t *testing.T) {
	e := newEdge(t, memory.Options{})
	started := e.start("a@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set"}}, ShippingAddress: &home})
	shown := func(pledges, claimed int) {
		t.Helper()
		live := decode[projection.LiveCampaign](t, e.get("/live/"+game, ""))
		stats := decode[projection.PublicStats](t, e.get("/stats/"+game, ""))
		stock := decode[projection.Stock](t, e.get("/inventory/"+game, ""))
		if live.Stats.PledgeCount != pledges || stats.PledgeCount != pledges ||
			stock.Tiers["painted-set"].Claimed != claimed {
			t.Errorf("want %d pledges, %d claimed: %+v, %+v", pledges, claimed, live, stock)
		}
	}
	shown(0, 0)
	if err := e.Sim.Complete(started.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}), 200)
	shown(1, 1)
}

// Proves PUB-01, PUB-04, PUB-07, PUB-09, PUB-11, PUB-12.
func TestPublicReads_AndChecks(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, path := range []string{"/stats/", "/inventory/", "/live/"} {
		e.wantFailure(e.get(path+"unknown", ""), 404, "Campaign not found")
	}
	shown := func(pledges int) {
		t.Helper()
		live := decode[projection.LiveCampaign](t, e.get("/live/"+game, ""))
		set := live.Inventory.Tiers["painted-set"]
		if live.Campaign.Slug != game || live.Stats.PledgeCount != pledges || set.Limit != 3 ||
			set.Claimed != pledges || set.Reserved != 0 || set.Remaining != 3-pledges {
			t.Errorf("live, with %d pledges: %+v", pledges, live)
		}
		if diff := cmp.Diff(live.Stats, decode[projection.PublicStats](t, e.get("/stats/"+game, ""))); diff != "" {
			t.Errorf("stats: %s", diff)
		}
		if diff := cmp.Diff(live.Inventory, decode[projection.Stock](t, e.get("/inventory/"+game, ""))); diff != "" {
			t.Errorf("inventory: %s", diff)
		}
	}
	left := func() int {
		t.Helper()
		all := decode[struct{ Products map[string]projection.Unit }](t, e.get("/add-ons/inventory", ""))
		return all.Products["platform-shirt/m"].Remaining
	}
	shown(0)
	shirts := left()
	e.pledge("a@example.com", checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set"},
		{ID: "addon__platform-shirt__variant__m"}}, ShippingAddress: &home}, cardOK)
	shown(1)
	if got := left(); got != shirts-1 || shirts < 1 {
		t.Errorf("%d shirts, %d left", shirts, got)
	}

	check := func() httpapi.CheckedCampaign {
		return decode[httpapi.CheckedCampaign](t, e.post("/stats/"+game+"/check", nil, e.admin()...))
	}
	checkAll := func() httpapi.CheckedAll {
		return decode[httpapi.CheckedAll](t, e.post("/admin/projections/check", nil, e.admin()...))
	}
	if got := check(); !got.Success || !got.InSync || len(got.Differences) != 0 {
		t.Errorf("checked: %+v", got)
	}
	e.corruptTotal(game, 1)
	if got := check(); got.InSync || len(got.Differences) != 1 || got.Differences[0].Key != pledge.StatsKey(game) {
		t.Errorf("checked campaign has drift: %+v", got)
	}
	before := e.kept()
	if got := checkAll(); got.InSync || got.Checked != 3 || !slices.Equal(got.Drifted, []string{game}) {
		t.Errorf("all campaigns, with drift: %+v", got)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("checking wrote: %s", diff)
	}
	rebuilt := decode[httpapi.RebuiltAll](t,
		e.post("/admin/projections/rebuild", map[string]string{"campaignSlug": game}, e.admin()...))
	if !rebuilt.Success || len(rebuilt.Results) != 1 || rebuilt.Results[0].Pledges != 1 {
		t.Errorf("rebuilt: %+v", rebuilt)
	}
	e.Advance(time.Minute)
	e.wantStatus(e.post("/admin/projections/rebuild", nil, e.admin()...), 200)
	if got := checkAll(); !got.InSync || got.Checked != 3 {
		t.Errorf("all: %+v", got)
	}
	e.wantStatus(e.post("/admin/projections/check", nil), 401)
	e.pledge("b@example.com", filmCart(), cardOK)
	for key, slug := range map[string]string{
		pledge.IndexKey(game, 0): game, pledge.InventoryKey(game): game, pledge.StatsKey(film): film,
		pledge.IndexKey(film, 0): film,
	} {
		e.Advance(time.Minute)
		store, ctx := e.DB.Store("PLEDGES"), context.Background()
		was, err := store.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Apply(ctx, []kv.Write{kv.Delete(key)}); err != nil {
			t.Fatal(err)
		}
		got := checkAll()
		i := slices.IndexFunc(got.Results, func(d projection.Drift) bool { return d.CampaignSlug == slug })
		if got.InSync || !slices.Equal(got.Drifted, []string{slug}) || len(got.Results[i].Differences) != 1 ||
			got.Results[i].Differences[0].Key != key {
			t.Errorf("%s is missing: %+v", key, got)
		}
		if err := store.Apply(ctx, []kv.Write{kv.Put(key, was)}); err != nil {
			t.Fatal(err)
		}
	}
	e.start("c@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set"}}, ShippingAddress: &home})
	set := decode[projection.Stock](t, e.get("/inventory/"+game, "")).Tiers["painted-set"]
	if want := (projection.Unit{Name: set.Name, Limit: 3, Claimed: 1, Reserved: 1, Remaining: 1}); set != want ||
		set.Name == "" {
		t.Errorf("during a checkout: %+v", set)
	}
}

// corruptTotal overwrites the public total of a campaign.
func (e *edge) corruptTotal(slug string, pledged int) {
	e.t.Helper()
	store, ctx := e.DB.Store("PLEDGES"), context.Background()
	b, err := store.Get(ctx, pledge.StatsKey(slug))
	if err != nil {
		e.t.Fatal(err)
	}
	var stats map[string]any
	if err := json.Unmarshal(b, &stats); err != nil {
		e.t.Fatal(err)
	}
	stats["pledgedAmount"] = pledged
	if err := kv.Save(ctx, store, pledge.StatsKey(slug), stats); err != nil {
		e.t.Fatal(err)
	}
}

// The public totals do not affect charges.
//
// Proves PUB-10.
func TestPublicReads_DoNotAffectCharges(t *testing.T) {
	const file = "---\ntitle: %[1]s\nslug: %[1]s\npublished: true\nstart_date: 2026-11-01\ngoal_deadline: 2026-11-30\ngoal_amount: %[2]d\ntiers: [{id: seat, name: Seat, price: 20}]\n---\n"
	e := newEdge(t, memory.Options{Campaigns: fstest.MapFS{
		"campaigns/funded.md": {Data: fmt.Appendf(nil, file, "funded", 20)},
		"campaigns/failed.md": {Data: fmt.Appendf(nil, file, "failed", 2000)},
	}})
	for slug, pledged := range map[string]int{"funded": 0, "failed": 1_000_000} {
		e.pledge("a@example.com", checkout.Cart{CampaignSlug: slug, Items: []checkout.Item{{ID: slug + "__seat"}}}, cardOK)
		e.corruptTotal(slug, pledged)
	}
	e.Advance(30 * 24 * time.Hour)
	for _, slug := range []string{"funded", "failed"} {
		e.post("/admin/settle/"+slug, nil, e.settler()...)
	}
	if books := e.Sim.Entries(); len(books) != 1 || !strings.HasPrefix(books[0].Group, "settle:funded:") {
		t.Errorf("charges = %+v", books)
	}
}
