package settlement

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// chargedFixture returns a fixture whose supporter ana was charged for two pledges, of $25 and $5.
func chargedFixture(t *testing.T, card string, faults ...sim.Fault) *fixture {
	t.Helper()
	w := newFixture(t)
	w.pledge("ana", "film", 2500, card)
	w.pledge("ana", "film", 500, card)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.mails()
	w.ok(w.sim.InjectFaults(faults...))
	w.conn.effects = 0
	return w
}

func (w *fixture) anas(nth int) *pledge.Pledge { return w.pledgeByID(w.pledgesOf["ana"][nth]) }

// refundRequest returns a request to refund ana's first pledge.
func (w *fixture) refundRequest(id string, c refund.Choice) RefundRequest {
	return RefundRequest{ID: id, PledgeID: w.pledgesOf["ana"][0], Choice: c, Reason: refund.Requested}
}

func (w *fixture) refund(id string, c refund.Choice) refund.Refund {
	w.t.Helper()
	r, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest(id, c))
	w.ok(err)
	return r
}

// runRefunds runs the minute job until an hour has passed.
func (w *fixture) runRefunds() {
	w.t.Helper()
	for range 12 {
		w.now = w.now.Add(5 * time.Minute)
		w.svc = w.service()
		w.ok(w.svc.RunRefunds(w.ctx, "film", 10))
	}
}

// processorRefunds lists the amounts and statuses of a payment's refunds at the processor, newest first.
func (w *fixture) processorRefunds() []string {
	w.t.Helper()
	at, err := w.sim.Processor().Reversals(w.ctx, w.anas(0).PaymentIntentID)
	w.ok(err)
	out := []string{}
	for _, f := range at.Refunds {
		out = append(out, f.Amount.String()+" "+string(f.Status))
	}
	return out
}

// checkRefunds compares the refunds at the processor, the ledger's clearing account with what the
// processor owes, and the pledge with its refunds.
func (w *fixture) checkRefunds(atProcessor []string, refunded money.Cents, status pledge.RefundStatus) {
	w.t.Helper()
	if diff := cmp.Diff(atProcessor, w.processorRefunds()); diff != "" {
		w.t.Fatalf("refunds at the processor (-want +got):\n%s", diff)
	}
	w.ok(w.sim.Check())
	v, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	if total, _ := w.sim.Balance(); v.Balances[ledger.Clearing] != total {
		w.t.Fatalf("the ledger has %s at the processor, which has %s", v.Balances[ledger.Clearing], total)
	}
	p := w.anas(0)
	if p.Refunded() != refunded || len(p.Refunds) == 0 || p.Refunds[len(p.Refunds)-1].Status != status {
		w.t.Fatalf("the pledge has %s of refunds: %+v", p.Refunded(), p.Refunds)
	}
}

// refundMails lists the mails about refunds.
func (w *fixture) refundMails() (kinds string) {
	w.t.Helper()
	for _, m := range w.mails() {
		if strings.HasPrefix(m, "refund") {
			kinds += m + ";"
		}
	}
	return kinds
}

// A part of a pledge is refunded, and then the rest. The supporter gets a mail for each. A repeated
// request changes nothing.
func TestRefund(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	for range 2 {
		if r := w.refund("refund-1", refund.Choice{Amount: 1000}); r.Status != refund.Succeeded || r.Told != refund.Succeeded {
			t.Fatalf("refund: %+v", r)
		}
	}
	w.checkRefunds([]string{"$10.00 succeeded"}, 1000, pledge.RefundSucceeded)
	q, err := w.svc.QuoteRefund(w.ctx, "film", w.refundRequest("", refund.Choice{All: true}))
	if err != nil || q.Amount != 1500 || q.Left != 0 || q.Second {
		t.Errorf("quote of the rest: %+v, %v", q, err)
	}
	w.refund("refund-2", refund.Choice{All: true})
	w.checkRefunds([]string{"$15.00 succeeded", "$10.00 succeeded"}, 2500, pledge.RefundSucceeded)
	if got := w.refundMails(); got != "refunded ana;refunded ana;" {
		t.Errorf("mails: %s", got)
	}
	other := w.refundRequest("refund-1", refund.Choice{Amount: 1000})
	other.PledgeID = w.pledgesOf["ana"][1]
	if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", other); !fault.Is(err, fault.Conflict) {
		t.Errorf("another pledge with the same ID: %v", err)
	}
	_, err = w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-3", refund.Choice{Amount: 1}))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("more than the pledge: %v", err)
	}
	if p := w.anas(1); p.Refunded() != 0 {
		t.Errorf("the other pledge was refunded: %+v", p)
	}
}

func TestRefund_Rejects(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	uncharged := w.pledge("bob", "album", 900, sim.CardOK)
	for name, tt := range map[string]struct {
		slug   string
		change func(*RefundRequest)
		code   fault.Code
		field  string
	}{
		"short ID":         {"film", func(r *RefundRequest) { r.ID = "x" }, fault.Invalid, "id"},
		"ID with a slash":  {"film", func(r *RefundRequest) { r.ID = "aaaaaaaa/b" }, fault.Invalid, "id"},
		"reason":           {"film", func(r *RefundRequest) { r.Reason = "fraudulent" }, fault.Invalid, "reason"},
		"long message":     {"film", func(r *RefundRequest) { r.Message = strings.Repeat("x", 2001) }, fault.Invalid, "message"},
		"no choice":        {"film", func(r *RefundRequest) { r.Choice = refund.Choice{} }, fault.Invalid, "choice"},
		"unknown pledge":   {"film", func(r *RefundRequest) { r.PledgeID = "pw-01arz3ndektsv4rrffq69g5fav" }, fault.NotFound, "orderId"},
		"other campaign":   {"album", func(*RefundRequest) {}, fault.NotFound, "orderId"},
		"unknown campaign": {"nothing", func(*RefundRequest) {}, fault.NotFound, "campaignSlug"},
		"not charged":      {"album", func(r *RefundRequest) { r.PledgeID = uncharged }, fault.Conflict, "orderId"},
	} {
		req := w.refundRequest("refund-1", refund.Choice{All: true})
		tt.change(&req)
		_, err := w.svc.GrantRefund(w.ctx, tt.slug, "ada@example.org", req)
		if f := fault.Of(err); f == nil || f.Code != tt.code || f.Field != tt.field {
			t.Errorf("%s: %v, want %s in %q", name, err, tt.code, tt.field)
		}
	}
	if got := w.processorRefunds(); len(got) != 0 {
		t.Errorf("refunds %v", got)
	}
}

// While charging is stopped and while the payment is disputed, nothing is refunded.
func TestRefund_NotAdmitted(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	req := w.refundRequest("refund-1", refund.Choice{All: true})
	w.ok(w.svc.Switch().StopForRestore(w.ctx))
	if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", req); !fault.Is(err, fault.Conflict) {
		t.Errorf("while charging is stopped: %v", err)
	}
	w.resume()
	id, err := w.sim.Dispute(w.anas(0).PaymentIntentID, 3000, "fraudulent")
	w.ok(err)
	if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", req); !fault.Is(err, fault.Conflict) {
		t.Errorf("while the payment is disputed: %v", err)
	}
	w.ok(w.sim.CloseDispute(id, true))
	if got := w.processorRefunds(); len(got) != 0 {
		t.Errorf("refunds %v", got)
	}
	if page, err := w.svc.Refunds(w.ctx, "film", false, "", 10); err != nil || len(page.Refunds) != 0 {
		t.Errorf("granted: %+v, %v", page, err)
	}
}

// One operator alone refunds at most $500 of a payment; the rest waits for a second operator.
func TestRefund_SecondOperator(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 60_000, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if r := w.refund("refund-0", refund.Choice{Amount: 50_000}); r.Status != refund.Succeeded {
		t.Fatalf("$500.00: %+v", r)
	}
	q, err := w.svc.QuoteRefund(w.ctx, "film", w.refundRequest("", refund.Choice{All: true}))
	if err != nil || q.Amount != 10_000 || !q.Second {
		t.Errorf("quote of another $100.00: %+v, %v", q, err)
	}
	r := w.refund("refund-1", refund.Choice{All: true})
	w.runRefunds()
	if r.Status != refund.Waiting || len(w.processorRefunds()) != 1 {
		t.Fatalf("unconfirmed: %+v, %v", r, w.processorRefunds())
	}
	if _, err := w.svc.ConfirmRefund(w.ctx, "film", "ada@example.org", r.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("confirmed by the same operator: %v", err)
	}
	r, err = w.svc.ConfirmRefund(w.ctx, "film", "bob@example.org", r.ID)
	if err != nil || r.Status != refund.Succeeded {
		t.Fatalf("confirmed: %+v, %v", r, err)
	}
	w.checkRefunds([]string{"$100.00 succeeded", "$500.00 succeeded"}, 60_000, pledge.RefundSucceeded)
	small := w.refundRequest("refund-2", refund.Choice{Amount: 1})
	if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", small); !fault.Is(err, fault.Conflict) {
		t.Errorf("more than was charged: %v", err)
	}
}

// A refund that waits for the processor's balance is shown once it succeeded.
func TestRefund_Pending(t *testing.T) {
	w := chargedFixture(t, sim.CardRefundPending)
	if r := w.refund("refund-1", refund.Choice{All: true}); r.Status != refund.Pending {
		t.Fatalf("refund: %+v", r)
	}
	if got := w.refundMails(); got != "" {
		t.Errorf("mails while it is pending: %s", got)
	}
	w.runRefunds()
	w.checkRefunds([]string{"$25.00 succeeded"}, 2500, pledge.RefundSucceeded)
	if got := w.refundMails(); got != "refunded ana;" {
		t.Errorf("mails: %s", got)
	}
}

// A refund that fails after it succeeded is owed until two operators state that it was paid in another
// way.
func TestRefund_FailsLater(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	r := w.refund("refund-1", refund.Choice{All: true})
	w.mails()
	w.now = w.now.AddDate(0, 0, 10)
	w.ok(w.sim.SettleRefund(r.RefundID, false))
	w.runRefunds()
	w.checkRefunds([]string{"$25.00 failed"}, 0, pledge.RefundFailed)
	if got := w.refundMails(); got != "refund_failed ana;refunded ana;" {
		t.Errorf("mails: %s", got)
	}
	page, err := w.svc.Refunds(w.ctx, "film", true, "", 10)
	if err != nil || len(page.Refunds) != 1 || page.Refunds[0].FailureReason == "" {
		t.Fatalf("waiting for a person: %+v, %v", page, err)
	}
	if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-2",
		refund.Choice{All: true})); !fault.Is(err, fault.Conflict) {
		t.Errorf("refunded to the same card again: %v", err)
	}
	for _, operator := range []string{"ada@example.org", "bob@example.org"} {
		r, err = w.svc.RepayRefund(w.ctx, "film", operator, r.ID)
		w.ok(err)
	}
	if r.Status != refund.Repaid {
		t.Errorf("repaid: %+v", r)
	}
	w.checkRefunds([]string{"$25.00 failed"}, 2500, pledge.RefundRepaid)
}

// A refund whose answer is lost is looked up, and sent again only if the processor does not have it.
func TestRefund_LostAnswer(t *testing.T) {
	for _, kind := range []sim.FaultKind{sim.DropAnswer, sim.DropRequest, sim.ServerErrorAfter, sim.RollForward, sim.RateLimit} {
		t.Run(string(kind), func(t *testing.T) {
			w := chargedFixture(t, sim.CardOK, sim.Fault{Kind: kind, Op: sim.CreateRefund, For: 20 * time.Minute})
			_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-1", refund.Choice{All: true}))
			w.ok(err)
			w.runRefunds()
			w.checkRefunds([]string{"$25.00 succeeded"}, 2500, pledge.RefundSucceeded)
		})
	}
}

// The process crashes at each effect of a refund in turn, and is restarted.
func TestRefund_CrashAnywhere(t *testing.T) {
	for name, faults := range map[string][]sim.Fault{
		"calm":        nil,
		"lost answer": {{Kind: sim.DropAnswer, Op: sim.CreateRefund, For: 20 * time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			for cut := 1; ; cut++ {
				w := chargedFixture(t, sim.CardOK, faults...)
				w.conn.failAt = cut
				req := w.refundRequest("refund-1", refund.Choice{All: true})
				_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", req)
				died := w.conn.down
				w.restart()
				w.svc = w.service()
				if died && err == nil {
					t.Fatalf("no error at effect %d", cut)
				}
				w.now = w.now.Add(time.Minute)
				if _, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", req); err != nil {
					t.Fatalf("cut at effect %d: %v", cut, err)
				}
				w.runRefunds()
				w.checkRefunds([]string{"$25.00 succeeded"}, 2500, pledge.RefundSucceeded)
				if got := w.refundMails(); got != "refunded ana;" || t.Failed() {
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

// Refunds made at the processor are adopted, with their mails.
func TestRefund_Adopted(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	id := w.anas(0).PaymentIntentID
	_, err := w.sim.Refund(id, 600)
	w.ok(err)
	for range 2 {
		w.ok(w.svc.UpdateRefunds(w.ctx, id))
	}
	w.checkRefunds([]string{"$6.00 succeeded"}, 500, pledge.RefundSucceeded)
	if got := w.anas(1).Refunded(); got != 100 {
		t.Errorf("refunded of the second pledge: %s", got)
	}
	if got := w.refundMails(); got != "refunded ana;refunded ana;" {
		t.Errorf("mails: %s", got)
	}
	w.ok(w.svc.UpdateRefunds(w.ctx, "pi_unknown"))
	made := w.payByHand("film", "stranger", 700)
	_, err = w.sim.Refund(made.ID, 0)
	w.ok(err)
	w.ok(w.svc.UpdateRefunds(w.ctx, made.ID)) // a payment without a recorded charge
}

// A refund whose record a restore removed is adopted with its parts before another one can be made.
func TestRefund_AfterRestore(t *testing.T) {
	w := chargedFixture(t, sim.CardOK)
	w.restore(func() { w.refund("refund-1", refund.Choice{All: true}) })
	if p := w.anas(0); p.Refunded() != 0 {
		t.Fatalf("the restored pledge is refunded: %+v", p)
	}
	w.resume()
	_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-2", refund.Choice{All: true}))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("refunded again: %v", err)
	}
	w.checkRefunds([]string{"$25.00 succeeded"}, 2500, pledge.RefundSucceeded)
	if got := w.anas(1).Refunded(); got != 0 {
		t.Errorf("%s of the other pledge were refunded", got)
	}
	if r, err := w.svc.refundsOf("film").Get(w.ctx, "refund-1"); err != nil || !r.Adopted || r.Status != refund.Succeeded {
		t.Errorf("adopted: %+v, %v", r, err)
	}
}

// A restore of the campaign's settlement removes the charge and its refund. Both are recorded when the next
// run finds the payment.
func TestRefund_SettlementRestored(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 500, sim.CardOK)
	was := w.db.Snapshot()
	w.deadline()
	w.settle("film", false)
	w.refund("refund-1", refund.Choice{Amount: 1000})
	w.now = w.now.Add(2 * time.Hour)
	w.restoreSettlement(was)
	w.settle("film", false)
	w.checkRefunds([]string{"$10.00 succeeded"}, 1000, pledge.RefundSucceeded)
	if got := w.refundMails(); got != "refunded ana;" {
		t.Errorf("mails: %s", got)
	}
}

// A restore of an order removes the pledge's charge. A refund that comes back is shown in the pledge with
// its charge.
func TestRefund_OrderRestored(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	was := w.db.Snapshot()
	w.deadline()
	w.settle("film", false)
	r := w.refund("refund-1", refund.Choice{All: true})
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, was)
	if w.anas(0).Charged {
		t.Fatal("the order was not restored")
	}
	w.now = w.now.AddDate(0, 0, 1)
	w.ok(w.sim.SettleRefund(r.RefundID, false))
	w.runRefunds()
	w.checkRefunds([]string{"$25.00 failed"}, 0, pledge.RefundFailed)
}

// A refund that the processor refuses frees its amount. The pledge shows nothing that did not happen.
func TestRefund_Refused(t *testing.T) {
	w := chargedFixture(t, sim.CardOK, sim.Fault{Kind: sim.DropRequest, Op: sim.CreateRefund, For: time.Minute})
	_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org", w.refundRequest("refund-1", refund.Choice{All: true}))
	w.ok(err)
	_, err = w.sim.Refund(w.anas(0).PaymentIntentID, 0)
	w.ok(err)
	w.runRefunds()
	r, err := w.svc.refundsOf("film").Get(w.ctx, "refund-1")
	if err != nil || r.Status != refund.Refused || r.Refusal != psp.RefusalRefunded {
		t.Errorf("refused: %+v, %v", r, err)
	}
	w.checkRefunds([]string{"$30.00 succeeded"}, 2500, pledge.RefundEnded)
}
