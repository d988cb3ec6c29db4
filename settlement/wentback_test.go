package settlement

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// The backup contains a mail that asks for another card. After the backup the supporter saved
// one and was charged. Charging is resumed, and mails are sent every minute before the next
// settlement.
func TestVerifyClaim_WaitsForTheImport(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	w.settle("film", false)
	w.restore(func() {
		w.newCard("ana", sim.CardOK, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	})
	if len(w.charged()) != 2 {
		t.Fatalf("charged %v", w.charged())
	}
	w.now = w.now.Add(2 * time.Hour)
	w.resume()
	w.sendMails()
	if diff := cmp.Diff([]string{"charged bob"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// An order alone is restored to before its charge, while the mail about the charge is queued.
func TestVerifyClaim_RestoredOrder(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	w.sendMails()
	for range 3 {
		w.svc = w.service()
		w.settle("film", false)
		w.now = w.now.Add(time.Hour)
		_, err := w.svc.Projector.Sweep(w.ctx, "film", 0, 100)
		w.ok(err)
	}
	if diff := cmp.Diff([]string{"charged ana"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// A payment of a campaign that missed its goal is refunded, as the refusal to close demands.
// The other supporters must not be charged.
func TestClose_RefundedPayment(t *testing.T) {
	w := newFixture(t)
	ana := w.pledge("ana", "album", 500, sim.CardOK)
	bob := w.pledge("bob", "album", 700, sim.CardOK)
	w.deadline()
	w.now = w.now.Add(Closing)
	p := w.pledgeByID(ana)
	key := state.AttemptKey("album", state.GroupHash("album", email("ana")), 1)
	out := w.sim.Processor().
		Charge(w.ctx, psp.NewCharge{Key: key, Group: key, Metadata: map[string]string{psp.CampaignKey: "album"}, Amount: 500,
			CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
	_, err := w.sim.Refund(out.Payment.ID, 500)
	w.ok(err)
	w.mustDeleteCards("album", CardDeletion{})
	closed, err := w.svc.Closed(w.ctx, "album")
	w.ok(err)
	due, err := w.svc.DueCampaigns(w.ctx)
	w.ok(err)
	w.settle("album", false)
	if w.pledgeByID(bob).Charged || !closed {
		t.Errorf("closed %t, due %v, bob is charged %t, payments %v, mails %v", closed, due,
			w.pledgeByID(bob).Charged, w.charged(), w.mails())
	}
}

// A declined payment, which moved no money, does not start the settlement of a campaign that missed
// its goal either.
func TestClose_DeclinedPayment(t *testing.T) {
	w := newFixture(t)
	ana := w.pledge("ana", "album", 500, sim.CardChargeDeclined)
	bob := w.pledge("bob", "album", 700, sim.CardOK)
	w.deadline()
	w.now = w.now.Add(Closing)
	p := w.pledgeByID(ana)
	key := state.AttemptKey("album", state.GroupHash("album", email("ana")), 1)
	w.sim.Processor().
		Charge(w.ctx, psp.NewCharge{Key: key, Group: key, Metadata: map[string]string{psp.CampaignKey: "album"}, Amount: 500,
			CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
	w.mustDeleteCards("album", CardDeletion{})
	closed, err := w.svc.Closed(w.ctx, "album")
	w.ok(err)
	w.settle("album", false)
	if w.pledgeByID(bob).Charged || !closed {
		t.Errorf("closed %t, bob is charged %t, payments %v, mails %v", closed,
			w.pledgeByID(bob).Charged, w.charged(), w.mails())
	}
}

// The inventory alone is restored to before the campaign was closed.
func TestDeleteCards_RestoredInventory(t *testing.T) {
	w, _ := missedFixture(t)
	before := w.db.Snapshot()
	w.mustDeleteCards("album", CardDeletion{})
	w.db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: "album"}, before)
	w.now = w.now.Add(Reopening)
	_, err := w.deleteCards("album")
	w.ok(err)
	err = w.svc.Inventory.Hold(w.ctx, "album",
		inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil)
	if err == nil {
		t.Error("a closed campaign accepts pledges")
	}
}

// changeTo changes a pledge with its own nonce.
func (w *fixture) changeTo(name, nonce string, amount money.Cents) {
	w.t.Helper()
	id := w.pledgesOf[name][0]
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	w.ok(err)
	was := w.pledgeByID(id)
	p, err := w.svc.Orders.Modify(w.ctx, id, was.Revision, nonce,
		order.Change{Lines: lines, Totals: totals, Promise: was.Promise})
	w.ok(err)
	_, err = w.svc.Projector.Book(w.ctx, p, "")
	w.ok(err)
	w.agree(p)
}

// The database is restored twice, and the same change is made again in between. The processor
// takes the second request for a repetition of the first, and does not write it.
func TestRestore_SameRevisionTwice(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	backup := w.db.Snapshot()
	w.changeTo("ana", "a", 300)
	w.changeTo("ana", "b", 700)
	w.db.Restore(backup)
	w.changeTo("ana", "c", 300)
	c, err := w.sim.Processor().Customers(w.ctx, psp.CustomerQuery{From: w.now.Add(-day), To: w.now.Add(day), Limit: 100})
	w.ok(err)
	for _, c := range c.Customers {
		if c.ID == w.pledgeByID(id).CustomerID && c.Metadata[agreement.Key(id)] != "r2 300" {
			t.Errorf("ana agreed to 3.00, and the processor has the terms %v", c.Metadata)
		}
	}
	w.db.Restore(backup) // the change is lost again
	w.deadline()
	w.svc = w.service()
	w.settle("film", false)
	if slices.Contains(w.charged(), 700) {
		t.Errorf("charged %v, but ana last agreed to 3.00", w.charged())
	}
}

// An order alone is restored to before its charge. The pledge is not charged again, and
// CancelUnchargeable accepts it. Its supporter must not be emailed that it was not charged.
func TestCancelUnchargeable_ChargedPledgeOfRestoredOrder(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.sendMails()
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	_, err := w.svc.CancelUnchargeable(w.ctx, id)
	if mails := w.mails(); slices.Contains(mails, "cancelled ana") {
		t.Errorf("%v: mails %v, and ana was charged %v", err, mails, w.charged())
	}
}

// An order alone is restored to before its charge failed, while the mail that asks for another
// card is queued. That mail is discarded, but the supporter must be asked before the pledge is
// dropped.
func TestRecovery_AskedBeforeDropped(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	w.sendMails()
	for range 40 {
		w.svc = w.service()
		w.settle("film", false)
		w.sendMails()
		w.now = w.now.Add(12 * time.Hour)
	}
	if mails := w.mails(); w.pledgeByID(id).Dropped() && !slices.Contains(mails, "update_card ana") {
		t.Errorf("ana was dropped without being asked for another card: %v", mails)
	}
}

// If the order of one mail cannot be read, the other mails are still sent.
func TestVerifyClaim_OneOrderUnreadable(t *testing.T) {
	for _, bad := range []string{"ana", "bob", "cleo"} {
		w := newFixture(t)
		for _, name := range []string{"ana", "bob", "cleo"} {
			w.pledge(name, "film", 2500, sim.CardOK)
		}
		w.deadline()
		w.settle("film", false)
		w.conn.watch = func(op memkv.Op) error {
			if op.Object.Class == order.ClassName && op.Object.Name == w.pledgesOf[bad][0] {
				return errDisconnected
			}
			return nil
		}
		var err error
		for range 48 {
			_, err = w.svc.Outbox.Drain(w.ctx, 100)
			w.now = w.now.Add(time.Hour)
		}
		if len(w.sent) != 2 {
			t.Errorf("%s's order cannot be read: %d of 2 other mails were sent within two days: %v", bad, len(w.sent), err)
		}
	}
}

// The order of one supporter alone is lost before the first charge, after a payment that no
// record has. The others are charged, and that supporter is not charged twice.
func TestSettle_LostOrderBeforeTheFirstCharge(t *testing.T) {
	w := newFixture(t)
	ana := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	p := w.pledgeByID(ana)
	key := state.AttemptKey("film", state.GroupHash("film", email("ana")), 1)
	w.sim.Processor().
		Charge(w.ctx, psp.NewCharge{Key: key, Group: key, Metadata: map[string]string{psp.CampaignKey: "film"}, Amount: 700,
			CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: ana}, memkv.Snapshot{})
	for range 3 {
		w.svc = w.service()
		w.settle("film", false)
		w.now = w.now.Add(time.Hour)
	}
	if diff := cmp.Diff([]money.Cents{700, 2500}, w.charged()); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}
