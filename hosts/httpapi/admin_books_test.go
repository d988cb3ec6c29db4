package httpapi_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Proves REC-08, REC-09 and REC-19.
func TestReconciliation(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	path := "/admin/reconciliation/" + game
	if r := decode[reconcile.Report](t, e.get(path, "", e.admin()...)); r.Attempted || r.Pass != 0 ||
		r.ReconciledAt != nil || r.Compared != nil {
		t.Errorf("before the first run: %+v", r)
	}
	r := decode[reconcile.Report](t, e.post(path, nil, e.admin()...))
	if !r.Attempted || r.Truncated || r.OpenBreaks != 0 || r.Listed != 1 || r.Booked != r.Processor ||
		r.ReconciledAt == nil || r.Compared == nil ||
		*r.Compared != (reconcile.Compared{At: *r.ReconciledAt, Pledges: 1, Payments: 1, Booked: r.Booked,
			Processor: r.Booked}) || r.Booked == 0 {
		t.Errorf("after it: %+v", r)
	}
	paid := e.Sim.Entries()[0]
	method := e.cardOf(t)
	e.Sim.Processor().Charge(t.Context(),
		psp.NewCharge{Key: "stray", Group: "settle:" + game + ":" + state.GroupHash(game, "b@example.com") + ":1",
			Amount: 500, CustomerID: paid.CustomerID, PaymentMethodID: method, NotAfter: e.Now().Add(time.Hour)})
	e.Advance(3 * time.Hour)
	r = decode[reconcile.Report](t, e.post(path, nil, e.admin()...))
	if r.Critical != 1 || r.Breaks[0].Kind != reconcile.NotBooked || r.Difference != 500 {
		t.Errorf("with a stray payment: %+v", r)
	}
	if again := decode[reconcile.Report](t, e.get(path, "", e.admin()...)); again.Attempted || again.Critical != 1 {
		t.Errorf("read again: %+v", again)
	}
	e.wantStatus(e.get("/admin/reconciliation/unknown", "", e.admin()...), 404)
	e.wantStatus(e.post("/admin/reconciliation/unknown", nil, e.admin()...), 404)
	for _, as := range [][]string{nil, e.settler()} {
		e.Advance(time.Minute) // avoids the limit of the operators' routes
		e.wantStatus(e.get(path, "", as...), 401)
		e.wantStatus(e.post(path, nil, as...), 401)
	}
	super, user := e.signedIn("super@example.com", access.SuperAdmin),
		e.signedIn("user@example.com", access.CampaignUser, game)
	for _, method := range []string{"GET", "POST"} {
		e.wantStatus(super.ask(method, path, nil), 200)
		e.wantStatus(user.ask(method, path, nil), 403) // regardless of permissions for the campaign
	}
}

// cardOf returns the payment method of the only pledge.
func (e *edge) cardOf(t *testing.T) string {
	ids, err := e.Services.Checkout.Inventory.Listed(t.Context(), game, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Services.Checkout.Orders.Pledge(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	return p.PaymentMethodID
}

// Proves REC-05.
func TestBackfill_Financials(t *testing.T) {
	e := newEdge(t, memory.Options{})
	const path = "/admin/analytics/psp-financials/backfill"
	e.wantFailure(e.post(path, map[string]any{"campaignSlug": ""}, e.admin()...), 400, "Missing campaignSlug")
	e.wantFailure(e.post(path, map[string]any{"campaignSlug": game, "limit": 101}, e.admin()...),
		400, "The limit must be from 1 to 100")
	e.wantStatus(e.post(path, map[string]any{"campaignSlug": "unknown"}, e.admin()...), 404)
	for _, as := range [][]string{nil, e.settler()} {
		e.wantStatus(e.post(path, map[string]any{"campaignSlug": game}, as...), 401)
	}
	e.wantStatus(e.signedIn("user@example.com", access.CampaignUser, game).ask("POST", path,
		map[string]any{"campaignSlug": game}), 403)
	f := decode[settlement.Filled](t, e.post(path, map[string]any{"campaignSlug": game}, e.admin()...))
	if f != (settlement.Filled{}) {
		t.Errorf("without charges: %+v", f)
	}
}

// Proves REC-01, REC-02 and KVR-66.
func TestBackfill_Customers(t *testing.T) {
	e := newEdge(t, memory.Options{})
	var lost []string
	for _, who := range []string{"a@example.com", "b@example.com", "c@example.com"} {
		s, _ := e.pledge(who, gameCart(1), sim.CardOK)
		lost = append(lost, s.Campaigns[0].OrderID)
	}
	for _, id := range lost[:2] {
		e.loseCustomer(id)
	}
	path := "/admin/backfill-customers/" + game
	asked := e.Sim.Received(sim.RetrieveSession)
	out := decode[checkout.Backfilled](t, e.post(path, map[string]any{}, e.admin()...))
	if out.Processed != 2 || out.Failed != 0 || out.Remaining {
		t.Errorf("backfilled: %+v", out)
	}
	if n := e.Sim.Received(sim.RetrieveSession) - asked; n < 2 {
		t.Errorf("%d sessions were looked up again, want none", n)
	}
	late := e.start("late@example.com", gameCart(1))
	if err := e.Sim.Complete(late.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	asked = e.Sim.Received(sim.RetrieveSession)
	e.wantStatus(e.post("/admin/recover-checkout", map[string]string{"sessionId": late.SessionID}, e.admin()...), 200)
	if e.Sim.Received(sim.RetrieveSession) == asked {
		t.Error("the checkout was recovered without a new lookup of its session")
	}
	for _, id := range lost {
		p, err := e.Services.Checkout.Orders.Pledge(t.Context(), id)
		if err != nil || p.CustomerID == "" || p.PaymentMethodID == "" {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
		stored, ok, err := e.read(id)
		if err != nil || !ok || stored.CustomerID != p.CustomerID {
			t.Errorf("pledge %s has customer %q", id, stored.CustomerID)
		}
	}
	if again := decode[checkout.Backfilled](t, e.post(path, map[string]any{}, e.admin()...)); again.Processed != 0 {
		t.Errorf("again: %+v", again)
	}
	e.wantStatus(e.post("/admin/backfill-customers/unknown", nil, e.admin()...), 404)
}

// loseCustomer removes the customer from a pledge, as in old records.
func (e *edge) loseCustomer(id string) {
	e.t.Helper()
	orders := e.Services.Checkout.Orders
	if err := orders.StartCard(e.t.Context(), id, "cs_lost"); err != nil {
		e.t.Fatal(err)
	}
	e.Advance(time.Second)
	p, err := orders.ReplaceCard(e.t.Context(), id, "cs_lost", order.Card{PaymentMethodID: "pm_lost", SavedAt: e.Now()})
	if err != nil || p.CustomerID != "" {
		e.t.Fatal(err)
	}
}

func (e *edge) read(id string) (pledge.Pledge, bool, error) {
	return kv.Read[pledge.Pledge](e.t.Context(), e.Services.Stores.Pledges, pledge.Key(id))
}
