package rehearsal_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/rehearsal"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

const film = `---
title: Film
slug: film
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-15
goal_amount: 130
tiers:
  - {id: seat, name: Seat, price: 25}
---
`

// fixture is a service on SQLite with a controlled clock.
type fixture struct {
	t   *testing.T
	now time.Time
	*app.App
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir(), "SALES_TAX_RATE": "0"})
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{t: t, now: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}
	h.App,
		err = app.Open(t.Context(), app.Options{Config: cfg, Content: fstest.MapFS{"campaigns/film.md": {Data: []byte(film)}},
		Now: func() time.Time { return h.now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// pledge returns the ID of a pledge of 25 dollars.
func (h *fixture) pledge(email, card string) string {
	h.t.Helper()
	ctx, none := h.t.Context(), 0
	s, err := h.Services.Checkout.Start(ctx, checkout.StartRequest{Email: email, Cart: checkout.Cart{
		CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat"}}, TipPercent: &none}})
	if err == nil {
		err = h.Sim.Complete(s.SessionID, card)
	}
	if err == nil {
		_, err = h.Services.Checkout.Complete(ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Campaigns[0].OrderID
}

// card replaces a pledge's card without the processor.
func (h *fixture) card(id string, c order.Card) {
	h.t.Helper()
	h.now = h.now.Add(time.Second)
	c.SavedAt = h.now
	orders := h.Services.Checkout.Orders
	if err := orders.StartCard(h.t.Context(), id, "cs_"+id); err != nil {
		h.t.Fatal(err)
	}
	p, err := orders.ReplaceCard(h.t.Context(), id, "cs_"+id, c)
	if err == nil {
		_, err = h.Services.Projector.Book(h.t.Context(), p, "")
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) read(id string) *pledge.Pledge {
	h.t.Helper()
	p, err := h.Services.Checkout.Orders.Pledge(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *fixture) options() rehearsal.Options {
	return rehearsal.Options{Backup: h.Engine.Backup, Dir: h.Config.Server.DataDir, Processor: h.Processor,
		Config: h.Config, Catalogue: h.Catalogue(),
		Now: func() time.Time { return h.now }}
}

func (h *fixture) rehearse() rehearsal.Forecast {
	h.t.Helper()
	f, err := rehearsal.Run(h.t.Context(), h.options(), "film")
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// dump returns the whole database.
func (h *fixture) dump() []byte {
	h.t.Helper()
	if err := h.Services.Evidence.Flush(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.t.TempDir(), "copy")
	if err := h.Engine.Backup(h.t.Context(), file); err != nil {
		h.t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// kinds returns the supporters of the findings by kind.
func kinds(f rehearsal.Forecast) map[rehearsal.Kind]string {
	out := map[rehearsal.Kind]string{}
	for _, d := range f.Findings {
		out[d.Kind] += d.Email
	}
	return out
}

// Exactly the cards that will fail are found, nothing is written or charged, and the settlement has
// the predicted result.
func TestForecast(t *testing.T) {
	h := newFixture(t)
	for _, who := range []string{"a@example.com", "b@example.com", "c@example.com"} {
		h.pledge(who, sim.CardOK)
	}
	h.pledge("expires@example.com", sim.CardExpires+":1h")
	detached := h.pledge("detached@example.com", sim.CardOK)
	if err := h.Sim.Detach(h.read(detached).PaymentMethodID); err != nil {
		t.Fatal(err)
	}
	missing := h.pledge("missing@example.com", sim.CardOK)
	h.card(missing, order.Card{CustomerID: h.read(missing).CustomerID, PaymentMethodID: "pm_nobody"})
	another := h.pledge("another@example.com", sim.CardOK)
	h.card(another, order.Card{CustomerID: h.read(another).CustomerID,
		PaymentMethodID: h.read(h.pledge("d@example.com", sim.CardOK)).PaymentMethodID})
	h.card(h.pledge("none@example.com", sim.CardOK), order.Card{PaymentMethodID: "pm_lost"})

	before, asked, steps := h.dump(), h.Sim.Received(""), 0
	o := h.options()
	o.Progress = func(done, of int) {
		if steps++; done != steps || of != 8 {
			t.Errorf("%d of %d cards read at step %d", done, of, steps)
		}
	}
	f, err := rehearsal.Run(t.Context(), o, "film")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, h.dump()) {
		t.Error("the database changed")
	}
	if h.Sim.Received("")-asked != 8 || h.Sim.Received(sim.RetrievePaymentMethod) != 8 ||
		len(h.Sim.Entries()) != 0 || steps != 8 {
		t.Errorf("processor got %d requests", h.Sim.Received("")-asked)
	}
	if left, err := filepath.Glob(filepath.Join(h.Config.Server.DataDir, "rehearsal-*")); err != nil || len(left) != 0 {
		t.Errorf("%v are left", left)
	}
	if diff := cmp.Diff(map[rehearsal.Kind]string{
		rehearsal.CardExpires: "expires@example.com", rehearsal.CardMissing: "missing@example.com",
		rehearsal.CardDetached: "another@example.comdetached@example.com", rehearsal.PassedOver: "none@example.com",
	}, kinds(f)); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%+v", diff, f.Findings)
	}
	f.Findings = nil
	want := rehearsal.Forecast{CampaignSlug: "film", At: time.Date(2026, time.December, 16, 8, 15, 0, 0, time.UTC),
		Funded: true, Goal: 13000, Counted: 22500,
		Supporters: 8, Charged: 4, Failed: 4, PassedOver: 1, Mails: 8,
		Funds:            inventory.Funds{Pledged: 22500, Collectable: 20000, Collected: 10000, Available: 10000 - 4*103},
		CountedCollected: 10000, AtLeast: 8 * time.Second * 100 / 2425}
	if diff := cmp.Diff(want, f); diff != "" || f.StaysFunded() {
		t.Errorf("forecast (-want +got):\n%s", diff)
	}
	h.now = f.At
	r, err := h.Services.Settlement.Settle(t.Context(), "film", false)
	if err != nil || r.SupportersCharged != f.Charged || r.SupportersFailed != f.Failed || r.Funds != f.Funds {
		t.Errorf("settlement = %+v, %+v, %v", r.Result, r.Funds, err)
	}
	if _, err := rehearsal.Run(t.Context(), h.options(), "film"); !fault.Is(err, fault.Conflict) {
		t.Errorf("after the settlement has started: %v", err)
	}
}

func TestForecast_BeforeGoal(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardOK)
	f := h.rehearse()
	if f.Funded || f.Charged != 1 || f.CountedCollected != 2500 || f.StaysFunded() || len(f.Findings) != 0 {
		t.Errorf("%+v", f)
	}
	for _, who := range []string{"b@example.com", "c@example.com", "d@example.com", "e@example.com", "f@example.com"} {
		h.pledge(who, sim.CardOK)
	}
	f = h.rehearse()
	if !f.Funded || !f.StaysFunded() || f.MayFail != 2000 || f.Charged != 6 {
		t.Errorf("%+v", f)
	}
	if _, err := rehearsal.Run(t.Context(), h.options(), "unknown"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown: %v", err)
	}
}

// Inconsistent totals are found, whichever of them is wrong.
func TestForecast_FindsAmounts(t *testing.T) {
	h := newFixture(t)
	id := h.pledge("a@example.com", sim.CardOK)
	if err := kv.Save(t.Context(), h.Services.Stores.Pledges, "stats:film",
		map[string]any{"pledgedAmount": 1, "version": 1}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[rehearsal.Kind]string{rehearsal.Drifted: ""}, kinds(h.rehearse())); diff != "" {
		t.Errorf("drifted totals (-want +got):\n%s", diff)
	}
	p := h.read(id)
	p.Revision, p.Amount = 99, 9900
	account, _ := inventory.AccountsOf(p)
	if _, err := h.Services.Checkout.Inventory.Book(t.Context(), "film", account, ""); err != nil {
		t.Fatal(err)
	}
	if _, ok := kinds(h.rehearse())[rehearsal.SumDiffers]; !ok {
		t.Error("wrong totals were not found")
	}
}

// otherAccount is a processor with a different account.
type otherAccount struct{ psp.Processor }

func (e otherAccount) Account(ctx context.Context) (psp.Account, error) {
	a, err := e.Processor.Account(ctx)
	a.ID = "acct_elsewhere"
	return a, err
}

// A file that breaks a promise would hold the settlement, which is reported. The copy is settled
// anyway, whichever account the database belongs to.
func TestForecast_BrokenPromise(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardOK)
	other := *h.Services.Settlement
	other.Processor = otherAccount{other.Processor}
	if _, err := other.Bind(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := h.options()
	changed, err := o.Catalogue.Campaign("film")
	if err != nil {
		t.Fatal(err)
	}
	lower := *changed
	lower.Goal = 2000
	o.Catalogue = o.Catalogue.With(&lower)
	f, err := rehearsal.Run(t.Context(), o, "film")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[rehearsal.Kind]string{rehearsal.PromiseBroken: ""}, kinds(f)); diff != "" || f.Charged != 1 {
		t.Errorf("%d charged; findings (-want +got):\n%s", f.Charged, diff)
	}
}

// unreadableCards is a processor that fails to return any card.
type unreadableCards struct{ psp.Processor }

func (unreadableCards) Card(context.Context, string) (psp.Card, error) {
	return psp.Card{}, fault.New(fault.Unavailable, "The processor did not answer")
}

func TestForecast_NoAnswer(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardOK)
	o := h.options()
	o.Processor = unreadableCards{h.Processor}
	f, err := rehearsal.Run(t.Context(), o, "film")
	if err != nil || f.Charged != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if diff := cmp.Diff(map[rehearsal.Kind]string{rehearsal.CardUnread: "a@example.com"}, kinds(f)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A rehearsal deletes the copy of an earlier one that was killed.
func TestRehearsal_RemovesOldCopies(t *testing.T) {
	h := newFixture(t)
	h.pledge("a@example.com", sim.CardOK)
	old, fresh := filepath.Join(h.Config.Server.DataDir, "rehearsal-1"),
		filepath.Join(h.Config.Server.DataDir, "rehearsal-2")
	for _, dir := range []string{old, fresh} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	h.rehearse()
	if _, err := os.Stat(old); err == nil {
		t.Error("an old copy was not deleted")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the copy of another rehearsal was deleted: %v", err)
	}
}
