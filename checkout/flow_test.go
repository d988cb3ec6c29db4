package checkout_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Proves PLG-01, PLG-02, PLG-03, PLG-12, PLG-13, PLG-15, PLG-16, PLG-17, PLG-19, PLG-21, PLG-30, PLG-31, PLG-32, PLG-33, PLG-34, PLG-35, PLG-36, PLG-39, PLG-43, PLG-44, PLG-45, PLG-46, WHK-14, WHK-16, WHK-18, WHK-25, INV-07, KVR-17, MON-03.
func TestWebhook_CreatesPledge(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(2), one("addon__sound"))
	r.PreferredLang = "es-MX"
	r.Attribution = pledge.Attribution{Referral: "friend<script>", UTMSource: "mail",
		UTMMedium: "m", UTMCampaign: "c", UTMContent: "d"}
	r.AbandonedCartConsent = true
	s := w.start(r)
	for _, transient := range []string{"abandoned-cart:", "abandoned-cart-resume:", "pending-extras:",
		"pending-tiers:"} {
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
		len(p.History) != 1 || p.History[0].Type != "created" || p.FulfillmentType != "digital" ||
		p.PreferredLang != "es" {
		t.Errorf("pledge %+v", p)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, s.SessionID))
	card := []string{sess.CustomerID, sess.PaymentMethodID, sess.SetupIntentID}
	if diff := cmp.Diff(card, []string{p.CustomerID, p.PaymentMethodID, p.SetupIntentID}); diff != "" ||
		slices.Contains(card, "") {
		t.Errorf("saved card (-session +pledge):\n%s", diff)
	}
	if diff := cmp.Diff(&pledge.CardLabel{Brand: "visa", Last4: "4242"}, p.Card); diff != "" {
		t.Errorf("card label (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(pledge.Attribution{Referral: "friendscript", UTMSource: "mail", UTMMedium: "m",
		UTMCampaign: "c", UTMContent: "d"}, p.Attribution); diff != "" {
		t.Error(diff)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock after the card is saved: %+v", got)
	}
	for key, want := range map[string]string{
		"stats:film": `"pledgedAmount":5000`, "tier-inventory:film": `"claimed":2,"reserved":0,"remaining":1`,
		"add-on-inventory-sold:v1": `"sound":1`,
		"email:a@example.org":      `["` + s.OrderID + `"]`, "campaign-pledges:film": `["` + s.OrderID + `"]`,
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
			(!strings.Contains(mail, `"confirmation"`) || !strings.Contains(mail, "a@example.org") ||
				!strings.Contains(mail, s.OrderID)) {
			t.Errorf("mail: %s", mail)
		}
	}
	if len(keys(all, "psp-event:")) == 0 {
		t.Error("the event is not marked as processed")
	}
	w.advance(time.Minute)
	second := w.pledge(request("a@example.org", seats(1), one("addon__sound")))
	for key, want := range map[string]string{
		"stats:film": `"pledgedAmount":7500`, "tier-inventory:film": `"claimed":3,"reserved":0,"remaining":0`,
		"add-on-inventory-sold:v1": `"sound":2`,
		"email:a@example.org":      `["` + s.OrderID + `","` + second.OrderID + `"]`,
		"campaign-pledges:film":    `["` + s.OrderID + `","` + second.OrderID + `"]`,
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
	from := pledge.Attribution{Referral: "ada", UTMSource: "news", UTMMedium: "mail",
		UTMCampaign: "launch", UTMContent: "top-button"}
	for asked, lang := range map[string]string{"": "en", "en": "en", "es": "es", "es-MX": "es", "xx": "en"} {
		w := newFixture(t)
		r := shipped(request("a@example.org", seats(1), one("game__box")))
		r.Attribution, r.PreferredLang = from, asked
		id := w.pledge(r).OrderID
		for _, slug := range []string{"film", "game"} {
			for _, change := range []func(){func() {}, func() {
				must[checkout.Modified](t)(w.svc.Modify(w.ctx,
					checkout.ModifyRequest{Token: w.link(id + "-" + slug), TipPercent: new(9)}))
			}} {
				change()
				p, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id+"-"+slug))
				if diff := cmp.Diff(from, p.Attribution); diff != "" || err != nil || p.PreferredLang != lang {
					t.Errorf("%q, %s at revision %d: the language is %q, %v %s", asked, slug, p.Revision,
						p.PreferredLang, err, diff)
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
		"campaignSlug": `"film"`, "email": `"a@example.org"`, "subtotal": "12000", "tax": "945",
		"shipping": "300", "tipPercent": "7",
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
	must[checkout.Modified](t)(w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: w.link(s.OrderID), TipPercent: new(0)}))
	changed := w.read(s.OrderID)
	zero := pledge.Totals{Subtotal: 12000, Tax: 945, Shipping: 300, Amount: 13245, CampaignSubtotal: 12000}
	later := time.Date(2026, 11, 10, 13, 2, 0, 0, time.UTC)
	if !changed.BookedAt.Equal(later.Add(-time.Hour)) || !changed.ValueTime.Equal(later.Add(-time.Hour-time.Minute)) ||
		changed.Totals != zero || len(changed.History) != 2 {
		t.Fatalf("pledge after the change: %+v", changed)
	}
	if e := changed.History[1]; e.Type != "modified" || e.Totals != zero || !e.At.Equal(later) {
		t.Errorf("history entry of the change: %+v", e)
	}
	if e := changed.History[0]; e.Type != "created" || e.Amount != 14085 || !e.At.Equal(later.Add(-time.Hour)) {
		t.Errorf("first history entry after a change: %+v", e)
	}
	for list, fields := range map[string]map[string]string{
		"history": {"type": `"created"`, "subtotal": "12000", "tax": "945", "shipping": "300",
			"tipAmount": "840", "amount": "14085", "at": `"2026-11-10T12:02:00Z"`},
		"lines": {"unitPrice": "4000", "amount": "12000"}, "explanation": {"amount": `"lines[0]"`, "cents": "12000"},
	} {
		var entries []map[string]json.RawMessage
		if err := json.Unmarshal(record[list], &entries); err != nil || len(entries) == 0 ||
			list == "history" && len(entries) != 1 {
			t.Fatalf("%s %s: %v", list, record[list], err)
		}
		for field, want := range fields {
			if got := string(entries[0][field]); got != want {
				t.Errorf("%s: %s is %s, want %s", list, field, got, want)
			}
		}
	}
}

func TestPledge_ExplainsEveryAmount(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", checkout.Item{ID: "film__poster", Quantity: new(2)},
		one("addon__shirt__variant__s"), support(9))
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
	for amount, want := range map[string]string{"lines[0]": "list price", "lines[1]": "chosen by the supporter",
		"lines[2]": "list price", "tax": "test: Tax"} {
		if rules[amount] != want {
			t.Errorf("%s: rule %q, want %q", amount, rules[amount], want)
		}
	}
	want := map[string]int64{"lines[0]": 8000, "lines[1]": 900, "lines[2]": 2800, "tax": int64(p.Tax),
		"shipping": int64(p.Shipping), "tipAmount": int64(p.TipAmount)}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Error(diff)
	}
	if src := p.Explanation[0].Source; !strings.HasPrefix(src, "campaign film@") || p.Promise.CampaignRevision == "" ||
		p.Promise.ConsentVersion != checkout.ConsentVersion {
		t.Errorf("source %q, promise %+v", src, p.Promise)
	}
}

func TestConsent_Text(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("film__thanks"), one("game__print"))
	s := w.start(r)
	for _, part := range []string{"Film", "Game", s.Amount.String(), "December 1, 2026, 11:59 PM UTC",
		"December 15, 2026, 11:59 PM UTC", "cancel"} {
		if !strings.Contains(s.Consent.Text, part) {
			t.Errorf("the consent does not contain %q: %s", part, s.Consent.Text)
		}
	}
	if text := s.Consent.Text; !strings.Contains(text, ") and Game (deadline") {
		t.Errorf("the consent does not list both campaigns: %s", text)
	}
	if text := w.start(request("a@example.org", one("film__thanks"))).Consent.Text; !strings.Contains(text,
		"charged no more than $5.75 for Film (deadline") {
		t.Errorf("consent for one campaign: %s", text)
	}
	r.PreferredLang = "es"
	if text := w.start(r).Consent.Text; !strings.Contains(text, "Hoy no te cobramos nada") ||
		!strings.Contains(text, "1 de diciembre de 2026 a las 23:59 (UTC)") {
		t.Errorf("Spanish consent: %s", text)
	}
	w.files["campaigns/game.md"].Data = []byte(strings.Replace(gameFile, "title: Game", "title: Isla", 1))
	w.reload()
	if text := w.start(r).Consent.Text; !strings.Contains(text, "(UTC)) e Isla (fecha") {
		t.Errorf("Spanish consent with a title that begins with i: %s", text)
	}
}
