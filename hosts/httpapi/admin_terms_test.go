package httpapi_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// newEdgeAfterRestore returns an edge whose database was restored to a state before a supporter
// reduced a pledge.
func newEdgeAfterRestore(t *testing.T, o memory.Options) (e *edge, id, token string) {
	t.Helper()
	e = newEdge(t, o)
	e.pledge("a@example.com", gameCart(20), cardOK)
	started, token := e.pledge("b@example.com", gameCart(2), cardOK)
	backup := e.DB.Snapshot()
	one := 1
	e.wantStatus(e.post("/pledge/modify",
		checkout.ModifyRequest{Token: token, Items: &[]checkout.Item{{ID: game + "__the-game", Quantity: &one}}}), 200)
	e.DB.Restore(backup)
	return e, started.Campaigns[0].OrderID, token
}

// A pledge that was reduced after the backup is listed before and after the deadline, and is not
// charged until two operators decide to.
func TestTerms_TwoOperators(t *testing.T) {
	e, id, token := newEdgeAfterRestore(t, memory.Options{})
	path := "/admin/terms/" + game
	body := httpapi.TermsRequest{OrderID: id, Reason: "they wrote to us"}
	for _, header := range [][]string{nil, key("cleo"), e.admin(), e.settler()} {
		e.wantStatus(e.get(path, "", header...), 401)
		e.wantStatus(e.post(path, body, header...), 401)
		e.Advance(time.Minute)
	}
	ours := e.view(token).Amount
	listed := func() []state.Disagreement {
		t.Helper()
		e.Advance(time.Minute)
		return decode[httpapi.Disagreements](t, e.get(path, "", key("ada")...)).Pledges
	}
	live := listed()
	if len(live) != 1 || live[0].PledgeID != id || live[0].Amount != ours || live[0].Recorded.Amount >= ours ||
		live[0].Recorded.Revision != 2 {
		t.Fatalf("before the deadline: %+v, pledge amount %s", live, ours)
	}
	e.Advance(48 * time.Hour)
	e.cron()
	if v := e.view(token); v.Charged || len(e.Sim.Entries()) != 1 {
		t.Fatalf("charged %t, %d payments", v.Charged, len(e.Sim.Entries()))
	}
	for range 2 {
		if r := decode[httpapi.TermsAccepted](t, e.post(path, body, key("ada")...)); r.Confirmed ||
			r.Pledge.StatedBy != "ada" || r.Pledge.Reason != body.Reason {
			t.Fatalf("after one decision: %+v", r)
		}
	}
	if all := listed(); len(all) != 1 || all[0].StatedBy != "ada" || all[0].Accepted() {
		t.Errorf("after one decision: %+v", all)
	}
	e.cron()
	if e.view(token).Charged {
		t.Fatal("charged after one operator's decision")
	}
	if r := decode[httpapi.TermsAccepted](t, e.post(path, body, key("ben")...)); !r.Confirmed ||
		r.Pledge.ConfirmedBy != "ben" {
		t.Errorf("after both decisions: %+v", r)
	}
	e.Advance(12 * time.Hour)
	e.cron()
	if v := e.view(token); v.Status != pledge.Charged || len(e.Sim.Entries()) != 2 {
		t.Errorf("pledge is %s, with %d payments", v.Status, len(e.Sim.Entries()))
	}
}

func TestTerms_Refusals(t *testing.T) {
	e, id, _ := newEdgeAfterRestore(t, memory.Options{})
	path := "/admin/terms/" + game
	e.wantField(e.post(path, httpapi.TermsRequest{Reason: "a test"}, key("ada")...), "orderId")
	e.wantField(e.post(path, httpapi.TermsRequest{OrderID: id}, key("ada")...), "reason")
	e.wantStatus(e.post(path, httpapi.TermsRequest{OrderID: "pw-x", Reason: "a test"}, key("ada")...), 404)
	e.wantStatus(e.post("/admin/terms/unknown", httpapi.TermsRequest{OrderID: id, Reason: "a test"}, key("ada")...), 404)
	e.wantStatus(e.get("/admin/terms/unknown", "", key("ada")...), 404)
	e.Advance(time.Minute)
	if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: sim.ListCustomers}); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.get(path, "", key("ada")...), 503)
	one := newEdge(t, memory.Options{Env: operators("ada")})
	one.wantFailure(one.get(path, "", key("ada")...), 403, "This requires two operators in ADMIN_OPERATORS")
	one.wantFailure(one.post(path, httpapi.TermsRequest{OrderID: id, Reason: "a test"}, key("ada")...),
		403, "This requires two operators in ADMIN_OPERATORS")
}

// If the supporter reduces the pledge again, the disagreement is resolved.
func TestTerms_ReducedAgain(t *testing.T) {
	e, id, token := newEdgeAfterRestore(t, memory.Options{})
	one := 1
	e.wantStatus(e.post("/pledge/modify",
		checkout.ModifyRequest{Token: token, Items: &[]checkout.Item{{ID: game + "__the-game", Quantity: &one}}}), 200)
	if all := decode[httpapi.Disagreements](t, e.get("/admin/terms/"+game, "", key("ada")...)).Pledges; len(all) != 0 {
		t.Errorf("listed: %+v", all)
	}
	e.wantStatus(e.post("/admin/terms/"+game, httpapi.TermsRequest{OrderID: id, Reason: "a test"}, key("ada")...), 404)
}

// After a restore, charging can be resumed when operators have decided about all pledges with
// different terms, or by stating a reason.
func TestTerms_Resume(t *testing.T) {
	for name, decide := range map[string]func(e *edge, id string) httpapi.ResumeRequest{
		"decided": func(e *edge, id string) httpapi.ResumeRequest {
			for _, operator := range []string{"ada", "ben"} {
				e.wantStatus(e.post("/admin/terms/"+game, httpapi.TermsRequest{OrderID: id, Reason: "a test"}, key(operator)...),
					200)
			}
			return httpapi.ResumeRequest{}
		},
		"for a reason": func(*edge, string) httpapi.ResumeRequest { return httpapi.ResumeRequest{Anyway: "all are known"} },
	} {
		t.Run(name, func(t *testing.T) {
			e, id, _ := newEdgeAfterRestore(t, memory.Options{})
			e.wantStatus(e.post("/admin/settle-stop", httpapi.StopRequest{Restored: true}, e.settler()...), 200)
			want := "Pledges of " + game + " with other terms in the processor's record: 1, for example " +
				id + ". See pledged terms " + game
			e.wantFailure(e.post("/admin/settle-resume", httpapi.ResumeRequest{}, e.settler()...), 409, want)
			e.wantStatus(e.post("/admin/settle-resume", decide(e, id), e.settler()...), 200)
			if stopped, err := e.Services.Settlement.Switch().Stopped(t.Context()); err != nil || stopped != nil {
				t.Errorf("charging is still stopped: %+v, %v", stopped, err)
			}
		})
	}
}

// A pledge that was cancelled and then brought back by a restore is listed as cancelled, and an
// operator cancels it again.
func TestTerms_CancelledPledge(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", gameCart(20), cardOK)
	started, token := e.pledge("b@example.com", gameCart(1), cardOK)
	backup := e.DB.Snapshot()
	e.wantStatus(e.post("/pledge/cancel", checkout.CancelRequest{Token: token}), 200)
	e.DB.Restore(backup)
	e.Advance(48 * time.Hour)
	e.cron()
	all := decode[httpapi.Disagreements](t, e.get("/admin/terms/"+game, "", key("ada")...)).Pledges
	if len(all) != 1 || all[0].Recorded != (agreement.Terms{Revision: 2, Cancelled: true}) {
		t.Fatalf("listed: %+v", all)
	}
	e.wantStatus(e.post("/admin/pledges/cancel", httpapi.GiveUpRequest{OrderID: started.Campaigns[0].OrderID},
		e.admin()...), 200)
	if v := e.view(token); v.Status != pledge.Cancelled || len(e.Sim.Entries()) != 1 {
		t.Errorf("pledge is %s, with %d payments", v.Status, len(e.Sim.Entries()))
	}
}
