package checkout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

func items(list ...checkout.Item) *[]checkout.Item { return &list }

// Proves SUP-07, PLG-62, PLG-63.
func TestChange_ChargedOrEnded(t *testing.T) {
	for name, prepare := range map[string]func(w *fixture, id string){
		"ended": func(w *fixture, _ string) { w.advance(30 * 24 * time.Hour) },
		"being charged": func(w *fixture, id string) {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
		},
		"charged": func(w *fixture, id string) {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
			must[*pledge.Pledge](w.t)(w.svc.Orders.MarkCharged(w.ctx, id, "g", 1,
				order.Charged{PaymentIntentID: "pi_1", At: w.clock()}))
		},
	} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		prepare(w, id)
		tok := w.link(id)
		if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok}); codeOf(err) != fault.Conflict {
			t.Errorf("%s: cancelled: %v", name, err)
		}
		if _, err := w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: tok, TipPercent: new(1)}); codeOf(err) != fault.Conflict {
			t.Errorf("%s: modified: %v", name, err)
		}
		if _, err := w.svc.StartCard(w.ctx,
			checkout.CardRequest{Token: tok}); (codeOf(err) == fault.Conflict) != (name == "charged") {
			t.Errorf("%s: StartCard: %v", name, err)
		}
		v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok))
		if v.CanCancel || v.CanModify || v.DeadlinePassed != (name == "ended") {
			t.Errorf("%s: view %+v", name, v)
		}
		w.advance(time.Hour)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 0 ||
			w.read(id).Status == pledge.Cancelled {
			t.Errorf("%s: swept %+v", name, got)
		}
	}
}

// Proves SUP-07, SUP-08, PLG-22, PLG-59, PLG-60, PLG-61, INV-09.
func TestModify(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1),
		checkout.Item{ID: "film__support__lens", Amount: new(int64(10))})).OrderID
	tok := w.link(id)
	r := checkout.ModifyRequest{Token: tok, TipPercent: new(0), CustomAmount: new(int64(9)), Items: items(
		seats(3), checkout.Item{ID: "film__support__lens", Amount: new(int64(4))}, one("addon__sound"))}
	r.DryRun = true
	before := w.dump()
	dry := must[checkout.Modified](t)(w.svc.Modify(w.ctx, r))
	if w.dump() != before || !dry.DryRun {
		t.Error("a dry run changed the store")
	}
	r.DryRun = false
	got := must[checkout.Modified](t)(w.svc.Modify(w.ctx, r))
	// 75 + 4 + 9 + 7 = 95, of which 88 count toward the goal; tax 9.50
	want := pledge.Totals{Subtotal: 9500, Tax: 950, Amount: 10450, CampaignSubtotal: 8800}
	if got.Current != want || dry.Current != want || got.Delta != want.Amount-got.Previous.Amount ||
		dry.Delta != got.Delta || got.Revision != 2 {
		t.Errorf("modified %+v, dry run %+v", got, dry)
	}
	p := w.read(id)
	if p.Totals != want || p.Status != pledge.Active || len(p.History) != 2 ||
		p.History[1].Type != "modified" || p.History[1].Totals != want {
		t.Errorf("pledge %+v", p)
	}
	s := w.snapshot("film")
	if s.Totals.Counted != 8800 || s.Stock["tier/seat"] != (inventory.Stock{Committed: 3}) ||
		s.Support["lens"] != 400 || s.Totals.Custom != 900 {
		t.Errorf("campaign %+v", s)
	}
	if v, _ := w.value("stats:film"); !strings.Contains(v, `"pledgedAmount":8800`) {
		t.Errorf("stats %s", v)
	}
	if v, _ := w.value("tier-inventory:film"); !strings.Contains(v, `"claimed":3,"reserved":0,"remaining":0`) {
		t.Errorf("inventory %s", v)
	}
	// Change back: the units are released.
	must[checkout.Modified](t)(w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, ExpectedRevision: 2, Items: items(one("film__thanks"))}))
	w.start(request("b@example.org", seats(3)))
	if st := w.stock(inventory.Platform, "add-on/sound"); st != (inventory.Stock{}) {
		t.Errorf("platform %+v", st)
	}
}

// A tip in cents is kept when other parts of the pledge change.
func TestModify_OwnTip(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(1))
	r.TipPercent, r.Tip = nil, new(money.Cents(333))
	id := w.pledge(r).OrderID
	tok := w.link(id)
	if p := w.read(id); p.TipAmount != 333 || p.TipPercent != 0 {
		t.Fatalf("pledge %+v", p.Totals)
	}
	got := must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2))}))
	if got.Current.TipAmount != 333 || got.Current.Amount != 5000+500+333 {
		t.Errorf("another selection: %+v", got.Current)
	}
	if _, err := w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, Tip: new(money.Cents(333))}); !fault.Is(err, fault.Invalid) {
		t.Errorf("same tip: %v", err)
	}
	got = must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Tip: new(money.Cents(50))}))
	if got.Current.TipAmount != 50 {
		t.Errorf("another tip: %+v", got.Current)
	}
	got = must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: new(0)}))
	if got.Current.TipAmount != 0 {
		t.Errorf("no tip: %+v", got.Current)
	}
}

// Each part of a pledge can be changed separately.
//
// Proves SUP-07.
func TestModify_OnePart(t *testing.T) {
	w := newFixture(t)
	lens := func(dollars int64) checkout.Item { return checkout.Item{ID: "film__support__lens", Amount: &dollars} }
	r := request("a@example.org", seats(1), lens(10))
	r.CustomAmount = new(int64(20))
	tok := w.link(w.pledge(r).OrderID)
	for name, c := range map[string]struct {
		r    checkout.ModifyRequest
		want money.Cents // 25 + 10 + 20 plus the change
	}{
		"tier": {checkout.ModifyRequest{Items: items(one("film__thanks"), lens(10)), CustomAmount: new(int64(20))},
			5500 - 2500 + 500},
		"quantity": {checkout.ModifyRequest{Items: items(seats(2), lens(10)), CustomAmount: new(int64(20))},
			5500 + 2500},
		"support items": {checkout.ModifyRequest{Items: items(seats(1), lens(4)), CustomAmount: new(int64(20))},
			5500 - 600},
		"custom support": {checkout.ModifyRequest{CustomAmount: new(int64(9))}, 5500 - 1100},
	} {
		c.r.Token, c.r.DryRun = tok, true
		if got, err := w.svc.Modify(w.ctx, c.r); err != nil || got.Current.Subtotal != c.want {
			t.Errorf("%s: %s, %v, want %s", name, got.Current.Subtotal, err, c.want)
		}
	}
}

// Proves CAM-12: a change cannot add a second unit of a tier that is not stackable.
func TestModify_Rejections(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), one("film__thanks"))).OrderID
	w.pledge(request("b@example.org", seats(1)))
	tok := w.link(id)
	before := w.finalState()
	for name, c := range map[string]struct {
		r     checkout.ModifyRequest
		want  fault.Code
		field string
	}{
		"no change": {checkout.ModifyRequest{}, fault.Invalid, ""},
		"same items": {checkout.ModifyRequest{Items: items(seats(1), one("film__thanks")), TipPercent: new(5)},
			fault.Invalid, ""},
		"two units of a single-unit tier": {checkout.ModifyRequest{Items: items(seats(1),
			checkout.Item{ID: "film__thanks", Quantity: new(2)})}, fault.Invalid, "items[1].quantity"},
		"sold out": {checkout.ModifyRequest{Items: items(seats(3))}, fault.SoldOut, "items[0].quantity"},
		"sold out add-on": {checkout.ModifyRequest{Items: items(seats(1),
			checkout.Item{ID: "addon__shirt__variant__s", Quantity: new(3)})}, fault.SoldOut, "items[1].quantity"},
		"another campaign": {checkout.ModifyRequest{Items: items(one("game__print"))}, fault.Invalid, "items"},
		"empty":            {checkout.ModifyRequest{Items: items()}, fault.Invalid, "items"},
		"tip":              {checkout.ModifyRequest{TipPercent: new(16)}, fault.Invalid, "tipPercent"},
		"old revision": {checkout.ModifyRequest{ExpectedRevision: 7, TipPercent: new(1)},
			fault.Conflict, "expectedRevision"},
		"threshold": {checkout.ModifyRequest{Items: items(one("film__premiere"), one("film__thanks"))},
			"", ""},
		"physical": {checkout.ModifyRequest{Items: items(one("film__poster"))}, fault.Invalid,
			"shippingAddress"},
		"platform add-on only": {checkout.ModifyRequest{Items: items(one("addon__sound"))}, fault.Invalid, "items"},
		"custom":               {checkout.ModifyRequest{CustomAmount: new(int64(501))}, fault.Invalid, "customAmount"},
	} {
		c.r.Token, c.r.DryRun = tok, c.want == ""
		_, err := w.svc.Modify(w.ctx, c.r)
		if codeOf(err) != c.want || err != nil && fault.Of(err).Field != c.field {
			t.Errorf("%s: %v (%s)", name, err, codeOf(err))
		}
	}
	if diff := cmp.Diff(before, w.finalState()); diff != "" {
		t.Error(diff)
	}
}

// Changing items or the shipping address is a change; sending the current values
// is not.
func TestModify_ShippingAddressAndOption(t *testing.T) {
	away := homeAddress()
	away.Line1 = "2 Main St"
	physical, digital := shipped(request("a@example.org", checkout.Item{ID: "film__poster"})),
		request("a@example.org", seats(1))
	signed := physical
	signed.ShippingOption = "signature_required"
	for name, c := range map[string]struct {
		from    checkout.StartRequest
		r       checkout.ModifyRequest
		changes bool
	}{
		"same address":         {physical, checkout.ModifyRequest{ShippingAddress: homeAddress()}, false},
		"another address":      {physical, checkout.ModifyRequest{ShippingAddress: away}, true},
		"first address":        {digital, checkout.ModifyRequest{ShippingAddress: homeAddress()}, true},
		"no address":           {digital, checkout.ModifyRequest{TipPercent: new(5)}, false},
		"same option":          {signed, checkout.ModifyRequest{ShippingOption: new("signature_required")}, false},
		"standard option":      {physical, checkout.ModifyRequest{ShippingOption: new("standard")}, false},
		"no option":            {physical, checkout.ModifyRequest{ShippingOption: new("")}, false},
		"another option":       {physical, checkout.ModifyRequest{ShippingOption: new("signature_required")}, true},
		"back to the standard": {signed, checkout.ModifyRequest{ShippingOption: new("")}, true},
	} {
		w := newFixture(t)
		id := w.pledge(c.from).OrderID
		c.r.Token = w.link(id)
		_, err := w.svc.Modify(w.ctx, c.r)
		if (err == nil) != c.changes || err != nil && fault.Of(err).Message != "No changes specified" {
			t.Errorf("%s: %v", name, err)
		}
		p := w.read(id)
		if c.changes && c.r.ShippingAddress != nil &&
			(p.ShippingAddress == nil || p.ShippingAddress.Line1 != c.r.ShippingAddress.Line1) {
			t.Errorf("%s: ships to %+v", name, p.ShippingAddress)
		}
		if o := c.r.ShippingOption; c.changes && o != nil && *o != "" && p.ShippingOption != *o {
			t.Errorf("%s: shipping option %q", name, p.ShippingOption)
		}
	}
}

// Proves MON-24.
func TestModify_HeldPrices(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), one("film__thanks"))).OrderID
	tok := w.link(id)
	w.files["campaigns/film.md"].Data = []byte(strings.NewReplacer("price: 25", "price: 30",
		"  - {id: thanks, name: Thanks, price: 5}\n", "").Replace(filmFile))
	w.reload()
	got := must[checkout.Modified](t)(w.svc.Modify(w.ctx,
		checkout.ModifyRequest{Token: tok, Items: items(seats(2), one("film__thanks"))}))
	var prices []money.Cents
	for _, l := range got.Lines {
		prices = append(prices, l.UnitPrice)
	}
	// One seat at the promised price, one at the current price, and a removed tier.
	if diff := cmp.Diff([]money.Cents{2500, 3000, 500}, prices); diff != "" {
		t.Error(diff)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock %+v", st)
	}
	// A stored price out of range is not used.
	for _, bad := range []money.Cents{money.Max + 1, -1} {
		p := w.read(id)
		ch := order.Change{Lines: []pledge.Line{{Kind: pledge.TierLine, ID: "seat", Name: "Seat",
			Quantity: 1, UnitPrice: bad, Amount: 100}}, Promise: p.Promise}
		ch.Totals, _ = pledge.CalculateTotals(ch.Lines, 0, 0, pledge.Tip{})
		must[*pledge.Pledge](t)(w.svc.Orders.Modify(w.ctx, id, p.Revision, "bad"+bad.String(), ch))
		got = must[checkout.Modified](t)(w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: tok, TipPercent: new(int(3 - bad%2))}))
		if got.Lines[0].UnitPrice != 3000 {
			t.Errorf("stored price %d became %s", bad, got.Lines[0].UnitPrice)
		}
	}
}
