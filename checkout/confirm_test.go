package checkout_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Proves WHK-13, EML-02, KVR-03, PLG-38, PLG-45, PLG-46, CHK-10, CHK-16, MON-26, MON-27, MON-04, MON-05, INV-12.
func TestConfirm_OnePledgePerCampaign(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("game__box"), seats(1), checkout.Item{ID: "addon__sticker", Quantity: new(2)},
		one("film__addon__mug"), one("addon__shirt__variant__s"))
	r.ShippingAddress = homeAddress()
	s := w.start(r)
	if _, err := w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}); codeOf(err) != fault.Conflict {
		t.Errorf("Complete with an open session: %v", err)
	}
	w.save(s.SessionID)
	for _, f := range w.files {
		f.Data = bytes.ReplaceAll(f.Data, []byte("price: "), []byte("price: 9"))
	}
	w.reload()
	w.svc.Tax, w.svc.Shipping = taxed{rate: "0.5"}, shipping.Rules{FlatRate: 900, OriginCountry: "US"}
	if early := keys(w.db.Snapshot().Stores["PLEDGES"], "pledge:"); early != nil {
		t.Errorf("pledges before the webhook: %s", early)
	}
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{s.OrderID + "-film", s.OrderID + "-game"} {
		if got := storedStatus(w, id); got != "active1" {
			t.Errorf("stored status of %s: %s", id, got)
		}
	}
	if diff := cmp.Diff([]string{"pledge:" + s.OrderID + "-film", "pledge:" + s.OrderID + "-game"},
		keys(w.db.Snapshot().Stores["PLEDGES"], "pledge:")); diff != "" {
		t.Error(diff)
	}
	film, game := w.read(s.OrderID+"-film"), w.read(s.OrderID+"-game")
	for _, p := range []*pledge.Pledge{film, game} {
		if v, _ := w.value("campaign-pledges:" + p.CampaignSlug); v != `["`+p.OrderID+`"]` {
			t.Errorf("pledge list of %s: %s", p.CampaignSlug, v)
		}
	}
	// Film, which gets the platform add-ons: 25 + 12 + 2×4 + 28 = 73, of which 37 count toward
	// its goal; tip 5 %; one parcel from the campaign and one from the platform.
	if want := (pledge.Totals{Subtotal: 7300, Tax: 730, Shipping: 600, TipPercent: 5, TipAmount: 365,
		Amount: 8995, CampaignSubtotal: 3700}); film.Totals != want {
		t.Errorf("film %+v", film.Totals)
	}
	if want := (pledge.Totals{Subtotal: 6000, Tax: 600, Shipping: 700, TipPercent: 5, TipAmount: 300,
		Amount: 7600, CampaignSubtotal: 6000}); game.Totals != want {
		t.Errorf("game %+v", game.Totals)
	}
	if s.Amount != film.Amount+game.Amount {
		t.Errorf("checkout amount %s", s.Amount)
	}
	if got := w.snapshot("film"); got.Totals.Counted != 3700 || got.Stock["add-on/mug"].Committed != 1 ||
		got.Stock["tier/seat"] != (inventory.Stock{Committed: 1}) {
		t.Errorf("film inventory: %+v", got)
	}
	if got := w.stock("game", "tier/box"); got != (inventory.Stock{Committed: 1}) {
		t.Errorf("stock of boxes: %+v", got)
	}
	if mails := keys(w.db.Snapshot().Stores["PLEDGES"], "email-outbox:v1:"); len(mails) != 2 {
		t.Errorf("%d mails, want one confirmation per pledge", len(mails))
	}
	platform := w.snapshot(inventory.Platform)
	if platform.Stock["add-on/sticker"].Committed != 2 || platform.Stock["add-on/shirt/s"].Committed != 1 ||
		platform.Totals.Counted != 3600 {
		t.Errorf("platform %+v", platform)
	}
}

// Proves CHK-40.
func TestConfirm_FrozenQuote(t *testing.T) {
	w := newFixture(t)
	r := shipped(request("a@example.org", checkout.Item{ID: "film__poster", Amount: new(int64(1))})) // listed at 40
	r.TipPercent = new(7)
	s := w.start(r)
	w.save(s.SessionID)
	w.files["campaigns/film.md"].Data = []byte(strings.Replace(filmFile, "price: 40", "price: 99", 1))
	w.reload()
	w.svc.Tax, w.svc.Shipping, w.svc.Settings.DefaultTip = taxed{rate: "0.5"},
		shipping.Rules{FlatRate: 900, OriginCountry: "US"}, 9
	w.advance(40 * 24 * time.Hour) // the deadline has long passed
	if _, err := w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: s.SessionID}); err != nil {
		t.Fatal(err)
	}
	p, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, "pledge:"+s.OrderID)
	want := pledge.Totals{Subtotal: 4000, Tax: 400, Shipping: 300, TipPercent: 7, TipAmount: 280,
		Amount: 4980, CampaignSubtotal: 4000}
	if err != nil || p.Totals != want || s.Campaigns[0].Totals != want {
		t.Errorf("pledge %+v, accepted %+v: %v", p.Totals, s.Campaigns[0].Totals, err)
	}
}

// tampered is a processor whose sessions have modified metadata.
type tampered struct {
	psp.Processor
	key, value string
}

func (x tampered) Session(ctx context.Context, id string) (psp.Session, error) {
	s, err := x.Processor.Session(ctx, id)
	s.Metadata[x.key] = x.value
	return s, err
}

// Proves WHK-12, PLG-42.
func TestConfirm_TamperedSession(t *testing.T) {
	for _, c := range []struct{ key, value string }{
		{"checkoutCartHash", strings.Repeat("0", 64)},
		{"orderId", "pw-01jc0000000000000000000000"},
		{"orderId", "something else"},
		{"orderId", "its pledge"},
	} {
		w := newFixture(t)
		s := w.start(request("a@example.org", seats(1)))
		w.save(s.SessionID)
		if c.value == "its pledge" {
			c.value = s.OrderID + "-film"
		}
		w.svc.Processor = tampered{w.svc.Processor, c.key, c.value}
		// If orderId is not one of our IDs, the event is marked as processed. If the
		// order is unknown or does not match, the event is retried.
		d := w.completedDelivery()
		_, err := w.svc.Webhook(w.ctx, d.Body, d.Signature)
		marked := len(keys(w.db.Snapshot().Stores["PLEDGES"], "psp-event:"+d.Event)) > 0
		if done := c.value == "something else"; (err == nil) != done || marked != done {
			t.Errorf("%s %q: marked: %t, %v", c.key, c.value, marked, err)
		}
		if _, err := w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}); err == nil {
			t.Errorf("%s: completed", c.key)
		}
		if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID)); o.State != order.Open {
			t.Errorf("%s: the order is %s", c.key, o.State)
		}
	}
}

// Proves CHK-39, INV-06.
func TestAbandon_ReleasesUnits(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(3), checkout.Item{ID: "addon__sound"}))
	if _, err := w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID}); codeOf(err) != fault.Unauthorized {
		t.Errorf("without a token: %v", err)
	}
	other := w.start(request("b@example.org", one("film__thanks")))
	if _, err := w.svc.Abandon(w.ctx,
		checkout.AbandonRequest{OrderID: s.OrderID, Token: other.Token}); codeOf(err) != fault.Unauthorized {
		t.Errorf("with another order's token: %v", err)
	}
	got := must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx,
		checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	if !got.Success || got.Persisted || got.Released != 2 {
		t.Errorf("abandoned: %+v", got)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{}) {
		t.Errorf("stock %+v", st)
	}
	if err := w.sim.Complete(s.SessionID, "ok"); err == nil {
		t.Error("a card can be saved for an abandoned checkout")
	}
	for _, transient := range []string{"pending-extras:", "pending-tiers:"} {
		if _, ok := w.value(transient + s.OrderID); ok {
			t.Errorf("%s was not deleted", transient)
		}
	}
	sum := must[checkout.Summary](t)(w.svc.Summary(w.ctx, s.OrderID, s.Token))
	if sum.PledgeStatus != "abandoned" || sum.Persisted || sum.ShippingCollected {
		t.Errorf("summary %+v", sum)
	}
	if got = must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx,
		checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token})); !got.Success {
		t.Errorf("again: %+v", got)
	}
	if got = must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx,
		checkout.AbandonRequest{OrderID: other.OrderID, Token: other.Token})); got.Released != 1 {
		t.Errorf("order without platform add-ons: %+v", got)
	}
	w.start(request("c@example.org", seats(3))) // the units are free
}

func TestAbandon_SavedCardConfirms(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	got := must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx,
		checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	if !got.Persisted || w.read(s.OrderID).Status != pledge.Active {
		t.Errorf("abandoned: %+v", got)
	}
}
