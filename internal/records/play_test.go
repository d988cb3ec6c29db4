package records

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

var content = fstest.MapFS{
	"campaigns/album.md": {Data: []byte(`---
title: Album
slug: album
published: true
start_date: 2026-03-01
goal_deadline: 2026-03-03
goal_amount: 20
recovery: {grace_days: 14, retry_days: [10]}
tiers:
  - {id: copy, name: Copy, price: 20, category: digital}
---
`)},
	"campaigns/film.md": {Data: []byte(`---
title: Film
slug: film
published: true
start_date: 2026-03-01
goal_deadline: 2026-03-20
goal_amount: 20
tiers:
  - {id: seat, name: Seat, price: 25, category: digital, limit_total: 10, stackable: true}
support_items:
  - {id: light, label: Light, target: 500}
decisions:
  - {id: ending, type: vote, title: How does it end, deadline: 2026-03-19, options: [well, badly]}
---
`)},
	"add-ons.yml": {Data: []byte(`enabled: true
products:
  - {id: sticker, name: Sticker, price: 4, category: digital, inventory: 60}
`)},
}

// stage is a running service with stored records.
type stage struct {
	*testing.T
	*memory.Host
	Open checkout.Started `json:"-"`
}

func newStage(t *testing.T) *stage {
	t.Helper()
	h, err := memory.New(memory.Options{Campaigns: content, Seed: 7, Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return &stage{T: t, Host: h}
}

func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func request(email string, items ...string) checkout.StartRequest {
	r := checkout.StartRequest{Email: email, Client: "192.0.2.1"}
	r.Attribution.Referral = "friend"
	for _, id := range items {
		item := checkout.Item{ID: id}
		if id == "film__support__light" {
			amount := int64(5)
			item.Amount = &amount
		}
		r.Items = append(r.Items, item)
	}
	r.CampaignSlug = r.Items[0].ID[:len("film")]
	if r.CampaignSlug != "film" {
		r.CampaignSlug = "album"
	}
	return r
}

func (s *stage) pledges(email, card string, items ...string) string {
	s.Helper()
	return must(s.Pledge(s.Context(), request(email, items...), card))(s).OrderID
}

func (s *stage) link(id, email, slug string) string {
	s.Helper()
	return must(s.Token(id, email, slug))(s)
}

// createRecords simulates the earlier release: it creates a record of every kind in kinds.
func (s *stage) createRecords() {
	s.Helper()
	ctx, c := s.Context(), s.Services.Checkout
	s.pledges("good@example.org", sim.CardOK, "album__copy")
	strict := s.pledges("strict@example.org", sim.CardAuthAlways, "album__copy")
	poor := s.pledges("poor@example.org", sim.CardAuthInsufficient, "album__copy")
	fan := s.pledges("fan@example.org", sim.CardOK, "film__seat", "film__support__light", "addon__sticker")
	fickle := s.pledges("fickle@example.org", sim.CardOK, "film__seat")
	must(c.Cancel(ctx, checkout.CancelRequest{Token: s.link(fickle, "fickle@example.org", "film")}))(s)
	must(c.CastVote(ctx,
		checkout.VoteRequest{Token: s.link(fan, "fan@example.org", "film"), DecisionID: "ending", Option: "well"}))(s)
	s.must(s.Pass(ctx, 4*24*time.Hour))

	p := must(c.Orders.Pledge(ctx, fan))(s)
	if stray := s.Sim.Processor().Charge(ctx, psp.NewCharge{
		Key: "stray", Group: "settle:album:" + state.GroupHash("album", "good@example.org") + ":2",
		Amount: 100, CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID,
		Metadata: map[string]string{"campaignSlug": "album"}, NotAfter: s.Now().Add(time.Hour),
	}); stray.Status != psp.Succeeded {
		s.Fatalf("%+v", stray)
	}
	s.must(s.Pass(ctx, 30*time.Hour))
	must(s.Services.Reconcile.Run(ctx, "album", 100))(s)
	must(c.BackfillCustomers(ctx, "album"))(s)
	must(c.StartApproval(ctx, checkout.ApprovalRequest{Token: s.link(strict, "strict@example.org", "album")}))(s)
	must(s.Services.Settlement.Switch().Stop(ctx, "a drill"))(s)
	card := must(c.StartCard(ctx, checkout.CardRequest{Token: s.link(poor, "poor@example.org", "album")}))(s)
	s.must(s.Sim.Complete(card.SessionID, sim.CardOK))
	s.Deliver(ctx)
	must(compose.NewMembership(s.DB.Coordinator(), "place", "life", nil).Heartbeat(ctx))(s)

	s.must(c.Inventory.Release(ctx, "film", "a hold whose command never arrived"))
	given := must(c.Start(ctx, request("shy@example.org", "film__seat")))(s)
	must(c.Abandon(ctx, checkout.AbandonRequest{OrderID: given.OrderID, Token: given.Token}))(s)
	for _, email := range []string{"one@example.org", "two@example.org"} {
		s.pledges(email, sim.CardOK, "film__seat")
	}
	if err := s.Services.Outbox.RepairQueue(ctx, 1); err != nil {
		s.Fatal(err)
	}
	must(s.Services.Outbox.Drain(ctx, 1))(s)
	s.Request(ctx, "GET", "/admin/observability/webhooks", "", nil, "X-Admin-Key", s.Config.Secrets.Admin.Reveal())
	late := request("late@example.org", "film__seat", "film__support__light")
	late.Attempt = "attempt-of-the-late-one"
	s.Open = must(c.Start(ctx, late))(s)
}

// useRecords simulates this release: every record is read, and most are changed and
// written.
func (s *stage) useRecords() {
	s.Helper()
	ctx, c := s.Context(), s.Services.Checkout
	s.must(s.Sim.Complete(s.Open.SessionID, sim.CardOK))
	must(c.Complete(ctx, checkout.CompleteRequest{OrderID: s.Open.OrderID, SessionID: s.Open.SessionID}))(s)
	five := 5
	for _, email := range []string{"fan@example.org", "late@example.org"} {
		ids := must(c.Orders.PledgeIDs(ctx, email))(s)
		items := []checkout.Item{{ID: "film__seat", Quantity: &five}, {ID: "addon__sticker"}}
		if email == "late@example.org" {
			five = 2
		}
		must(c.Modify(ctx, checkout.ModifyRequest{Token: s.link(ids[0], email, "film"), Items: &items}))(s)
		must(c.CastVote(ctx,
			checkout.VoteRequest{Token: s.link(ids[0], email, "film"), DecisionID: "ending", Option: "badly"}))(s)
	}
	must(compose.NewMembership(s.DB.Coordinator(), "other", "later", nil).Heartbeat(ctx))(s)
	must(s.Services.Settlement.Switch().Resume(ctx))(s)
	s.must(s.Pass(ctx, 25*24*time.Hour))
	if _, err := s.Mails(ctx); err != nil {
		s.Fatal(err)
	}
	for _, email := range []string{"good@example.org", "poor@example.org", "fan@example.org",
		"one@example.org", "late@example.org"} {
		for _, id := range must(c.Orders.PledgeIDs(ctx, email))(s) {
			if p := must(c.Orders.Pledge(ctx, id))(s); !p.Charged {
				s.Errorf("pledge of %s is %s", email, p.Status)
			}
		}
	}
	must(s.Services.Reconcile.Run(ctx, "album", 100))(s)
	s.must(s.Sim.Check())
}

// image is the state of a stage as a release's file stores it: one line with these fields, and one
// for each row.
type image struct {
	Now       time.Time
	Open      checkout.Started
	Processor json.RawMessage
	Rows      []row `json:"-"`
}

// row is a record in a namespace or in an object.
type row struct {
	Namespace, Class, Name, Key string          `json:",omitempty"`
	Expires                     *time.Time      `json:",omitempty"`
	Record                      json.RawMessage `json:",omitempty"`
	Text                        string          `json:",omitempty"` // values that are not JSON
}

// value returns the record as it was stored.
func (r row) value() []byte {
	if r.Record == nil {
		return []byte(r.Text)
	}
	return r.Record
}

func rowOf(r row, value []byte) row {
	if json.Valid(value) {
		r.Record = value
	} else {
		r.Text = string(value)
	}
	return r
}

func (s *stage) image() image {
	s.Helper()
	snapshot := s.DB.Snapshot()
	i := image{Now: s.Now(), Open: s.Open, Processor: must(s.Sim.Snapshot())(s)}
	for namespace, entries := range snapshot.Stores {
		for _, e := range entries {
			r := rowOf(row{Namespace: namespace, Key: e.Key}, e.Value)
			if at, ok := snapshot.Expires[namespace][e.Key]; ok {
				r.Expires = &at
			}
			i.Rows = append(i.Rows, r)
		}
	}
	for o, entries := range snapshot.Objects {
		for _, e := range entries {
			i.Rows = append(i.Rows, rowOf(row{Class: o.Class, Name: o.Name, Key: e.Key}, e.Value))
		}
	}
	return i
}

// restored returns a stage of this release with another release's records.
func restored(t *testing.T, i image) *stage {
	t.Helper()
	s := newStage(t)
	s.Advance(i.Now.Sub(s.Now()))
	s.must(s.Sim.Restore(i.Processor))
	snapshot := memkv.Snapshot{Stores: map[string][]kv.Entry{}, Objects: map[kv.Object][]kv.Entry{},
		Expires: map[string]map[string]time.Time{}}
	for _, r := range i.Rows {
		e := kv.Entry{Key: r.Key, Value: r.value()}
		if r.Class != "" {
			o := kv.Object{Class: r.Class, Name: r.Name}
			snapshot.Objects[o] = append(snapshot.Objects[o], e)
			continue
		}
		snapshot.Stores[r.Namespace] = append(snapshot.Stores[r.Namespace], e)
		if snapshot.Expires[r.Namespace] == nil {
			snapshot.Expires[r.Namespace] = map[string]time.Time{}
		}
		if r.Expires != nil {
			snapshot.Expires[r.Namespace][r.Key] = *r.Expires
		}
	}
	s.DB.Restore(snapshot)
	s.Open = i.Open
	return s
}

func read(t testing.TB, release string) image {
	t.Helper()
	f := must(os.Open(filepath.Join("testdata", release+".jsonl")))(t)
	defer f.Close()
	var i image
	d := json.NewDecoder(f)
	if err := d.Decode(&i); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		var r row
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		i.Rows = append(i.Rows, r)
	}
	return i
}

func (i image) write(t *testing.T, release string) {
	t.Helper()
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	if err := e.Encode(i); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(i.Rows, func(a, b row) int { return strings.Compare(a.name(), b.name()) })
	for _, r := range i.Rows {
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("testdata", release+".jsonl"), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r row) name() string { return r.Namespace + r.Class + " " + r.Name + " " + r.Key }
