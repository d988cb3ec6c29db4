package httpapi_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/tax"
)

// amounts are the amounts of a quote, a checkout, a pledge or an event in its history.
type amounts struct{ Subtotal, Shipping, Tax, Tip, Amount money.Cents }

func amountsOf(t pledge.Totals) amounts {
	return amounts{t.Subtotal, t.Shipping, t.Tax, t.TipAmount, t.Amount}
}

func (a amounts) plus(b amounts) amounts {
	return amounts{a.Subtotal + b.Subtotal, a.Shipping + b.Shipping, a.Tax + b.Tax, a.Tip + b.Tip, a.Amount + b.Amount}
}

func (e *edge) quoted(body any) amounts {
	e.t.Helper()
	r := e.post("/tax/quote", body)
	e.wantStatus(r, 200)
	q := decode[checkout.TaxQuote](e.t, r)
	return amounts{q.Subtotal, q.Shipping, q.Tax, q.Tip, q.Amount}
}

// stored returns the amounts of a pledge's record and those of the last event in its history.
func (e *edge) stored(id string) (now, last amounts) {
	e.t.Helper()
	p, ok, err := e.read(id)
	if err != nil || !ok || len(p.History) == 0 {
		e.t.Fatalf("record of %s: %+v, %v", id, p, err)
	}
	return amountsOf(p.Totals), amountsOf(p.History[len(p.History)-1].Totals)
}

// Proves TAX-03, TAX-04, TAX-05, TAX-06.
func TestTax_QuoteMatchesPledge(t *testing.T) {
	for rate, want := range map[string][]amounts{
		"0":       {{5500, 750, 0, 275, 6525}, {11000, 750, 0, 550, 12300}},
		"0.07875": {{5500, 750, 433, 275, 6958}, {11000, 750, 866, 550, 13166}},
		"0.1":     {{5500, 750, 550, 275, 7075}, {11000, 750, 1100, 550, 13400}},
	} {
		e := newEdge(t, memory.Options{Env: map[string]string{"SALES_TAX_RATE": rate, "DEFAULT_PLATFORM_TIP_PERCENT": "5"}})
		hold := func(what string, want amounts, got ...amounts) {
			t.Helper()
			if diff := cmp.Diff(slices.Repeat([]amounts{want}, len(got)), got); diff != "" {
				t.Errorf("%s at %s: %s", what, rate, diff)
			}
		}
		quote := e.quoted(gameCart(1))
		started, token := e.pledge("a@example.com", gameCart(1), cardOK)
		id := started.Campaigns[0].OrderID
		now, last := e.stored(id)
		hold("pledged", want[0], quote, amountsOf(started.Campaigns[0].Totals), now, last)
		quote = e.quoted(gameCart(2))
		items := gameCart(2).Items
		changed := decode[checkout.Modified](t, e.post("/pledge/modify", checkout.ModifyRequest{Token: token, Items: &items}))
		now, last = e.stored(id)
		hold("changed", want[1], quote, amountsOf(changed.Current), now, last)

		// Pledges to two campaigns and a platform add-on match the quote.
		bundle := gameCart(1)
		bundle.Items = append(bundle.Items, filmCart().Items[0], checkout.Item{ID: "addon__platform-shirt__variant__m"})
		quote = e.quoted(bundle)
		var sum, kept amounts
		both, _ := e.pledge("b@example.com", bundle, cardOK)
		for _, c := range both.Campaigns {
			now, _ := e.stored(c.OrderID)
			sum, kept = sum.plus(amountsOf(c.Totals)), kept.plus(now)
		}
		hold("pledged to two", quote, sum, kept)
	}
}

// If a pledge's destination changes, its tax changes to the quoted amount.
//
// Proves TAX-04, TAX-05.
func TestTax_ChangedDestination(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"TAX_PROVIDER": "offline_rules", "TAX_COLLECT": "everywhere"}})
	started, token := e.pledge("a@example.com", gameCart(1), cardOK)
	there := pledge.Address{Name: "A supporter", Line1: "1 River Street", City: "Hoboken",
		State: "NJ", PostalCode: "07030", Country: "US"}
	elsewhere := gameCart(1)
	elsewhere.ShippingAddress = &there
	before, want := amountsOf(started.Campaigns[0].Totals), e.quoted(elsewhere)
	if before.Tax == want.Tax || want.Tax == 0 {
		t.Fatalf("tax is %s at the old address and %s at the new one; want different, nonzero amounts", before.Tax, want.Tax)
	}
	for _, dry := range []bool{true, false} {
		changed := decode[checkout.Modified](t,
			e.post("/pledge/modify", checkout.ModifyRequest{Token: token, ShippingAddress: &there, DryRun: dry}))
		if diff := cmp.Diff(want, amountsOf(changed.Current)); diff != "" || amountsOf(changed.Previous) != before {
			t.Errorf("dry: %t, changed from %+v: %s", dry, changed.Previous, diff)
		}
	}
	now, last := e.stored(started.Campaigns[0].OrderID)
	if diff := cmp.Diff([]amounts{want, want}, []amounts{now, last}); diff != "" {
		t.Error(diff)
	}
}

// The cart requests a quote with only a subtotal, the checkout with the whole cart. Tax amounts
// from the client are ignored, and nothing is stored.
//
// Proves TAX-09.
func TestTax_QuoteIgnoresClientAmounts(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"SALES_TAX_RATE": "0.1", "DEFAULT_PLATFORM_TIP_PERCENT": "5"}})
	before := e.kept()
	items := gameCart(1).Items
	for name, tt := range map[string]struct {
		body map[string]any
		want amounts
	}{
		"cart": {map[string]any{"subtotalCents": 10_000}, amounts{10_000, 0, 1000, 500, 11_500}},
		"cart with shipping": {map[string]any{"subtotalCents": 10_000, "shippingCents": 300},
			amounts{10_000, 300, 1000, 500, 11_800}},
		"checkout": {map[string]any{"campaignSlug": game, "items": items,
			"shippingAddress": home, "tipPercent": 0}, amounts{5500, 750, 550, 0, 6800}},
		"a subtotal in addition to items": {map[string]any{"campaignSlug": game, "items": items, "shippingAddress": home,
			"tipPercent": 0, "subtotalCents": 1}, amounts{5500, 750, 550, 0, 6800}},
		"a tax amount from the client": {map[string]any{"subtotalCents": 10_000, "tax": 1, "taxCents": 1,
			"taxRate": 0, "amountCents": 1}, amounts{10_000, 0, 1000, 500, 11_500}},
	} {
		if diff := cmp.Diff(tt.want, e.quoted(tt.body)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("a quote wrote: %s", diff)
	}
}

// The forecast, the charges and both books contain the quoted tax.
//
// Proves TAX-08.
func TestTax_ReportsMatchQuote(t *testing.T) {
	for rate, due := range map[string]money.Cents{"0": 0, "0.07875": 8663} {
		e := newEdge(t, memory.Options{Env: map[string]string{"SALES_TAX_RATE": rate, "DEFAULT_PLATFORM_TIP_PERCENT": "5"}})
		quote := e.quoted(gameCart(20))
		if quote.Tax != due {
			t.Fatalf("tax at %s is %s", rate, quote.Tax)
		}
		want := 110_000 + 750 + 5500 + due
		e.pledge("a@example.com", gameCart(20), cardOK)
		e.Advance(48 * time.Hour)
		settle := "/admin/settle/" + game
		dry := decode[settlement.Report](t, e.post(settle, map[string]bool{"dryRun": true}, e.settler()...))
		foreseen := []money.Cents{dry.TotalAmount, dry.Supporters[0].TotalAmount, dry.Funds.Pledged, dry.Funds.Collectable}
		done := decode[settlement.Report](t, e.post(settle, nil, e.settler()...))
		books := decode[reconcile.Report](t, e.post("/admin/reconciliation/"+game, nil, e.admin()...))
		charged := []money.Cents{done.TotalCharged, done.Funds.Collected, books.Booked,
			books.Processor, books.Funds.Collected}
		got := slices.Concat(foreseen, charged)
		if diff := cmp.Diff(slices.Repeat([]money.Cents{want}, len(got)), got); diff != "" {
			t.Errorf("at %s: %s", rate, diff)
		}
	}
}

// With the offline rules, a quote without an address asks for one. The checkout and the mail have
// the quoted tax.
//
// Proves TAX-04, TAX-07, TAX-23.
func TestTax_OfflineRules(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"TAX_PROVIDER": "offline_rules", "TAX_COLLECT": "everywhere"}})
	quote := func(body map[string]any) checkout.TaxQuote {
		t.Helper()
		return decode[checkout.TaxQuote](t, e.post("/tax/quote", body))
	}
	nowhere := quote(map[string]any{"subtotalCents": 10_000})
	if !nowhere.Provisional || !cmp.Equal(nowhere.Missing, []string{"country"}) || nowhere.Tax != 0 {
		t.Errorf("without an address: %+v", nowhere)
	}
	for _, tt := range []struct {
		body map[string]any
		tax  money.Cents
	}{
		{map[string]any{"subtotalCents": 10_000, "shippingAddress": pledge.Address{Country: "US", PostalCode: "07030"}}, 663},
		{map[string]any{"subtotalCents": 10_000, "shippingCents": 1_000,
			"shippingAddress": pledge.Address{Country: "US", PostalCode: "07030"}}, 729},
		{map[string]any{"subtotalCents": 10_000, "shippingCents": 1_000,
			"shippingAddress": pledge.Address{Country: "US", PostalCode: "66101"}}, 650},
	} {
		if q := quote(tt.body); q.Provisional || q.Tax != tt.tax {
			t.Errorf("%v: %+v, want %d cents", tt.body, q, tt.tax)
		}
	}
	cart := gameCart(1)
	s := e.start("a@example.com", cart)
	if want := decode[checkout.TaxQuote](t, e.post("/tax/quote", cart)); s.Campaigns[0].Tax != want.Tax ||
		want.Campaigns[0].Quote.Status != tax.FallbackUsed {
		t.Errorf("checkout has %s, quoted %+v", s.Campaigns[0].Tax, want)
	}
	pledged, _ := e.pledge("b@example.com", cart, cardOK)
	mails, err := e.Mails(t.Context())
	if err != nil || len(mails) != 1 ||
		!regexp.MustCompile(`Tax( \([^)]*\))?: `+regexp.QuoteMeta(pledged.Campaigns[0].Tax.String())+"\n").
			MatchString(mails[0].Text) {
		t.Errorf("tax in the mails is not %s: %+v, %v", pledged.Campaigns[0].Tax, mails, err)
	}
	cart.ShippingAddress = nil
	e.wantStatus(e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"}), 400)
	r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: filmCart(), Email: "a@example.com"})
	e.wantFailure(r, 409, "Enter the country: the tax depends on it.")
}

// Countries that do not exist are rejected in every address. If a state does not match the postal
// code, the supporter is asked to correct one of them.
func TestTax_InvalidPlaces(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"TAX_PROVIDER": "offline_rules", "TAX_COLLECT": "everywhere"}})
	_, token := e.pledge("a@example.com", gameCart(1), cardOK)
	for _, country := range []string{"ZZ", "UK", "EU", "USA", "U"} {
		for _, field := range []string{"shippingAddress", "billingAddress"} {
			body := map[string]any{"campaignSlug": "tidepool-traders", "email": "a@example.com", "token": token,
				"items": []checkout.Item{{ID: "tidepool-traders__the-game"}}, field: map[string]string{"country": country}}
			for _, path := range []string{"/tax/quote", "/shipping/quote", "/checkout-intent/start", "/pledge/modify"} {
				if path == "/pledge/modify" && field == "billingAddress" {
					continue // it has no country
				}
				r := e.post(path, body)
				if f := decode[failure](t, r); r.Status != 400 || f.Field != field+".country" {
					t.Errorf("%s with %s in %s: %d, %+v", path, country, field, r.Status, f)
				}
			}
		}
	}
	cart := gameCart(1)
	cart.ShippingAddress.State, cart.ShippingAddress.PostalCode = "TX", "87501"
	q := decode[checkout.TaxQuote](t, e.post("/tax/quote", cart))
	if !q.Provisional || !cmp.Equal(q.Missing, []string{"state"}) || q.Tax != 0 {
		t.Errorf("a state of another postal code: %+v", q)
	}
	r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"})
	e.wantFailure(r, 409, "The postal code 87501 is in NM. Correct the state or the postal code.")
}
