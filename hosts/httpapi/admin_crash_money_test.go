package httpapi_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// super returns a super admin with a recent sign-in.
func (e *edge) super() *browser {
	e.t.Helper()
	return e.signedIn("super@example.com", access.SuperAdmin)
}

// does returns an act that posts the body to the path as the user.
func (b *browser) does(path string, body any) act {
	return func() httpapi.Response { return b.ask("POST", path, body) }
}

// newEdgeAfterDeadline returns an edge whose campaign has ended with two pledges: one with a good
// card, one with a card that is declined.
func newEdgeAfterDeadline(t *testing.T, o memory.Options) *edge {
	e := newEdge(t, o)
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.pledge("b@example.com", gameCart(1), sim.CardChargeDeclined)
	e.Advance(48 * time.Hour)
	return e
}

var moneyMutations = map[string]mutation{
	"settlement.dispatch": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		return e, e.super().does("/admin/settle-dispatch/"+game, nil)
	},
	"settlement.run": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		return e, e.super().does("/admin/settle/"+game, map[string]any{"dryRun": false})
	},
	"settlement.release": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.APIKeyRevoked, Op: sim.CreateIntent}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Services.Cron(t.Context()); err == nil {
			t.Fatal("Cron succeeded without a valid key")
		}
		return e, e.super().does("/admin/settle-release/"+game, nil)
	},
	"settlement.remind": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		e.cron()
		e.Advance(time.Hour)
		e.cron()
		live := false
		return e, e.super().does("/admin/settlement/"+game+"/remind", httpapi.RemindRequest{DryRun: &live})
	},
	"settlement.pause": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		return e, e.super().does("/admin/settle-pause/"+game, httpapi.PauseRequest{Reason: "a doubt"})
	},
	"settlement.accept": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.pledge("a@example.com", gameCart(15), cardOK)
		b := e.super()
		draft := edits(game, "goal_amount", "900", "800")
		draft.Reason = "The printer asks for less."
		e.wantStatus(b.ask("POST", "/admin/content/publish", draft), 200)
		e.Advance(48 * time.Hour)
		b.signIn("super@example.com")
		return e, b.does("/admin/settle-accept", httpapi.AcceptRequest{CampaignSlug: game, Reason: "All have agreed"})
	},
	"settlement.stop": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		return e, e.super().does("/admin/settle-stop", httpapi.StopRequest{Reason: "a doubt"})
	},
	"settlement.resume": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeAfterDeadline(t, o)
		b := e.super()
		e.wantStatus(b.ask("POST", "/admin/settle-stop", httpapi.StopRequest{Reason: "a doubt"}), 200)
		return e, b.does("/admin/settle-resume", httpapi.ResumeRequest{Anyway: "no doubt"})
	},
	"settlement.rehearse": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/settle-rehearsal/"+game, nil)
	},
	"charge.resolve": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _, group := newEdgeWithUnknownChargeAndOptions(t, o)
		nothing := state.Statement{Group: group, NothingCharged: true}
		e.wantStatus(e.post("/admin/resolve/"+game, nothing, key("ada")...), 200)
		return e, func() httpapi.Response { return e.post("/admin/resolve/"+game, nothing, key("ben")...) }
	},
	"terms.accept": func(t *testing.T, o memory.Options) (*edge, act) {
		e, id, _ := newEdgeAfterRestore(t, o)
		e.Advance(48 * time.Hour)
		e.cron()
		body := httpapi.TermsRequest{OrderID: id, Reason: "they wrote to us"}
		e.wantStatus(e.post("/admin/terms/"+game, body, key("ada")...), 200)
		return e, func() httpapi.Response { return e.post("/admin/terms/"+game, body, key("ben")...) }
	},
	"settlement.reopen": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _ := newEdgeWithClosedCampaign(t, o)
		b := e.super()
		draft := edits(game, "goal_amount", "900", "800")
		draft.Reason = "The printer asks for less."
		e.wantStatus(b.ask("POST", "/admin/content/publish", draft), 200)
		e.wantStatus(b.ask("POST", "/admin/settle-accept",
			httpapi.AcceptRequest{CampaignSlug: game, Reason: "All have agreed"}), 200)
		why := httpapi.ReopenRequest{Reason: "the file has another goal"}
		e.wantStatus(e.post("/admin/reopen/"+game, why, key("ada")...), 200)
		return e, func() httpapi.Response { return e.post("/admin/reopen/"+game, why, key("ben")...) }
	},
	"order.adopt": func(t *testing.T, o memory.Options) (*edge, act) {
		e, s, manifest := newEdgeWithLostOrder(t, o)
		return e, e.super().does("/admin/orders/adopt", httpapi.AdoptRequest{SessionID: s.SessionID, Manifest: manifest})
	},
	"order.ask": func(t *testing.T, o memory.Options) (*edge, act) {
		e, s, _ := newEdgeWithLostOrder(t, o)
		return e, e.super().does("/admin/orders/ask", httpapi.AskRequest{SessionID: s.SessionID})
	},
	"pledge.cancel": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.pledge("a@example.com", gameCart(20), cardOK)
		s, _ := e.pledge("b@example.com", gameCart(1), cardOK)
		e.loseCustomer(s.OrderID)
		e.Advance(48 * time.Hour)
		e.cron()
		return e, e.super().does("/admin/pledges/cancel", httpapi.GiveUpRequest{OrderID: s.OrderID})
	},
	"checkout.recover": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		s := e.start("a@example.com", gameCart(1))
		if err := e.Sim.Complete(s.SessionID, cardOK); err != nil {
			t.Fatal(err)
		}
		return e, e.super().does("/admin/recover-checkout", checkout.RecoverRequest{SessionID: s.SessionID})
	},
	"projections.rebuild": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.pledge("a@example.com", gameCart(1), cardOK)
		if err := e.Services.Stores.Pledges.Apply(t.Context(), []kv.Write{kv.Delete(pledge.IndexKey(game, 0))}); err != nil {
			t.Fatal(err)
		}
		return e, e.super().does("/admin/projections/rebuild", httpapi.RebuildRequest{CampaignSlug: game})
	},
	"financials.backfill": func(t *testing.T, o memory.Options) (*edge, act) {
		o.BookLate = true
		e := newEdgeAfterDeadline(t, o)
		e.cron()
		e.Advance(time.Minute)
		return e, e.super().does("/admin/analytics/psp-financials/backfill", httpapi.FinancialsRequest{CampaignSlug: game})
	},
	"customers.backfill": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		for n := range 2 {
			s, _ := e.pledge(fmt.Sprintf("s%d@example.com", n), gameCart(1), cardOK)
			e.loseCustomer(s.OrderID)
		}
		return e, e.super().does("/admin/backfill-customers/"+game, nil)
	},
}

// newEdgeWithLostOrder returns an edge whose restored database lacks an order, with the checkout
// and the manifest that its supporter accepted.
func newEdgeWithLostOrder(t *testing.T, o memory.Options) (*edge, checkout.Started, json.RawMessage) {
	t.Helper()
	e := newEdge(t, o)
	backup := e.DB.Snapshot()
	s, err := e.Pledge(t.Context(), checkout.StartRequest{Email: "a@example.com", Cart: filmCart()}, "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := e.Services.Checkout.Orders.Get(t.Context(), s.OrderID)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(made.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	e.DB.Restore(backup)
	e.Deliver(t.Context())
	return e, s, manifest
}
