package settlement

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// chargedCrowd returns a fixture in which n supporters were charged $25 each, the first one for another
// pledge of $5.
func chargedCrowd(t *testing.T, n int) *fixture {
	t.Helper()
	w := newFixture(t)
	w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("ana", "film", 2500, sim.CardOK)
	for i := range n - 1 {
		w.pledge(fmt.Sprintf("fan-%d", i+1), "film", 2500, sim.CardOK)
	}
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	return w
}

// startRun starts a run and confirms it.
func (w *fixture) startRun(tip bool) refund.Run {
	w.t.Helper()
	_, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", refund.Run{ID: "cannot-deliver", Tip: tip,
		Reason: refund.Undelivered, Message: "The ferry sank."})
	w.ok(err)
	r, err := w.svc.ChangeRefundRun(w.ctx, "film", "bob@example.org", "cannot-deliver", refund.ConfirmRun)
	w.ok(err)
	return r
}

func (w *fixture) refundRun() refund.Run {
	w.t.Helper()
	r, err := w.svc.RefundRun(w.ctx, "film")
	w.ok(err)
	return r
}

// checkRun compares the run's figures, and what the processor has left, with the ledger.
func (w *fixture) checkRun(status refund.RunStatus, refunded, skipped int, left money.Cents) {
	w.t.Helper()
	r := w.refundRun()
	if r.Status != status || r.Refunded != refunded || r.Skipped != skipped {
		w.t.Fatalf("the run: %+v", r)
	}
	v, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	if total, _ := w.sim.Balance(); total != left || v.Balances[ledger.Clearing] != left {
		w.t.Fatalf("the processor has %s, the ledger %s, want %s", total, v.Balances[ledger.Clearing], left)
	}
}

// A run refunds what remains of every payment, once, after a second operator confirmed it. A disputed
// payment and one that was refunded are skipped.
func TestRefundRun(t *testing.T) {
	w := chargedCrowd(t, 4)
	w.refund("refund-1", refund.Choice{Amount: 200})
	fan1, fan2 := w.pledgeByID(w.pledgesOf["fan-1"][0]), w.pledgeByID(w.pledgesOf["fan-2"][0])
	_, err := w.sim.Refund(fan1.PaymentIntentID, 0)
	w.ok(err)
	w.ok(w.svc.UpdateRefunds(w.ctx, fan1.PaymentIntentID))
	_, err = w.sim.Dispute(fan2.PaymentIntentID, 0, "")
	w.ok(err)
	preview, err := w.svc.PreviewRefundRun(w.ctx, "film", false)
	w.ok(err)
	want := RefundRunPreview{Payments: 3, Pledges: 4, Amount: 2800 + 2500 + 2500, Refunded: 1}
	if diff := cmp.Diff(want, preview); diff != "" {
		t.Errorf("preview (-want +got):\n%s", diff)
	}

	start := refund.Run{ID: "cannot-deliver", Reason: refund.Undelivered}
	for range 2 {
		r, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", start)
		if err != nil || r.Status != refund.RunWaiting || r.StartedBy != "ada@example.org" {
			t.Fatalf("started: %+v, %v", r, err)
		}
	}
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	if r := w.refundRun(); r.After != 0 {
		t.Fatalf("refunded before the confirmation: %+v", r)
	}
	start.ID = "another-run"
	if _, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", start); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second run: %v", err)
	}
	if _, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "cannot-deliver", refund.ConfirmRun); !fault.Is(err, fault.Conflict) {
		t.Errorf("confirmed by the same operator: %v", err)
	}
	if _, err := w.svc.ChangeRefundRun(w.ctx, "film", "bob@example.org", "cannot-deliver", refund.ContinueRun); !fault.Is(err, fault.Conflict) {
		t.Errorf("continued before the confirmation: %v", err)
	}
	_, err = w.svc.ChangeRefundRun(w.ctx, "film", "bob@example.org", "cannot-deliver", refund.ConfirmRun)
	w.ok(err)
	for range 10 {
		w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 1))
	}
	fees := w.ledgerBalance(ledger.Fees)
	_, err = w.svc.ImportDisputes(w.ctx)
	w.ok(err)
	w.checkRun(refund.RunDone, 2, 2, -fees-1500)
	for range 2 {
		w.runRefunds()
	}
	w.checkRun(refund.RunDone, 2, 2, -fees-1500)
	if p := w.anas(1); p.Refunded() == 0 || w.anas(0).Refunded() != 500 {
		t.Errorf("ana's pledges show %s and %s of refunds", w.anas(0).Refunded(), p.Refunded())
	}
}

// Tips to the platform stay unless the run includes them.
func TestRefundRun_Tip(t *testing.T) {
	for _, tip := range []bool{false, true} {
		w := chargedCrowd(t, 1)
		e, err := w.svc.Ledger(w.ctx, "film", 0, 1)
		w.ok(err)
		var tips money.Cents
		for _, p := range e.Entries[0].PledgesOf() {
			tips += p.Tips
		}
		w.startRun(tip)
		w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
		if r, charged := w.refundRun(), e.Entries[0].Charged(); tip && r.Amount != charged || !tip && r.Amount != charged-tips {
			t.Errorf("with tips %t: %s of %s, with tips of %s", tip, r.Amount, charged, tips)
		}
	}
}

// The process crashes at each effect of a run in turn, and is restarted: every payment is refunded once.
func TestRefundRun_CrashAnywhere(t *testing.T) {
	for cut := 1; ; cut++ {
		w := chargedCrowd(t, 2)
		w.startRun(true)
		w.conn.effects, w.conn.failAt = 0, cut
		err := w.svc.ContinueRefundRun(w.ctx, "film", 10)
		died := w.conn.down
		w.restart()
		w.svc = w.service()
		if died && err == nil {
			t.Fatalf("no error at effect %d", cut)
		}
		for range 2 {
			w.now = w.now.Add(10 * time.Minute)
			w.ok(w.svc.RunRefunds(w.ctx, "film", 10))
			w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
		}
		w.checkRun(refund.RunDone, 2, 0, -w.ledgerBalance(ledger.Fees))
		if got := w.refundMails(); got != "refunded ana;refunded ana;refunded fan-1;" {
			t.Fatalf("cut at effect %d: mails %s", cut, got)
		}
		if !died {
			t.Logf("%d crash points", cut-1)
			return
		}
	}
}

// A run pauses after five refunds without an answer. They continue, and so does the run once an operator
// continues it.
func TestRefundRun_Pauses(t *testing.T) {
	w := chargedCrowd(t, 8)
	for range 5 {
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateRefund}))
	}
	w.startRun(true)
	for range 3 {
		w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	}
	if r := w.refundRun(); r.Status != refund.RunPaused || r.Refunded != 5 || r.Failures != 5 {
		t.Fatalf("the run: %+v", r)
	}
	w.runRefunds()
	_, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "cannot-deliver", refund.ContinueRun)
	w.ok(err)
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	w.checkRun(refund.RunDone, 8, 0, -w.ledgerBalance(ledger.Fees))
}

// A run that was ended continues no more, and another one takes what remains.
func TestRefundRun_Ended(t *testing.T) {
	w := chargedCrowd(t, 3)
	w.startRun(true)
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 1))
	for _, to := range []refund.RunChange{refund.PauseRun, refund.EndRun} {
		_, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "cannot-deliver", to)
		w.ok(err)
		w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	}
	if _, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "cannot-deliver", refund.ContinueRun); !fault.Is(err, fault.Conflict) {
		t.Errorf("continued after the end: %v", err)
	}
	if r := w.refundRun(); r.Refunded != 1 || r.Status != refund.RunEnded {
		t.Fatalf("the run: %+v", r)
	}
	_, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", refund.Run{ID: "second-run", Tip: true, Reason: refund.Undelivered})
	w.ok(err)
	_, err = w.svc.ChangeRefundRun(w.ctx, "film", "bob@example.org", "second-run", refund.ConfirmRun)
	w.ok(err)
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	w.checkRun(refund.RunDone, 2, 1, -w.ledgerBalance(ledger.Fees))
	start := func(id string) error {
		_, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", refund.Run{ID: id, Reason: refund.Undelivered})
		return err
	}
	w.ok(start("third-run"))
	_, err = w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "third-run", refund.EndRun)
	w.ok(err)
	for _, used := range []string{"cannot-deliver", "second-run"} {
		if err := start(used); !fault.Is(err, fault.Conflict) || fault.Of(err).Field != "id" {
			t.Errorf("the ID of an earlier run: %v", err)
		}
	}
	w.ok(start("third-run")) // a repeated request
	w.ok(start("fourth-run"))
}

// Every supporter gets one email about a run's refund, with its message.
func TestRefundRun_Message(t *testing.T) {
	w := chargedCrowd(t, 3)
	w.startRun(true)
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	w.sendMails()
	to := map[string]int{}
	for _, m := range w.sent {
		if m.Kind == notify.Refunded && strings.Contains(m.Text, "The ferry sank.") && strings.Contains(m.HTML, "The ferry sank.") {
			to[m.To]++
		}
	}
	if diff := cmp.Diff(map[string]int{email("ana"): 2, email("fan-1"): 1, email("fan-2"): 1}, to); diff != "" {
		t.Errorf("emails with the message (-want +got):\n%s", diff)
	}
}

// An operator ends a run while it visits a payment: the payment is not refunded.
func TestRefundRun_EndedDuringVisit(t *testing.T) {
	w := chargedCrowd(t, 2)
	w.startRun(true)
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && !op.After && op.Command.Kind == "refund-grant" {
			w.conn.watch = nil
			_, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "cannot-deliver", refund.EndRun)
			return err
		}
		return nil
	}
	if err := w.svc.ContinueRefundRun(w.ctx, "film", 10); !fault.Is(err, fault.Conflict) {
		t.Errorf("the visit: %v", err)
	}
	w.runRefunds()
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	if page, err := w.svc.Refunds(w.ctx, "film", false, "", 10); err != nil || len(page.Refunds) != 0 {
		t.Errorf("refunds of an ended run: %+v, %v", page.Refunds, err)
	}
}

// Two servers visit the same payment, and the one that refunds it dies before it records the visit. The other
// one counts the refund.
func TestRefundRun_VisitOfTwoServers(t *testing.T) {
	w := chargedCrowd(t, 2)
	w.startRun(true)
	died := errors.New("the server died")
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpQuery || op.Command.Kind != "get-pledge" {
			return nil
		}
		w.conn.watch = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && op.Command.Kind == "refund-run-visit" {
				return died
			}
			return nil
		}
		if err := w.svc.ContinueRefundRun(w.ctx, "film", 10); !errors.Is(err, died) {
			t.Errorf("the other server: %v", err)
		}
		w.conn.watch = nil
		return nil
	}
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	if r := w.refundRun(); r.Status != refund.RunDone || r.Refunded != 2 || r.Skipped != 0 || r.Amount != 3000+2500 {
		t.Errorf("the run: %+v", r)
	}
}

// forgetful is a processor that does not have one payment.
type forgetful struct {
	psp.Processor
	payment string
}

func (f forgetful) Reversals(ctx context.Context, id string) (psp.Reversals, error) {
	if id == f.payment {
		return psp.Reversals{}, fault.New(fault.NotFound, "No such payment")
	}
	return f.Processor.Reversals(ctx, id)
}

// A payment that the processor does not have does not stop the run.
func TestRefundRun_UnknownPayment(t *testing.T) {
	w := chargedCrowd(t, 3)
	w.svc.Processor = forgetful{w.svc.Processor, w.anas(0).PaymentIntentID}
	w.startRun(true)
	w.ok(w.svc.ContinueRefundRun(w.ctx, "film", 10))
	if r := w.refundRun(); r.Status != refund.RunDone || r.Refunded != 2 || r.Skipped != 1 {
		t.Errorf("the run: %+v", r)
	}
}

func TestStartRefundRun_Invalid(t *testing.T) {
	w := chargedCrowd(t, 1)
	for field, r := range map[string]refund.Run{
		"id":      {ID: "a b", Reason: refund.Undelivered},
		"reason":  {ID: "cannot-deliver", Reason: "whim"},
		"message": {ID: "cannot-deliver", Reason: refund.Undelivered, Message: string(make([]byte, maxRefundMessage+1))},
	} {
		_, err := w.svc.StartRefundRun(w.ctx, "film", "ada@example.org", r)
		if !fault.Is(err, fault.Invalid) || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := w.svc.ChangeRefundRun(w.ctx, "film", "ada@example.org", "unknown-run", refund.ContinueRun); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown run: %v", err)
	}
}
