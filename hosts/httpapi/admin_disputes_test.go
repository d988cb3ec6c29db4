package httpapi_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// disputedEdge returns a fixture with a charged pledge, its ID, and a chargeback of its payment that the
// hourly run has imported.
func disputedEdge(t *testing.T) (e *edge, pledgeID, disputeID string) {
	e = newEdge(t, memory.Options{})
	started, _ := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	disputeID, err := e.Sim.OpenDispute(sim.NewDispute{PaymentID: e.Sim.Entries()[0].PaymentID, Reason: "product_not_received"})
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Hour)
	e.cron()
	return e, started.OrderID, disputeID
}

// Operators see a campaign's disputes with their deadline, amount and pledges.
func TestDisputes(t *testing.T) {
	e, id, disputeID := disputedEdge(t)
	const path = "/admin/disputes/" + game
	paid := e.Sim.Entries()[0]
	b, packer := e.with("books@example.com", access.Money), e.with("packer@example.com", access.Supporters, access.Fulfilment)
	out := decode[disputes.Page](t, b.get(path, "open=true"))
	if len(out.Disputes) != 1 || out.Next != "" {
		t.Fatalf("%+v", out)
	}
	d := out.Disputes[0]
	if d.ID != disputeID || d.Phase != dispute.Chargeback || d.Amount != paid.Amount || d.Reason != "product_not_received" ||
		d.AnswerBy == nil || !d.AnswerBy.Equal(d.OpenedAt.Add(10*24*time.Hour)) || len(d.Pledges) != 1 || d.Pledges[0] != id ||
		d.Withdrawn != paid.Amount || d.Fees != 1500 || !d.BlocksRefunds || d.PaymentID != paid.PaymentID {
		t.Errorf("open: %+v", d)
	}
	if err := e.Sim.CloseDispute(disputeID, false); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Hour)
	e.cron()
	b, packer = e.with("accounts@example.com", access.Money), e.with("sender@example.com", access.Supporters, access.Fulfilment)
	if out := decode[disputes.Page](t, b.get(path, "open=true")); len(out.Disputes) != 0 {
		t.Errorf("still open: %+v", out)
	}
	d = decode[disputes.Page](t, b.get(path, "")).Disputes[0]
	if d.Phase != dispute.Lost || d.Lost != paid.Amount || d.AnswerBy != nil || d.DecidedAt == nil {
		t.Errorf("lost: %+v", d)
	}
	if rest := decode[disputes.Page](t, b.get(path, "cursor="+disputeID)); len(rest.Disputes) != 0 {
		t.Errorf("after the last: %+v", rest)
	}
	e.wantField(b.get(path, "open=maybe"), "open")
	e.wantField(b.get(path, "cursor=%2Fa"), "cursor")
	e.wantStatus(packer.get(path, ""), 403)
	e.wantStatus(b.get("/admin/disputes/nothing", ""), 404)
}
