package order_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

const orderID = "pw-01arz3ndektsv4rrffq69g5fav"

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	saved = start.Add(time.Minute)
)

// fixture is a client of order objects with a clock.
type fixture struct {
	order.Client
	*testing.T
	db   *memkv.DB
	now  time.Time
	fail func(memkv.Op) error
}

func newFixture(t *testing.T) *fixture {
	d := &fixture{T: t, now: start}
	d.db = memkv.New(memkv.Options{
		Now: func() time.Time { return d.now }, Classes: []*kv.Class{order.NewClass()},
		Fail: func(op memkv.Op) error {
			if d.fail == nil {
				return nil
			}
			return d.fail(op)
		},
	})
	d.Client = order.Client{Coordinator: d.db.Coordinator()}
	return d
}

// rewrite changes a stored record directly, to simulate years of use.
func rewrite[V any](d *fixture, key string, change func(*V)) {
	d.Helper()
	s := d.db.Snapshot()
	for _, entries := range s.Objects {
		for i, e := range entries {
			if e.Key != key {
				continue
			}
			var v V
			if err := json.Unmarshal(e.Value, &v); err != nil {
				d.Fatal(err)
			}
			change(&v)
			b, err := json.Marshal(v)
			if err != nil {
				d.Fatal(err)
			}
			entries[i].Value = b
		}
	}
	d.db.Restore(s)
}

func contribution(t *testing.T, slug string, bundle bool, price money.Cents) order.Contribution {
	t.Helper()
	lines := []pledge.Line{{Kind: pledge.TierLine, ID: "disc", Name: "Disc", Quantity: 1, UnitPrice: price, Amount: price}}
	totals, err := pledge.CalculateTotals(lines, 79, 300, pledge.Tip{Percent: 5})
	if err != nil {
		t.Fatal(err)
	}
	return order.Contribution{
		PledgeID: pledge.IDFor(orderID, slug, bundle), CampaignSlug: slug, CampaignRevision: "rev-1",
		Lines: lines, FulfillmentType: "physical", Totals: totals,
	}
}

func manifest(t *testing.T, slugs ...string) order.Manifest {
	t.Helper()
	m := order.Manifest{
		OrderID: orderID, Email: "ada@example.org", Currency: money.USD, Nonce: "nonce", BookedAt: start,
		Expires: start.Add(time.Hour), PreferredLang: "es", TipPercent: 5, ConsentVersion: "consent-1",
		ShippingAddress: &pledge.Address{Country: "US"},
		Attribution: pledge.Attribution{Referral: "friend", UTMSource: "news", UTMMedium: "mail",
			UTMCampaign: "spring", UTMContent: "top"},
	}
	for i, slug := range slugs {
		c := contribution(t, slug, len(slugs) > 1, money.Cents(1000*(i+1)))
		m.Campaigns, m.Amount = append(m.Campaigns, c), m.Amount+c.Totals.Amount
	}
	return m
}

func card(at time.Time) order.Card {
	return order.Card{CustomerID: "cus_1", PaymentMethodID: "pm_" + at.Format("150405"),
		SetupIntentID: "seti_1", SavedAt: at}
}

// open opens an order and attaches its session.
func (d *fixture) open(slugs ...string) order.Order {
	d.Helper()
	d.must(d.Open(ctx, manifest(d.T, slugs...)))
	return d.then(d.Attach(ctx, orderID, "cs_1"))
}

func (d *fixture) confirmed(slugs ...string) order.Order {
	d.Helper()
	return d.confirmedFrom(manifest(d.T, slugs...))
}

// confirmedFrom opens and confirms the order of a manifest.
func (d *fixture) confirmedFrom(m order.Manifest) order.Order {
	d.Helper()
	d.must(d.Open(ctx, m))
	o := d.then(d.Attach(ctx, orderID, "cs_1"))
	return d.then(d.confirm(orderID, "cs_1", o.Hash, card(saved), false))
}

func (d *fixture) must(o order.Order, err error) order.Order {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
	return o
}

// confirm confirms an order and checks that the response is the current order.
func (d *fixture) confirm(id, session, hash string, card order.Card, revive bool) error {
	d.Helper()
	o, _, err := d.Confirm(ctx, id, session, hash, card, revive)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(d.must(d.Get(ctx, id)), o); diff != "" {
		d.Errorf("the response differs from the order (-stored +returned):\n%s", diff)
	}
	return nil
}

// then fails the test if a command failed, and returns the order.
func (d *fixture) then(err error) order.Order {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
	return d.must(d.Get(ctx, orderID))
}

func (d *fixture) pledge(id string) *pledge.Pledge {
	d.Helper()
	p, err := d.Pledge(ctx, id)
	if err != nil {
		d.Fatal(err)
	}
	return p
}

// wantError reports a failure unless err has the code.
func (d *fixture) wantError(what string, err error, code fault.Code) {
	d.Helper()
	if !fault.Is(err, code) {
		d.Errorf("%s: %v, want %s", what, err, code)
	}
}

func events(p *pledge.Pledge) (types []string) {
	for _, e := range p.History {
		types = append(types, e.Type)
	}
	return types
}
