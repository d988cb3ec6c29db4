package checkout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// edit replaces text in the film's file.
func (w *fixture) edit(oldnew ...string) {
	w.t.Helper()
	w.files["campaigns/film.md"].Data = []byte(strings.NewReplacer(oldnew...).Replace(filmFile))
	w.reload()
}

func support(dollars int64) checkout.Item {
	return checkout.Item{ID: "film__support__lens", Amount: &dollars}
}

func custom(dollars int64) checkout.Item {
	return checkout.Item{ID: "film__custom-support", Amount: &dollars}
}

// Items that do not ship to a country are rejected by name, in previews too.
// Pledges that already have them keep them when the file changes.
func TestModify_ShipsTo(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("film__poster"))
	r.ShippingAddress = homeAddress()
	tok := w.link(w.pledge(r).OrderID)
	w.edit("name: Poster,", "name: Poster, ships_to: [CA, MX],")
	for country, want := range map[string]string{"us": "Poster ships to CA, MX only", "ca": "", "": ""} {
		cart := r.Cart
		cart.ShippingAddress = &pledge.Address{Country: country}
		_, err := w.svc.QuoteShipping(w.ctx, cart)
		if want == "" && err != nil || want != "" && (!fault.Is(err, fault.Invalid) || fault.Of(err).Message != want ||
			fault.Of(err).Field != "shippingAddress.country") {
			t.Errorf("quote to %q: %v", country, err)
		}
	}
	if _, err := w.svc.Start(w.ctx, r); !fault.Is(err, fault.Invalid) ||
		fault.Of(err).Field != "shippingAddress.country" {
		t.Errorf("checkout: %v", err)
	}
	tip := 7
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: &tip, DryRun: true}); err != nil {
		t.Errorf("new tip for an item that no longer ships there: %v", err)
	}
	more := []checkout.Item{{ID: "film__poster", Quantity: new(2)}}
	if _, err := w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, Items: &more, DryRun: true}); !fault.Is(err, fault.Invalid) {
		t.Errorf("another unit that does not ship there: %v", err)
	}
}

// Carts and pledges cannot be shipped to an excluded country, and no quote is made for it.
func TestStart_ExcludedCountry(t *testing.T) {
	w := newFixture(t)
	w.svc.Shipping = shipping.Rules{FlatRate: 300, OriginCountry: "US", Excluded: []string{"CU"}}
	r := request("a@example.org", one("film__poster"))
	r.ShippingAddress = homeAddress()
	tok := w.link(w.pledge(r).OrderID)
	cuba := &pledge.Address{Name: "Ada", Line1: "Calle 1", City: "La Habana", Country: "CU"}
	refused := func(what string, err error) {
		t.Helper()
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "shippingAddress.country" {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, ShippingAddress: cuba})
	refused("new address", err)
	r.ShippingAddress = cuba
	_, err = w.svc.QuoteShipping(w.ctx, r.Cart)
	refused("quote", err)
	_, err = w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: r.Cart})
	refused("tax quote", err)
	_, err = w.svc.Start(w.ctx, r)
	refused("checkout", err)
	digital := request("b@example.org", one("film__thanks"))
	digital.BillingAddress = &pledge.Address{Country: "CU", PostalCode: "10400"}
	if _, err := w.svc.Start(w.ctx, digital); err != nil {
		t.Errorf("a digital reward: %v", err)
	}
}

// Supporters keep items that the campaign no longer offers, at the promised
// terms; new pledges cannot add them.
func TestModify_DiscontinuedItems(t *testing.T) {
	w := newFixture(t)
	held := []checkout.Item{seats(1), one("film__thanks"), support(10), custom(20)}
	id := w.pledge(request("a@example.org", held...)).OrderID
	tok := w.link(id)
	w.edit("support_items:\n  - {id: lens, label: Lens, target: 500}\n", "", "custom_amount: {min: 2, max: 500}",
		"custom_amount: {enabled: false}",
		"  - {id: thanks, name: Thanks, price: 5}\n", "")
	for name, c := range map[string]struct {
		items []checkout.Item
		want  string
	}{
		"everything":   {held, ""},
		"more support": {[]checkout.Item{seats(1), support(11)}, "Support item not found"},
		"less support": {[]checkout.Item{seats(1), support(9)}, "Support item not found"},
		// 25 is also the price of a seat.
		"different amount": {[]checkout.Item{seats(1), custom(25)}, "The campaign does not accept custom amounts"},
		"only the support": {[]checkout.Item{support(10)}, ""},
	} {
		tip := 7
		got, err := w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: tok, Items: &c.items, TipPercent: &tip, DryRun: true})
		if err == nil != (c.want == "") || err != nil && fault.Of(err).Message != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if name != "everything" {
			continue
		}
		var lines []string
		for _, l := range got.Lines {
			lines = append(lines, l.Name+" "+l.Amount.String())
		}
		if diff := cmp.Diff([]string{"Seat $25.00", "Thanks $5.00", "Lens $10.00", "Custom support $20.00"},
			lines); diff != "" {
			t.Error(diff)
		}
	}
}

// Of units with two prices, the newer ones are removed first, and no empty line
// remains.
func TestModify_UnitsOfTwoPrices(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), one("film__thanks"))).OrderID
	tok := w.link(id)
	w.edit("price: 25", "price: 30")
	must[checkout.Modified](t)(w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, Items: items(seats(2), one("film__thanks"))}))
	w.edit("  - {id: seat, name: Seat, price: 25, limit_total: 3, stackable: true}\n", "")
	for quantity, want := range map[int][]string{2: {"1 × $25.00", "1 × $30.00", "1 × $5.00"},
		1: {"1 × $25.00", "1 × $5.00"}} {
		tip := 7
		got := must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok,
			Items: items(seats(quantity), one("film__thanks")), TipPercent: &tip, DryRun: true}))
		var lines []string
		for _, l := range got.Lines {
			lines = append(lines, fmt.Sprintf("%d × %s", l.Quantity, l.UnitPrice))
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%d seats:\n%s", quantity, diff)
		}
	}
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2),
		one("film__thanks"))}); codeOf(err) != fault.Invalid || fault.Of(err).Message != "No changes specified" {
		t.Errorf("unchanged selection: %v", err)
	}
	if _, err := w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, Items: items(seats(3))}); codeOf(err) != fault.Invalid {
		t.Errorf("third seat of a tier with two: %v", err)
	}
}

// A reward keeps the delivery month that it was chosen with: when the campaign moves it, when the
// pledge is changed, and when the campaign no longer offers the reward. Added units and rewards get
// the current month. A line without a month stays without one.
func TestModify_PromisedDelivery(t *testing.T) {
	w := newFixture(t)
	expect := func(seat, thanks string) {
		w.edit("stackable: true}\n  - {id: thanks", "stackable: true, "+seat+"}\n  - {id: thanks",
			"name: Thanks, price: 5}", "name: Thanks, price: 5, "+thanks+"}")
	}
	expect("estimated_delivery: 2027-03", "stackable: false")
	id := w.pledge(request("a@example.org", seats(1), one("film__thanks"), support(10))).OrderID
	tok := w.link(id)
	lines := func() (all []string) {
		for _, l := range w.read(id).Lines {
			all = append(all, fmt.Sprintf("%d × %s %s", l.Quantity, l.Name, l.PromisedDelivery))
		}
		return all
	}
	check := func(step string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, lines()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	check("new", "1 × Seat 2027-03", "1 × Thanks ", "1 × Lens ")
	expect("estimated_delivery: 2027-05", "estimated_delivery: 2027-06")
	check("moved", "1 × Seat 2027-03", "1 × Thanks ", "1 × Lens ")
	view := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok))
	if diff := cmp.Diff(map[string]string{"seat": "2027-05", "thanks": "2027-06"}, view.EstimatedDeliveries); diff != "" {
		t.Errorf("current months (-want +got):\n%s", diff)
	}
	change := func(picks ...checkout.Item) {
		t.Helper()
		must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: &picks}))
	}
	change(seats(2), one("film__thanks"))
	check("one more seat", "1 × Seat 2027-03", "1 × Seat 2027-05", "1 × Thanks ")
	expect("estimated_delivery: 2027-08", "estimated_delivery: 2027-09")
	change(seats(2))
	check("without thanks", "1 × Seat 2027-03", "1 × Seat 2027-05")
	change(seats(1), one("film__thanks"))
	check("thanks again", "1 × Seat 2027-03", "1 × Thanks 2027-09")
	w.edit("  - {id: seat, name: Seat, price: 25, limit_total: 3, stackable: true}\n", "")
	change(seats(1))
	check("no longer offered", "1 × Seat 2027-03")
	if view := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); len(view.EstimatedDeliveries) != 0 {
		t.Errorf("a reward that is not offered is expected in %v", view.EstimatedDeliveries)
	}
}

// Changing the custom amount leaves the other items unchanged.
func TestModify_CustomAmount(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), custom(20))).OrderID
	for dollars, want := range map[int64]pledge.Totals{
		30: {Subtotal: 5500, Tax: 550, TipPercent: 5, TipAmount: 275, Amount: 6325, CampaignSubtotal: 5500},
		0:  {Subtotal: 2500, Tax: 250, TipPercent: 5, TipAmount: 125, Amount: 2875, CampaignSubtotal: 2500},
	} {
		got := must[checkout.Modified](t)(w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: w.link(id), CustomAmount: &dollars, DryRun: true}))
		if got.Current != want {
			t.Errorf("$%d: %+v", dollars, got.Current)
		}
	}
}

// Without a maximum, any custom amount is accepted.
func TestStart_CustomAmountWithoutLimit(t *testing.T) {
	w := newFixture(t)
	w.edit("custom_amount: {min: 2, max: 500}", "custom_amount: {min: 2}")
	if got := w.start(request("a@example.org", custom(5000))).Campaigns[0]; got.Subtotal != 500000 {
		t.Errorf("%+v", got.Totals)
	}
}

// The minimum charge is 50 cents. A quote for less is rejected, so that the supporter does not
// enter an address or a card first.
func TestStart_MinimumPledge(t *testing.T) {
	for price, want := range map[string]fault.Code{"0.50": "", "0.49": fault.Invalid} {
		w := newFixture(t)
		w.svc.Tax = taxed{rate: "0"}
		w.edit("name: Mug, price: 12, category: physical", "name: Mug, price: "+price+", category: digital")
		r := request("a@example.org", one("film__addon__mug"))
		r.TipPercent = new(0)
		if _, err := w.svc.Start(w.ctx, r); codeOf(err) != want {
			t.Errorf("$%s: %v", price, err)
		}
		if _, err := w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: r.Cart}); codeOf(err) != want {
			t.Errorf("quote of $%s: %v", price, err)
		}
		if _, err := w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Subtotal: new(money.Cents(49))}); err != nil {
			t.Errorf("subtotal of 49 cents: %v", err)
		}
		w.svc.Tax = &stubTaxQuote{quote: tax.Quote{Status: tax.NeedsInput, Missing: []string{"country"}}}
		if _, err := w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: r.Cart}); err != nil {
			t.Errorf("quote of $%s plus unknown tax: %v", price, err)
		}
	}
}

// A pledge that cannot be charged in one payment is rejected by start, quote and
// change.
func TestPledge_ChargeLimits(t *testing.T) {
	for _, tt := range []struct {
		price, message string
	}{
		{"0.49", "The pledge total must be at least $0.50"},
		{"0.50", ""},
		{"999999.99", ""},
		{"1000000", "The pledge total must be at most $999,999.99"},
	} {
		w := newFixture(t)
		w.svc.Tax = taxed{rate: "0"}
		id := w.pledge(request("a@example.org", one("film__thanks"))).OrderID
		w.edit("name: Mug, price: 12, category: physical", "name: Mug, price: "+tt.price+", category: digital")
		mug := request("b@example.org", one("film__addon__mug"))
		mug.TipPercent = new(0)
		for name, call := range map[string]func() error{
			"start": func() error { _, err := w.svc.Start(w.ctx, mug); return err },
			"quote": func() error {
				_, err := w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: mug.Cart})
				return err
			},
			"change": func() error {
				_, err := w.svc.Modify(w.ctx,
					checkout.ModifyRequest{Token: w.link(id), Items: items(one("film__addon__mug")),
						TipPercent: new(0)})
				return err
			},
		} {
			f := fault.Of(call())
			if tt.message == "" {
				if f != nil {
					t.Errorf("%s of $%s: %v", name, tt.price, f)
				}
				continue
			}
			if f == nil || f.Code != fault.Invalid || f.Field != "items" || f.Message != tt.message {
				t.Errorf("%s for $%s: %v, want %q", name, tt.price, f, tt.message)
			}
		}
	}
}

// Hong Kong has no postal codes, so shipping does not require one.
func TestStart_AddressWithoutPostalCode(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", one("film__poster"))
	r.ShippingAddress = &pledge.Address{Name: "A", Line1: "1 Shore Road", City: "Mong Kok",
		State: "Kowloon", Country: "HK"}
	if got := w.start(r); got.Campaigns[0].Shipping == 0 {
		t.Errorf("%+v", got.Campaigns[0].Totals)
	}
}

// A preview includes tiers with a threshold that is not reached.
func TestQuote_OpensEveryTier(t *testing.T) {
	w := newFixture(t)
	w.edit("requires_threshold: 50", "requires_threshold: 900000")
	q := must[checkout.TaxQuote](t)(w.svc.QuoteTax(w.ctx,
		checkout.TaxQuoteRequest{Cart: checkout.Cart{Items: []checkout.Item{one("film__premiere")}}}))
	if q.Subtotal != 10000 {
		t.Errorf("quoted %+v", q)
	}
}

// stubTaxQuote is a tax provider with a fixed quote that records its requests.
type stubTaxQuote struct {
	requests []tax.Request
	quote    tax.Quote
}

func (a *stubTaxQuote) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	a.requests = append(a.requests, r)
	return a.quote, nil
}

// Physical items and their shipping are taxed at their destination, all others at
// the supporter's billing address.
func TestStart_TaxDestination(t *testing.T) {
	bill := &pledge.Address{Country: "DE", PostalCode: "10115"}
	for name, c := range map[string]struct {
		item     checkout.Item
		bill     *pledge.Address
		country  string
		shipping money.Cents
	}{
		"shipped":                         {one("film__poster"), bill, "US", 300},
		"shipped, no billing address":     {one("film__poster"), nil, "US", 300},
		"not shipped":                     {seats(1), bill, "DE", 0},
		"not shipped, no billing address": {seats(1), &pledge.Address{}, "US", 0},
	} {
		w := newFixture(t)
		provider := &stubTaxQuote{quote: tax.Quote{Status: tax.Quoted, Provider: "the test's", Source: "nothing",
			Tax: 7}}
		w.svc.Tax = provider
		r := shipped(request("a@example.org", c.item))
		r.BillingAddress = c.bill
		p := w.read(w.pledge(r).OrderID)
		got := provider.requests[0]
		var sent money.Cents
		for _, l := range got.Lines {
			if l.Kind == pledge.ShippingLine {
				sent += l.Amount
			}
		}
		if got.Destination.Country != c.country || sent != c.shipping || len(got.Lines) != 1+min(1, int(c.shipping)) {
			t.Errorf("%s: tax request for %s with lines %+v", name, got.Destination.Country, got.Lines)
		}
		for _, d := range p.Explanation {
			if d.Amount == "tax" && (d.Rule != "the test's" || d.Cents != 7) {
				t.Errorf("%s: explanation %+v", name, d)
			}
		}
		if c.bill != nil && c.bill.IsZero() && p.BillingAddress != nil {
			t.Errorf("%s: empty billing address was stored", name)
		}
	}
}

// A change may take the units of an expired checkout.
func TestModify_TakesUnitsOfExpiredCheckout(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.start(request("b@example.org", seats(2)))
	w.advance(checkout.DefaultSessionLife + time.Hour)
	// A change that needs no additional units does not release the expired hold.
	tip := 7
	got := must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id), TipPercent: &tip}))
	if held := w.stock("film", "tier/seat").Held; got.Revision != 2 || held != 2 {
		t.Errorf("revision %d, %d seats held", got.Revision, held)
	}
	got = must[checkout.Modified](t)(w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: w.link(id), Items: items(seats(3))}))
	if st := w.stock("film", "tier/seat"); got.Revision != 3 || st.Committed != 3 || st.Held != 0 {
		t.Errorf("revision %d, stock %+v", got.Revision, st)
	}
}

// The provider's notice about missing input is shown to the supporter; the reason
// for an outage is not.
func TestStart_TaxNotice(t *testing.T) {
	for status, want := range map[tax.Status]fault.Error{
		tax.NeedsInput:  {Code: fault.Conflict, Message: "Which county?", Field: "billingAddress"},
		tax.Unavailable: {Code: fault.Unavailable, Message: "Tax cannot be calculated at the moment"},
	} {
		w := newFixture(t)
		w.svc.Tax = &stubTaxQuote{quote: tax.Quote{Status: status, Notice: "Which county?"}}
		_, err := w.svc.Start(w.ctx, request("a@example.org", one("film__thanks")))
		if f := fault.Of(err); f == nil || f.Code != want.Code || f.Message != want.Message || f.Field != want.Field {
			t.Errorf("%s: %v", status, err)
		}
	}
}
