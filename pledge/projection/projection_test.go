package projection_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

const film = `---
title: Film
slug: film
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 100
tiers:
  - {id: seat, name: Seat, price: 25, limit_total: 10, stackable: true}
  - {id: thanks, name: Thanks, price: 5}
support_items:
  - {id: lens, label: Lens, target: 500}
campaign_add_ons:
  - {id: poster, name: Poster, price: 10, inventory: 3}
---
A film.
`

const hidden = `---
title: Hidden
slug: hidden
preview_only: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 100
tiers:
  - {id: seat, name: Seat, price: 25}
---
`

const rehearsal = `---
title: Rehearsal
slug: rehearsal
published: true
test_only: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 100
tiers:
  - {id: seat, name: Seat, price: 25}
---
`

type world struct {
	t    *testing.T
	db   *memkv.DB
	p    *projection.Projector
	fail func(memkv.Op) error
	n    int
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	class := inventory.NewClass()
	vote.Register(class)
	now := func() time.Time { return noon }
	w.db = memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{class, order.NewClass()}, Fail: func(op memkv.Op) error {
		if w.fail != nil {
			return w.fail(op)
		}
		return nil
	}})
	catalogue, err := campaign.Load(fstest.MapFS{
		"campaigns/film.md":      {Data: []byte(film)},
		"campaigns/hidden.md":    {Data: []byte(hidden)},
		"campaigns/rehearsal.md": {Data: []byte(rehearsal)},
		"add-ons.yml":            {Data: []byte("enabled: true\nproducts:\n  - {id: sticker, name: Sticker, price: 3, inventory: 50}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.p = projection.New(projection.Deps{
		Store: w.db.Store("PLEDGES"), Votes: w.db.Store("VOTES"),
		Orders: order.Client{Coordinator: w.db.Coordinator()}, Inventory: inventory.Client{Coordinator: w.db.Coordinator()},
		Catalogue: func() *campaign.Catalogue { return catalogue }, Zone: time.UTC, Now: now,
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func tier(id string, price money.Cents, n int) pledge.Line {
	return pledge.Line{Kind: pledge.TierLine, ID: id, Name: id, Quantity: n, UnitPrice: price, Amount: price * money.Cents(n)}
}

// confirmed makes a pledge in its order's object, not yet booked.
func (w *world) confirmed(email string, lines ...pledge.Line) *pledge.Pledge {
	w.t.Helper()
	w.n++
	id := fmt.Sprintf("pw-%026d", w.n)
	totals, err := pledge.Add(lines, 0, 0, 0)
	w.must(err)
	m := order.Manifest{OrderID: id, Email: email, Currency: money.USD, Amount: totals.Amount, BookedAt: noon,
		Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "film", Lines: lines, Totals: totals}}}
	ctx := context.Background()
	o, err := w.p.Orders.Open(ctx, m)
	w.must(err)
	w.must(w.p.Orders.Attach(ctx, id, "cs_"+id))
	w.must(w.p.Orders.Confirm(ctx, id, "cs_"+id, o.Hash, order.Card{CustomerID: "cus", PaymentMethodID: "pm", SavedAt: noon}, false))
	o, err = w.p.Orders.Get(ctx, id)
	w.must(err)
	return o.Pledges[0]
}

func (w *world) booked(email string, lines ...pledge.Line) *pledge.Pledge {
	w.t.Helper()
	p := w.confirmed(email, lines...)
	w.must(w.p.Book(context.Background(), p, ""))
	return p
}

func read[T any](w *world, key string) T {
	w.t.Helper()
	v, ok, err := kv.Read[T](context.Background(), w.p.Store, key)
	w.must(err)
	if !ok {
		w.t.Fatalf("no record %q", key)
	}
	return v
}

func (w *world) public(get func(context.Context, string) (json.RawMessage, error), slug string, into any) {
	w.t.Helper()
	b, err := get(context.Background(), slug)
	w.must(err)
	w.must(json.Unmarshal(b, into))
}

// Proves PLG-01, PLG-44, KVR-01, KVR-02, KVR-03, KVR-05, KVR-06, KVR-07, INV-04, INV-11, MON-04, MON-05, MON-26, MON-27.
func TestBookLeavesEveryProjection(t *testing.T) {
	w := newWorld(t)
	lines := []pledge.Line{
		tier("seat", 2500, 2),
		{Kind: pledge.SupportLine, ID: "lens", Quantity: 1, UnitPrice: 1000, Amount: 1000},
		{Kind: pledge.CustomLine, Quantity: 1, UnitPrice: 700, Amount: 700},
		{Kind: pledge.CampaignAddOnLine, ID: "poster", Quantity: 1, UnitPrice: 1000, Amount: 1000},
		{Kind: pledge.PlatformAddOnLine, ID: "sticker", Quantity: 4, UnitPrice: 300, Amount: 1200},
	}
	p := w.booked("a@example.org", lines...)

	if got := read[pledge.Pledge](w, "pledge:"+p.OrderID); got.Amount != 8900 || got.Status != pledge.Active {
		t.Errorf("pledge record: %+v", got)
	}
	if diff := cmp.Diff([]string{p.OrderID}, read[[]string](w, "email:a@example.org")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{p.OrderID}, read[[]string](w, "campaign-pledges:film")); diff != "" {
		t.Error(diff)
	}
	want := projection.Stats{
		CampaignSlug: "film", PledgedAmount: 7700, PledgeCount: 1, TierCounts: map[string]int{"seat": 2},
		SupportItems: map[string]money.Cents{"lens": 1000}, CustomAmount: 700, Version: 1, UpdatedAt: noon,
	}
	if diff := cmp.Diff(want, read[projection.Stats](w, "stats:film")); diff != "" {
		t.Error(diff)
	}
	stock := read[projection.Stock](w, "tier-inventory:film")
	if diff := cmp.Diff(map[string]projection.Unit{"seat": {Name: "Seat", Limit: 10, Claimed: 2, Remaining: 8}}, stock.Tiers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]projection.Unit{"poster": {Name: "Poster", Limit: 3, Claimed: 1, Remaining: 2}}, stock.AddOns); diff != "" {
		t.Error(diff)
	}
	if got := read[projection.Sold](w, "add-on-inventory-sold:v1"); got.Units["sticker"] != 4 {
		t.Errorf("add-ons sold: %+v", got)
	}
}

// Proves PUB-01, PUB-04, PUB-07, PUB-09, WHK-15.
func TestPublicReadsSeeABookingAtOnce(t *testing.T) {
	w := newWorld(t)
	var stats projection.PublicStats
	w.public(w.p.Stats, "film", &stats)
	if stats.PledgeCount != 0 || stats.GoalAmount != 10_000 || stats.State != campaign.Live {
		t.Fatalf("before: %+v", stats)
	}
	w.booked("a@example.org", tier("seat", 2500, 3))
	w.public(w.p.Stats, "film", &stats)
	if stats.PledgedAmount != 7500 || stats.PercentFunded != 75 {
		t.Errorf("stats: %+v", stats)
	}
	var stock projection.Stock
	w.public(w.p.Stock, "film", &stock)
	if stock.Tiers["seat"].Remaining != 7 {
		t.Errorf("stock: %+v", stock)
	}
	var live projection.LiveCampaign
	w.public(w.p.Live, "film", &live)
	if live.Stats.PledgeCount != 1 || live.Inventory.Tiers["seat"].Claimed != 3 || live.Campaign.Title != "Film" {
		t.Errorf("live: %+v", live)
	}
}

func TestHiddenAndUnknownCampaignsAreNotFound(t *testing.T) {
	w := newWorld(t)
	for _, slug := range []string{"hidden", "rehearsal", "nothing", "../film", ""} {
		for name, get := range map[string]func(context.Context, string) (json.RawMessage, error){"stats": w.p.Stats, "stock": w.p.Stock, "live": w.p.Live} {
			if _, err := get(context.Background(), slug); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s of %q: %v", name, slug, err)
			}
		}
	}
}

func TestTestModeShowsWhatIsForTestsAlone(t *testing.T) {
	w := newWorld(t)
	w.p.TestMode = true
	for name, get := range map[string]func(context.Context, string) (json.RawMessage, error){"stats": w.p.Stats, "stock": w.p.Stock, "live": w.p.Live} {
		if _, err := get(context.Background(), "rehearsal"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := get(context.Background(), "hidden"); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a hidden campaign: %v", name, err)
		}
	}
}

// Proves PLG-57, INV-08.
func TestCancellingLeavesTheSumsAndStaysListed(t *testing.T) {
	w := newWorld(t)
	p := w.booked("a@example.org", tier("seat", 2500, 2))
	w.booked("b@example.org", tier("seat", 2500, 1))
	p, err := w.p.Orders.Cancel(context.Background(), p.OrderID, "n", time.Time{})
	w.must(err)
	w.must(w.p.Book(context.Background(), p, ""))
	stats := read[projection.Stats](w, "stats:film")
	if stats.PledgedAmount != 2500 || stats.PledgeCount != 1 {
		t.Errorf("stats: %+v", stats)
	}
	if got := read[projection.Stock](w, "tier-inventory:film").Tiers["seat"].Claimed; got != 1 {
		t.Errorf("claimed %d, want 1", got)
	}
	if got := read[[]string](w, "campaign-pledges:film"); len(got) != 2 {
		t.Errorf("index: %v", got)
	}
	if got := read[pledge.Pledge](w, "pledge:"+p.OrderID); got.Status != pledge.Cancelled {
		t.Errorf("record: %s", got.Status)
	}
}

// The list of a campaign grows in segments, so a pledge never rewrites more
// than one of them.
func TestIndexGrowsInSegments(t *testing.T) {
	w := newWorld(t)
	var want []string
	for range pledge.IndexSegment + 5 {
		want = append(want, w.booked("a@example.org", tier("thanks", 500, 1)).OrderID)
	}
	first, second := read[[]string](w, "campaign-pledges:film"), read[[]string](w, "campaign-pledges:film:000001")
	if len(first) != pledge.IndexSegment || len(second) != 5 {
		t.Fatalf("segments of %d and %d", len(first), len(second))
	}
	if diff := cmp.Diff(want, append(first, second...)); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentBookingsLoseNothing(t *testing.T) {
	w := newWorld(t)
	var pledges []*pledge.Pledge
	for i := range 60 {
		pledges = append(pledges, w.confirmed(fmt.Sprintf("s%d@example.org", i%7), tier("thanks", 500, 1)))
	}
	var group sync.WaitGroup
	for _, p := range pledges {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := w.p.Book(context.Background(), p, ""); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	if d, err := w.p.Check(context.Background(), "film"); err != nil || !d.InSync {
		t.Errorf("after concurrent bookings: %+v, %v", d, err)
	}
	if got := read[projection.Stats](w, "stats:film").PledgeCount; got != 60 {
		t.Errorf("%d pledges, want 60", got)
	}
	for i := range 7 {
		if got := read[[]string](w, fmt.Sprintf("email:s%d@example.org", i)); len(got) != (60+6-i)/7 {
			t.Errorf("supporter %d has %d orders, want %d", i, len(got), (60+6-i)/7)
		}
	}
}

var errCut = errors.New("cut")

// A crash before or after any effect leaves nothing that booking again does
// not put right.
func TestBookingCutAtEveryEffect(t *testing.T) {
	for at := 0; ; at++ {
		w := newWorld(t)
		w.booked("a@example.org", tier("seat", 2500, 1))
		p := w.confirmed("a@example.org", tier("seat", 2500, 2), pledge.Line{Kind: pledge.PlatformAddOnLine, ID: "sticker", Quantity: 1, UnitPrice: 300, Amount: 300})
		n := 0
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpGet || op.Kind == memkv.OpList || op.Kind == memkv.OpQuery {
				return nil
			}
			if n++; n > at {
				return errCut
			}
			return nil
		}
		err := w.p.Book(context.Background(), p, "")
		w.fail = nil
		if err == nil {
			if at < 10 {
				t.Fatalf("only %d effects were met", at)
			}
			return
		}
		w.must(w.p.Book(context.Background(), p, ""))
		if d, err := w.p.Check(context.Background(), "film"); err != nil || !d.InSync {
			t.Fatalf("cut at effect %d: %+v, %v", at, d, err)
		}
		if got := read[projection.Stats](w, "stats:film"); got.PledgedAmount != 7500 || got.TierCounts["seat"] != 3 {
			t.Fatalf("cut at effect %d: %+v", at, got)
		}
	}
}

// Proves PUB-10, PUB-11.
func TestCheckFindsDriftAndRebuildEndsIt(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for i := range 3 {
		w.booked(fmt.Sprintf("s%d@example.org", i), tier("seat", 2500, 1))
	}
	votes := vote.Client{Coordinator: w.db.Coordinator()}
	_, err := votes.Cast(ctx, "film", "s1@example.org", "ending", "Sunrise", "n1")
	w.must(err)
	w.must(w.p.Results(ctx, "film", "ending"))
	before := w.db.Snapshot().Stores
	for _, key := range []string{"stats:film", "tier-inventory:film", "campaign-pledges:film", "add-on-inventory-sold:v1"} {
		w.must(w.p.Store.Apply(ctx, []kv.Write{kv.Put(key, []byte(`{"campaignSlug":"film","pledgedAmount":1}`))}))
		d, err := w.p.Check(ctx, "film")
		w.must(err)
		if d.InSync || len(d.Differences) != 1 || d.Differences[0].Key != key {
			t.Fatalf("a wrong %s: %+v", key, d)
		}
		if _, err := w.p.Rebuild(ctx, "film"); err != nil {
			t.Fatal(err)
		}
	}
	for ns, entries := range w.db.Snapshot().Stores {
		for _, e := range entries {
			store := w.db.Store(ns)
			w.must(store.Apply(ctx, []kv.Write{kv.Delete(e.Key)}))
		}
	}
	if d, err := w.p.Check(ctx, "film"); err != nil || d.InSync {
		t.Fatalf("an empty store is in sync: %+v, %v", d, err)
	}
	r, err := w.p.Rebuild(ctx, "film")
	w.must(err)
	if r.Pledges != 3 {
		t.Errorf("rebuilt %d pledges, want 3", r.Pledges)
	}
	if diff := cmp.Diff(before, w.db.Snapshot().Stores); diff != "" {
		t.Errorf("rebuilt from nothing: %s", diff)
	}
}

func TestACampaignThatNobodyPledgedToIsInSync(t *testing.T) {
	w := newWorld(t)
	if d, err := w.p.Check(context.Background(), "film"); err != nil || !d.InSync {
		t.Errorf("%+v, %v", d, err)
	}
	if r, err := w.p.Rebuild(context.Background(), "film"); err != nil || r.Records != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAddOnsShowThePlatformsStock(t *testing.T) {
	w := newWorld(t)
	w.booked("a@example.org", tier("seat", 2500, 1), pledge.Line{Kind: pledge.PlatformAddOnLine, ID: "sticker", Quantity: 2, UnitPrice: 300, Amount: 600})
	b, err := w.p.AddOns(context.Background())
	w.must(err)
	if !strings.Contains(string(b), `"sticker":{"name":"Sticker","limit":50,"claimed":2,"reserved":0,"remaining":48}`) {
		t.Errorf("add-ons: %s", b)
	}
}

// Units that are held are not on offer, though nothing is booked yet.
func TestRefreshShowsHeldUnits(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.must(w.p.Inventory.Hold(ctx, "film", inventory.Hold{ID: "h", Pledge: "p", Due: noon.Add(time.Hour)},
		[]inventory.Want{{Item: "tier/seat", Quantity: 4, Limit: 10, Name: "Seat"}}))
	w.must(w.p.Refresh(ctx, "film"))
	if got := read[projection.Stock](w, "tier-inventory:film").Tiers["seat"]; got.Reserved != 4 || got.Remaining != 6 {
		t.Errorf("seat: %+v", got)
	}
}

// Whoever writes for all that wait does so to the end, also when its own caller
// goes away meanwhile.
func TestAWriteForOthersOutlivesItsCaller(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpQuery {
			leave()
		}
		return nil
	}
	w.must(w.p.Refresh(ctx, "film"))
	w.fail = nil
	if got := read[projection.Stock](w, "tier-inventory:film"); got.CampaignSlug != "film" {
		t.Errorf("stock: %+v", got)
	}
}
