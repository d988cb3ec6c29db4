package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// It is unknown whether a charge succeeded, and its idempotency key may have expired. Because no
// operators are configured, no secret, route, supporter or scheduled job can charge again. The
// charge remains an open break.
//
// Proves REC-23.
func TestSettlement_AmbiguousChargeIsNotRepeated(t *testing.T) {
	e := newEdge(t, memory.Options{})
	targets := e.targets()
	owner := targets[slices.IndexFunc(targets, func(tg target) bool { return tg.path == "/pledge/cancel" })].body["token"]
	e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": owner}), 200)
	_, token := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.ServerError, Op: sim.CreateIntent}); err != nil {
		t.Fatal(err)
	}
	for range 26 {
		e.cron()
		e.Advance(time.Hour)
	}
	sent := e.Sim.Received(sim.CreateIntent)
	if sent == 0 {
		t.Fatal("no charge was attempted")
	}
	tried := map[string]bool{}
	for _, tg := range targets {
		e.Advance(time.Minute)
		body := tg.body
		if body["token"] != nil {
			body["token"] = token
		}
		if tg.path == "/admin/settle/"+game {
			body = map[string]any{"dryRun": false}
		}
		path, query, _ := strings.Cut(tg.path, "?")
		e.do("POST", path, query, body, tg.with...)
		tried[path] = true
		if err := e.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range e.API.Routes() {
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		if guarded := r.Secret == httpapi.AdminSecret ||
			r.Secret == httpapi.SettlementSecret; guarded && r.Method == "POST" && !tried[path] {
			t.Errorf("%s was not tried", path)
		}
	}
	e.newCard(token)
	for range 50 {
		e.cron()
		e.Advance(time.Hour)
	}
	if n := e.Sim.Received(sim.CreateIntent); n != sent || len(e.Sim.Entries()) != 0 {
		t.Errorf("%d charge requests at first, now %d, with %d charges; want no new requests and no charges",
			sent, n, len(e.Sim.Entries()))
	}
	r := decode[reconcile.Report](t, e.post("/admin/reconciliation/"+game, nil, e.admin()...))
	if r.OpenBreaks == 0 || r.Breaks[0].Kind != reconcile.Ambiguous {
		t.Errorf("breaks = %+v", r.Breaks)
	}
	if s := decode[settlement.Report](t,
		e.post("/admin/settle/"+game, map[string]any{"dryRun": false}, e.settler()...)); s.NeedsAttention != 1 {
		t.Errorf("settlement result = %+v", s.Result)
	}
}

// newCard saves another card and delivers the webhook.
func (e *edge) newCard(token string) {
	e.t.Helper()
	r := e.post("/pledge/payment-method/start", map[string]any{"token": token})
	e.wantStatus(r, 200)
	id := decode[struct {
		SessionID string `json:"sessionId"`
	}](e.t, r).SessionID
	if err := e.Sim.Complete(id, cardOK); err != nil {
		e.t.Fatal(err)
	}
	e.Deliver(e.t.Context())
	if err := e.Settle(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
}
