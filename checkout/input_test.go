package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Proves CAM-12, CAM-14, CHK-18, CHK-21, CHK-22, CHK-25, CHK-26, CHK-27, MON-21.
func TestStart_InvalidCarts(t *testing.T) {
	many := make([]checkout.Item, 101)
	for i := range many {
		many[i] = one("film__thanks")
	}
	campaigns := make([]checkout.Item, 21)
	for i := range campaigns {
		campaigns[i] = one("c" + strings.Repeat("x", i) + "__t")
	}
	cart := func(items ...checkout.Item) checkout.StartRequest { return request("a@example.org", items...) }
	with := func(r checkout.StartRequest, change func(*checkout.StartRequest)) checkout.StartRequest {
		change(&r)
		return r
	}
	lens := func(campaign string, dollars int64) checkout.Item {
		return checkout.Item{ID: campaign + "__support__lens", Amount: &dollars}
	}
	ok := cart(one("film__thanks"))
	w := newFixture(t)
	for slug, also := range map[string]string{"sequel": "", "settled": "charged: true\n",
		"trial": "test_only: true\n", "preview": "preview_only: true\n"} {
		w.files["campaigns/"+slug+".md"] = &fstest.MapFile{
			Data: []byte(strings.Replace(filmFile, "slug: film\n", "slug: "+slug+"\n"+also, 1))}
	}
	w.reload()
	before := w.dump()
	for name, c := range map[string]struct {
		r              checkout.StartRequest
		want           fault.Code
		field, message string
	}{
		"slug": {with(ok, func(r *checkout.StartRequest) { r.CampaignSlug = "../Film" }),
			fault.Invalid, "campaignSlug", "Invalid campaign slug format"},
		"long slug": {with(ok, func(r *checkout.StartRequest) { r.CampaignSlug = strings.Repeat("a", 101) }),
			fault.Invalid, "campaignSlug", "Invalid campaign slug format"},
		"email": {with(ok, func(r *checkout.StartRequest) { r.Email = "a@b" }),
			fault.Invalid, "email", "Invalid email format"},
		"long email": {with(ok, func(r *checkout.StartRequest) {
			r.Email = strings.Repeat("a", 250) + "@example.org"
		}), fault.Invalid, "email", "Invalid email format"},
		"header in email": {with(ok, func(r *checkout.StartRequest) {
			r.Email = "a@example.org\r\nBcc: b@example.org"
		}), fault.Invalid, "email", "Invalid email format"},
		"empty":              {cart(), fault.Invalid, "items", "Your cart is empty."},
		"too many items":     {cart(many...), fault.Invalid, "items", "A cart can have at most 100 items"},
		"too many campaigns": {cart(campaigns...), fault.Invalid, "items", "A cart can have at most 20 campaigns"},
		"item without ID":    {cart(one("")), fault.Invalid, "items[0].id", "Invalid campaign slug format"},
		"item ID without a known form": {cart(one("film__thanks"), one("film__a__b")), fault.Invalid,
			"items[1].id", "Invalid cart item id"},
		"tier in capitals": {cart(one("film__SEAT")), fault.Invalid, "items[0].id", "Invalid cart item id"},
		"just a slug":      {cart(one("film")), fault.Invalid, "items[0].id", "Invalid cart item id"},
		"variant of a tier": {cart(one("film__seat__variant__s")), fault.Invalid,
			"items[0].id", "Invalid cart item id"},
		"tier named addon": {cart(one("film__addon")), fault.Invalid, "items[0].id", "Tier not found"},
		"unknown tier":     {cart(one("film__nothing")), fault.Invalid, "items[0].id", "Tier not found"},
		"unknown support": {cart(checkout.Item{ID: "film__support__x", Amount: new(int64(1))}),
			fault.Invalid, "items[0].id", "Support item not found"},
		"unknown add-on": {cart(one("film__thanks"), one("addon__x")), fault.Invalid,
			"items[1].id", "Add-on not found"},
		"another campaign's add-on": {cart(one("film__thanks"), one("game__addon__mug")),
			fault.Invalid, "items[1].id", "Add-on not found"},
		"variant missing": {cart(one("film__thanks"), one("addon__shirt")), fault.Invalid,
			"items[1].id", "Choose a variant of Shirt"},
		"variant unknown": {cart(one("film__thanks"), one("addon__shirt__variant__m")),
			fault.Invalid, "items[1].id", "Shirt has no such variant"},
		"zero units": {cart(seats(0)), fault.Invalid, "items[0].quantity",
			"The quantity must be a whole number from 1 to 1000"},
		"negative units": {cart(seats(-1)), fault.Invalid, "items[0].quantity",
			"The quantity must be a whole number from 1 to 1000"},
		"too many units": {cart(seats(1001)), fault.Invalid, "items[0].quantity",
			"The quantity must be a whole number from 1 to 1000"},
		"too many units in two items": {cart(seats(600), seats(600)), fault.Invalid, "items[1].quantity",
			"The quantity must be a whole number from 1 to 1000"},
		"two units of a single-unit tier": {cart(checkout.Item{ID: "film__thanks", Quantity: new(2)}), fault.Invalid,
			"items[0].quantity", `Tier "Thanks" does not support multiple quantities`},
		"two physical": {shipped(cart(checkout.Item{ID: "game__box", Quantity: new(2)})), fault.Invalid,
			"items[0].quantity", `Tier "Box" does not support multiple quantities`},
		"single-unit tier twice": {cart(one("film__thanks"), one("film__thanks")), fault.Invalid,
			"items[0].quantity", `Tier "Thanks" does not support multiple quantities`},
		"threshold": {cart(one("film__premiere")), fault.Invalid, "items[0].id",
			`Tier "Premiere" unlocks at $50.00`},
		"two tiers": {cart(one("game__box"), one("game__print")), fault.Invalid,
			"items[1].id", "This campaign only allows one tier per pledge"},
		"support without amount": {cart(one("film__support__lens")), fault.Invalid, "items[0].amount",
			"The amount must be in whole dollars, from 1 to 1000000"},
		"zero support": {cart(checkout.Item{ID: "film__support__lens", Amount: new(int64(0))}),
			fault.Invalid, "items[0].amount", "The amount must be in whole dollars, from 1 to 1000000"},
		"support above the limit": {cart(checkout.Item{ID: "film__support__lens", Amount: new(int64(1_000_001))}),
			fault.Invalid, "items[0].amount", "The amount must be in whole dollars, from 1 to 1000000"},
		"support, overflowing": {cart(checkout.Item{ID: "film__support__lens", Amount: new(int64(1) << 62)}),
			fault.Invalid, "items[0].amount", "The amount must be in whole dollars, from 1 to 1000000"},
		"total above the limit": {cart(checkout.Item{ID: "film__support__lens", Amount: new(int64(1_000_000))},
			one("film__thanks")), fault.Invalid, "items", "The amount exceeds the limit of $1,000,000.00"},
		"total above the limit with tax": {cart(lens("film", 900_000)), fault.Invalid, "items",
			"The amount exceeds the limit of $1,000,000.00"},
		"totals above the limit together": {cart(lens("film", 500_000), lens("sequel", 500_000)), fault.Invalid,
			"items", "The amount exceeds the limit of $1,000,000.00"},
		"custom amount below the minimum": {cart(checkout.Item{ID: "film__custom-support", Amount: new(int64(1))}),
			fault.Invalid, "items[0].amount", "The custom amount must be between $2.00 and $500.00"},
		"custom amount twice": {with(cart(checkout.Item{ID: "film__custom-support", Amount: new(int64(5))}),
			func(r *checkout.StartRequest) {
				r.CustomAmount = new(int64(5))
			}), fault.Invalid, "customAmount", "Specify the custom amount only once"},
		"custom amount without campaign": {with(checkout.StartRequest{Email: "a@example.org"},
			func(r *checkout.StartRequest) {
				r.CustomAmount = new(int64(5))
			}), fault.Invalid, "campaignSlug", "Specify the campaign of the custom amount"},
		"negative custom amount": {with(ok, func(r *checkout.StartRequest) { r.CustomAmount = new(int64(-5)) }),
			fault.Invalid, "customAmount", "The amount must be in whole dollars, from 1 to 1000000"},
		"platform only": {cart(one("addon__sound")), fault.Invalid, "items",
			"Pledge must include at least one contribution"},
		"unknown campaign":      {cart(one("nothing__seat")), fault.Invalid, "campaignSlug", "Campaign not found"},
		"hidden campaign":       {cart(one("hidden__seat")), fault.Invalid, "campaignSlug", "Campaign not found"},
		"preview-only campaign": {cart(one("preview__seat")), fault.Invalid, "campaignSlug", "Campaign not found"},
		"test-only campaign":    {cart(one("trial__seat")), fault.Invalid, "campaignSlug", "Campaign not found"},
		"charged campaign":      {cart(one("settled__seat")), fault.Invalid, "campaignSlug", "Campaign is charged"},
		"upcoming campaign":     {cart(one("later__seat")), fault.Invalid, "campaignSlug", "Campaign is upcoming"},
		"ended campaign":        {cart(one("early__seat")), fault.Invalid, "campaignSlug", "Campaign is ended"},
		"tip above the maximum": {with(ok, func(r *checkout.StartRequest) { r.TipPercent = new(16) }),
			fault.Invalid, "tipPercent", "The tip must be a whole percentage from 0 to 15"},
		"negative tip": {with(ok, func(r *checkout.StartRequest) { r.TipPercent = new(-1) }),
			fault.Invalid, "tipPercent", "The tip must be a whole percentage from 0 to 15"},
		"no address": {cart(one("film__poster")), fault.Invalid, "shippingAddress",
			"A shipping address is required"},
		"incomplete address": {with(cart(one("film__poster")), func(r *checkout.StartRequest) {
			r.ShippingAddress = &pledge.Address{Name: "A", Country: "US"}
		}), fault.Invalid, "shippingAddress.line1", "The shipping address is incomplete"},
		"no country": {with(ok, func(r *checkout.StartRequest) {
			r.BillingAddress = &pledge.Address{Country: "USA"}
		}), fault.Invalid, "billingAddress.country", "A country must be an existing two-letter code, such as US"},
		"Hong Kong, no area": {with(cart(one("film__poster")), func(r *checkout.StartRequest) {
			r.ShippingAddress = &pledge.Address{Name: "A", Line1: "1 Shore Road", City: "Mong Kok", Country: "HK"}
		}), fault.Invalid, "shippingAddress.state", "The shipping address is incomplete"},
		"long line": {with(ok, func(r *checkout.StartRequest) {
			r.ShippingAddress = &pledge.Address{Line1: strings.Repeat("x", 200)}
		}), fault.Invalid, "shippingAddress.line1", "An address line can have at most 120 bytes"},
		"unknown shipping option": {with(shipped(cart(one("film__poster"))), func(r *checkout.StartRequest) {
			r.ShippingOption = "by_balloon"
		}), fault.Invalid, "shippingOption", "The shipping option is not offered"},
		"tax without postal code": {with(ok, func(r *checkout.StartRequest) {
			r.BillingAddress = &pledge.Address{Country: "CA"}
		}), fault.Conflict, "billingAddress.postalCode", "Enter the postal code: the tax depends on it."},
		"tax unavailable": {with(ok, func(r *checkout.StartRequest) {
			r.BillingAddress = &pledge.Address{Country: "AQ"}
		}), fault.Unavailable, "", "Tax cannot be calculated at the moment"},
		"quantity for support": {cart(checkout.Item{ID: "film__support__lens", Amount: new(int64(1)),
			Quantity: new(2)}),
			fault.Invalid, "items[0].quantity", "Support items take an amount, not a quantity"},
		"invalid second campaign": {cart(one("film__thanks"), one("../../x__seat")), fault.Invalid,
			"items[1].id", "Invalid campaign slug format"},
	} {
		_, err := w.svc.Start(w.ctx, c.r)
		f := fault.Of(err)
		if f == nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Code != c.want || f.Field != c.field || f.Message != c.message {
			t.Errorf("%s: %s, field %q: %s", name, f.Code, f.Field, f.Message)
		}
	}
	if w.dump() != before {
		t.Error("a rejected cart was written to the store")
	}
	if n := w.sim.Received("customers.create"); n != 0 {
		t.Errorf("%d customers created", n)
	}
}

// A campaign accepts pledges from the start of its first day to its deadline in the platform's
// time zone. A tier with a threshold accepts them while the threshold is reached.
//
// Proves CHK-18.
func TestStart_CampaignAndTierOpen(t *testing.T) {
	w := newFixture(t)
	zone := time.FixedZone("", -7*3600)
	w.svc.Settings.Zone = zone
	begins, ends := time.Date(2026, 11, 1, 0, 0, 0, 0, zone), time.Date(2026, 12, 2, 0, 0, 0, 0, zone)
	try := func(what string, at time.Time, id, refusal string) {
		t.Helper()
		w.advance(at.Sub(w.clock()))
		_, err := w.svc.Start(w.ctx, request("a@example.org", one(id)))
		if f := fault.Of(err); (refusal == "") != (err == nil) || f != nil && f.Message != refusal {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("before it begins", begins.Add(-time.Second), "film__thanks", "Campaign is upcoming")
	try("when it begins", begins, "film__thanks", "")
	try("before it ends", ends.Add(-time.Second), "film__thanks", "")
	try("when it ends", ends, "film__thanks", "Campaign is ended")

	const locked = `Tier "Premiere" unlocks at $50.00`
	noon := begins.Add(12 * time.Hour)
	w.advance(noon.Sub(w.clock()))
	w.pledge(request("b@example.org", support(49)))
	try("a dollar below the threshold", noon, "film__premiere", locked)
	over := w.pledge(request("c@example.org", support(1)))
	try("at the threshold", noon, "film__premiere", "")
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(over.OrderID)}))
	try("below it again", noon, "film__premiere", locked)
}

// Every field of a start request has the documented effect.
//
// Proves CHK-25, CHK-26, CHK-27, CHK-28, CHK-29, CHK-30, CHK-31, CHK-32.
func TestStart_RequestFields(t *testing.T) {
	const items = `"campaignSlug":"film","email":"Ada@Example.org",` +
		`"items":[{"id":"film__poster","quantity":2},{"id":"game__print"}]`
	to := `"shippingAddress":{"name":"Ada","line1":"1 Main St","line2":"Back door","city":"Taos","state":"NM",` +
		`"postalCode":"87571","country":"us","phone":"+1 575 555 0100"}`
	from := `"billingAddress":{"country":"DE","postalCode":"10115","phone":"+49 30 123456"}`
	read := func(fields ...string) order.Manifest {
		t.Helper()
		w := newFixture(t)
		var r checkout.StartRequest
		if err := json.Unmarshal([]byte("{"+strings.Join(fields, ",")+"}"), &r); err != nil {
			t.Fatal(err)
		}
		s := w.start(r)
		sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, s.SessionID))
		if sess.Metadata["campaignSlug"] != "film" {
			t.Errorf("session of campaign %s", sess.Metadata["campaignSlug"])
		}
		return must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID)).Manifest
	}
	plain := read(items, to)
	if plain.Email != "ada@example.org" || len(plain.Campaigns) != 2 ||
		plain.Campaigns[0].Lines[0].Quantity != 2 || plain.TipPercent != 5 ||
		plain.BillingAddress != nil || plain.AbandonedCartConsent {
		t.Errorf("without optional fields: %+v", plain)
	}
	full := read(items, to, from, `"tipPercent":9,"shippingOption":"signature_required","abandonedCartConsent":true`)
	if full.TipPercent != 9 || !full.AbandonedCartConsent ||
		full.Campaigns[0].ShippingOption != "signature_required" || full.Campaigns[0].Totals.TipAmount != 720 {
		t.Errorf("with all fields: %+v", full)
	}
	sendTo := &pledge.Address{Name: "Ada", Line1: "1 Main St", Line2: "Back door", City: "Taos",
		State: "NM", PostalCode: "87571", Country: "US", Phone: "+1 575 555 0100"}
	want := []*pledge.Address{sendTo, sendTo, {Country: "DE", PostalCode: "10115"}}
	if diff := cmp.Diff(want,
		[]*pledge.Address{plain.ShippingAddress, full.ShippingAddress, full.BillingAddress}); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

// Values at the limits of a cart are accepted.
//
// Proves CAM-12, CAM-15.
func TestStart_CartsAtLimits(t *testing.T) {
	hundred := make([]checkout.Item, 100)
	for i := range hundred {
		hundred[i] = checkout.Item{ID: "film__support__lens", Amount: new(int64(1))}
	}
	posters := func(n int) checkout.Item { return checkout.Item{ID: "film__poster", Quantity: new(n)} }
	custom := func(n int64) checkout.Item { return checkout.Item{ID: "film__custom-support", Amount: new(n)} }
	for name, c := range map[string]struct {
		items    []checkout.Item
		tip      int
		subtotal money.Cents
	}{
		"100 items":               {hundred, 0, 10000},
		"1000 units":              {[]checkout.Item{posters(1000)}, 0, 4000000},
		"1000 units in two items": {[]checkout.Item{posters(400), posters(600)}, 0, 4000000},
		"minimum support":         {[]checkout.Item{custom(2)}, 0, 200},
		"maximum support":         {[]checkout.Item{custom(500)}, 15, 50000},
		"one unit of support": {[]checkout.Item{{ID: "film__support__lens", Amount: new(int64(5)), Quantity: new(1)}},
			0, 500},
		"support in two items": {[]checkout.Item{custom(200), custom(300)}, 0, 50000},
	} {
		w := newFixture(t)
		r := shipped(request("a@example.org", c.items...))
		r.TipPercent = &c.tip
		if got := w.start(r).Campaigns[0]; got.Subtotal != c.subtotal || got.TipPercent != c.tip {
			t.Errorf("%s: %+v", name, got.Totals)
		}
	}
}

// The maximum tip is configurable.
//
// Proves CHK-22.
func TestStart_TipLimit(t *testing.T) {
	for _, most := range []int{7, 30} {
		w := newFixture(t)
		w.svc.Settings.MaxTip = most
		r := request("a@example.org", one("film__thanks"))
		r.TipPercent = new(most + 1)
		if _, err := w.svc.Start(w.ctx, r); codeOf(err) != fault.Invalid || fault.Of(err).Field != "tipPercent" {
			t.Errorf("tip %d, limit %d: %v", most+1, most, err)
		}
		r.TipPercent = &most
		if got := w.start(r).Campaigns[0].TipPercent; got != most {
			t.Errorf("tip %d became %d", most, got)
		}
	}
}

// A cart may have up to twenty campaigns.
func TestStart_TwentyCampaigns(t *testing.T) {
	w := newFixture(t)
	var r checkout.StartRequest
	r.Email = "a@example.org"
	for i := range 20 {
		slug := "film" + strings.Repeat("x", i)
		w.files["campaigns/"+slug+".md"] = &fstest.MapFile{
			Data: []byte(strings.Replace(filmFile, "slug: film", "slug: "+slug, 1))}
		r.Items = append(r.Items, one(slug+"__thanks"))
	}
	w.reload()
	if s := w.start(r); len(s.Campaigns) != 20 {
		t.Errorf("checkout of %d campaigns", len(s.Campaigns))
	}
}

// Proves CHK-04, CHK-15, TAX-01.
func TestStart_IgnoresClientPrices(t *testing.T) {
	w := newFixture(t)
	body := `{"campaignSlug":"film","email":"a@example.org","subtotal":1,"tax":1,"taxCents":1,"shipping":1,"amount":1,"total":1,"unknown":{"a":[1]},
		"items":[{"id":"film__seat","quantity":1,"price":0.01,"unitPrice":1,"amount":1,"customFields":[{"name":"_x","value":"y"}]}]}`
	var r checkout.StartRequest
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	if got := w.start(r).Campaigns[0].Totals; got.Subtotal != 2500 || got.Tax != 250 || got.Shipping != 0 {
		t.Errorf("%+v", got)
	}
}

// Proves CAM-14.
func TestStart_ThresholdReached(t *testing.T) {
	w := newFixture(t)
	premiere := request("b@example.org", one("film__thanks"), one("film__premiere"))
	w.pledge(request("a@example.org", seats(1), one("game__print"),
		checkout.Item{ID: "film__support__lens", Amount: new(int64(24))}))
	if _, err := w.svc.Start(w.ctx, premiere); codeOf(err) != fault.Invalid || fault.Of(err).Field != "items[1].id" {
		t.Errorf("one dollar below the threshold: %v", err)
	}
	w.pledge(request("a@example.org", checkout.Item{ID: "film__support__lens", Amount: new(int64(1))}))
	w.start(premiere)
}

// Proves TAX-12.
func TestQuote_ShippingAndTax(t *testing.T) {
	w := newFixture(t)
	before := w.dump()
	c := checkout.Cart{Items: []checkout.Item{{ID: "film__poster", Quantity: new(2)},
		one("game__box"), one("addon__sticker")}}
	s := must[checkout.ShippingQuote](t)(w.svc.QuoteShipping(w.ctx, c))
	if s.Shipping != 1300 || len(s.Quotes) != 3 || s.Quotes[0].Shipping != 300 ||
		s.Quotes[2].Reason != "campaign_flat_rate" {
		t.Errorf("shipping %+v", s)
	}
	q := must[checkout.TaxQuote](t)(w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: c}))
	if q.Subtotal != 14400 || q.Shipping != 1300 || q.Tax != 1440 || q.Tip != 720 || q.Amount != 17860 ||
		q.Provisional || len(q.Campaigns) != 2 {
		t.Errorf("tax %+v", q)
	}
	q = must[checkout.TaxQuote](t)(w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{
		Cart: checkout.Cart{BillingAddress: &pledge.Address{Country: "CA"}}, Subtotal: new(money.Cents(5010)),
		Shipping: new(money.Cents(300)),
	}))
	if !q.Provisional || q.Tax != 0 || q.Tip != 251 || q.Amount != 5561 || // half a cent rounds up
		!cmp.Equal(q.Missing, []string{"postalCode"}) {
		t.Errorf("provisional %+v", q)
	}
	for field, r := range map[string]checkout.TaxQuoteRequest{
		"subtotalCents": {},
		"shippingCents": {Subtotal: new(money.Cents(1)), Shipping: new(money.Cents(-1))},
		"tipPercent":    {Cart: checkout.Cart{TipPercent: new(99)}, Subtotal: new(money.Cents(1))},
	} {
		if _, err := w.svc.QuoteTax(w.ctx, r); codeOf(err) != fault.Invalid || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := w.svc.QuoteTax(w.ctx,
		checkout.TaxQuoteRequest{Subtotal: new(money.Max + 1)}); codeOf(err) != fault.Invalid {
		t.Errorf("subtotal above the limit: %v", err)
	}
	if w.dump() != before {
		t.Error("a quote changed the store")
	}
}

func TestRequests_Invalid(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", one("film__thanks")))
	before := w.dump()
	for name, call := range map[string]struct {
		err  error
		want fault.Code
	}{
		"complete without order": {errOf(w.svc.Complete(w.ctx, checkout.CompleteRequest{})), fault.Invalid},
		"complete unknown": {errOf(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: "pw-01jc0000000000000000000000", SessionID: "x"})), fault.NotFound},
		"complete a path": {errOf(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: "../" + s.OrderID, SessionID: s.SessionID})), fault.Invalid},
		"complete without session": {errOf(w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID})),
			fault.Conflict},
		"complete a pledge": {errOf(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: s.OrderID + "-film", SessionID: s.SessionID})), fault.Conflict},
		"recover without session": {errOf(w.svc.Recover(w.ctx, checkout.RecoverRequest{})), fault.Invalid},
		"recover open session": {errOf(w.svc.Recover(w.ctx,
			checkout.RecoverRequest{SessionID: s.SessionID})), fault.Conflict},
		"recover as another order": {errOf(w.svc.Recover(w.ctx,
			checkout.RecoverRequest{SessionID: s.SessionID, OrderID: "x"})),
			fault.Conflict},
		"abandon without token": {errOf(w.svc.Abandon(w.ctx, checkout.AbandonRequest{})), fault.Unauthorized},
		"summary of another order": {errOf(w.svc.Summary(w.ctx, "pw-01jc0000000000000000000000", s.Token)),
			fault.Unauthorized},
	} {
		if codeOf(call.err) != call.want {
			t.Errorf("%s: %v (%s)", name, call.err, codeOf(call.err))
		}
	}
	if w.dump() != before {
		t.Error("something was written")
	}
}

func errOf[T any](_ T, err error) error { return err }

func FuzzCart(f *testing.F) {
	for _, seed := range []string{
		`{"campaignSlug":"film","items":[{"id":"film__seat","quantity":2}]}`,
		`{"items":[{"id":"addon__shirt__variant__s"},{"id":"film__support__lens","amount":5}],"customAmount":3}`,
		`{"items":[{"id":"film__addon__mug__variant__"}]}`, `{"items":null}`, `[]`, `{"items":[{"id":"__"}]}`,
		`{"items":[{"id":"addon"},{"id":"film__custom-support","amount":9223372036854775807}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var c checkout.Cart
		if json.Unmarshal(body, &c) != nil {
			return
		}
		w := newFixture(t)
		before := w.dump()
		s, err := w.svc.Start(w.ctx, checkout.StartRequest{Cart: c, Email: "a@example.org"})
		if err == nil {
			if s.Amount <= 0 || s.Amount > money.Max || len(s.Campaigns) == 0 {
				t.Errorf("started %+v", s)
			}
			for _, c := range s.Campaigns {
				if c.Amount < money.MinCharge || c.Amount > money.MaxCharge {
					t.Errorf("amount %s cannot be charged", c.Amount)
				}
			}
			return
		}
		if fault.Of(err) == nil || codeOf(err) == fault.Internal {
			t.Errorf("not a fault: %v", err)
		}
		if codeOf(err) != fault.SoldOut && w.dump() != before {
			t.Error("a rejected cart was written to the store")
		}
	})
}
