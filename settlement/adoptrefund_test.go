package settlement

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// A refund that came back before the service learned that it had succeeded is owed, also one that was made at
// the processor.
func TestRefund_FailsBeforeLookup(t *testing.T) {
	w := chargedFixture(t, sim.CardRefundFails, sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateRefund})
	_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-1", refund.Choice{Amount: 1500}))
	w.ok(err)
	_, err = w.sim.Refund(w.anas(0).PaymentIntentID, 100)
	w.ok(err)
	w.now = w.now.Add(time.Hour)
	w.runRefunds()
	w.ok(w.svc.UpdateRefunds(w.ctx, w.anas(0).PaymentIntentID))
	page, err := w.svc.Refunds(w.ctx, "film", true, "", 10)
	if err != nil || len(page.Refunds) != 2 || page.Refunds[0].Status != refund.Failed || page.Refunds[1].Status != refund.Failed {
		t.Errorf("waiting for a person: %+v, %v", page, err)
	}
	v, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	if got := v.Balances[ledger.Owed]; got != -1600 {
		t.Errorf("owed %s", got)
	}
}

// The process crashes at each effect of adopting a refund that was made at the processor, and is restarted. The
// refund stays, or came back before it was adopted.
func TestRefund_AdoptCrashAnywhere(t *testing.T) {
	for name, tc := range map[string]struct {
		card     string
		refunded string
		amount   money.Cents
		status   pledge.RefundStatus
		mails    string
	}{
		"stays":    {sim.CardOK, "$6.00 succeeded", 500, pledge.RefundSucceeded, "refunded ana;refunded ana;"},
		"returned": {sim.CardRefundFails, "$6.00 failed", 0, pledge.RefundFailed, "refund_failed ana;refund_failed ana;"},
	} {
		t.Run(name, func(t *testing.T) {
			for cut := 1; ; cut++ {
				w := chargedFixture(t, tc.card)
				id := w.anas(0).PaymentIntentID
				_, err := w.sim.Refund(id, 600)
				w.ok(err)
				w.now = w.now.Add(time.Hour)
				w.conn.effects, w.conn.failAt = 0, cut
				err = w.svc.UpdateRefunds(w.ctx, id)
				died := w.conn.down
				w.restart()
				w.svc = w.service()
				if died && err == nil {
					t.Fatalf("no error at effect %d", cut)
				}
				w.ok(w.svc.UpdateRefunds(w.ctx, id))
				w.runRefunds()
				w.checkRefunds([]string{tc.refunded}, tc.amount, tc.status)
				if got := w.refundMails(); got != tc.mails {
					t.Fatalf("cut at effect %d: mails %s", cut, got)
				}
				if !died {
					t.Logf("%d crash points", cut-1)
					return
				}
			}
		})
	}
}
