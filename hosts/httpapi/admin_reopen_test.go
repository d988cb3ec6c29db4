package httpapi_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// newEdgeWithClosedCampaign returns an edge whose game missed its goal and is closed.
func newEdgeWithClosedCampaign(t *testing.T, o memory.Options) (e *edge, token string) {
	t.Helper()
	e = newEdge(t, o)
	_, token = e.pledge("a@example.com", gameCart(15), cardOK)
	e.Advance(48 * time.Hour)
	e.Advance(settlement.Closing)
	e.cron()
	if e.settlementStatus().ClosedAt == nil {
		t.Fatal("the campaign is not closed")
	}
	return e, token
}

func (e *edge) settlementStatus() settlement.Status {
	e.t.Helper()
	e.Advance(time.Second)
	r := e.get("/admin/settlement/"+game, "", e.settler()...)
	e.wantStatus(r, 200)
	return decode[settlement.Status](e.t, r)
}

// A campaign that was closed because of a wrong goal is reopened by two operators and charged.
func TestReopen_TwoOperators(t *testing.T) {
	e, token := newEdgeWithClosedCampaign(t, memory.Options{})
	path, why := "/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "the file had another goal"}
	for _, header := range [][]string{nil, key("cleo"), e.admin(), e.settler()} {
		e.wantStatus(e.post(path, why, header...), 401)
		e.Advance(time.Minute)
	}
	b := e.super()
	draft := edits(game, "goal_amount", "900", "800")
	draft.Reason = "The printer asks for less."
	e.wantStatus(b.ask("POST", "/admin/content/publish", draft), 200)
	e.wantStatus(b.ask("POST", "/admin/settle-accept",
		httpapi.AcceptRequest{CampaignSlug: game, Reason: "All have agreed"}), 200)
	e.Advance(time.Minute)
	for range 2 {
		if r := decode[httpapi.Reopened](t, e.post(path, why, key("ada")...)); r.Confirmed ||
			r.Reopening.StatedBy != "ada" || r.Reopening.Reason != why.Reason {
			t.Fatalf("after one decision: %+v", r)
		}
	}
	if st := e.settlementStatus(); st.ClosedAt == nil || st.Reopening == nil || st.DetachingAt != nil {
		t.Errorf("after one decision: %+v", st)
	}
	if r := decode[httpapi.Reopened](t, e.post(path, why, key("ben")...)); !r.Confirmed ||
		r.Reopening.ConfirmedBy != "ben" {
		t.Errorf("after both decisions: %+v", r)
	}
	if st := e.settlementStatus(); st.ClosedAt != nil {
		t.Errorf("after both decisions: %+v", st)
	}
	e.Advance(time.Hour)
	e.cron()
	if v := e.view(token); v.Status != pledge.Charged || len(e.Sim.Entries()) != 1 {
		t.Errorf("pledge is %s, with %d payments", v.Status, len(e.Sim.Entries()))
	}
}

func TestReopen_Refusals(t *testing.T) {
	e, _ := newEdgeWithClosedCampaign(t, memory.Options{})
	e.wantField(e.post("/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "<b>"}, key("ada")...), "reason")
	e.wantStatus(e.post("/admin/reopen/unknown", httpapi.ReopenRequest{Reason: "a test"}, key("ada")...), 404)
	e.wantStatus(e.post("/admin/reopen/"+film, httpapi.ReopenRequest{Reason: "a test"}, key("ada")...), 409)
	e.Advance(settlement.Reopening)
	e.cron()
	if st := e.settlementStatus(); st.DetachingAt == nil {
		t.Fatalf("no cards are deleted: %+v", st)
	}
	e.wantStatus(e.post("/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "a test"}, key("ada")...), 409)
	one := newEdge(t, memory.Options{Env: operators("ada")})
	one.wantFailure(one.post("/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "a test"}, key("ada")...),
		403, "This requires two operators in ADMIN_OPERATORS")
}
