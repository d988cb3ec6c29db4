package httpapi_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// written returns the prefixes of the keys that changed, with their namespaces.
func (e *edge) written(before map[string]string) []string {
	families := map[string]bool{}
	for k, v := range e.kept() {
		if before[k] != v {
			family, _, _ := strings.Cut(k, ":")
			if !strings.HasPrefix(k, "PLEDGES ") && !strings.HasPrefix(k, "VOTES ") {
				family, _, _ = strings.Cut(k, " ") // an object's class
			}
			families[family] = true
		}
	}
	for k := range before {
		if _, ok := e.kept()[k]; !ok {
			family, _, _ := strings.Cut(k, ":")
			families["deleted "+family] = true
		}
	}
	return slices.Sorted(maps.Keys(families))
}

// Proves CHK-14, CHK-33, CHK-34, CFG-17.
func TestStart(t *testing.T) {
	e := newEdge(t, memory.Options{})
	before := e.kept()
	s := e.start("a@example.com", gameCart(2))
	if s.UIMode != psp.Custom || s.SessionID == "" || s.ClientSecret == "" ||
		s.PublishableKey != "pk_test_simulator" || s.OrderID == "" || s.URL != "" {
		t.Errorf("custom mode: %+v", s)
	}
	for _, family := range e.written(before) {
		if strings.HasPrefix(family, "PLEDGES pledge") || strings.HasPrefix(family, "PLEDGES email") {
			t.Errorf("a start wrote %s", family)
		}
	}
	hosted := newEdge(t, memory.Options{Env: map[string]string{"PSP_PUBLISHABLE_KEY": ""}})
	s = hosted.start("a@example.com", filmCart())
	if s.UIMode != psp.Hosted || !strings.Contains(s.URL, s.SessionID) || s.ClientSecret != "" || s.PublishableKey != "" {
		t.Errorf("hosted mode: %+v", s)
	}
}

// Proves ERR-14.
func TestStart_Refusals(t *testing.T) {
	e := newEdge(t, memory.Options{})
	before := e.kept()
	one, many := 1, 5
	for _, tc := range []struct {
		name, message, field string
		cart                 checkout.Cart
	}{
		{"nothing", "Your cart is empty.", "items", checkout.Cart{CampaignSlug: game}},
		{"no slug", "Invalid campaign slug format", "campaignSlug",
			checkout.Cart{CampaignSlug: "No Slug", Items: []checkout.Item{{ID: game + "__the-game"}}}},
		{"an unknown tier", "Tier not found", "items[0].id",
			checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__gold"}}}},
		{"a malformed item", "Invalid cart item id", "items[0].id",
			checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: "the-game"}}}},
		{"an unknown campaign", "Campaign not found", "campaignSlug",
			checkout.Cart{CampaignSlug: "unknown", Items: []checkout.Item{{ID: "unknown__x"}}}},
		{"an upcoming campaign", "Campaign is upcoming", "campaignSlug",
			checkout.Cart{CampaignSlug: "slow-weather", Items: []checkout.Item{{ID: "slow-weather__download"}}}},
		{"several units of a single-unit reward", `Tier "Hand-painted set" does not support multiple quantities`,
			"items[0].quantity",
			checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set", Quantity: &many}}}},
		{"add-ons alone", "Pledge must include at least one contribution", "items",
			checkout.Cart{CampaignSlug: game,
				Items: []checkout.Item{{ID: "addon__platform-shirt__variant__m", Quantity: &one}}}},
		{"a gated tier", `Tier "Draw a card" unlocks at $900.00`, "items[0].id",
			checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__design-a-card"}}}},
	} {
		f := e.wantFailure(e.post("/checkout-intent/start", checkout.StartRequest{Cart: tc.cart, Email: "a@example.com"}),
			400, tc.message)
		if f.Field != tc.field || f.Code != "invalid" {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Error(diff)
	}
}

// Proves CHK-35, CHK-37, PLG-40, PUB-01.
func TestComplete_CreatesPledgeOnce(t *testing.T) {
	e := newEdge(t, memory.Options{})
	stats := func() projection.PublicStats { return decode[projection.PublicStats](t, e.get("/stats/"+film, "")) }
	if got := stats().PledgeCount; got != 0 {
		t.Fatalf("%d pledges before the checkout", got)
	}
	s := e.start("a@example.com", filmCart())
	in := checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}
	before := e.kept()
	if r := e.post("/checkout-intent/complete", in); r.Status != 409 {
		t.Errorf("open session: status %d: %s", r.Status, r.Body)
	}
	other := e.start("b@example.com", filmCart())
	if err := e.Sim.Complete(other.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	stolen := checkout.CompleteRequest{OrderID: s.OrderID, SessionID: other.SessionID}
	if r := e.post("/checkout-intent/complete", stolen); r.Status != 409 && r.Status != 404 && r.Status != 400 {
		t.Errorf("another order's session: status %d: %s", r.Status, r.Body)
	}
	if slices.Contains(e.written(before), "PLEDGES pledge") {
		t.Error("a rejected completion created a pledge")
	}
	if err := e.Sim.Complete(s.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		done := decode[checkout.Completed](t, e.post("/checkout-intent/complete", in))
		want := checkout.Completed{Success: true, Recovered: n == 0, Persisted: true, OrderID: s.OrderID}
		if diff := cmp.Diff(want, done); diff != "" {
			t.Errorf("completion %d: %s", n+1, diff)
		}
	}
	if got := stats(); got.PledgeCount != 1 || got.PledgedAmount != 2500 {
		t.Errorf("campaign has %d pledges, %s", got.PledgeCount, got.PledgedAmount)
	}
	for _, family := range []string{"PLEDGES pledge", "PLEDGES email", "PLEDGES campaign-pledges",
		"PLEDGES stats", "PLEDGES tier-inventory"} {
		if !slices.Contains(e.written(before), family) {
			t.Errorf("%s was not written: %v", family, e.written(before))
		}
	}
}

// Proves CHK-39.
func TestAbandon_ReleasesReservation(t *testing.T) {
	e := newEdge(t, memory.Options{})
	left := func() int {
		return decode[projection.Stock](t, e.get("/inventory/"+game, "")).Tiers["painted-set"].Remaining
	}
	s := e.start("a@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set"}}, ShippingAddress: &home})
	for _, token := range []string{"", "x.y", e.start("b@example.com", filmCart()).Token} {
		r := e.post("/checkout-intent/abandon", checkout.AbandonRequest{OrderID: s.OrderID, Token: token})
		if r.Status != 401 && r.Status != 403 && r.Status != 400 {
			t.Errorf("token %.10q abandoned another order: status %d: %s", token, r.Status, r.Body)
		}
	}
	got := decode[checkout.Abandoned](t,
		e.post("/checkout-intent/abandon", checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	if !got.Success || got.Released != 1 {
		t.Errorf("abandoned: %+v", got)
	}
	if left() != 3 {
		t.Errorf("%d sets left, want 3", left())
	}
	for n := range 3 {
		e.wantStatus(e.begin(client(n)), 200)
	}
	for _, n := range []int{3, 0} {
		r := e.begin(client(n))
		if f := decode[failure](t, r); r.Status != 409 || f.Code != "sold_out" || f.Remaining == nil || *f.Remaining != 0 {
			t.Errorf("fourth of three sets: status %d: %s", r.Status, r.Body)
		}
	}
}

func TestSummaryAndQuotes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := e.start("a@example.com", gameCart(1))
	e.wantFailure(e.get("/checkout-intent/summary", ""), 400, "Missing orderId")
	e.wantStatus(e.get("/checkout-intent/summary", "orderId="+s.OrderID), 401)
	sum := decode[checkout.Summary](t, e.get("/checkout-intent/summary", "orderId="+s.OrderID+"&token="+s.Token))
	if sum.Persisted || sum.PledgeStatus != "pending" || sum.Amount != s.Amount {
		t.Errorf("summary = %+v", sum)
	}
	taxed := decode[checkout.TaxQuote](t, e.post("/tax/quote", gameCart(1)))
	sent := decode[checkout.ShippingQuote](t, e.post("/shipping/quote", gameCart(1)))
	if taxed.Tax != s.Campaigns[0].Tax || sent.Shipping != s.Campaigns[0].Shipping {
		t.Errorf("quoted tax %s and shipping %s, checkout has %s and %s", taxed.Tax, sent.Shipping,
			s.Campaigns[0].Tax, s.Campaigns[0].Shipping)
	}
}

// Proves SUP-02, SUP-03, SUP-04, SUP-05, SUP-06, SUP-07, SUP-09, SUP-12.
func TestSupporterRoutes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	first, link := e.pledge("a@example.com", gameCart(1), cardOK)
	second, _ := e.pledge("a@example.com", filmCart(), cardOK)
	for _, path := range []string{"/pledge", "/pledges", "/votes"} {
		e.wantFailure(e.get(path, ""), 401, "Missing token")
		for _, wrong := range []string{"x", link[:len(link)-2], link + "a", first.Token} {
			e.wantFailure(e.get(path, "token="+wrong), 401,
				map[bool]string{true: "Invalid token", false: "Invalid or expired token"}[path == "/votes"])
		}
	}
	list := decode[[]checkout.PledgeView](t, e.get("/pledges", "token="+link))
	if len(list) != 1 || list[0].OrderID != first.OrderID {
		t.Errorf("listed pledges = %+v", list)
	}
	e.wantStatus(e.get("/votes", "token="+link), 200)
	e.wantStatus(e.post("/votes", checkout.VoteRequest{Token: link, DecisionID: "fifth-shell", Option: "A teacup"}), 200)
	if own := e.view(link); own.OrderID != first.OrderID || own.Amount != first.Amount {
		t.Errorf("shown pledge = %+v", own)
	}
	for path, in := range map[string]any{
		"/pledge/cancel":               checkout.CancelRequest{Token: link, OrderID: second.OrderID},
		"/pledge/modify":               map[string]any{"token": link, "orderId": second.OrderID, "tipPercent": 0},
		"/pledge/payment-method/start": checkout.CardRequest{Token: link, OrderID: second.OrderID},
	} {
		before := e.kept()
		if r := e.post(path, in); r.Status != 403 {
			t.Errorf("%s of another order: status %d: %s", path, r.Status, r.Body)
		}
		if diff := cmp.Diff(before, e.kept()); diff != "" {
			t.Errorf("%s wrote: %s", path, diff)
		}
	}
	kept := e.kept()
	elsewhere, err := e.Services.Checkout.Links.Signer.Sign(token.Claims{
		Scope: token.Checkout, OrderID: first.OrderID, Email: "a@example.com", CampaignSlug: game,
		Expires: e.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"", "x", link[:len(link)-2], first.Token, elsewhere} {
		e.Advance(time.Minute) // avoids rate limits
		for path, in := range map[string]any{
			"/pledge/cancel":               checkout.CancelRequest{Token: wrong, OrderID: first.OrderID},
			"/pledge/modify":               map[string]any{"token": wrong, "orderId": first.OrderID, "tipPercent": 0},
			"/pledge/join":                 checkout.JoinRequest{Token: wrong, OrderID: first.OrderID},
			"/pledge/payment-method/start": checkout.CardRequest{Token: wrong, OrderID: first.OrderID},
			"/pledge/payment/approve":      checkout.ApprovalRequest{Token: wrong, OrderID: first.OrderID},
			"/pledge/payment/approved":     checkout.ApprovalRequest{Token: wrong, OrderID: first.OrderID},
			"/votes":                       checkout.VoteRequest{Token: wrong, DecisionID: "fifth-shell", Option: "A teacup"},
		} {
			if r := e.post(path, in); r.Status != 401 {
				t.Errorf("%s with token %q: status %d: %s", path, wrong, r.Status, r.Body)
			}
		}
		for _, path := range []string{"/pledge/changes", "/pledge/joining"} {
			if r := e.get(path, "token="+wrong); r.Status != 401 {
				t.Errorf("%s with token %q: status %d: %s", path, wrong, r.Status, r.Body)
			}
		}
	}
	if diff := cmp.Diff(kept, e.kept()); diff != "" {
		t.Errorf("wrong tokens wrote: %s", diff)
	}
	e.Advance(time.Minute)
	two := 2
	items := []checkout.Item{{ID: game + "__the-game", Quantity: &two}}
	changed := decode[checkout.Modified](t, e.post("/pledge/modify", checkout.ModifyRequest{Token: link, Items: &items}))
	if changed.Current.Subtotal != 11000 || changed.Current.Amount-changed.Previous.Amount != changed.Delta {
		t.Errorf("modified: %+v", changed)
	}
	card := decode[checkout.CardStarted](t, e.post("/pledge/payment-method/start", checkout.CardRequest{Token: link}))
	other := decode[checkout.CardStarted](t, e.post("/pledge/payment-method/start", checkout.CardRequest{Token: link}))
	if card.UIMode != psp.Custom || card.ClientSecret == "" || card.SessionID == first.SessionID ||
		card.SessionID == other.SessionID {
		t.Errorf("new card: %+v, another one: %+v", card, other)
	}
	gone := decode[checkout.Cancelled](t, e.post("/pledge/cancel", checkout.CancelRequest{Token: link}))
	if !gone.Success || gone.Pledge.Status != pledge.Cancelled {
		t.Errorf("cancelled: %+v", gone)
	}
	if list := decode[[]checkout.PledgeView](t, e.get("/pledges", "token="+link)); len(list) != 0 {
		t.Errorf("cancelled pledge is listed: %+v", list)
	}
	e.Advance(91 * 24 * time.Hour)
	e.wantFailure(e.get("/pledge", "token="+link), 401, "Invalid or expired token")
}

// Proves VOT-07, VOT-08, VOT-09, VOT-10, VOT-12, VOT-13, VOT-14, ERR-11, ERR-15, CFG-10.
func TestVotes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, token := e.pledge("a@example.com", gameCart(1), cardOK)
	vote := func(decision, option string) httpapi.Response {
		return e.post("/votes", checkout.VoteRequest{Token: token, DecisionID: decision, Option: option})
	}
	before := e.kept()
	for _, id := range []string{"Fifth-shell", "fifth shell", "fifth_shell", "fünf", "", strings.Repeat("a", 101)} {
		e.wantFailure(vote(id, "A teacup"), 400, "Invalid decision ID format")
		e.wantFailure(e.get("/votes", "token="+token+"&decisions=fifth-shell,"+url.QueryEscape(id)),
			400, "Invalid decision ID format")
	}
	for _, id := range []string{"sixth-shell-6", strings.Repeat("a", 100)} {
		e.wantFailure(vote(id, "A teacup"), 404, "Decision not found")
	}
	for _, option := range []string{"", "A tea\ncup", strings.Repeat("x", 51), strings.Repeat("é", 51)} {
		e.wantFailure(vote("fifth-shell", option), 400, "Invalid vote option format")
	}
	for _, longest := range []string{strings.Repeat("x", 50), strings.Repeat("é", 50)} { // characters, not bytes
		e.wantFailure(vote("fifth-shell", longest), 400, "The decision has no such option")
	}
	for n, status := range map[int]int{20: 200, 21: 400} {
		e.wantStatus(e.get("/votes", "token="+token+"&decisions="+strings.Repeat("fifth-shell,", n-1)+"fifth-shell"), status)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Error(diff)
	}
	voted := decode[checkout.Voted](t, vote("fifth-shell", "A teacup"))
	if !voted.Success || voted.Total != 1 || voted.Results["A teacup"] != 1 {
		t.Errorf("voted: %+v", voted)
	}
	var kept []string
	for _, entry := range e.DB.Snapshot().Stores["VOTES"] {
		kept = append(kept, entry.Key)
	}
	if diff := cmp.Diff([]string{"results:" + game + ":fifth-shell", "vote:" + game + ":fifth-shell:a@example.com"},
		kept); diff != "" {
		t.Errorf("votes namespace: %s", diff)
	}
	standings := decode[checkout.Standings](t, e.get("/votes", "token="+token+"&decisions=fifth-shell"))
	if got := standings.Decisions["fifth-shell"]; !got.HasVoted || got.Choice != "A teacup" {
		t.Errorf("standings: %+v", got)
	}
	if r := e.get("/votes", "token=dev-token-"+game); r.Status != 200 {
		t.Errorf("dev token in test mode: status %d: %s", r.Status, r.Body)
	}
	e.Services.Checkout.Settings.TestMode = false
	e.wantFailure(e.get("/votes", "token=dev-token-"+game), 401, "Invalid token")
	e.wantFailure(e.post("/votes", checkout.VoteRequest{Token: "dev-token-" + game, DecisionID: "fifth-shell",
		Option: "A teacup"}), 401, "Invalid token")
}

// Proves ERR-02, ERR-03, WHK-01, WHK-02, WHK-09, WHK-26.
func TestWebhook(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := e.start("a@example.com", filmCart())
	if err := e.Sim.Complete(s.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	var completed sim.Delivery
	for _, d := range e.Sim.Due() {
		if d.Type == psp.SessionCompleted {
			completed = d
		}
	}
	before := e.kept()
	for name, r := range map[string]httpapi.Response{
		"unsigned": e.post("/webhooks/psp", completed.Body),
		"forged": e.post("/webhooks/psp", completed.Body, "Psp-Signature",
			sim.Sign(completed.Body, "whsec_other", e.Now())),
		"changed": e.post("/webhooks/psp", append(completed.Body, ' '), "Psp-Signature", completed.Signature),
		"old": e.post("/webhooks/psp", completed.Body, "Psp-Signature",
			sim.Sign(completed.Body, e.Config.PSPWebhookSecret().Reveal(), e.Now().Add(-time.Hour))),
	} {
		if f := e.wantFailure(r, 401, "Invalid signature"); f.Code != "unauthorized" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, family := range e.written(before) {
		if family == "PLEDGES pledge" || family == "PLEDGES psp-event" {
			t.Errorf("unverified event wrote %s", family)
		}
	}
	for n := range 5 {
		got := decode[checkout.WebhookResult](t,
			e.post("/webhooks/psp", completed.Body, "Psp-Signature", completed.Signature, "Content-Type", ""))
		if !got.Received || got.Duplicate != (n > 0) {
			t.Errorf("delivery %d: %+v", n+1, got)
		}
	}
	if got := decode[projection.PublicStats](t, e.get("/stats/"+film, "")).PledgeCount; got != 1 {
		t.Errorf("%d pledges were created", got)
	}
	for _, body := range []string{ // acknowledged without any effect
		anEvent("evt_failed", psp.PaymentFailed, "false"), anEvent("evt_expired", psp.SessionExpired, "false"),
		anEvent("evt_topup", "topup.succeeded", "false"), anEvent("evt_live", psp.PaymentFailed, "true"),
	} {
		r := e.hook(body, e.Config.PSPWebhookSecret().Reveal())
		if got := decode[checkout.WebhookResult](t, r); r.Status != 200 || !got.Received {
			t.Errorf("%s: status %d: %s", body, r.Status, r.Body)
		}
	}
	if err := e.Sim.Complete(e.start("b@example.com", filmCart()).SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	before = e.kept()
	e.Services.Checkout.Settings.WebhookSecret = ""
	for _, d := range e.Sim.Due() {
		r := e.post("/webhooks/psp", d.Body, "Psp-Signature", d.Signature)
		if got := decode[checkout.WebhookResult](t, r); r.Status != 200 || !got.Received || got.Skipped == "" {
			t.Errorf("without a secret: status %d: %+v", r.Status, got)
		}
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("wrote without a secret: %s", diff)
	}
}

// Proves SEC-15.
func TestTestSetup(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, slug := range []string{film, game} {
		r := e.post("/test/setup", httpapi.TestSetupRequest{Email: "Tester@Example.com", CampaignSlug: slug})
		e.wantStatus(r, 200)
		v := decode[checkout.PledgeView](t, e.get("/pledge", "token="+decode[httpapi.TestSetup](t, r).Token))
		if v.Status != pledge.Active || v.CampaignSlug != slug || v.Email != "tester@example.com" {
			t.Errorf("pledge = %+v", v)
		}
	}
	e.wantStatus(e.post("/test/setup", httpapi.TestSetupRequest{Email: "x", CampaignSlug: film}), 400)
	e.wantStatus(e.post("/test/setup", httpapi.TestSetupRequest{Email: "a@example.com", CampaignSlug: "unknown"}), 404)
}
