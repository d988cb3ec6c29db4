package httpapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// find searches for supporters and checks that nothing is written.
func (b *browser) find(slug, text, cursor string) httpapi.Response {
	b.e.t.Helper()
	before := b.e.kept()
	r := b.ask("POST", "/admin/supporters", supporters.Query{CampaignSlug: slug, Text: text, Cursor: cursor},
		"Origin", string(b.e.Config.Site.Base))
	if diff := cmp.Diff(before, b.e.kept()); diff != "" {
		b.e.t.Errorf("search for %q wrote: %s", text, diff)
	}
	return r
}

func (b *browser) found(slug, text string) (out []supporters.Supporter) {
	b.e.t.Helper()
	for cursor := ""; ; {
		r := b.find(slug, text, cursor)
		b.e.wantStatus(r, 200)
		page := decode[supporters.Found](b.e.t, r)
		out = append(out, page.Supporters...)
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

// with signs in a user of the game's campaign with the given permissions.
func (e *edge) with(email string, may ...access.Permission) *browser {
	e.t.Helper()
	e.user(access.User{Email: email, Role: access.CampaignUser, Campaigns: []string{game}, Permissions: may})
	b := e.browser()
	b.signIn(email)
	return b
}

// newEdgeWithTwoCampaigns returns an edge whose supporters pledged to two campaigns.
func newEdgeWithTwoCampaigns(t *testing.T) *edge {
	t.Helper()
	e := newEdge(t, memory.Options{})
	for i, name := range []string{"Zoë Müller", "Ada Lovelace", "Ada B."} {
		cart := gameCart(1)
		address := home
		address.Name, cart.ShippingAddress = name, &address
		e.pledge(string(rune('a'+i))+"+x@example.com", cart, cardOK)
	}
	e.pledge("a+x@example.com", filmCart(), cardOK)
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// Proves CON-08, RPT-01.
func TestSupporters_Search(t *testing.T) {
	e := newEdgeWithTwoCampaigns(t)
	super, packer := e.signedIn("ada@example.org", access.SuperAdmin), e.with("packer@example.org", access.Supporters)
	before := e.kept()
	all := super.found(game, "")
	if len(all) != 3 || all[2].Name != "Zoë Müller" || all[2].Email != "a+x@example.com" || all[2].Amount == nil ||
		*all[2].Amount == 0 || !slices.Equal(all[2].Rewards, []string{"The game"}) {
		t.Fatalf("everybody: %+v", all)
	}
	for text, want := range map[string]int{
		"": 3, "muller": 1, "LOVELACE A": 1, "a+X@": 1, "a+x@example.com": 1, "nobody": 0, "4242": 3, "0000": 0,
		all[1].OrderID: 1, " " + strings.ToUpper(all[1].OrderID): 1, "a": 3, "ada": 2,
	} {
		if got := super.found(game, text); len(got) != want {
			t.Errorf("%q finds %+v", text, got)
		}
		for _, row := range packer.found(game, text) {
			if row.Amount != nil {
				t.Errorf("without the money permission: %v", row)
			}
		}
	}
	if got := packer.found(game, "4242"); len(got) != 0 {
		t.Errorf("without the money permission: %+v", got)
	}
	if got := super.found("", "a+x@example.com"); len(got) != 2 ||
		!slices.ContainsFunc(got, func(s supporters.Supporter) bool { return s.CampaignSlug == film }) {
		t.Errorf("address in all campaigns: %+v", got)
	}
	for text, want := range map[string]int{"muller": 1, "a+x@": 2, "lovelace": 1, "4242": 4, "": 4, "nobody": 0} {
		if got := super.found("", text); len(got) != want {
			t.Errorf("%q in all campaigns: %+v", text, got)
		}
	}
	e.wantField(super.find("", strings.Repeat("x", 300), ""), "q")
	e.wantField(super.find("", "ada", "x"), "cursor")
	e.wantField(super.find("", "ada", game+"|x"), "cursor")
	e.wantField(super.find(game, strings.Repeat("x", 300), ""), "q")
	e.wantField(super.find(game, "x", "x"), "cursor")
	e.wantField(super.find(game, "", "x"), "cursor")
	e.wantStatus(super.find("unknown", "a", ""), 404)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("search wrote: %s", diff)
	}
}

// filter searches with filters and returns the supporters of all pages.
func (b *browser) filter(q supporters.Query) (out []supporters.Supporter, pages int) {
	b.e.t.Helper()
	for {
		r := b.ask("POST", "/admin/supporters", q, "Origin", string(b.e.Config.Site.Base))
		b.e.wantStatus(r, 200)
		page := decode[supporters.Found](b.e.t, r)
		out = append(out, page.Supporters...)
		pages++
		if q.Cursor = page.Next; q.Cursor == "" {
			return out, pages
		}
	}
}

// A campaign's pledges are listed newest first, in pages, and filtered by status, reward and
// country.
func TestSupporters_Filters(t *testing.T) {
	e := newEdge(t, memory.Options{})
	abroad := pledge.Address{Name: "Ada", Line1: "1 Rue", City: "Lyon", PostalCode: "69002", Country: "FR"}
	var orders []string
	for i := range 30 {
		e.Advance(time.Minute)
		cart, card := gameCart(1), cardOK
		switch {
		case i%10 == 3:
			cart.ShippingAddress = &abroad
		case i == 5:
			card = sim.CardChargeDeclined
		case i == 29:
			support := int64(1000)
			cart = checkout.Cart{CampaignSlug: game,
				Items: []checkout.Item{{ID: game + "__support__copies-for-libraries", Amount: &support}}}
		}
		p, token := e.pledge("s"+strconv.Itoa(i)+"@example.com", cart, card)
		orders = append(orders, p.OrderID)
		if i == 7 {
			e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": token}), 200)
		}
	}
	if err := e.Services.Minute(t.Context()); err != nil { // indexes the addresses
		t.Fatal(err)
	}
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	all, pages := super.filter(supporters.Query{CampaignSlug: game})
	slices.Reverse(orders)
	var got []string
	for _, row := range all {
		got = append(got, row.OrderID)
	}
	if diff := cmp.Diff(orders, got); diff != "" || pages != 2 {
		t.Errorf("%d pages (-want +got): %s", pages, diff)
	}
	count := func(q supporters.Query, want int) []supporters.Supporter {
		t.Helper()
		q.CampaignSlug = game
		rows, _ := super.filter(q)
		if len(rows) != want {
			t.Errorf("%+v: %d results, want %d", q, len(rows), want)
		}
		return rows
	}
	count(supporters.Query{Status: pledge.Cancelled}, 1)
	count(supporters.Query{Status: pledge.Active}, 29)
	count(supporters.Query{RewardID: "the-game"}, 29)
	count(supporters.Query{RewardID: "the-gam"}, 0)
	count(supporters.Query{Country: "FR"}, 3)
	count(supporters.Query{ToShip: true}, 0) // nothing is charged yet
	count(supporters.Query{Country: "FR", Status: pledge.Active, Text: "s1"}, 1)
	for field, q := range map[string]supporters.Query{"status": {Status: "lost"}, "country": {Country: "XX"},
		"rewardId": {RewardID: strings.Repeat("x", 201)}} {
		q.CampaignSlug = game
		e.wantField(super.ask("POST", "/admin/supporters", q, "Origin", string(e.Config.Site.Base)), field)
	}
	packer := e.with("packer@example.org", access.Supporters)
	if r := packer.ask("POST", "/admin/supporters", supporters.Query{CampaignSlug: game, Country: "FR"},
		"Origin", string(e.Config.Site.Base)); r.Status != 403 {
		t.Errorf("by country without the fulfilment permission: %d %s", r.Status, r.Body)
	}
	if r := packer.ask("POST", "/admin/supporters", supporters.Query{CampaignSlug: game, ToShip: true},
		"Origin", string(e.Config.Site.Base)); r.Status != 403 {
		t.Errorf("by parcels without the fulfilment permission: %d %s", r.Status, r.Body)
	}
	if err := e.Pass(t.Context(), 60*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	super.signIn("ada@example.org")
	if rows := count(supporters.Query{Status: "dropped"}, 1); len(rows) == 1 &&
		(rows[0].Display != "dropped" || rows[0].Status != pledge.PaymentFailed) {
		t.Errorf("dropped: %+v", rows)
	}
	count(supporters.Query{Status: pledge.PaymentFailed}, 0)
	count(supporters.Query{Status: pledge.Charged}, 28)
}

// A search in all campaigns is paged, and each page reads a limited number of campaigns.
func TestSupporters_AllCampaigns(t *testing.T) {
	reads := 0
	e := newEdge(t, memory.Options{Fail: func(memkv.Op) error {
		reads++
		return nil
	}})
	for i := range 30 {
		e.Advance(time.Minute)
		e.pledge("s"+strconv.Itoa(i)+"@example.com", gameCart(1), cardOK)
	}
	e.pledge("s@example.com", filmCart(), cardOK)
	if err := e.Services.Minute(t.Context()); err != nil { // indexes the addresses
		t.Fatal(err)
	}
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	for _, text := range []string{"", "s"} {
		all, pages := super.filter(supporters.Query{Text: text})
		ids := map[string]bool{}
		for _, row := range all {
			ids[row.OrderID] = true
		}
		if len(all) != 31 || len(ids) != 31 || pages < 2 {
			t.Errorf("%q: %d rows in %d pages", text, len(all), pages)
		}
	}
	if rows, _ := super.filter(supporters.Query{Status: pledge.Cancelled}); len(rows) != 0 {
		t.Errorf("cancelled: %+v", rows)
	}
	reads = 0
	super.find("", "nobody", "")
	if reads > 100 {
		t.Errorf("a search without results read %d times", reads)
	}
}

// A search in another user's campaign gives the same response as one in a campaign that does not
// exist.
//
// Proves AAU-27.
func TestSupporters_OtherCampaign(t *testing.T) {
	e := newEdgeWithTwoCampaigns(t)
	order := e.signedIn("ada@example.org", access.SuperAdmin).found(film, "")[0].OrderID
	b := e.with("ben@example.org", access.Supporters, access.Money)
	for _, text := range []string{"", "a+x@example.com", order} {
		theirs, none := b.find(film, text, ""), b.find("no-such-campaign", text, "")
		if theirs.Status != 404 || string(theirs.Body) != string(none.Body) {
			t.Errorf("%q: status %d: %s; nonexistent campaign: %s", text, theirs.Status, theirs.Body, none.Body)
		}
		e.wantField(b.find("", text, ""), "campaignSlug")
		for _, row := range b.found(game, text) {
			if row.CampaignSlug != game {
				t.Errorf("%q finds %+v", text, row)
			}
		}
	}
	if got := b.found(game, order); len(got) != 0 {
		t.Errorf("another campaign's order: %+v", got)
	}
	if r := e.with("eve@example.org", access.Fulfilment, access.Money).find(game, "a", ""); r.Status != 403 {
		t.Errorf("without the supporters permission: %d", r.Status)
	}
}

// timeline requests a supporter's timeline and checks that nothing is written.
func (b *browser) timeline(slug, order string) httpapi.Response {
	b.e.t.Helper()
	before := b.e.kept()
	r := b.get("/admin/supporters/timeline", "campaignSlug="+slug+"&orderId="+order)
	if diff := cmp.Diff(before, b.e.kept()); diff != "" {
		b.e.t.Errorf("timeline request wrote: %s", diff)
	}
	return r
}

// The timeline contains all events of a supporter's pledges in order. Amounts, addresses and the
// processor's responses each require a permission.
func TestTimeline(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.Services.Supporters.PaymentPage = func(id string) string { return "https://pay.example/" + id }
	one, _ := e.pledge("a+x@example.com", gameCart(1), sim.CardChargeDeclined)
	two, token := e.pledge("a+x@example.com", gameCart(1), cardOK)
	first, second := one.OrderID, two.OrderID
	e.pledge("a+x@example.com", filmCart(), cardOK)
	e.pledge("b+x@example.com", gameCart(20), cardOK)
	tip := 9
	e.wantStatus(e.post("/pledge/modify", map[string]any{"token": token, "orderId": second, "tipPercent": tip}), 200)
	e.wantStatus(e.post("/votes", map[string]any{"token": token, "decisionId": "fifth-shell", "option": "A teacup"}), 200)
	if err := e.Services.Suppressions.Add(t.Context(), suppression.Scope{Topic: suppression.Updates, Campaign: game},
		e.Services.Suppressions.Address("a+x@example.com"), suppression.Asked); err != nil {
		t.Fatal(err)
	}
	if err := e.Pass(t.Context(), 45*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	for _, order := range []string{first, second} {
		r := super.timeline(game, order)
		e.wantStatus(r, 200)
		got := decode[supporters.Timeline](t, r)
		if got.Email != "a+x@example.com" || len(got.Pledges) != 2 || got.More || got.Votes != 1 ||
			got.Pledges[0].Address == nil || got.Pledges[0].Totals == nil {
			t.Fatalf("%s", r.Body)
		}
		if want := []supporters.Suppressed{{Topic: suppression.Updates,
			Reasons: []suppression.Reason{suppression.Asked}}}; !cmp.Equal(want, got.Suppressed) {
			t.Errorf("suppressed: %+v", got.Suppressed)
		}
		counts := map[string]int{}
		for i, ev := range got.Events {
			counts[ev.Source+" "+ev.Type+" "+ev.OrderID[max(0, len(ev.OrderID)-4):]+" "+ev.Status]++
			if i > 0 && ev.At.Before(got.Events[i-1].At) {
				t.Errorf("out of order: %+v", ev)
			}
		}
		tail := func(id string) string { return id[len(id)-4:] }
		for what, want := range map[string]int{
			"pledge created " + tail(first) + " ": 1, "pledge created " + tail(second) + " ": 1,
			"pledge modified " + tail(second) + " ": 1,
			"pledge charged " + tail(second) + " ":  1, "mail confirmation " + tail(first) + " sent": 1,
			"mail confirmation " + tail(second) + " sent": 1,
			"mail modified " + tail(second) + " sent":     1, "mail charged " + tail(second) + " sent": 1,
			"charge attempt  succeeded":           1,
			"pledge dropped " + tail(first) + " ": 1, "mail dropped " + tail(first) + " sent": 1,
		} {
			if counts[what] != want {
				t.Errorf("%d of %q, want %d: %v", counts[what], what, want, counts)
			}
		}
		for _, ev := range got.Events {
			if ev.Kind == supporters.OtherEvent || ev.Kind == "" {
				t.Errorf("no kind: %+v", ev)
			}
			if want := map[string]supporters.Outcome{"failed": supporters.Declined,
				"succeeded": supporters.Succeeded}[ev.Status]; ev.Kind == supporters.Attempted &&
				(ev.Outcome != want || (ev.Reason == pledge.Refused) != (want == supporters.Declined) ||
					ev.PaymentURL != "https://pay.example/"+ev.PaymentID) {
				t.Errorf("an attempt: %+v", ev)
			}
			if ev.Kind == supporters.Emailed && (string(ev.Email) != ev.Type || ev.Outcome != supporters.Sent) {
				t.Errorf("an email: %+v", ev)
			}
		}
		if p := got.Pledges[1]; got.Title != "Tidepool Traders" || p.Display != "dropped" || p.CanCancel ||
			p.CanRefund || p.Totals.Amount == 0 || p.Items[0].Amount == nil {
			t.Errorf("the dropped pledge: %+v", p)
		}
		if p := got.Pledges[0]; p.Display != pledge.Charged || p.PaymentURL != "https://pay.example/"+p.PaymentID ||
			p.PaymentID == "" {
			t.Errorf("the charged pledge: %+v", p)
		}
		if counts["charge attempt  failed"] == 0 || counts["mail update_card "+tail(first)+" sent"] == 0 {
			t.Errorf("the failed charge is missing: %v", counts)
		}
	}
	for name, tc := range map[string]struct {
		may            []access.Permission
		money, address bool
	}{
		"supporters": {[]access.Permission{access.Supporters}, false, false},
		"money":      {[]access.Permission{access.Supporters, access.Money}, true, false},
		"fulfilment": {[]access.Permission{access.Supporters, access.Fulfilment}, false, true},
	} {
		r := e.with(name+"@example.org", tc.may...).timeline(game, first)
		e.wantStatus(r, 200)
		for _, word := range []string{"amount", "subtotal", "paymentIntentId", "errorCode", "pi_", `"last4":"`} {
			if strings.Contains(strings.ToLower(string(r.Body)), strings.ToLower(word)) != tc.money {
				t.Errorf("%s and %s: %s", name, word, r.Body)
			}
		}
		if strings.Contains(string(r.Body), home.Line1) != tc.address {
			t.Errorf("%s: address shown = %s", name, r.Body)
		}
	}
}

// The timeline and the supporter's page have the delivery month that was promised, and the one that
// the campaign now expects.
func TestTimeline_PromisedDelivery(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, token := e.pledge("a@example.com", gameCart(1), cardOK)
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	file := decode[opened](t, b.get("/admin/content", "campaignSlug="+game))
	at := "tiers[1].estimated_delivery"
	draft := edits(game, at, string(file.value(at)), `"2027-09"`)
	draft.Reason, draft.ChangeID = "The printer is late.", "later"
	e.wantStatus(b.ask("POST", "/admin/content/publish", draft), 200)
	view := decode[checkout.PledgeView](t, e.get("/pledge", "token="+token))
	if l := view.Lines[0]; l.PromisedDelivery != "2027-04" || view.EstimatedDeliveries[l.ID] != "2027-09" {
		t.Errorf("the supporter's page has %+v and %v", l, view.EstimatedDeliveries)
	}
	shown := decode[supporters.Timeline](t, b.timeline(game, view.OrderID)).Pledges[0].Items
	if shown[0].PromisedDelivery != "2027-04" || shown[0].EstimatedDelivery != "2027-09" {
		t.Errorf("the timeline has %+v", shown)
	}
}

// Proves AAU-27.
func TestTimeline_OtherCampaign(t *testing.T) {
	e := newEdgeWithTwoCampaigns(t)
	super := e.signedIn("ada@example.org", access.SuperAdmin)
	theirs := super.found(film, "")[0].OrderID
	mine := super.found(game, "")[0].OrderID
	b := e.with("ben@example.org", access.Supporters)
	unknown := "pw-" + strings.Repeat("0", 26)
	for _, slug := range []string{film, "no-such-campaign"} {
		if got, none := b.timeline(slug, theirs),
			b.timeline("another", unknown); got.Status != 404 || string(got.Body) != string(none.Body) {
			t.Errorf("%s: status %d: %s; nonexistent campaign: %s", slug, got.Status, got.Body, none.Body)
		}
	}
	if got, none := b.timeline(game, theirs),
		b.timeline(game, unknown); got.Status != 404 || string(got.Body) != string(none.Body) {
		t.Errorf("status %d: %s; nonexistent campaign: %s", got.Status, got.Body, none.Body)
	}
	if got := decode[supporters.Timeline](t, b.timeline(game, mine)); len(got.Pledges) != 1 {
		t.Errorf("timeline has %d pledges", len(got.Pledges))
	}
	e.wantField(b.timeline(game, ""), "orderId")
	e.wantField(b.timeline(game, "pw-x"), "orderId")
	e.wantField(b.timeline("", mine), "campaignSlug")
	e.wantStatus(super.timeline("", mine), 404)
	if r := e.with("eve@example.org", access.Fulfilment, access.Money).timeline(game, mine); r.Status != 403 {
		t.Errorf("without the supporters permission: %d", r.Status)
	}
}

// If an address has very many pledges, the newest ones and the requested one are shown.
func TestTimeline_ManyPledges(t *testing.T) {
	e := newEdge(t, memory.Options{})
	oldest, _ := e.pledge("a@example.com", gameCart(1), cardOK)
	for range 20 {
		e.Advance(time.Minute)
		e.pledge("a@example.com", gameCart(1), cardOK)
	}
	got := decode[supporters.Timeline](t, e.signedIn("ada@example.org", access.SuperAdmin).timeline(game, oldest.OrderID))
	if len(got.Pledges) != 20 || !got.More || got.Pledges[19].OrderID != oldest.OrderID ||
		!got.Pledges[0].BookedAt.After(got.Pledges[18].BookedAt) {
		t.Errorf("%d pledges, more %t", len(got.Pledges), got.More)
	}
}
