package ownstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/examples/ownstore"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t testing.TB, url string, now func() time.Time, classes ...*kv.Class) *ownstore.DB {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), ownstore.Schema); err != nil {
		t.Fatal(err)
	}
	db := &ownstore.DB{Pool: pool, Now: now, Classes: map[string]*kv.Class{}}
	for _, c := range classes {
		db.Classes[c.Name()] = c
	}
	return db
}

func TestConformance(t *testing.T) {
	clock := &clock{now: time.Date(2031, 5, 4, 3, 2, 1, 987654321, time.UTC)}
	var url string
	var serves []*kv.Class
	reopen := func(t testing.TB) (kv.Store, kv.Coordinator) {
		db := open(t, url, clock.Now, serves...)
		return db, db
	}
	kvtest.Run(t, kvtest.Harness{
		Open: func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
			url, serves = cluster.Database(t), classes
			return reopen(t)
		},
		Reopen: reopen, Now: clock.Now, Advance: clock.Advance,
	})
}

type untaxed struct{}

func (untaxed) Quote(context.Context, tax.Request) (tax.Quote, error) {
	return tax.Quote{Status: tax.Quoted}, nil
}

type noMail struct{}

func (noMail) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}

func day(t testing.TB, s string) campaign.Moment {
	t.Helper()
	m, err := campaign.ParseMoment(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The service takes and charges pledges with this store and with a campaign that is created in Go
// instead of loaded from a file.
func TestSettlement_OwnStore(t *testing.T) {
	clock := &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	db := open(t, cluster.Database(t), clock.Now, pledgeworks.Classes()...)
	film := &campaign.Campaign{
		Slug: "film", Title: "Film", Start: day(t, "2026-11-01"), Deadline: day(t, "2026-11-21"),
		Goal: 10_000, Published: true,
		Tiers: []campaign.Tier{{ID: "seat", Name: "A seat", Price: 5_000,
			Delivery: campaign.Delivery{Category: campaign.Digital}}},
	}
	forSale, err := campaign.NewCatalogue([]*campaign.Campaign{film}, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	processor := sim.New(sim.Options{Now: clock.Now, NoLimits: true})
	s, err := pledgeworks.New(pledgeworks.Parts{
		Store: db, Coordinator: db, Processor: processor.Processor(), Sender: noMail{},
		Tax: untaxed{}, Shipping: shipping.Rules{},
		Catalogue: func() *campaign.Catalogue { return forSale }, Site: "https://site.example",
		Secret: bytes.Repeat([]byte("s"), 32),
		Now:    clock.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"ana@example.org", "bob@example.org", "cid@example.org"} {
		started, err := s.Checkout.Start(t.Context(),
			checkout.StartRequest{Email: email, Cart: checkout.Cart{Items: []checkout.Item{{ID: "film__seat"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := processor.Complete(started.SessionID, sim.CardOK); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Checkout.Complete(t.Context(),
			checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(48 * time.Hour)
	for range 2 { // the second run must not charge again
		if _, err := s.Minute(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if books := processor.Entries(); len(books) != 3 || books[0].Amount != 5_000 {
		t.Errorf("books %v", books)
	}
}
