package reminder_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const ada = "ada@example.org"

// film is a campaign that launches on December 1.
const film = `---
title: Film
slug: film
published: true
goal_amount: 1000
start_date: 2026-12-01
goal_deadline: 2026-12-31
tiers:
  - id: seat
    name: Seat
    price: 25
    category: digital
---
`

func catalogue(t *testing.T) *campaign.Catalogue {
	t.Helper()
	other := strings.NewReplacer("film", "game", "Film", "Game").Replace(film)
	hidden := strings.NewReplacer("film", "hidden", "Film", "Hidden", "published: true", "published: false").Replace(film)
	early := strings.NewReplacer("film", "early", "Film", "Early", "2026-12-01", "2026-11-01",
		"2026-12-31", "2026-11-30").Replace(film)
	return load(t, fstest.MapFS{
		"campaigns/film.md":   {Data: []byte(film)},
		"campaigns/game.md":   {Data: []byte(other)},
		"campaigns/hidden.md": {Data: []byte(hidden)},
		"campaigns/early.md":  {Data: []byte(early)},
	})
}

func load(t *testing.T, files fstest.MapFS) *campaign.Catalogue {
	t.Helper()
	c, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fixture runs reminders on an in-memory store with a mailbox and a settable clock.
type fixture struct {
	t        *testing.T
	now      time.Time
	db       *memkv.DB
	fail     func(memkv.Op) error
	launches *reminder.Launches
	carts    *reminder.Carts
	outbox   *notify.Outbox
	mails    []notify.Mail
	all      *campaign.Catalogue
	pledged  map[string]bool // "email slug"
}

// Send implements notify.Sender.
func (w *fixture) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	w.mails = append(w.mails, m)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: fmt.Sprint(len(w.mails))}, nil
}

func newFixture(t *testing.T) *fixture {
	w := &fixture{t: t, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), pledged: map[string]bool{}}
	clock := func() time.Time { return w.now }
	w.db = memkv.New(memkv.Options{Now: clock, Fail: func(op memkv.Op) error {
		if w.fail == nil {
			return nil
		}
		return w.fail(op)
	}})
	store := w.db.Store("")
	signer := token.Signer{Secret: []byte(strings.Repeat("m", 32))}
	list := &suppression.List{Store: store, Now: clock, Secret: []byte(strings.Repeat("h", 32))}
	stop := suppression.Links{Base: "https://api.example", Signer: signer}
	w.outbox = &notify.Outbox{Store: store, Sender: w, Now: clock, From: "news@example.org", Suppressor: list}
	w.all = catalogue(t)
	current := func() *campaign.Catalogue { return w.all }
	w.launches = &reminder.Launches{
		Store: store, Outbox: w.outbox, Suppressions: list, Unsubscribe: stop, Catalogue: current, Zone: time.UTC, Now: clock,
		Links: mailtext.Links{SiteBase: "https://site.example/", Signer: signer},
	}
	w.carts = &reminder.Carts{
		Store: store, Outbox: w.outbox, Suppressions: list, Unsubscribe: stop, Catalogue: current, Zone: time.UTC, Now: clock,
		Signer: signer, SiteBase: "https://site.example/", Delay: reminder.DefaultDelay,
		Pledged: func(_ context.Context, email, slug string) (bool, error) { return w.pledged[email+" "+slug], nil },
	}
	return w
}

func (w *fixture) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// drain sends the due mails, and returns all mails sent since the last call.
func (w *fixture) drain() []notify.Mail {
	w.t.Helper()
	_, err := w.outbox.Drain(w.t.Context(), 10_000)
	w.ok(err)
	mails := w.mails
	w.mails = nil
	return mails
}

func (w *fixture) keys(prefix string) []string {
	w.t.Helper()
	var keys []string
	for e, err := range kv.All(w.t.Context(), w.db.Store(""), prefix) {
		w.ok(err)
		keys = append(keys, e.Key)
	}
	return keys
}

// value returns a parameter from the fragment of the first link in a mail that has it.
func value(t *testing.T, m notify.Mail, name string) string {
	t.Helper()
	for line := range strings.Lines(m.Text) {
		_, after, ok := strings.Cut(strings.TrimSpace(line), name+"=")
		if ok {
			v, err := url.QueryUnescape(after)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no link with %s in %q", name, m.Text)
	return ""
}

// signUp requests and confirms a reminder of the film.
func (w *fixture) signUp(email string) {
	w.t.Helper()
	_, err := w.launches.SignUp(w.t.Context(), reminder.SignUp{CampaignSlug: "film", Email: email, Consent: true})
	w.ok(err)
	mails := w.drain()
	if len(mails) != 1 {
		w.t.Fatalf("%d confirmation mails to %s", len(mails), email)
	}
	_, err = w.launches.Confirm(w.t.Context(), reminder.Confirmation{Token: value(w.t, mails[0], "reminder/#t")})
	w.ok(err)
}

// runMinute performs the per-minute run, or the hourly run if hour is set.
func (w *fixture) runMinute(hour bool) error {
	ctx := w.t.Context()
	within := 90 * time.Minute
	if hour {
		within = reminder.Stale
	}
	for _, step := range []func() error{
		func() error { return w.launches.Queue(ctx, within) },
		func() error { return w.launches.Dispatch(ctx, 25) },
		func() error { return w.carts.Dispatch(ctx, 25, hour) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// advance advances the clock minute by minute, with the per-minute runs.
func (w *fixture) advance(minutes int) {
	w.t.Helper()
	for range minutes {
		w.now = w.now.Add(time.Minute)
		w.ok(w.runMinute(w.now.Minute() == 0))
	}
}

// abandonCheckout starts and abandons a checkout of the campaigns.
func (w *fixture) abandonCheckout(email, id string, slugs ...string) order.Manifest {
	w.t.Helper()
	m := order.Manifest{OrderID: id, Email: email, BookedAt: w.now, PreferredLang: "en", AbandonedCartConsent: true}
	for _, slug := range slugs {
		m.Campaigns = append(m.Campaigns, order.Contribution{CampaignSlug: slug})
	}
	writes, err := w.carts.StartWrites(w.t.Context(), m, "film__seat*2")
	w.ok(err)
	w.ok(w.db.Store("").Apply(w.t.Context(), writes))
	return m
}
