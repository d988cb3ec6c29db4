package settlement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// settledCampaign returns a fixture with a charged pledge of ana ($25.00) and one of cleo ($8.00), and
// their payments.
func settledCampaign(t *testing.T) (w *fixture, ana, cleo string) {
	w = newFixture(t)
	first, second := w.pledge("ana", "film", 2500, sim.CardOK), w.pledge("cleo", "film", 800, sim.CardOK)
	w.deadline()
	w.settle("film", false)
	w.conn.effects = 0
	return w, w.pledgeByID(first).PaymentIntentID, w.pledgeByID(second).PaymentIntentID
}

func (w *fixture) importDisputes() ImportedDisputes {
	w.t.Helper()
	r, err := w.svc.ImportDisputes(w.ctx)
	w.ok(err)
	return r
}

func (w *fixture) openDispute(n sim.NewDispute) string {
	w.t.Helper()
	id, err := w.sim.OpenDispute(n)
	w.ok(err)
	return id
}

func (w *fixture) dispute(id string) dispute.Dispute {
	w.t.Helper()
	d, err := w.svc.Dispute(w.ctx, "film", id)
	w.ok(err)
	return d
}

// checkDisputed compares the accounts that disputes change, apart from what the charges changed.
func (w *fixture) checkDisputed(when string, disputed, losses, fees, clearing money.Cents) {
	w.t.Helper()
	v, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	var charged, chargeFees money.Cents
	for e, err := range w.svc.LedgerEntries(w.ctx, "film") {
		w.ok(err)
		charged += e.Charged()
		if e.Kind == ledger.Fee {
			chargeFees += e.Lines[0].Amount
		}
	}
	got := []money.Cents{v.Balances[ledger.Disputed], v.Balances[ledger.Losses], v.Balances[ledger.Fees] - chargeFees,
		v.Balances[ledger.Clearing] - charged + chargeFees}
	if diff := cmp.Diff([]money.Cents{disputed, losses, fees, clearing}, got); diff != "" {
		w.t.Errorf("%s: disputed, losses, fees and clearing (-want +got):\n%s", when, diff)
	}
}

func TestImportDisputes_Lifecycle(t *testing.T) {
	w, ana, cleo := settledCampaign(t)
	lost := w.openDispute(sim.NewDispute{PaymentID: ana, Reason: "product_not_received"})
	inquiry := w.openDispute(sim.NewDispute{PaymentID: cleo, Status: psp.DisputeStatusWarningNeedsResponse})
	if r := w.importDisputes(); r.Disputes < 2 || r.Foreign != 0 {
		t.Errorf("imported %+v", r)
	}
	d := w.dispute(lost)
	if by, ok := d.AnswerDue(); !ok || !by.Equal(w.now.Add(10*day)) || d.Reason != "product_not_received" || d.Amount != 2500 ||
		d.PaymentID != ana || d.Group != w.group("ana", "film").Hash {
		t.Errorf("dispute %+v, due by %v", d, by)
	}
	w.checkDisputed("one chargeback, one inquiry", 2500, 0, 1500, -4000)
	for _, payment := range []string{ana, cleo} {
		if of, err := w.svc.DisputesOfPayment(w.ctx, "film", payment); err != nil || !of.Disputes[0].BlocksRefunds() {
			t.Errorf("a disputed payment: %+v, %v", of, err)
		}
	}
	w.now = w.now.Add(2 * time.Hour)
	w.ok(w.sim.MoveDispute(inquiry, psp.DisputeStatusNeedsResponse))
	w.ok(w.sim.MoveDispute(lost, psp.DisputeStatusLost))
	w.importDisputes()
	w.checkDisputed("lost, and escalated", 800, 2500, 3000, -6300)
	w.now = w.now.Add(20 * day)
	w.ok(w.sim.MoveDispute(inquiry, psp.DisputeStatusWon))
	w.importDisputes()
	w.checkDisputed("lost and won", 0, 2500, 3000, -5500)
	if of, err := w.svc.DisputesOfPayment(w.ctx, "film", cleo); err != nil || of.Disputes[0].BlocksRefunds() {
		t.Errorf("after a win: %+v, %v", of, err)
	}
	if total, _ := w.sim.Balance(); w.ledgerBalance(ledger.Clearing) != total {
		t.Errorf("clearing is %s, the processor's balance %s", w.ledgerBalance(ledger.Clearing), total)
	}
	open, err := w.svc.Disputes(w.ctx, "film", true, "", 10)
	if err != nil || len(open.Disputes) != 0 {
		t.Errorf("open disputes: %+v, %v", open, err)
	}
}

// A dispute is shown in its pledge, which holds the parcels unless the campaign ships disputed pledges.
func TestImportDisputes_HoldsParcels(t *testing.T) {
	w, ana, _ := settledCampaign(t)
	id := w.openDispute(sim.NewDispute{PaymentID: ana})
	w.importDisputes()
	check := func(when string, status pledge.DisputeStatus, held pledge.HoldReason) {
		w.t.Helper()
		w.checkShown(when, "ana", status)
		if p := w.anas(0); len(p.Disputes) != 1 || p.Disputes[0].ID != id || p.Held() != held {
			t.Errorf("%s: %+v, held %q", when, p.Disputes, p.Held())
		}
	}
	film, err := w.catalogue.Campaign("film")
	w.ok(err)
	check("opened", pledge.DisputeOpen, pledge.HeldByDispute)
	revision := w.anas(0).Revision
	w.now = w.now.Add(2 * time.Hour)
	if w.importDisputes(); w.anas(0).Revision != revision {
		t.Error("a lookup without news changed the pledge")
	}
	film.Shipping.ShipDisputed = true
	w.now = w.now.Add(2 * time.Hour)
	w.importDisputes()
	check("shipped", pledge.DisputeOpen, "")
	film.Shipping.ShipDisputed = false
	w.ok(w.sim.MoveDispute(id, psp.DisputeStatusLost))
	w.now = w.now.Add(2 * time.Hour)
	w.importDisputes()
	check("lost", pledge.DisputeLost, pledge.HeldByLoss)
}

// checkShown checks the status of a supporter's dispute in the order and in the pledge's record.
func (w *fixture) checkShown(when, name string, status pledge.DisputeStatus) {
	w.t.Helper()
	id := w.pledgesOf[name][0]
	stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.db.Store("PLEDGES"), pledge.Key(id))
	w.ok(err)
	for place, p := range map[string]*pledge.Pledge{"order": w.pledgeByID(id), "record": &stored} {
		if len(p.Disputes) != 1 || p.Disputes[0].Status != status {
			w.t.Errorf("%s: %s's %s has %+v", when, name, place, p.Disputes)
		}
	}
}

func (w *fixture) ledgerBalance(a ledger.Account) money.Cents {
	w.t.Helper()
	_, err := w.svc.FillFinancials(w.ctx, "film", 100)
	w.ok(err)
	v, err := w.svc.VerifyLedger(w.ctx, "film")
	w.ok(err)
	return v.Balances[a]
}

// A webhook only causes a lookup of its payment.
func TestImportPaymentDisputes(t *testing.T) {
	w, ana, _ := settledCampaign(t)
	w.ok(w.svc.ImportPaymentDisputes(w.ctx, ana))
	id := w.openDispute(sim.NewDispute{PaymentID: ana})
	for range 2 {
		w.ok(w.svc.ImportPaymentDisputes(w.ctx, ana))
		w.checkDisputed("opened", 2500, 0, 1500, -4000)
	}
	w.now = w.now.Add(time.Minute)
	w.ok(w.sim.CloseDispute(id, true))
	w.ok(w.svc.ImportPaymentDisputes(w.ctx, ana))
	w.checkDisputed("won", 0, 0, 1500, -1500)
	w.ok(w.svc.ImportPaymentDisputes(w.ctx, "pi_unknown"))
}

// foreignPayment makes a payment of another service of the account.
func (w *fixture) foreignPayment() string {
	w.t.Helper()
	card := w.saveCard("zoe", sim.CardOK)
	out := w.sim.Processor().Charge(w.ctx, psp.NewCharge{Key: "other:1", CustomerID: card.CustomerID,
		PaymentMethodID: card.PaymentMethodID, Amount: 900,
		Group: "subscription-7", NotAfter: w.now.Add(time.Hour)})
	if out.Status != psp.Succeeded {
		w.t.Fatalf("the other service's charge: %+v", out)
	}
	return out.Payment.ID
}

func (w *fixture) progress(list dispute.List) dispute.Progress {
	w.t.Helper()
	known, err := w.svc.disputePlatform().Import(w.ctx, 0)
	w.ok(err)
	return known.Progress[list]
}

func TestImportDisputes_Foreign(t *testing.T) {
	w, ana, _ := settledCampaign(t)
	foreign := w.foreignPayment()
	w.openDispute(sim.NewDispute{PaymentID: foreign})
	_, err := w.sim.WarnOfFraud(foreign, "")
	w.ok(err)
	ours := w.openDispute(sim.NewDispute{PaymentID: ana})
	if r := w.importDisputes(); r.Foreign != 2 {
		t.Errorf("first import: %+v", r)
	}
	w.now = w.now.Add(time.Hour)
	if r := w.importDisputes(); r.Foreign != 0 {
		t.Errorf("second import: %+v", r)
	}
	page, err := w.svc.Disputes(w.ctx, "film", false, "", 10)
	if err != nil || len(page.Disputes) != 1 || page.Disputes[0].ID != ours {
		t.Errorf("disputes %+v, %v", page, err)
	}
	if p := w.progress(dispute.Disputes); p.Foreign != 1 || !p.Done {
		t.Errorf("progress %+v", p)
	}
}

func TestImportDisputes_Warnings(t *testing.T) {
	w, ana, _ := settledCampaign(t)
	_, err := w.sim.WarnOfFraud(ana, "")
	w.ok(err)
	warning := func() dispute.Warning {
		t.Helper()
		of, err := w.svc.DisputesOfPayment(w.ctx, "film", ana)
		if err != nil || len(of.Warnings) != 1 {
			t.Fatalf("%+v, %v", of, err)
		}
		return of.Warnings[0]
	}
	w.importDisputes()
	if got := warning(); !got.Actionable || got.Reason != "unauthorized_use_of_card" {
		t.Errorf("warning %+v", got)
	}
	w.checkDisputed("a warning moves no money", 0, 0, 0, 0)
	w.now = w.now.Add(5 * day)
	w.openDispute(sim.NewDispute{PaymentID: ana})
	w.ok(w.svc.ImportWarnings(w.ctx))
	if warning().Actionable {
		t.Error("the warning about a disputed payment is still actionable")
	}
}

// A list that is longer than one run reads is continued by the next run, and an old dispute changes.
// A warning awaits a decision, and every import returns it, until the payment is refunded in full.
func TestImportDisputes_SuspectedUntilRefunded(t *testing.T) {
	w, ana, _ := settledCampaign(t)
	id, err := w.sim.WarnOfFraud(ana, "")
	w.ok(err)
	check := func(when string, want int) {
		t.Helper()
		r := w.importDisputes()
		awaited, err := w.svc.AwaitedWarnings(w.ctx, "film")
		w.ok(err)
		if len(awaited) != want || len(r.Suspected) != want || want > 0 && r.Suspected[0].ID != id {
			t.Errorf("%s: awaited %+v, suspected %+v", when, awaited, r.Suspected)
		}
	}
	check("warned", 1)
	w.now = w.now.Add(time.Hour)
	check("an hour later", 1)
	refundPart := func(id string, c refund.Choice) {
		_, err := w.svc.GrantRefund(w.ctx, "film", "ada@example.org",
			RefundRequest{ID: id, PledgeID: w.pledgesOf["ana"][0], Choice: c, Reason: refund.Requested})
		w.ok(err)
	}
	refundPart("refund-part", refund.Choice{Amount: 500})
	check("a part is refunded", 1)
	refundPart("refund-rest", refund.Choice{All: true, Tip: true})
	check("all is refunded", 0)
}

func TestImportDisputes_Resumed(t *testing.T) {
	w, _, _ := settledCampaign(t)
	id := w.pledgeByID(w.pledgesOf["ana"][0]).PaymentIntentID
	var first string
	for i := range disputePage*disputePages + 3 {
		d := w.openDispute(sim.NewDispute{PaymentID: id, Amount: 1})
		w.ok(w.sim.CloseDispute(d, true))
		if i == 0 {
			first = d
		}
		w.now = w.now.Add(time.Second)
	}
	w.now = w.now.Add(40 * day)
	if _, err := w.svc.importReported(w.ctx, dispute.Disputes, w.progress(dispute.Disputes)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.Dispute(w.ctx, "film", first); !fault.Is(err, fault.NotFound) {
		t.Fatalf("the first run read everything: %v", err)
	}
	w.now = w.now.Add(time.Hour)
	if _, err := w.svc.importReported(w.ctx, dispute.Disputes, w.progress(dispute.Disputes)); err != nil {
		t.Fatal(err)
	}
	if d := w.dispute(first); d.Status != psp.DisputeStatusWon {
		t.Errorf("first dispute %+v", d)
	}
}

// The process crashes before or after each effect of an import, while disputes change. The books are the
// same as without a crash.
func TestImportDisputes_CrashAnywhere(t *testing.T) {
	story := func(w *fixture, ana, cleo string, crashAt int) (effects int) {
		w.conn.effects, w.conn.failAt = 0, crashAt
		run := func() {
			_, err := w.svc.ImportDisputes(w.ctx)
			if !w.conn.down {
				w.ok(err)
				return
			}
			w.restart()
			w.svc = w.service()
			w.importDisputes()
		}
		a := w.openDispute(sim.NewDispute{PaymentID: ana})
		b := w.openDispute(sim.NewDispute{PaymentID: cleo, Status: psp.DisputeStatusWarningNeedsResponse})
		run()
		w.now = w.now.Add(2 * time.Hour)
		w.ok(w.sim.CloseDispute(a, true))
		w.ok(w.sim.MoveDispute(b, psp.DisputeStatusNeedsResponse))
		run()
		w.now = w.now.Add(2 * day)
		w.ok(w.sim.CloseDispute(b, false))
		run()
		return w.conn.effects
	}
	clean, ana, cleo := settledCampaign(t)
	effects := story(clean, ana, cleo, 0)
	clean.checkDisputed("without a crash", 0, 800, 3000, -3800)
	clean.checkShown("without a crash", "ana", pledge.DisputeWon)
	for cut := 1; cut <= effects; cut += stride() {
		w, ana, cleo := settledCampaign(t)
		story(w, ana, cleo, cut)
		w.checkDisputed("after a crash", 0, 800, 3000, -3800)
		w.checkShown("after a crash", "ana", pledge.DisputeWon)
		w.checkShown("after a crash", "cleo", pledge.DisputeLost)
		if t.Failed() {
			t.Fatalf("cut at effect %d of %d", cut, effects)
		}
	}
	t.Logf("%d crash points", effects)
}

// The recorded disputes explain the ledger's accounts.
func TestDisputeSums(t *testing.T) {
	w, ana, cleo := settledCampaign(t)
	w.openDispute(sim.NewDispute{PaymentID: ana})
	w.ok(w.sim.CloseDispute(w.openDispute(sim.NewDispute{PaymentID: cleo, Amount: 300}), false))
	w.importDisputes()
	got, err := w.svc.DisputeSums(w.ctx, "film")
	want := dispute.Sums{Disputed: 2500, Lost: 300, LedgerDisputed: 2500, LedgerLost: 300}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
