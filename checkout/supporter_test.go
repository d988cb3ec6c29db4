package checkout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

func items(list ...checkout.Item) *[]checkout.Item { return &list }

// Proves SUP-01, SUP-03, SUP-04, SUP-05.
func TestView_TokenScope(t *testing.T) {
	w := newFixture(t)
	a := w.pledge(request("a@example.org", seats(1))).OrderID
	b := w.pledge(request("a@example.org", one("film__thanks"))).OrderID // the same supporter
	tok := w.link(a)
	if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); v.OrderID != a || !v.CanModify || !v.CanCancel || !v.CanUpdateCard || v.CampaignTitle != "Film" || !v.CreatedAt.Equal(w.clock()) {
		t.Errorf("view %+v", v)
	}
	if list := must[[]checkout.PledgeView](t)(w.svc.List(w.ctx, tok)); len(list) != 1 || list[0].OrderID != a {
		t.Errorf("list %+v", list)
	}
	before := w.dump()
	sign := func(c token.Claims) string {
		c.Expires = w.clock().Add(time.Hour)
		return must[string](t)(w.svc.Links.Signer.Sign(c))
	}
	for name, c := range map[string]struct {
		tok, order string
		want       fault.Code
	}{
		"no token":        {"", "", fault.Unauthorized},
		"nonsense":        {"x.y", "", fault.Unauthorized},
		"another order":   {tok, b, fault.Forbidden},
		"other scope":     {sign(token.Claims{Scope: token.Checkout, OrderID: a, Email: "a@example.org", CampaignSlug: "film"}), "", fault.Unauthorized},
		"another email":   {sign(token.Claims{Scope: token.Manage, OrderID: a, Email: "b@example.org", CampaignSlug: "film"}), "", fault.Forbidden},
		"another slug":    {sign(token.Claims{Scope: token.Manage, OrderID: a, Email: "a@example.org", CampaignSlug: "game"}), "", fault.Forbidden},
		"unknown order":   {sign(token.Claims{Scope: token.Manage, OrderID: "pw-01jc0000000000000000000000", Email: "a@example.org", CampaignSlug: "film"}), "", fault.NotFound},
		"malformed order": {sign(token.Claims{Scope: token.Manage, OrderID: "x", Email: "a@example.org", CampaignSlug: "film"}), "", fault.NotFound},
	} {
		if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("cancel with %s: %v", name, err)
		}
		if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: c.tok, OrderID: c.order, TipPercent: new(1)}); codeOf(err) != c.want {
			t.Errorf("modify with %s: %v", name, err)
		}
		if _, err := w.svc.StartCard(w.ctx, checkout.CardRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("card with %s: %v", name, err)
		}
		if _, err := w.svc.StartApproval(w.ctx, checkout.ApprovalRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("approval with %s: %v", name, err)
		}
		if _, err := w.svc.CompleteApproval(w.ctx, checkout.ApprovalRequest{Token: c.tok, OrderID: c.order}); codeOf(err) != c.want {
			t.Errorf("complete approval with %s: %v", name, err)
		}
		if c.order == "" {
			if _, err := w.svc.View(w.ctx, c.tok); codeOf(err) != c.want {
				t.Errorf("view with %s: %v", name, err)
			}
		}
	}
	w.advance(token.ManageLife + time.Hour)
	if _, err := w.svc.View(w.ctx, tok); codeOf(err) != fault.Unauthorized {
		t.Errorf("expired token: %v", err)
	}
	w.advance(-token.ManageLife - time.Hour)
	if w.dump() != before {
		t.Error("something was written")
	}
}

// Proves PLG-56, PLG-57, PLG-58, INV-08.
func TestCancel(t *testing.T) {
	w := newFixture(t)
	r := shipped(request("a@example.org", seats(3), one("film__addon__mug"), one("addon__sticker"), one("addon__sound")))
	id := w.pledge(r).OrderID
	tok := w.link(id)
	if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok, Reason: strings.Repeat("ñ", checkout.MaxCancelReason+1)}); codeOf(err) != fault.Invalid {
		t.Errorf("long reason: %v", err)
	}
	why := strings.Repeat("ñ", checkout.MaxCancelReason)
	got := must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok, Reason: " " + why + "\n"}))
	if last := got.Pledge.History[len(got.Pledge.History)-1]; last.Type != "cancelled" || last.Reason != why {
		t.Errorf("history %+v", last)
	}
	if !got.Pledge.Now.Equal(w.now) {
		t.Errorf("view's time: %v", got.Pledge.Now)
	}
	if !got.Success || got.Pledge.Status != pledge.Cancelled || got.Pledge.CanCancel || got.Pledge.CanModify || got.Pledge.CanUpdateCard {
		t.Errorf("cancelled %+v", got)
	}
	if s := w.snapshot("film"); s.Totals.Counted != 0 || s.Totals.Pledges() != 0 || s.Totals.Listed != 1 || s.Stock["tier/seat"] != (inventory.Stock{}) || s.Stock["add-on/mug"] != (inventory.Stock{}) {
		t.Errorf("campaign %+v", s)
	}
	if s := w.snapshot(inventory.Platform).Stock; s["add-on/sound"] != (inventory.Stock{}) || s["add-on/sticker"] != (inventory.Stock{}) {
		t.Errorf("platform %+v", s)
	}
	if storedStatus(w, id) != "cancelled2" {
		t.Errorf("stored status: %s", storedStatus(w, id))
	}
	w.wantPublicStock("cancelled", 0, 3)
	if v, _ := w.value("stats:film"); !strings.Contains(v, `"pledgedAmount":0`) {
		t.Errorf("stats %s", v)
	}
	if list := must[[]checkout.PledgeView](t)(w.svc.List(w.ctx, tok)); len(list) != 0 {
		t.Errorf("list %+v", list)
	}
	before := w.end()
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok}))
	if diff := cmp.Diff(before, w.end()); diff != "" {
		t.Errorf("cancelling again changes\n%s", diff)
	}
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: new(1)}); codeOf(err) != fault.Conflict {
		t.Errorf("modifying a cancelled pledge: %v", err)
	}
	if n := len(keys(w.db.Snapshot().Stores["PLEDGES"], "email-outbox:v1:")); n != 2 {
		t.Errorf("%d mails, want the confirmation and the cancellation", n)
	}
	w.start(request("b@example.org", seats(3)))
}

// Proves SUP-07, PLG-62, PLG-63.
func TestChange_ChargedOrEnded(t *testing.T) {
	for name, prepare := range map[string]func(w *fixture, id string){
		"over": func(w *fixture, _ string) { w.advance(30 * 24 * time.Hour) },
		"being charged": func(w *fixture, id string) {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
		},
		"charged": func(w *fixture, id string) {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
			must[*pledge.Pledge](w.t)(w.svc.Orders.Charge(w.ctx, id, "g", 1, order.Charged{PaymentIntentID: "pi_1", At: w.clock()}))
		},
	} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		prepare(w, id)
		tok := w.link(id)
		if _, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok}); codeOf(err) != fault.Conflict {
			t.Errorf("%s: cancelled: %v", name, err)
		}
		if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: new(1)}); codeOf(err) != fault.Conflict {
			t.Errorf("%s: modified: %v", name, err)
		}
		if _, err := w.svc.StartCard(w.ctx, checkout.CardRequest{Token: tok}); (codeOf(err) == fault.Conflict) != (name == "charged") {
			t.Errorf("%s: StartCard: %v", name, err)
		}
		v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok))
		if v.CanCancel || v.CanModify || v.DeadlinePassed != (name == "over") {
			t.Errorf("%s: view %+v", name, v)
		}
		w.advance(time.Hour)
		if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10)); got.Left != 0 || w.read(id).Status == pledge.Cancelled {
			t.Errorf("%s: swept %+v", name, got)
		}
	}
}

// Proves SUP-07, SUP-08, PLG-22, PLG-59, PLG-60, PLG-61, INV-09.
func TestModify(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), checkout.Item{ID: "film__support__lens", Amount: new(int64(10))})).OrderID
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
	if got.Current != want || dry.Current != want || got.Delta != want.Amount-got.Previous.Amount || dry.Delta != got.Delta || got.Revision != 2 {
		t.Errorf("modified %+v, dry %+v", got, dry)
	}
	p := w.read(id)
	if p.Totals != want || p.Status != pledge.Active || len(p.History) != 2 || p.History[1].Type != "modified" || p.History[1].Totals != want {
		t.Errorf("pledge %+v", p)
	}
	s := w.snapshot("film")
	if s.Totals.Counted != 8800 || s.Stock["tier/seat"] != (inventory.Stock{Committed: 3}) || s.Support["lens"] != 400 || s.Totals.Custom != 900 {
		t.Errorf("campaign %+v", s)
	}
	if v, _ := w.value("stats:film"); !strings.Contains(v, `"pledgedAmount":8800`) {
		t.Errorf("stats %s", v)
	}
	if v, _ := w.value("tier-inventory:film"); !strings.Contains(v, `"claimed":3,"reserved":0,"remaining":0`) {
		t.Errorf("inventory %s", v)
	}
	// Change back: the units are released.
	must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, ExpectedRevision: 2, Items: items(one("film__thanks"))}))
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
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Tip: new(money.Cents(333))}); !fault.Is(err, fault.Invalid) {
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
		"tier":           {checkout.ModifyRequest{Items: items(one("film__thanks"), lens(10)), CustomAmount: new(int64(20))}, 5500 - 2500 + 500},
		"quantity":       {checkout.ModifyRequest{Items: items(seats(2), lens(10)), CustomAmount: new(int64(20))}, 5500 + 2500},
		"support items":  {checkout.ModifyRequest{Items: items(seats(1), lens(4)), CustomAmount: new(int64(20))}, 5500 - 600},
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
	before := w.end()
	for name, c := range map[string]struct {
		r     checkout.ModifyRequest
		want  fault.Code
		field string
	}{
		"nothing":           {checkout.ModifyRequest{}, fault.Invalid, ""},
		"same items":        {checkout.ModifyRequest{Items: items(seats(1), one("film__thanks")), TipPercent: new(5)}, fault.Invalid, ""},
		"two of one":        {checkout.ModifyRequest{Items: items(seats(1), checkout.Item{ID: "film__thanks", Quantity: new(2)})}, fault.Invalid, "items[1].quantity"},
		"sold out":          {checkout.ModifyRequest{Items: items(seats(3))}, fault.SoldOut, "items[0].quantity"},
		"sold out add-on":   {checkout.ModifyRequest{Items: items(seats(1), checkout.Item{ID: "addon__shirt__variant__s", Quantity: new(3)})}, fault.SoldOut, "items[1].quantity"},
		"another campaign":  {checkout.ModifyRequest{Items: items(one("game__print"))}, fault.Invalid, "items"},
		"empty":             {checkout.ModifyRequest{Items: items()}, fault.Invalid, "items"},
		"tip":               {checkout.ModifyRequest{TipPercent: new(16)}, fault.Invalid, "tipPercent"},
		"old revision":      {checkout.ModifyRequest{ExpectedRevision: 7, TipPercent: new(1)}, fault.Conflict, "expectedRevision"},
		"threshold":         {checkout.ModifyRequest{Items: items(one("film__premiere"), one("film__thanks"))}, "", ""},
		"physical":          {checkout.ModifyRequest{Items: items(one("film__poster"))}, fault.Invalid, "shippingAddress"},
		"only the platform": {checkout.ModifyRequest{Items: items(one("addon__sound"))}, fault.Invalid, "items"},
		"custom":            {checkout.ModifyRequest{CustomAmount: new(int64(501))}, fault.Invalid, "customAmount"},
	} {
		c.r.Token, c.r.DryRun = tok, c.want == ""
		_, err := w.svc.Modify(w.ctx, c.r)
		if codeOf(err) != c.want || err != nil && fault.Of(err).Field != c.field {
			t.Errorf("%s: %v (%s)", name, err, codeOf(err))
		}
	}
	if diff := cmp.Diff(before, w.end()); diff != "" {
		t.Error(diff)
	}
}

// Changing items or the shipping address is a change; sending the current values
// is not.
func TestModify_ShippingAddressAndOption(t *testing.T) {
	away := homeAddress()
	away.Line1 = "2 Main St"
	physical, digital := shipped(request("a@example.org", checkout.Item{ID: "film__poster"})), request("a@example.org", seats(1))
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
		if c.changes && c.r.ShippingAddress != nil && (p.ShippingAddress == nil || p.ShippingAddress.Line1 != c.r.ShippingAddress.Line1) {
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
	w.files["campaigns/film.md"].Data = []byte(strings.NewReplacer("price: 25", "price: 30", "  - {id: thanks, name: Thanks, price: 5}\n", "").Replace(filmFile))
	w.reload()
	got := must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(2), one("film__thanks"))}))
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
		ch := order.Change{Lines: []pledge.Line{{Kind: pledge.TierLine, ID: "seat", Name: "Seat", Quantity: 1, UnitPrice: bad, Amount: 100}}, Promise: p.Promise}
		ch.Totals, _ = pledge.Add(ch.Lines, 0, 0, 0)
		must[*pledge.Pledge](t)(w.svc.Orders.Modify(w.ctx, id, p.Revision, "bad"+bad.String(), ch))
		got = must[checkout.Modified](t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: new(int(3 - bad%2))}))
		if got.Lines[0].UnitPrice != 3000 {
			t.Errorf("stored price %d became %s", bad, got.Lines[0].UnitPrice)
		}
	}
}

// Proves PLG-16.
func TestCardUpdate_WithoutWebhook(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), one("game__print"))).OrderID + "-film"
	old := w.read(id)
	w.advance(time.Minute)
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
	r := checkout.CompleteRequest{OrderID: id, SessionID: card.SessionID}
	if _, err := w.svc.Complete(w.ctx, r); codeOf(err) != fault.Conflict {
		t.Errorf("Complete before the card is saved: %v", err)
	}
	w.save(card.SessionID)
	other := checkout.CompleteRequest{OrderID: strings.Replace(id, "-film", "-game", 1), SessionID: card.SessionID}
	if _, err := w.svc.Complete(w.ctx, other); codeOf(err) != fault.Conflict {
		t.Errorf("Complete for another pledge: %v", err)
	}
	must[checkout.Completed](t)(w.svc.Complete(w.ctx, r))
	if w.read(id).PaymentMethodID == old.PaymentMethodID || w.read(other.OrderID).PaymentMethodID != old.PaymentMethodID {
		t.Error("the card was set on the wrong pledge")
	}
}

// The most recently saved card is used, regardless of the order of the webhooks.
func TestCardUpdate_OutOfOrder(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	var sessions []string
	for range 2 {
		w.advance(time.Minute)
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
		w.save(card.SessionID)
		sessions = append(sessions, card.SessionID)
	}
	newest := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, sessions[1])).PaymentMethodID
	for _, i := range []int{1, 0, 1} {
		must[checkout.Completed](t)(w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: id, SessionID: sessions[i]}))
		if w.read(id).PaymentMethodID != newest {
			t.Errorf("the pledge has the wrong card after session %d", i)
		}
	}
}

// A card that was saved too late is detached. A card whose session is unknown to its order is
// kept: the order may have been rolled back, and a charge to the card may be in progress.
func TestCardUpdate_DetachesLateCard(t *testing.T) {
	for name, known := range map[string]bool{"known": true, "forgotten": false} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		w.advance(time.Minute)
		session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID
		if !known {
			was := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session))
			session = must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{
				Key: "lost", CustomerID: w.read(id).CustomerID, Expires: w.clock().Add(time.Hour), Metadata: was.Metadata, UIMode: psp.Custom, ReturnURL: "https://example.org/",
			})).ID
		}
		w.save(session)
		card := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session)).PaymentMethodID
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
		if err := w.deliver(); err != nil {
			t.Fatal(err)
		}
		if at := must[psp.Card](t)(w.svc.Processor.Card(w.ctx, card)); (at.CustomerID == "") != known {
			t.Errorf("card of a session that is %s: %+v", name, at)
		}
	}
}

// The event of a replaced card is redelivered while a newer card is charged: the
// pledge is claimed, settlement rejects the change, and the card of the open
// charge is kept.
func TestCardUpdate_KeepsCardOfOpenCharge(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	fail := func(generation int) {
		must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", generation))
		must[*pledge.Pledge](t)(w.svc.Orders.Fail(w.ctx, id, "g", generation, pledge.Failure{Kind: "declined", Generation: generation, At: w.clock()}, pledge.Recovery{Lane: pledge.NewCard}))
	}
	replace := func() {
		w.advance(time.Minute)
		w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID)
	}
	w.svc.Retry = func(context.Context, string, string) error { return fault.New(fault.Conflict, "charging is stopped") }
	all := &detachCounter{Processor: w.svc.Processor}
	w.svc.Processor = all
	fail(1)
	replace()
	if err := w.deliver(); codeOf(err) != fault.Conflict {
		t.Errorf("new card for a claimed pledge: %v", err)
	}
	used := w.read(id).PaymentMethodID
	w.svc.Retry = nil
	if err := w.deliver(); err != nil {
		t.Errorf("after that: %v", err)
	}
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 2))
	replace()
	if err := w.deliver(); err != nil {
		t.Errorf("redelivered event of the replaced card: %v", err)
	}
	if w.read(id).PaymentMethodID == used || len(all.cards) > 0 {
		t.Errorf("deleted cards %q, charged card %q", all.cards, used)
	}
}

// detachCounter counts detached cards.
type detachCounter struct {
	psp.Processor
	cards []string
}

func (p *detachCounter) DetachCard(ctx context.Context, id, key string) error {
	p.cards = append(p.cards, id)
	return p.Processor.DetachCard(ctx, id, key)
}

// A cancelled pledge shows when its card was deleted: immediately, unless another pledge of the
// same checkout still needs the card.
func TestCancel_ShowsDeletedCard(t *testing.T) {
	w := newFixture(t)
	started := w.pledge(bundle())
	for n, c := range started.Campaigns {
		out := must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(c.OrderID)}))
		last := n == len(started.Campaigns)-1
		if deleted := out.Pledge.CardForgottenAt; (deleted != nil) != last || last && !deleted.Equal(w.svc.Now()) {
			t.Errorf("pledge %d of %d: card deleted at %v", n+1, len(started.Campaigns), deleted)
		}
	}
	first := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(started.Campaigns[0].OrderID)))
	if first.CardForgottenAt == nil {
		t.Error("the first pledge shows no deleted card")
	}
}

// Only cards of complete sessions of this mode are detached.
func TestCardUpdate_DetachesNoOtherCard(t *testing.T) {
	for name, change := range map[string]func(*psp.Session){
		"unchanged":    func(*psp.Session) {},
		"another mode": func(s *psp.Session) { s.Mode = psp.Live },
	} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		w.advance(time.Minute)
		session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID
		w.save(session)
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
		all := &detachCounter{Processor: w.svc.Processor}
		w.svc.Processor = incompleteCards{all, change}
		if err := w.deliver(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(all.cards); (n == 1) != (name == "unchanged") || n > 1 {
			t.Errorf("%s: deleted cards %q", name, all.cards)
		}
	}
}

// An event is retried until its session contains the card.
func TestCardUpdate_CardNotYetVisible(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	old := w.read(id).PaymentMethodID
	w.advance(time.Minute)
	w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID)
	w.svc.Processor = incompleteCards{w.svc.Processor, func(s *psp.Session) { s.Status, s.CustomerID, s.PaymentMethodID = psp.Open, "", "" }}
	if err := w.deliver(); codeOf(err) != fault.Conflict {
		t.Errorf("session still open: %v", err)
	}
	w.restart()
	if err := w.deliver(); err != nil || w.read(id).PaymentMethodID == old {
		t.Errorf("session complete: %v, card %q", err, w.read(id).PaymentMethodID)
	}
}

// A late card whose order cannot be read is detached on redelivery.
func TestCardUpdate_DetachRetry(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.advance(time.Minute)
	session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID
	w.save(session)
	card := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session)).PaymentMethodID
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "get" {
			return errors.New("no response")
		}
		return nil
	}
	if err := w.deliver(); codeOf(err) != fault.Unavailable {
		t.Errorf("order cannot be read: %v", err)
	}
	w.fail = nil
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if at := must[psp.Card](t)(w.svc.Processor.Card(w.ctx, card)); at.CustomerID != "" {
		t.Errorf("card %+v", at)
	}
}

// Proves PLG-55, WHK-30.
func TestCardUpdate(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	old := w.read(id)
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
	must[*pledge.Pledge](t)(w.svc.Orders.Fail(w.ctx, id, "g", 1, pledge.Failure{Kind: "declined", Generation: 1, At: w.clock()}, pledge.Recovery{Lane: pledge.NewCard}))
	var retried []string
	w.svc.Retry = func(_ context.Context, slug, email string) error {
		retried = append(retried, slug+" "+email)
		return nil
	}
	w.advance(time.Minute)
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
	if card.UIMode != psp.Custom || card.ClientSecret == "" || card.PublishableKey == "" || card.SessionID == "" {
		t.Errorf("card %+v", card)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, card.SessionID))
	if sess.Metadata["isPaymentUpdate"] != "true" || sess.Metadata["orderId"] != id {
		t.Errorf("metadata %v", sess.Metadata)
	}
	w.save(card.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	p := w.read(id)
	if p.PaymentMethodID == old.PaymentMethodID || p.SetupIntentID == old.SetupIntentID || p.CustomerID == "" || p.History[len(p.History)-1].Type != "card_updated" {
		t.Errorf("pledge %+v", p)
	}
	if diff := cmp.Diff([]string{"film a@example.org"}, retried); diff != "" {
		t.Error(diff)
	}
	if storedStatus(w, id) != "payment_failed3" {
		t.Errorf("stored status: %s", storedStatus(w, id))
	}
	if d, err := w.svc.Outbox.Delivery(w.ctx, fmt.Sprintf("card-replaced:%s:%d", id, len(p.History))); err == nil {
		t.Errorf("mail about the card in addition to the charge's: %+v", d)
	}
	again := must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}))
	if want := (checkout.Completed{Success: true, Recovered: true, Persisted: true, OrderID: id}); again != want || w.read(id).Revision != p.Revision {
		t.Errorf("second Recover: %+v, pledge revision %d", again, w.read(id).Revision)
	}
	// Without a Retry callback, the card is saved as well.
	w.svc.Retry = nil
	must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}))
	w.svc.Retry = func(context.Context, string, string) error { return fault.New(fault.Unavailable, "not now") }
	if _, err := w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}); codeOf(err) != fault.Unavailable {
		t.Errorf("settlement unavailable: %v", err)
	}
}

// A new card for a pledge that is not due charges nothing.
func TestCardUpdate_BeforeDeadline(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.svc.Retry = func(context.Context, string, string) error { t.Error("the new card was charged"); return nil }
	for _, lang := range []string{"", "es-MX", "xx"} {
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id), PreferredLang: lang}))
		sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, card.SessionID))
		if want := map[string]string{"": "en", "es-MX": "es", "xx": "en"}[lang]; sess.Metadata["preferredLang"] != want {
			t.Errorf("requested language %q, got %q", lang, sess.Metadata["preferredLang"])
		}
		customers := w.sim.Received(sim.CreateCustomer)
		w.save(card.SessionID)
		must[checkout.Completed](t)(w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: id, SessionID: card.SessionID}))
		if w.sim.Received(sim.CreateCustomer) != customers || customers != 1 {
			t.Errorf("%d customers created for one supporter", customers)
		}
		must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID})) // sends no second mail
	}
	for revision, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: false} {
		d, err := w.svc.Outbox.Delivery(w.ctx, fmt.Sprintf("card-replaced:%s:%d", id, revision))
		if sent := err == nil && d.Kind == notify.CardReplaced; sent != want {
			t.Errorf("mail about the card of revision %d: %+v, %v", revision, d, err)
		}
	}
}

// A supporter whose customer was deleted at the processor can still save another
// card.
func TestCardUpdate_DeletedCustomer(t *testing.T) {
	w := newFixture(t)
	for _, email := range []string{"a@example.org", "b@example.org"} {
		id := w.pledge(request(email, seats(1))).OrderID
		was := w.read(id).CustomerID
		if err := w.sim.DeleteCustomer(was); err != nil {
			t.Fatal(err)
		}
		w.advance(time.Minute)
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
		w.save(card.SessionID)
		if err := w.deliver(); err != nil {
			t.Fatal(err)
		}
		if p := w.read(id); p.CustomerID == was || p.CustomerID == "" {
			t.Errorf("%s: customer %q, previously %q", email, p.CustomerID, was)
		}
	}
}

// After the deadline, a supporter sees whether the campaign was funded, whether a new card is
// useful, and the amount that it would be charged immediately: the total of the group whose
// charge failed.
func TestView_AfterDeadline(t *testing.T) {
	type seen struct {
		Outcome string
		Card    bool
		DueNow  money.Cents
	}
	const seat = 2500 + 250 + 125 // with tax and a tip
	failed := func(w *fixture, ids ...string) {
		for _, id := range ids {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
			must[*pledge.Pledge](w.t)(w.svc.Orders.Fail(w.ctx, id, "g", 1, pledge.Failure{Kind: "declined", Generation: 1, At: w.clock()}, pledge.Recovery{Lane: pledge.NewCard}))
		}
	}
	for name, c := range map[string]struct {
		goal string
		then func(w *fixture, own, other string)
		want seen
	}{
		"missed":                        {"76", nil, seen{"missed", false, 0}},
		"funded":                        {"75", nil, seen{"funded", true, 0}},
		"charged":                       {"75", func(w *fixture, own, _ string) { w.charge(own) }, seen{"funded", false, 0}},
		"failed charge":                 {"75", func(w *fixture, own, _ string) { failed(w, own) }, seen{"funded", true, seat}},
		"failed group charge":           {"75", func(w *fixture, own, other string) { failed(w, own, other) }, seen{"funded", true, 2 * seat}},
		"other pledge charged":          {"75", func(w *fixture, own, other string) { failed(w, own); w.charge(other) }, seen{"funded", true, seat}},
		"other pledge in another group": {"75", func(w *fixture, own, other string) { failed(w, own); w.claimFor("h", other) }, seen{"funded", true, seat}},
		"dropped":                       {"75", func(w *fixture, own, _ string) { failed(w, own); w.dropPledge(own) }, seen{"funded", false, 0}},
		"claimed, goal no longer met":   {"76", func(w *fixture, own, _ string) { w.claim(own) }, seen{"funded", true, 0}},
	} {
		w := newFixture(t)
		w.edit("goal_amount: 1000", "goal_amount: "+c.goal)
		own := w.pledge(request("a@example.org", seats(1))).OrderID
		other := w.pledge(request("a@example.org", seats(1))).OrderID
		w.pledge(request("b@example.org", seats(1)))
		w.advance(30 * 24 * time.Hour)
		if c.then != nil {
			c.then(w, own, other)
		}
		v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(own)))
		if diff := cmp.Diff(c.want, seen{v.Outcome, v.CanUpdateCard, v.DueNow}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func (w *fixture) dropPledge(id string) {
	w.t.Helper()
	must[*pledge.Pledge](w.t)(w.svc.Orders.Drop(w.ctx, id, "g", 1, w.clock()))
}

// A supporter sees that the campaign has changed since they pledged.
func TestView_ChangedCampaign(t *testing.T) {
	w := newFixture(t)
	tok := w.link(w.pledge(request("a@example.org", seats(1))).OrderID)
	for _, changed := range []bool{false, true} {
		if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); v.CampaignChanged != changed {
			t.Errorf("campaign changed: %t, CampaignChanged: %t", changed, v.CampaignChanged)
		}
		w.edit("goal_amount: 1000", "goal_amount: 900")
	}
}
