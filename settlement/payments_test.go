package settlement

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A run that directly follows its process's last lease, whose end is in the database, does not
// list the payments. Every other run does.
func TestLeases_LastImports(t *testing.T) {
	for name, tt := range map[string]struct {
		between func(w *fixture)
		lists   bool
	}{
		"the same process": {func(*fixture) {}, false},
		"the same process, hours later": {
			func(w *fixture) { w.now = w.now.Add(importLifetime - time.Minute) }, false},
		"the same process, after the import's lifetime": {func(w *fixture) { w.now = w.now.Add(importLifetime) }, true},
		"the same process, after two runs": {func(w *fixture) {
			w.now = w.now.Add(importLifetime - time.Minute)
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			w.now = w.now.Add(time.Minute)
		}, true},
		"a new process": {func(w *fixture) { w.svc = w.service() }, true},
		"another process in between": {func(w *fixture) {
			_, err := w.service().Settle(w.ctx, "film", false)
			w.ok(err)
		}, true},
		"a crashed process in between": {func(w *fixture) {
			_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.Acquire(w.ctx,
				state.LeaseRequest{Owner: "dead"})
			w.ok(err)
			w.now = w.now.Add(state.LeaseDuration)
		}, true},
		"last lease lost in the database": {func(w *fixture) { w.db.Restore(w.backup) }, true},
		"end of the last lease lost in the database": {
			func(w *fixture) { w.db.Restore(w.underLease); w.now = w.now.Add(state.LeaseDuration) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.backup = w.db.Snapshot()
			w.conn.watch = w.keepDuring
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			w.conn.watch = nil
			tt.between(w)
			before := w.conn.listCalls
			_, err = w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			if got := w.conn.listCalls > before; got != tt.lists {
				t.Errorf("the payments were listed: %t, want %t", got, tt.lists)
			}
			if n := len(w.conn.charges); n != 1 {
				t.Errorf("%d charges were sent", n)
			}
		})
	}
}

// Nothing is charged before the list is complete.
func TestImport_CompleteListFirst(t *testing.T) {
	w := newFixture(t)
	for _, name := range []string{"ana", "bob", "cleo"} {
		w.pledge(name, "film", 2500, sim.CardOK)
	}
	w.deadline()
	w.backup = w.db.Snapshot()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.now = w.now.Add(25 * time.Hour)
	w.db.Restore(w.backup)
	w.pledge("dan", "film", 900, sim.CardOK)
	w.svc = w.service()
	w.conn.listBreaksOff = true
	_, err = w.svc.Settle(w.ctx, "film", false)
	wantCode(t, "an incomplete list", err, fault.Unavailable)
	wantCode(t, "a card's retry", w.svc.RetryCard(w.ctx, "film", email("dan")), fault.Unavailable)
	if n := len(w.conn.charges); n != 3 {
		t.Fatalf("%d charges were sent", n)
	}
	w.conn.listBreaksOff = false
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if len(w.conn.charges) != 4 || r.PledgesCharged != 4 {
		t.Errorf("%d charges were sent and %d pledges charged", len(w.conn.charges), r.PledgesCharged)
	}
	w.ok(w.sim.Check())
}

// All payments of a page are imported, and none of their pledges is charged again.
func TestImport_WholePage(t *testing.T) {
	w := newFixture(t)
	for _, name := range []string{"ana", "bob", "cleo"} {
		w.pledge(name, "film", 2500, sim.CardOK)
	}
	w.deadline()
	w.backup = w.db.Snapshot()
	w.settle("film", false)
	w.now = w.now.Add(25 * time.Hour) // the processor has forgotten the keys
	w.db.Restore(w.backup)
	w.svc = w.service()
	w.svc.Processor = w.sim.Processor() // w.conn returns one payment per page
	w.settle("film", false)
	if books := w.sim.Entries(); len(books) != 3 {
		t.Errorf("the processor has %+v", books)
	}
	for _, name := range w.names {
		if p := w.pledgeByID(w.pledgesOf[name][0]); !p.Charged {
			t.Errorf("the pledge of %s is %s", name, p.Status)
		}
	}
}

// restoreSettlement restores the film's settlement object alone to a snapshot.
func (w *fixture) restoreSettlement(since memkv.Snapshot) {
	w.db.RestoreObject(kv.Object{Class: state.ClassName, Name: "film"}, since)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
}

// A payment that its supporter approved is recorded in its pledge, although the pledge is not
// claimed for an attempt.
func TestImport_ApprovedPayment(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.ok(w.sim.Authenticate(w.group("ana", "film").PaymentIntentID))
	w.ok(w.approved("ana"))
	if p := w.pledgeByID(id); !p.Charged || p.Settlement != nil {
		t.Fatalf("the pledge is %s, claimed: %+v", p.Status, p.Settlement)
	}
	w.restoreSettlement(before)
	w.settle("film", false)
	if g := w.group("ana", "film"); g.Status != state.Succeeded || !g.Booked ||
		len(g.Orders) != 1 || len(w.sim.Entries()) != 1 {
		t.Errorf("the charge is %s (%s), of %v", g.Status, g.Reason, g.Orders)
	}
}

// The restored database has an older card than the payment that waits for approval. The
// supporter approves the payment after the import.
func TestImport_ApprovedAfterTheImport(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.newCard("ana", sim.CardAuthAlways, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	waits := w.group("ana", "film").PaymentIntentID
	w.db.Restore(before)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	w.ok(w.sim.Authenticate(waits))
	w.now = w.now.Add(7 * time.Hour)
	w.settle("film", false)
	if g := w.group("ana", "film"); !w.pledgeByID(id).Charged || g.Status != state.Succeeded ||
		g.PaymentIntentID != waits {
		t.Errorf("the pledge is %s, the charge %s (%s)", w.pledgeByID(id).Status, g.Status, g.Reason)
	}
}

// A payment that waited for approval succeeds but differs from the request. Operators decide
// about it.
func TestImport_ApprovedPaymentDiffers(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	w.settle("film", false)
	w.ok(w.sim.Authenticate(w.group("ana", "film").PaymentIntentID))
	w.svc.Processor = otherCard{w.svc.Processor}
	w.now = w.now.Add(7 * time.Hour)
	w.settle("film", false)
	if g := w.group("ana", "film"); w.pledgeByID(id).Charged || g.Status != state.NeedsAttention ||
		g.Reason != state.AnswerDiffers || g.Code != "payment_method" {
		t.Errorf("the pledge is %s, the charge %s (%s %s)", w.pledgeByID(id).Status, g.Status, g.Reason, g.Code)
	}
}

// otherCard is a processor that returns payments with another card than the charged one.
type otherCard struct{ psp.Processor }

func (p otherCard) Payment(ctx context.Context, id string) (psp.Payment, error) {
	got, err := p.Processor.Payment(ctx, id)
	got.PaymentMethodID = "pm_other"
	return got, err
}

// A supporter was given a deadline for another card. It stays valid although the settlement
// object lost the time of the failure.
func TestImport_KeepsPromisedRecoveryEnd(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.sendMails()
	until := w.pledgeByID(id).Recovery.Until
	w.restoreSettlement(before)
	w.settle("film", false)
	for _, step := range []struct {
		at   time.Time
		want bool
	}{{until.Add(-time.Second), false}, {until, true}} {
		w.now = step.at
		w.settle("film", false)
		if p := w.pledgeByID(id); p.Dropped() != step.want {
			t.Errorf("deadline %s: dropped at %s: %t", until, step.at, p.Dropped())
		}
	}
	if mails := w.mails(); len(mails) != 3 { // bob's charge, ana's failure and her dropped pledge
		t.Errorf("mails: %v", mails)
	}
}

// A declined payment does not claim a stranger's pledge, even if others were joined since.
func TestImport_DeclinedPaymentAndStranger(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	stranger := w.pledgeTyped("ana", "film", 2500, "none")
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.db.Restore(before)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.pledge("ana", "film", 300, sim.CardOK)
	w.settle("film", false)
	if p := w.pledgeByID(stranger); p.Claimed() || p.Status != pledge.Active {
		t.Errorf("the stranger's pledge is %s, in group %s", p.Status, p.Group)
	}
}

// If a payment names no pledges and its amount does not fit, operators see the pledges that it
// may be for, except those that were charged or tried separately.
func TestImport_AmountDoesNotFit(t *testing.T) {
	w := newFixture(t)
	w.conn.omitPledges = true
	w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)
	a := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	before, died := w.db.Snapshot(), false
	hash := state.GroupHash("film", email("ana"))
	w.conn.watch = func(op memkv.Op) error {
		tells := op.Command.Kind == "tell" && !op.After && strings.Contains(string(op.Command.Body), hash)
		if died = died || tells; died {
			return errDisconnected
		}
		return nil
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.conn.watch = nil
	if err == nil || len(w.conn.charges) != 2 {
		t.Fatalf("%d charges before the crash, %v", len(w.conn.charges), err)
	}
	w.restoreSettlement(before)
	late := w.pledge("ana", "film", 300, sim.CardOK)
	w.settle("film", false)
	g := w.group("ana", "film")
	if diff := cmp.Diff([]string{a, late}, g.OrderIDs()); diff != "" || g.Status != state.NeedsAttention ||
		g.Reason != state.AmountDiffers {
		t.Errorf("the charge is %s (%s), of the pledges (-want +got):\n%s", g.Status, g.Reason, diff)
	}
	if n := len(w.conn.charges); n != 2 {
		t.Errorf("%d charges were sent", n)
	}
}

// A payment is for the pledges that it names, regardless of the total of the others.
func TestImport_PledgesAsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		lost bool // the charged pledge
		card string
		want state.GroupStatus
		paid int
	}{
		"named among others":                            {false, sim.CardOK, state.Succeeded, 1},
		"named pledge lost, others have the same total": {true, sim.CardOK, state.NeedsAttention, 1},
		"named pledge lost, declined":                   {true, sim.CardChargeDeclined, state.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			cancelled := w.pledge("ana", "film", 2500, sim.CardOK)
			backup := w.db.Snapshot()
			charged := w.pledge("ana", "film", 2500, tt.card)
			whole := w.db.Snapshot()
			if !tt.lost {
				backup = whole
			}
			w.cancel("ana", 0)
			w.agree(w.pledgeByID(cancelled))
			w.deadline()
			w.settle("film", false)
			w.db.Restore(backup)
			w.svc = w.service()
			w.now = w.now.Add(25 * time.Hour)
			w.settle("film", false)
			w.settle("film", false)
			if g := w.group("ana", "film"); g.Status != tt.want || tt.want == state.Failed && !g.Done() {
				t.Errorf("the charge is %s (%s), done %t", g.Status, g.Reason, g.Done())
			}
			if tt.want == state.NeedsAttention { // then its order is restored
				w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: charged}, whole)
				w.db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: "film"}, whole)
				w.now = w.now.Add(day)
				w.settle("film", false)
				w.settle("film", false)
			}
			if w.pledgeByID(cancelled).Charged || tt.paid > 0 && !w.pledgeByID(charged).Charged || len(w.charged()) != tt.paid {
				t.Errorf("the cancelled pledge is %s, payments %v", w.pledgeByID(cancelled).Status, w.charged())
			}
		})
	}
}

// A charge that release 0.1.0 froze is sent exactly as that release would send it, because the
// processor compares requests with the same key.
func TestCharge_FrozenByRelease01(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.conn.omitPledges = true
	w.conn.lookupsLost = 1
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: sim.CreateIntent}))
	w.settle("film", false)
	w.conn.omitPledges = false
	g := w.group("ana", "film")
	g.NamesPledges = false
	w.putState(kv.Object{Class: state.ClassName, Name: "film"}, map[string]any{"group/" + g.Hash: g})
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	for i, c := range w.conn.charges {
		if c.Metadata[psp.PledgesKey] != "" {
			t.Errorf("charge %d names %s", i, c.Metadata[psp.PledgesKey])
		}
	}
	if !w.pledgeByID(id).Charged || len(w.conn.charges) != 2 {
		t.Errorf("charged %t after %d requests", w.pledgeByID(id).Charged, len(w.conn.charges))
	}
}

// A charge that is frozen and not sent according to the database may have been sent. While the
// processor is working on it, settlement waits, however old the key is.
func TestImport_ForgottenRequest(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, "processing:40h")
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "attempt" && !op.After {
			w.backup = w.db.Snapshot()
		}
		return nil
	}
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.conn.watch = nil
	w.now = w.now.Add(25 * time.Hour)
	w.db.Restore(w.backup)
	w.svc = w.service()
	for range 20 {
		_, err = w.svc.Settle(w.ctx, "film", false)
		w.ok(err)
		w.now = w.now.Add(time.Hour)
	}
	if g := w.group("ana", "film"); len(w.conn.charges) != 1 || g.Status != state.Succeeded || !g.Booked {
		t.Errorf("%d charges were sent, and the group is %s", len(w.conn.charges), g.Status)
	}
}

// An attempt keeps its history, and a success is never replaced.
func TestAdopt_History(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 3000, sim.CardChargeDeclined)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	object := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}
	lease, err := object.Acquire(w.ctx, state.LeaseRequest{Owner: "me"})
	w.ok(err)
	for name, want := range map[string]int{"bob": 2, "ana": 1} {
		was := *w.group(name, "film")
		second := state.Group{Hash: was.Hash, CampaignSlug: "film", Generation: 2, Amount: was.Amount, Currency: money.USD}
		_, err := object.Adopt(w.ctx, lease, second, state.Result{Status: psp.Succeeded, PaymentID: "pi_2",
			Amount: was.Amount, Received: was.Amount, Currency: money.USD, FromLookup: true})
		w.ok(err)
		g := w.group(name, "film")
		if g.Generation != want || g.Status != state.Succeeded {
			t.Errorf("%s: attempt %d %s", name, g.Generation, g.Status)
		}
		if want == 2 && (len(g.History) != 1 || g.History[0].Code != was.Code || !g.FirstFailedAt.Equal(*was.FirstFailedAt)) {
			t.Errorf("%s: the first attempt is missing: %+v", name, g.History)
		}
	}
}

func (w *fixture) keepDuring(op memkv.Op) error {
	if op.Kind == memkv.OpDo && op.Command.Kind == "release" && !op.After {
		w.underLease = w.db.Snapshot()
	}
	return nil
}

// A charge is sent again as frozen, even if the campaign's title has changed.
func TestCharge_DescriptionIsFrozen(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.conn.lookupsLost = 1
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: sim.CreateIntent}))
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	c, err := w.catalogue.Campaign("film")
	w.ok(err)
	c.Title = "Another name"
	w.now = w.now.Add(time.Hour)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if len(w.conn.charges) != 2 {
		t.Fatalf("%d charges were sent", len(w.conn.charges))
	}
	for _, c := range w.conn.charges {
		if c.Description != "Pledge to Film" {
			t.Errorf("the description is %q", c.Description)
		}
	}
}
