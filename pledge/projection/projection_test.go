package projection_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
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
decisions:
  - {title: Name, options: [Film, Movie]}
  - {title: Ending, options: [Sunrise, Sunset], deadline: 2026-11-25}
  - {title: Poster, options: [Sunrise, Sunset], deadline: 2026-11-25}
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

type fixture struct {
	t    *testing.T
	db   *memkv.DB
	p    *projection.Projector
	now  time.Time
	fail func(memkv.Op) error
	n    int
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{t: t, now: noon}
	class := inventory.NewClass()
	vote.Register(class)
	now := func() time.Time { return w.now }
	w.db = memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{class, order.NewClass()}, Fail: func(op memkv.Op) error {
		if w.fail != nil {
			return w.fail(op)
		}
		return nil
	}})
	catalogue, err := campaignfile.Load(fstest.MapFS{
		"campaigns/film.md":      {Data: []byte(film)},
		"campaigns/hidden.md":    {Data: []byte(hidden)},
		"campaigns/rehearsal.md": {Data: []byte(rehearsal)},
		"add-ons.yml": {Data: []byte("enabled: true\nproducts:\n" +
			"  - {id: sticker, name: Sticker, price: 3, inventory: 50}\n  - {id: badge, name: Badge, price: 1}\n" +
			"  - {id: shirt, name: Shirt, price: 9, variants: [{label: S, inventory: 4}, {label: M}]}\n")},
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

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func tier(id string, price money.Cents, n int) pledge.Line {
	return pledge.Line{Kind: pledge.TierLine, ID: id, Name: id, Quantity: n, UnitPrice: price,
		Amount: price * money.Cents(n)}
}

// hold reserves units for a checkout in progress.
func (w *fixture) hold(object, item string, n int) {
	w.t.Helper()
	w.must(w.p.Inventory.Hold(context.Background(), object,
		inventory.Hold{ID: "h", Pledge: "p", Order: "p",
			Due: noon.Add(time.Hour)}, []inventory.Request{{Item: item, Quantity: n}}))
}

// confirmed creates a pledge in its order's object without booking it.
func (w *fixture) confirmed(email string, lines ...pledge.Line) *pledge.Pledge {
	w.t.Helper()
	w.n++
	id := fmt.Sprintf("pw-%026d", w.n)
	totals, err := pledge.CalculateTotals(lines, 79, 300, pledge.Tip{Percent: 5})
	w.must(err)
	m := order.Manifest{OrderID: id, Email: email, Currency: money.USD, Amount: totals.Amount, BookedAt: noon,
		Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "film", Lines: lines, Totals: totals}}}
	ctx := context.Background()
	o, err := w.p.Orders.Open(ctx, m)
	w.must(err)
	w.must(w.p.Orders.Attach(ctx, id, "cs_"+id))
	_, _, err = w.p.Orders.Confirm(ctx, id, "cs_"+id, o.Hash,
		order.Card{CustomerID: "cus", PaymentMethodID: "pm", SavedAt: noon}, false)
	w.must(err)
	o, err = w.p.Orders.Get(ctx, id)
	w.must(err)
	return o.Pledges[0]
}

func (w *fixture) book(p *pledge.Pledge) {
	w.t.Helper()
	_, err := w.p.Book(context.Background(), p, "")
	w.must(err)
}

func (w *fixture) bookPledge(email string, lines ...pledge.Line) *pledge.Pledge {
	w.t.Helper()
	p := w.confirmed(email, lines...)
	w.book(p)
	return p
}

// sticker returns a line with platform add-ons.
func sticker(n int) pledge.Line {
	return pledge.Line{Kind: pledge.PlatformAddOnLine, ID: "sticker", Quantity: n,
		UnitPrice: 300, Amount: 300 * money.Cents(n)}
}

func read[T any](w *fixture, key string) T {
	w.t.Helper()
	v, ok, err := kv.Read[T](context.Background(), w.p.Store, key)
	w.must(err)
	if !ok {
		w.t.Fatalf("no record %q", key)
	}
	return v
}

func (w *fixture) public(get func(context.Context, string) (json.RawMessage, error), slug string, into any) {
	w.t.Helper()
	b, err := get(context.Background(), slug)
	w.must(err)
	w.must(json.Unmarshal(b, into))
}

// Proves PLG-01, PLG-05, PLG-44, KVR-01, KVR-02, KVR-03, INV-04, INV-11, MON-04, MON-05, MON-26, MON-27.
func TestBook_WritesAllProjections(t *testing.T) {
	w := newFixture(t)
	lines := []pledge.Line{
		tier("seat", 2500, 2),
		{Kind: pledge.SupportLine, ID: "lens", Quantity: 1, UnitPrice: 1000, Amount: 1000},
		{Kind: pledge.CustomLine, Quantity: 1, UnitPrice: 700, Amount: 700},
		{Kind: pledge.CampaignAddOnLine, ID: "poster", Quantity: 1, UnitPrice: 1000, Amount: 1000},
		sticker(4),
	}
	p := w.bookPledge("a@example.org", lines...)

	if got := read[pledge.Pledge](w, "pledge:"+p.OrderID); got.Amount != 8900+79+300+445 || got.Status != pledge.Active {
		t.Errorf("pledge record: %+v", got)
	}
	if diff := cmp.Diff([]string{p.OrderID}, read[[]string](w, "email:a@example.org")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{p.OrderID}, read[[]string](w, "campaign-pledges:film")); diff != "" {
		t.Error(diff)
	}
	want := projection.Stats{
		CampaignSlug: "film", PledgedAmount: 7700, PledgeCount: 1, Supporters: 1, TierCounts: map[string]int{"seat": 2},
		SupportItems: map[string]money.Cents{"lens": 1000}, CustomAmount: 700, Version: 1, UpdatedAt: noon,
	}
	if diff := cmp.Diff(want, read[projection.Stats](w, "stats:film")); diff != "" {
		t.Error(diff)
	}
	stock := read[projection.Stock](w, "tier-inventory:film")
	if diff := cmp.Diff(map[string]projection.Unit{"seat": {Name: "Seat", Limit: 10, Claimed: 2, Remaining: 8}},
		stock.Tiers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]projection.Unit{"poster": {Name: "Poster", Limit: 3, Claimed: 1, Remaining: 2}},
		stock.AddOns); diff != "" {
		t.Error(diff)
	}
	sold := projection.Sold{Units: map[string]int{"sticker": 4}, Reserved: map[string]int{}, Version: 1, UpdatedAt: noon}
	var keys []string
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		keys = append(keys, e.Key)
	}
	all := []string{"add-on-inventory-sold:v1", "campaign-pledges:film", "email:a@example.org",
		"pledge:" + p.OrderID, "stats:film", "tier-inventory:film"}
	if diff := cmp.Diff(all, keys); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sold, read[projection.Sold](w, "add-on-inventory-sold:v1")); diff != "" {
		t.Error(diff)
	}
	again := w.bookPledge("a@example.org", tier("seat", 2500, 1))
	if diff := cmp.Diff([]string{p.OrderID, again.OrderID}, read[[]string](w, "email:a@example.org")); diff != "" {
		t.Error(diff)
	}
}

// Proves PLG-57, INV-08.
func TestBook_CancelledPledge(t *testing.T) {
	w := newFixture(t)
	p := w.bookPledge("a@example.org", tier("seat", 2500, 2), sticker(3))
	w.bookPledge("b@example.org", tier("seat", 2500, 1), sticker(1))
	p, err := w.p.Orders.Cancel(context.Background(), p.OrderID, "n", time.Time{})
	w.must(err)
	w.book(p)
	stats := read[projection.Stats](w, "stats:film")
	if stats.PledgedAmount != 2500 || stats.PledgeCount != 1 {
		t.Errorf("stats: %+v", stats)
	}
	if got := read[projection.Stock](w, "tier-inventory:film").Tiers["seat"].Claimed; got != 1 {
		t.Errorf("claimed %d, want 1", got)
	}
	if got := read[projection.Sold](w, "add-on-inventory-sold:v1").Units["sticker"]; got != 1 {
		t.Errorf("%d stickers sold, want 1", got)
	}
	if got := read[[]string](w, "campaign-pledges:film"); len(got) != 2 {
		t.Errorf("index: %v", got)
	}
	if got := read[pledge.Pledge](w, "pledge:"+p.OrderID); got.Status != pledge.Cancelled {
		t.Errorf("record: %s", got.Status)
	}
}

// A campaign's index grows in segments, and a pledge rewrites at most one. At each
// segment boundary, the index is complete, in sync and can be rebuilt.
//
// Proves KVR-03.
func TestBook_IndexSegments(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	var want []string
	for n := 1; n <= 2*pledge.IndexSegment+1; n++ {
		want = append(want, w.bookPledge(fmt.Sprintf("s%d@example.org", n), tier("thanks", 500, 1)).OrderID)
		if edge := n % pledge.IndexSegment; edge > 1 {
			continue
		}
		var got []string
		for segment, key := range []string{"campaign-pledges:film", "campaign-pledges:film:000001",
			"campaign-pledges:film:000002"} {
			ids, ok, err := kv.Read[[]string](ctx, w.p.Store, key)
			w.must(err)
			if full := min(max(n-segment*pledge.IndexSegment, 0), pledge.IndexSegment); len(ids) != full || ok != (full > 0) {
				t.Errorf("%d pledges: segment %d has %d, want %d", n, segment, len(ids), full)
			}
			got = append(got, ids...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		w.inSync(true)
		if r, err := w.p.Rebuild(ctx, "film"); err != nil || r.Pledges != n {
			t.Errorf("%d of %d pledges rebuilt, %v", r.Pledges, n, err)
		}
		if s, err := w.p.Sweep(ctx, "film", 0, n); err != nil || s.Next != n {
			t.Errorf("next position after a full sweep: %d, %v; want %d", s.Next, err, n)
		}
		if s, err := w.p.Sweep(ctx, "film", n, n); err != nil || s != (projection.Swept{}) {
			t.Errorf("page after the last of %d pledges: %+v, %v", n, s, err)
		}
	}
}

func TestBook_Concurrent(t *testing.T) {
	w := newFixture(t)
	var pledges []*pledge.Pledge
	for i := range 60 {
		pledges = append(pledges, w.confirmed(fmt.Sprintf("s%d@example.org", i%7), tier("thanks", 500, 1)))
	}
	var group sync.WaitGroup
	for _, p := range pledges {
		group.Go(func() {
			if _, err := w.p.Book(context.Background(), p, ""); err != nil {
				t.Error(err)
			}
		})
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

// After a crash before or after any effect, booking again completes the projections.
func TestBook_CrashAtEveryEffect(t *testing.T) {
	for at := 0; ; at++ {
		w := newFixture(t)
		w.bookPledge("a@example.org", tier("seat", 2500, 1))
		p := w.confirmed("a@example.org", tier("seat", 2500, 2), sticker(1))
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
		_, err := w.p.Book(context.Background(), p, "")
		w.fail = nil
		if err == nil {
			if at < 10 {
				t.Fatalf("only %d effects", at)
			}
			return
		}
		w.book(p)
		if d, err := w.p.Check(context.Background(), "film"); err != nil || !d.InSync {
			t.Fatalf("cut at effect %d: %+v, %v", at, d, err)
		}
		if got := read[projection.Stats](w, "stats:film"); got.PledgedAmount != 7500 || got.TierCounts["seat"] != 3 {
			t.Fatalf("cut at effect %d: %+v", at, got)
		}
	}
}

// The caller that writes for all waiting bookings finishes even if its own context is
// canceled.
func TestBook_CanceledCallerFinishesSharedWrite(t *testing.T) {
	w := newFixture(t)
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
