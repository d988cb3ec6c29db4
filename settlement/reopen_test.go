package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A campaign that was closed by mistake is reopened by two operators and settled.
func TestReopen(t *testing.T) {
	w, id := missedFixture(t)
	holds := 0
	hold := func() error {
		holds++
		return w.svc.Inventory.Hold(w.ctx, "album",
			inventory.Hold{ID: fmt.Sprint("h", holds), Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil)
	}
	reopen := func(operator, reason string) (state.Reopened, error) {
		return w.svc.Reopen(w.ctx, "album", operator, reason)
	}
	_, err := reopen("ada", "a test")
	wantCode(t, "not closed", err, fault.Conflict)
	w.mustDeleteCards("album", CardDeletion{})
	wantCode(t, "a checkout of a closed campaign", hold(), fault.Conflict)
	_, err = reopen("ada", "")
	wantCode(t, "no reason", err, fault.Invalid)
	_, err = w.svc.Reopen(w.ctx, "none", "ada", "a test")
	wantCode(t, "no campaign", err, fault.NotFound)
	for range 2 {
		if r, err := reopen("ada", "the file had another goal"); err != nil || r.ConfirmedBy != "" || r.StatedBy != "ada" {
			t.Fatalf("confirmed by one operator: %+v, %v", r, err)
		}
	}
	if closed, err := w.svc.Closed(w.ctx, "album"); err != nil || !closed {
		t.Fatalf("closed %t, %v", closed, err)
	}
	if r, err := reopen("eve", "checked with the creator"); err != nil || r.ConfirmedBy != "eve" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := hold(); err != nil {
		t.Errorf("a checkout of the reopened campaign: %v", err)
	}
	w.ok(w.svc.Inventory.Release(w.ctx, "album", fmt.Sprint("h", holds)))
	w.catalogue = newCatalogue(w.t, "film", 20, "album", 5)
	_, err = w.svc.Accept(w.ctx, "album", "the goal was five dollars")
	w.ok(err)
	w.settle("album", false)
	if diff := cmp.Diff([]money.Cents{500}, w.charged()); diff != "" || !w.pledgeByID(id).Charged {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}

// A campaign can be reopened at any time until its cards are deleted, and not afterwards.
func TestReopen_OnlyWhileCardsExist(t *testing.T) {
	w, id := missedFixture(t)
	w.mustDeleteCards("album", CardDeletion{})
	w.now = w.now.Add(Reopening)
	_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
	w.ok(err)
	w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 1})
	_, err = w.svc.Reopen(w.ctx, "album", "eve", "a test")
	wantCode(t, "cards are deleted", err, fault.Conflict)
	if closed, err := w.svc.Closed(w.ctx, "album"); err != nil || !closed || w.hasCard(id) {
		t.Errorf("closed %t, card attached %t, %v", closed, w.hasCard(id), err)
	}
}

// The processor has a payment of a closed campaign. Its cards are kept, and its supporters are
// not emailed that it missed its goal, until it is reopened and the payment booked.
func TestReopen_ForAPayment(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "album", 500, sim.CardOK)
	w.deadline()
	w.now = w.now.Add(Closing)
	w.mustDeleteCards("album", CardDeletion{})
	g := state.Group{CampaignSlug: "album",
		Key: state.AttemptKey("album", state.GroupHash("album", email("ana")), 1), Amount: 500,
		CustomerID: w.pledgeByID(id).CustomerID, PaymentMethodID: w.pledgeByID(id).PaymentMethodID}
	w.sim.Processor().Charge(w.ctx, chargeOf(&g, g.Key, w.now))
	w.now = w.now.Add(Reopening)
	for range 2 {
		w.mustDeleteCards("album", CardDeletion{})
		w.now = w.now.Add(day)
	}
	if len(w.mails()) != 0 || !w.hasCard(id) {
		t.Fatalf("mails %v, card attached %t", w.mails(), w.hasCard(id))
	}
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Reopen(w.ctx, "album", operator, "ana was charged")
		w.ok(err)
	}
	w.settle("album", false)
	if p := w.pledgeByID(id); !p.Charged || len(w.charged()) != 1 {
		t.Errorf("charged %t, payments %v", p.Charged, w.charged())
	}
	if diff := cmp.Diff([]string{"charged ana"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// After the decision, a crash prevents the inventory from accepting holds again. Either
// operator can repair this by repeating the decision. Other operators are refused, because the
// campaign is not closed.
func TestReopen_RepeatedAfterACrash(t *testing.T) {
	w, _ := missedFixture(t)
	w.mustDeleteCards("album", CardDeletion{})
	_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
	w.ok(err)
	_, err = w.svc.objectOf("album").Reopen(w.ctx, "eve", "a test", "crash")
	w.ok(err)
	hold := inventory.Hold{ID: "h1", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}
	wantCode(t, "after the crash", w.svc.Inventory.Hold(w.ctx, "album", hold, nil), fault.Conflict)
	_, err = w.svc.Reopen(w.ctx, "album", "mia", "a test")
	wantCode(t, "a third operator", err, fault.Conflict)
	for _, operator := range []string{"eve", "ada"} {
		if r, err := w.svc.Reopen(w.ctx, "album", operator, "a test"); err != nil ||
			r.StatedBy != "ada" || r.ConfirmedBy != "eve" {
			t.Errorf("repeated by %s: %+v, %v", operator, r, err)
		}
	}
	hold.ID = "h2"
	w.ok(w.svc.Inventory.Hold(w.ctx, "album", hold, nil))
	w.ok(w.svc.Inventory.Release(w.ctx, "album", hold.ID))
	w.now = w.now.Add(Closing)
	w.mustDeleteCards("album", CardDeletion{})
	if r, err := w.svc.Reopen(w.ctx, "album", "eve", "a test"); err != nil || r.StatedBy != "eve" || r.ConfirmedBy != "" {
		t.Errorf("closed again: %+v, %v", r, err)
	}
}
