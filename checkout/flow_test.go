package checkout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

func homeAddress() *pledge.Address {
	return &pledge.Address{Name: "Ada", Line1: "1 Main St", City: "Taos", State: "NM", PostalCode: "87571", Country: "us"}
}

// Proves CHK-01, CHK-07, CHK-08, CHK-09, CHK-11, CHK-15, CHK-17, CHK-21, CHK-24, CHK-33, CHK-41, CHK-42, MON-03, MON-25.
func TestStart_FreezesTotalsAndOpensSession(t *testing.T) {
	w := newFixture(t)
	r := request("Ada@Example.org", checkout.Item{ID: "film__poster", Quantity: new(2)}, checkout.Item{ID: "film__support__lens", Amount: new(int64(10))})
	r.CustomAmount, r.TipPercent, r.ShippingAddress = new(int64(20)), new(10), homeAddress()
	r.PreferredLang = "es-MX"
	s := w.start(r)

	// 2×40 + 10 + 20 = 110; tax 10 % = 11; shipping 3; tip 10 % = 11.
	want := pledge.Totals{Subtotal: 11000, Tax: 1100, Shipping: 300, TipPercent: 10, TipAmount: 1100, Amount: 13500, CampaignSubtotal: 11000}
	if diff := cmp.Diff(want, s.Campaigns[0].Totals); diff != "" {
		t.Error(diff)
	}
	if s.UIMode != "custom" || s.ClientSecret == "" || s.PublishableKey != "pk_test_1" || s.URL != "" || s.SessionID == "" || s.OrderID == "" {
		t.Errorf("started: %+v", s)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, s.SessionID))
	o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID))
	wantMeta := map[string]string{
		"orderId": s.OrderID, "campaignSlug": "film", "checkoutProvider": "psp", "checkoutNonce": o.Manifest.Nonce,
		"cart":             "film__poster*2,film__support__lens=10,film__custom-support=20",
		"checkoutCartHash": o.Hash, "amountCents": "13500", "tipPercent": "10", "hasPhysical": "true", "preferredLang": "es",
	}
	if diff := cmp.Diff(wantMeta, sess.Metadata); diff != "" {
		t.Error(diff)
	}
	intent, _, err := kv.Read[checkout.Intent](w.ctx, w.svc.Store, "checkout-intent:"+s.OrderID)
	if err != nil || intent.Hash != o.Hash || intent.Manifest.Amount != 13500 || intent.Manifest.Email != "ada@example.org" {
		t.Errorf("intent %+v, %v", intent, err)
	}
	var kept struct{ Manifest struct{ Amount json.Number } }
	if text, _ := w.value("checkout-intent:" + s.OrderID); json.Unmarshal([]byte(text), &kept) != nil || kept.Manifest.Amount != "13500" {
		t.Errorf("stored manifest: %s", text)
	}
	if len(w.sim.Entries()) != 0 {
		t.Error("something was charged")
	}
	if _, ok := w.value("pledge:" + s.OrderID); ok {
		t.Error("pledge exists before the card is saved")
	}
	w.advance(2 * time.Hour)
	if _, err := w.svc.Summary(w.ctx, s.OrderID, s.Token); codeOf(err) != fault.Unauthorized {
		t.Errorf("token of an expired checkout: %v", err)
	}
	if _, err := w.svc.Summary(w.ctx, s.OrderID, s.Token[:len(s.Token)-2]+"AA"); codeOf(err) != fault.Unauthorized {
		t.Errorf("token with another signature: %v", err)
	}
}

// stubTax is a tax provider with fixed amounts that records its requests.
type stubTax struct {
	amounts  map[string]money.Cents // by country
	requests []tax.Request
}

func (p *stubTax) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	p.requests = append(p.requests, r)
	return tax.Quote{Status: tax.Quoted, Tax: p.amounts[r.Destination.Country], Provider: "test", Source: "a test"}, nil
}

// The provider's amount is each pledge's tax. Its requests contain the chosen items and their
// destination: the shipping address for physical items, otherwise the billing address.
//
// Proves CHK-21.
func TestStart_ProviderTax(t *testing.T) {
	w := newFixture(t)
	provider := &stubTax{amounts: map[string]money.Cents{"US": 777, "DE": 13}}
	w.svc.Tax = provider
	r := shipped(request("a@example.org", seats(2), one("game__box")))
	r.BillingAddress = &pledge.Address{Country: "DE", PostalCode: "10115"}
	s := w.start(r)
	got := map[string][3]money.Cents{}
	for _, c := range s.Campaigns {
		got[c.CampaignSlug] = [3]money.Cents{c.Tax, c.Amount - c.Subtotal - c.Shipping - c.TipAmount, c.Subtotal}
	}
	if diff := cmp.Diff(map[string][3]money.Cents{"film": {13, 13, 5000}, "game": {777, 777, 6000}}, got); diff != "" {
		t.Errorf("tax and subtotal (-want +got):\n%s", diff)
	}
	if len(provider.requests) != 2 {
		t.Fatalf("asked %d times", len(provider.requests))
	}
	var asked []string
	for _, q := range provider.requests {
		for _, l := range q.Lines {
			asked = append(asked, fmt.Sprintf("%s %s %s %d", q.Destination.Country, l.Kind, l.ID, l.Amount))
		}
		if !q.At.Equal(w.clock()) {
			t.Errorf("asked about %s", q.At)
		}
	}
	if diff := cmp.Diff([]string{"DE tier seat 5000", "US tier box 6000", "US shipping  700"}, asked); diff != "" {
		t.Errorf("tax requests (-want +got):\n%s", diff)
	}
}

// A session's metadata describes its cart: the campaign where it was started,
// which is not necessarily the first, and whether anything is shipped.
//
// Proves CHK-11.
func TestStart_SessionMetadata(t *testing.T) {
	w := newFixture(t)
	for slug, physical := range map[string]string{"film": "false", "game": "true"} {
		r := request("a@example.org", one("film__thanks"))
		if physical == "true" {
			r = shipped(request("a@example.org", one("film__thanks"), one("game__box")))
		}
		r.CampaignSlug = slug
		s := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, w.start(r).SessionID))
		if got := s.Metadata; got["campaignSlug"] != slug || got["hasPhysical"] != physical || got["tipPercent"] != "5" || got["preferredLang"] != "en" {
			t.Errorf("started at %s: %v", slug, got)
		}
	}
}

// Proves CHK-34.
func TestStart_HostedPage(t *testing.T) {
	w := newFixture(t)
	w.svc.Settings.PublishableKey = ""
	s := w.start(request("a@example.org", one("film__thanks")))
	if s.UIMode != "hosted" || s.URL == "" || s.ClientSecret != "" || s.PublishableKey != "" {
		t.Errorf("started: %+v", s)
	}
}

// Proves PLG-01, PLG-02, PLG-03, PLG-12, PLG-13, PLG-15, PLG-16, PLG-17, PLG-19, PLG-21, PLG-30, PLG-31, PLG-32, PLG-33, PLG-34, PLG-35, PLG-36, PLG-39, PLG-43, PLG-44, PLG-45, PLG-46, WHK-14, WHK-16, WHK-18, WHK-25, INV-07, KVR-17, MON-03.
func TestWebhook_CreatesPledge(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(2), one("addon__sound"))
	r.PreferredLang = "es-MX"
	r.Attribution = pledge.Attribution{Referral: "friend<script>", UTMSource: "mail", UTMMedium: "m", UTMCampaign: "c", UTMContent: "d"}
	r.AbandonedCartConsent = true
	s := w.start(r)
	for _, transient := range []string{"abandoned-cart:", "abandoned-cart-resume:", "pending-extras:", "pending-tiers:"} {
		if _, there := w.value(transient + s.OrderID); !there {
			t.Errorf("no record %s", transient)
		}
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Held: 2}) {
		t.Errorf("stock before the card is saved: %+v", got)
	}
	w.advance(time.Minute)
	w.save(s.SessionID)
	saved := w.clock()
	w.advance(time.Minute)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if len(w.sim.Entries()) != 0 {
		t.Error("something was charged")
	}
	p, ok, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, "pledge:"+s.OrderID)
	if err != nil || !ok {
		t.Fatalf("no record: %v", err)
	}
	if p.OrderID != s.OrderID || p.Email != "a@example.org" || p.Status != pledge.Active || p.Charged ||
		!p.ValueTime.Equal(saved) || !p.BookedAt.Equal(w.clock()) ||
		len(p.History) != 1 || p.History[0].Type != "created" || p.FulfillmentType != "digital" || p.PreferredLang != "es" {
		t.Errorf("pledge %+v", p)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, s.SessionID))
	card := []string{sess.CustomerID, sess.PaymentMethodID, sess.SetupIntentID}
	if diff := cmp.Diff(card, []string{p.CustomerID, p.PaymentMethodID, p.SetupIntentID}); diff != "" || slices.Contains(card, "") {
		t.Errorf("saved card (-session +pledge):\n%s", diff)
	}
	if diff := cmp.Diff(&pledge.CardLabel{Brand: "visa", Last4: "4242"}, p.Card); diff != "" {
		t.Errorf("card label (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(pledge.Attribution{Referral: "friendscript", UTMSource: "mail", UTMMedium: "m", UTMCampaign: "c", UTMContent: "d"}, p.Attribution); diff != "" {
		t.Error(diff)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock after the card is saved: %+v", got)
	}
	for key, want := range map[string]string{
		"stats:film": `"pledgedAmount":5000`, "tier-inventory:film": `"claimed":2,"reserved":0,"remaining":1`, "add-on-inventory-sold:v1": `"sound":1`,
		"email:a@example.org": `["` + s.OrderID + `"]`, "campaign-pledges:film": `["` + s.OrderID + `"]`,
	} {
		if v, _ := w.value(key); !strings.Contains(v, want) {
			t.Errorf("%s: %s does not contain %s", key, v, want)
		}
	}
	for _, gone := range []string{"abandoned-cart:", "abandoned-cart-resume:", "pending-extras:", "pending-tiers:"} {
		if _, ok := w.value(gone + s.OrderID); ok {
			t.Errorf("%s was not deleted", gone)
		}
	}
	all := w.db.Snapshot().Stores["PLEDGES"]
	if n := len(keys(all, "email-outbox:v1:")); n != 1 {
		t.Errorf("%d mails, want one confirmation", n)
	}
	for _, e := range all {
		if mail := string(e.Value); strings.HasPrefix(e.Key, "email-outbox:v1:") &&
			(!strings.Contains(mail, `"confirmation"`) || !strings.Contains(mail, "a@example.org") || !strings.Contains(mail, s.OrderID)) {
			t.Errorf("mail: %s", mail)
		}
	}
	if len(keys(all, "psp-event:")) == 0 {
		t.Error("the event is not marked as processed")
	}
	w.advance(time.Minute)
	second := w.pledge(request("a@example.org", seats(1), one("addon__sound")))
	for key, want := range map[string]string{
		"stats:film": `"pledgedAmount":7500`, "tier-inventory:film": `"claimed":3,"reserved":0,"remaining":0`, "add-on-inventory-sold:v1": `"sound":2`,
		"email:a@example.org": `["` + s.OrderID + `","` + second.OrderID + `"]`, "campaign-pledges:film": `["` + s.OrderID + `","` + second.OrderID + `"]`,
	} {
		if v, _ := w.value(key); !strings.Contains(v, want) {
			t.Errorf("after a second pledge, %s: %s does not contain %s", key, v, want)
		}
	}
}

// Attribution and language are recorded on every pledge of an order and survive
// changes.
//
// Proves PLG-30, PLG-31, PLG-32, PLG-33, PLG-34, PLG-36.
func TestPledge_AttributionAndLanguage(t *testing.T) {
	from := pledge.Attribution{Referral: "ada", UTMSource: "news", UTMMedium: "mail", UTMCampaign: "launch", UTMContent: "top-button"}
	for asked, lang := range map[string]string{"": "en", "en": "en", "es": "es", "es-MX": "es", "xx": "en"} {
		w := newFixture(t)
		r := shipped(request("a@example.org", seats(1), one("game__box")))
		r.Attribution, r.PreferredLang = from, asked
		id := w.pledge(r).OrderID
		for _, slug := range []string{"film", "game"} {
			for _, change := range []func(){func() {}, func() {
				must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id + "-" + slug), TipPercent: new(9)}))
			}} {
				change()
				p, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id+"-"+slug))
				if diff := cmp.Diff(from, p.Attribution); diff != "" || err != nil || p.PreferredLang != lang {
					t.Errorf("%q, %s at revision %d: the language is %q, %v %s", asked, slug, p.Revision, p.PreferredLang, err, diff)
				}
			}
		}
	}
}

// Proves PLG-04, PLG-05, PLG-06, PLG-07, PLG-08, PLG-09, PLG-10, PLG-11, PLG-12, PLG-13, PLG-18, PLG-19, PLG-20, MON-08, MON-12, MON-13, MON-14, MON-18.
func TestPledge_Record(t *testing.T) {
	w := newFixture(t)
	r := shipped(request("a@example.org", checkout.Item{ID: "film__poster", Quantity: new(3)}))
	r.TipPercent, r.BillingAddress = new(7), &pledge.Address{Country: "CA", PostalCode: "M5V 2T6"}
	w.svc.Tax = taxed{rate: "0.07875"} // 120.00 × 0.07875 = 9.45
	s := w.start(r)
	w.advance(time.Minute)
	w.save(s.SessionID)
	w.advance(time.Minute)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	text, _ := w.value("pledge:" + s.OrderID)
	var record map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"campaignSlug": `"film"`, "email": `"a@example.org"`, "subtotal": "12000", "tax": "945", "shipping": "300", "tipPercent": "7",
		"tipAmount": "840", "amount": "14085", "currency": `"usd"`, "pledgeStatus": `"active"`, "charged": "false",
		"valueTime": `"2026-11-10T12:01:00Z"`, "bookedAt": `"2026-11-10T12:02:00Z"`,
	} {
		if got := string(record[field]); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if got := w.snapshot("film").Totals.Counted; got != 12000 {
		t.Errorf("%s count toward the goal", got)
	}
	w.advance(time.Hour)
	must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(s.OrderID), TipPercent: new(0)}))
	changed := w.read(s.OrderID)
	zero := pledge.Totals{Subtotal: 12000, Tax: 945, Shipping: 300, Amount: 13245, CampaignSubtotal: 12000}
	later := time.Date(2026, 11, 10, 13, 2, 0, 0, time.UTC)
	if !changed.BookedAt.Equal(later.Add(-time.Hour)) || !changed.ValueTime.Equal(later.Add(-time.Hour-time.Minute)) || changed.Totals != zero || len(changed.History) != 2 {
		t.Fatalf("changed it is %+v", changed)
	}
	if e := changed.History[1]; e.Type != "modified" || e.Totals != zero || !e.At.Equal(later) {
		t.Errorf("history entry of the change: %+v", e)
	}
	if e := changed.History[0]; e.Type != "created" || e.Amount != 14085 || !e.At.Equal(later.Add(-time.Hour)) {
		t.Errorf("first history entry after a change: %+v", e)
	}
	for list, fields := range map[string]map[string]string{
		"history": {"type": `"created"`, "subtotal": "12000", "tax": "945", "shipping": "300", "tipAmount": "840", "amount": "14085", "at": `"2026-11-10T12:02:00Z"`},
		"lines":   {"unitPrice": "4000", "amount": "12000"}, "explanation": {"amount": `"lines[0]"`, "cents": "12000"},
	} {
		var entries []map[string]json.RawMessage
		if err := json.Unmarshal(record[list], &entries); err != nil || len(entries) == 0 || list == "history" && len(entries) != 1 {
			t.Fatalf("%s %s: %v", list, record[list], err)
		}
		for field, want := range fields {
			if got := string(entries[0][field]); got != want {
				t.Errorf("%s: %s is %s, want %s", list, field, got, want)
			}
		}
	}
}

// An add-on's price is that of its definition or variant, regardless of the request.
//
// Proves CHK-16.
func TestStart_AddOnPrices(t *testing.T) {
	w := newFixture(t)
	w.files["add-ons.yml"].Data = bytes.Replace([]byte(addOnsFile), []byte("price: 30, inventory: 0"), []byte("price: 30"), 1)
	w.files["add-ons.yml"].Data = append(w.files["add-ons.yml"].Data, "  - {id: mug, name: Another mug, price: 9}\n"...)
	w.reload()
	said := func(id string) checkout.Item { return checkout.Item{ID: id, Quantity: new(2), Amount: new(int64(1))} }
	s := w.start(shipped(request("a@example.org", seats(1), said("film__addon__mug"), said("addon__sticker"), said("addon__shirt__variant__s"), said("addon__shirt__variant__xl"), said("addon__mug"))))
	got := map[string]money.Cents{}
	for _, l := range s.Campaigns[0].Lines {
		got[l.Name+l.Variant] = l.Amount
	}
	want := map[string]money.Cents{"Seat": 2500, "Mug": 2400, "Sticker": 800, "Shirts": 5600, "Shirtxl": 6000, "Another mug": 1800}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves WHK-13, EML-02, KVR-03, PLG-38, PLG-45, PLG-46, CHK-10, CHK-16, MON-26, MON-27, MON-04, MON-05, INV-12.
func TestConfirm_OnePledgePerCampaign(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("game__box"), seats(1), checkout.Item{ID: "addon__sticker", Quantity: new(2)}, one("film__addon__mug"), one("addon__shirt__variant__s"))
	r.ShippingAddress = homeAddress()
	s := w.start(r)
	if _, err := w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}); codeOf(err) != fault.Conflict {
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
	if diff := cmp.Diff([]string{"pledge:" + s.OrderID + "-film", "pledge:" + s.OrderID + "-game"}, keys(w.db.Snapshot().Stores["PLEDGES"], "pledge:")); diff != "" {
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
	if want := (pledge.Totals{Subtotal: 7300, Tax: 730, Shipping: 600, TipPercent: 5, TipAmount: 365, Amount: 8995, CampaignSubtotal: 3700}); film.Totals != want {
		t.Errorf("film %+v", film.Totals)
	}
	if want := (pledge.Totals{Subtotal: 6000, Tax: 600, Shipping: 700, TipPercent: 5, TipAmount: 300, Amount: 7600, CampaignSubtotal: 6000}); game.Totals != want {
		t.Errorf("game %+v", game.Totals)
	}
	if s.Amount != film.Amount+game.Amount {
		t.Errorf("checkout amount %s", s.Amount)
	}
	if got := w.snapshot("film"); got.Totals.Counted != 3700 || got.Stock["add-on/mug"].Committed != 1 || got.Stock["tier/seat"] != (inventory.Stock{Committed: 1}) {
		t.Errorf("film inventory: %+v", got)
	}
	if got := w.stock("game", "tier/box"); got != (inventory.Stock{Committed: 1}) {
		t.Errorf("stock of boxes: %+v", got)
	}
	if mails := keys(w.db.Snapshot().Stores["PLEDGES"], "email-outbox:v1:"); len(mails) != 2 {
		t.Errorf("%d mails, want one confirmation per pledge", len(mails))
	}
	platform := w.snapshot(inventory.Platform)
	if platform.Stock["add-on/sticker"].Committed != 2 || platform.Stock["add-on/shirt/s"].Committed != 1 || platform.Totals.Counted != 3600 {
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
	w.svc.Tax, w.svc.Shipping, w.svc.Settings.DefaultTip = taxed{rate: "0.5"}, shipping.Rules{FlatRate: 900, OriginCountry: "US"}, 9
	w.advance(40 * 24 * time.Hour) // the deadline has long passed
	if _, err := w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: s.SessionID}); err != nil {
		t.Fatal(err)
	}
	p, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, "pledge:"+s.OrderID)
	want := pledge.Totals{Subtotal: 4000, Tax: 400, Shipping: 300, TipPercent: 7, TipAmount: 280, Amount: 4980, CampaignSubtotal: 4000}
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
		if _, err := w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}); err == nil {
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
	if _, err := w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: other.Token}); codeOf(err) != fault.Unauthorized {
		t.Errorf("with another order's token: %v", err)
	}
	got := must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
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
	if got = must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token})); !got.Success {
		t.Errorf("again: %+v", got)
	}
	if got = must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: other.OrderID, Token: other.Token})); got.Released != 1 {
		t.Errorf("order without platform add-ons: %+v", got)
	}
	w.start(request("c@example.org", seats(3))) // the units are free
}

func TestAbandon_SavedCardConfirms(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	got := must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	if !got.Persisted || w.read(s.OrderID).Status != pledge.Active {
		t.Errorf("abandoned: %+v", got)
	}
}

func TestPledge_ExplainsEveryAmount(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", checkout.Item{ID: "film__poster", Quantity: new(2)}, one("addon__shirt__variant__s"), support(9))
	r.ShippingAddress = homeAddress()
	p := w.read(w.pledge(r).OrderID)
	sums, rules := map[string]int64{}, map[string]string{}
	for _, d := range p.Explanation {
		sums[d.Amount] += int64(d.Cents)
		rules[d.Amount] = d.Rule
		if d.Rule == "" || d.Source == "" && d.Amount != "tipAmount" && d.Rule != "chosen by the supporter" {
			t.Errorf("unexplained: %+v", d)
		}
	}
	for amount, want := range map[string]string{"lines[0]": "list price", "lines[1]": "chosen by the supporter", "lines[2]": "list price", "tax": "test: Tax"} {
		if rules[amount] != want {
			t.Errorf("%s: rule %q, want %q", amount, rules[amount], want)
		}
	}
	want := map[string]int64{"lines[0]": 8000, "lines[1]": 900, "lines[2]": 2800, "tax": int64(p.Tax), "shipping": int64(p.Shipping), "tipAmount": int64(p.TipAmount)}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Error(diff)
	}
	if src := p.Explanation[0].Source; !strings.HasPrefix(src, "campaign film@") || p.Promise.CampaignRevision == "" || p.Promise.ConsentVersion != checkout.ConsentVersion {
		t.Errorf("source %q, promise %+v", src, p.Promise)
	}
}

func TestConsent_Text(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("film__thanks"), one("game__print"))
	s := w.start(r)
	for _, part := range []string{"Film", "Game", s.Amount.String(), "December 1, 2026, 11:59 PM UTC", "December 15, 2026, 11:59 PM UTC", "cancel"} {
		if !strings.Contains(s.Consent.Text, part) {
			t.Errorf("the consent does not contain %q: %s", part, s.Consent.Text)
		}
	}
	if text := s.Consent.Text; !strings.Contains(text, ") and Game (deadline") {
		t.Errorf("the consent does not list both campaigns: %s", text)
	}
	if text := w.start(request("a@example.org", one("film__thanks"))).Consent.Text; !strings.Contains(text, "charged no more than $5.75 for Film (deadline") {
		t.Errorf("consent for one campaign: %s", text)
	}
	r.PreferredLang = "es"
	if text := w.start(r).Consent.Text; !strings.Contains(text, "Hoy no te cobramos nada") || !strings.Contains(text, "1 de diciembre de 2026 a las 23:59 (UTC)") {
		t.Errorf("Spanish consent: %s", text)
	}
}

// Proves CHK-33.
func TestStarted_JSONFields(t *testing.T) {
	w := newFixture(t)
	b, err := json.Marshal(w.start(request("a@example.org", one("film__thanks"))))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"checkoutUiMode", "sessionId", "clientSecret", "publishableKey", "orderId", "checkoutToken", "expiresAt", "amount", "campaigns", "consent"} {
		if _, ok := fields[f]; !ok {
			t.Errorf("no field %s", f)
		}
	}
	if got := string(fields["checkoutUiMode"]); got != `"custom"` {
		t.Errorf("mode %s", got)
	}
}
