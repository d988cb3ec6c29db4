package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// newEdgeAfterCharge returns an edge whose campaign was settled, with the pledge that was charged and
// two operators who have just signed in.
func newEdgeAfterCharge(t *testing.T, o memory.Options) (e *edge, order string, ada, ben *browser) {
	t.Helper()
	e = newEdge(t, o)
	s, _ := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	ada, ben = e.super(), e.with("ben@example.com", access.Refunds, access.Money)
	return e, s.Campaigns[0].OrderID, ada, ben
}

// refundOf returns a request for a refund: of an amount, or of everything if it is 0.
func refundOf(id, order string, amount money.Cents) settlement.RefundRequest {
	return settlement.RefundRequest{ID: id, PledgeID: order, Reason: refund.Requested,
		Choice: refund.Choice{All: amount == 0, Amount: amount, Tip: true}}
}

const refunds = "/admin/refunds/" + game

var refundRun = httpapi.RefundRunRequest{ID: "cannot-deliver", Tip: true, Reason: refund.Undelivered}

var refundMutations = map[string]mutation{
	"refund.grant": func(t *testing.T, o memory.Options) (*edge, act) {
		e, id, ada, _ := newEdgeAfterCharge(t, o)
		return e, ada.does(refunds, refundOf("refund-1", id, 1000))
	},
	"refund.confirm": func(t *testing.T, o memory.Options) (*edge, act) {
		e, id, ada, ben := newEdgeAfterCharge(t, o)
		e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", id, 0)), 200)
		return e, ben.does(refunds+"/confirm", httpapi.RefundRef{ID: "refund-1"})
	},
	"refund.run": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _, ada, _ := newEdgeAfterCharge(t, o)
		return e, ada.does(refunds+"/run", refundRun)
	},
	"refund.run_changed": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _, ada, ben := newEdgeAfterCharge(t, o)
		e.wantStatus(ada.ask("POST", refunds+"/run", refundRun), 200)
		return e, ben.does(refunds+"/run/change", httpapi.RefundRunChange{ID: refundRun.ID, Change: refund.ConfirmRun})
	},
	"refund.withdraw": func(t *testing.T, o memory.Options) (*edge, act) {
		e, id, ada, ben := newEdgeAfterCharge(t, o)
		e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", id, 0)), 200)
		return e, ben.does(refunds+"/withdraw", httpapi.RefundRef{ID: "refund-1"})
	},
	"refund.repaid": func(t *testing.T, o memory.Options) (*edge, act) {
		e, id, ada, ben := newEdgeAfterCharge(t, o)
		r := decode[httpapi.RefundRecord](t, ada.ask("POST", refunds, refundOf("refund-1", id, 1000)))
		if err := e.Sim.SettleRefund(r.RefundID, false); err != nil {
			t.Fatal(err)
		}
		if err := e.Services.Settlement.UpdateRefunds(t.Context(), r.PaymentID); err != nil {
			t.Fatal(err)
		}
		e.wantStatus(ada.ask("POST", refunds+"/repaid", httpapi.RefundRef{ID: "refund-1"}), 200)
		return e, ben.does(refunds+"/repaid", httpapi.RefundRef{ID: "refund-1"})
	},
}

// An operator refunds a part of a pledge and then, with another operator, the rest. The supporter's
// page and the list of refunds follow.
func TestRefunds(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s, manage := e.pledge("a@example.com", gameCart(20), cardOK)
	id := s.Campaigns[0].OrderID
	e.Advance(48 * time.Hour)
	e.cron()
	ada, ben := e.super(), e.with("ben@example.com", access.Refunds, access.Money)
	paid := e.view(manage).Amount
	quote := decode[settlement.RefundQuote](t, ben.ask("POST", refunds+"/quote", refundOf("", id, 1000)))
	if quote.Amount != 1000 || quote.Left != paid-1000 || quote.Second {
		t.Errorf("quote: %+v", quote)
	}
	r := decode[httpapi.RefundRecord](t, ben.ask("POST", refunds, refundOf("refund-1", id, 1000)))
	if r.Status != refund.Succeeded || r.GrantedBy != "ben@example.com" || r.Parts[0].OrderID != id || r.RefundID == "" {
		t.Errorf("refund: %+v", r)
	}
	rest := decode[httpapi.RefundRecord](t, ben.ask("POST", refunds, refundOf("refund-2", id, 0)))
	if rest.Status != refund.Waiting || rest.Amount != paid-1000 {
		t.Errorf("refund of the rest: %+v", rest)
	}
	open := decode[httpapi.Refunds](t, ada.get(refunds, "attention=true"))
	if len(open.Refunds) != 1 || open.Refunds[0].ID != "refund-2" {
		t.Errorf("waiting: %+v", open)
	}
	ref := httpapi.RefundRef{ID: "refund-2"}
	e.wantStatus(ben.ask("POST", refunds+"/confirm", ref), 409)
	e.wantStatus(ada.ask("POST", refunds+"/confirm", ref), 200)
	e.wantStatus(ada.ask("POST", refunds+"/withdraw", ref), 409)
	e.wantStatus(ada.ask("POST", refunds, refundOf("refund-3", id, 1)), 409)
	if v := e.view(manage); v.Refunded != paid || len(v.Refunds) != 2 || !v.Charged || v.Amount != paid {
		t.Errorf("the supporter sees %+v of %s", v.Refunds, paid)
	}
	all := decode[httpapi.Refunds](t, ada.get(refunds, "limit=1"))
	if len(all.Refunds) != 1 || all.Next != "refund-1" {
		t.Errorf("first page: %+v", all)
	}
	all = decode[httpapi.Refunds](t, ada.get(refunds, "limit=1&after="+all.Next))
	if len(all.Refunds) != 1 || all.Refunds[0].ConfirmedBy != "super@example.com" {
		t.Errorf("second page: %+v", all)
	}
	e.wantStatus(ada.get(refunds, "limit=0"), 400)
	e.wantStatus(ada.get(refunds, "after=x"), 400)
	money := e.with("carl@example.com", access.Money)
	e.wantStatus(money.get(refunds, ""), 200)
	e.wantStatus(money.ask("POST", refunds, refundOf("refund-4", id, 1)), 403)
	e.Advance(11 * time.Minute)
	e.wantFailure(ada.ask("POST", refunds, refundOf("refund-4", id, 1)), 403,
		"This requires a sign-in within the last ten minutes")
}

// Two operators refund all payments. The minute job continues the run, and the supporters' pages follow.
func TestRefundRun(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, first := e.pledge("a@example.com", gameCart(20), cardOK)
	_, second := e.pledge("b@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	ada, ben := e.super(), e.with("ben@example.com", access.Refunds, access.Money)
	if s := decode[httpapi.RefundRunState](t, ada.ask("GET", refunds+"/run", nil)); s.Run != nil {
		t.Errorf("before the first run: %+v", s.Run)
	}
	paid := e.view(first).Amount + e.view(second).Amount
	preview := decode[settlement.RefundRunPreview](t, ben.ask("GET", refunds+"/run/preview?tip=true", nil))
	if preview.Payments != 2 || preview.Amount != paid {
		t.Errorf("preview: %+v, want %s", preview, paid)
	}
	if r := ada.ask("POST", refunds+"/run/change", map[string]string{"id": refundRun.ID, "change": "done"}); r.Status != 400 {
		t.Errorf("an unknown change: %d %s", r.Status, r.Body)
	}
	e.wantStatus(ada.ask("POST", refunds+"/run", refundRun), 200)
	change := func(b *browser, c refund.RunChange) httpapi.Response {
		return b.ask("POST", refunds+"/run/change", httpapi.RefundRunChange{ID: refundRun.ID, Change: c})
	}
	e.wantStatus(change(ada, refund.ConfirmRun), 409)
	e.wantFailure(change(ben, refund.ContinueRun), 409, "The run waits for a second operator, who has to confirm it")
	for _, c := range []refund.RunChange{refund.ConfirmRun, refund.PauseRun, refund.ContinueRun} {
		e.wantStatus(change(ben, c), 200)
	}
	var acts []string
	for _, ev := range decode[httpapi.AuditPage](t, e.get("/admin/audit", "", e.admin()...)).Events {
		if strings.HasPrefix(ev.Action, "refund.run_") && ev.Status == audit.Done && ev.Code == "" {
			acts = append(acts, ev.Summary)
		}
	}
	want := []string{"Continued the refund of all payments", "Paused the refund of all payments",
		"Confirmed the refund of all payments"}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("audit log (-want +got):\n%s", diff)
	}
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := decode[httpapi.RefundRunState](t, ada.ask("GET", refunds+"/run", nil)).Run
	if run.Status != refund.RunDone || run.Refunded != 2 || run.Amount != paid || run.ConfirmedBy != "ben@example.com" {
		t.Errorf("the run: %+v", run)
	}
	for _, manage := range []string{first, second} {
		if v := e.view(manage); v.Refunded != v.Amount {
			t.Errorf("%s of %s refunded", v.Refunded, v.Amount)
		}
	}
}
