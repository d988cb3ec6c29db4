package settlement

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// customerList is a processor that fails the first requests for customers, and calls a function
// before each.
type customerList struct {
	psp.Processor
	failures int
	before   func()
	lists    int
}

func (c *customerList) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	if q.After == "" {
		c.lists++
	}
	if c.failures > 0 {
		c.failures--
		return psp.CustomerPage{}, fault.New(fault.Unavailable, "The processor does not answer")
	}
	if c.before != nil {
		c.before()
	}
	return c.Processor.Customers(ctx, q)
}

// reducedAfterBackup returns a fixture that was restored to before a pledge of 7.00 was
// reduced to 3.00, and in which charging was resumed after the deadline.
func reducedAfterBackup(t *testing.T) *fixture {
	w := newFixture(t)
	w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.restore(func() { w.change("ana", 0, 300) })
	w.deadline()
	w.resume()
	return w
}

// The terms could not be read. The next run has to read them.
func TestAgreements_AfterAFailedImport(t *testing.T) {
	w := reducedAfterBackup(t)
	w.svc.Processor = &customerList{Processor: w.conn, failures: 1}
	if _, err := w.svc.Settle(w.ctx, "film", false); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("the first run: %v", err)
	}
	w.now = w.now.Add(time.Minute)
	w.settle("film", false)
	if diff := cmp.Diff([]money.Cents{2500}, w.charged()); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}

// An admission to close or to delete cards does not read the terms, so the next run must not
// rely on it for them.
func TestAgreements_AfterAnAttemptToClose(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("cleo", "film", 500, sim.CardOK)
	w.restore(func() {
		w.change("cleo", 0, 300)
		w.pledge("bob", "film", 2500, sim.CardOK)
		w.deadline()
		w.chargeAtProcessor("film")
	})
	w.now = w.now.Add(Closing + Reopening)
	w.resume()
	w.mustDeleteCards("film", CardDeletion{})
	w.settle("film", false)
	if slices.Contains(w.charged(), 500) {
		t.Errorf("charged %v; cleo had agreed to 3.00 last", w.charged())
	}
}

// chargeAtProcessor charges ana and bob at the processor without a record in the database.
func (w *fixture) chargeAtProcessor(slug string) {
	for _, name := range []string{"ana", "bob"} {
		p := w.pledgeByID(w.pledgesOf[name][0])
		key := state.AttemptKey(slug, state.GroupHash(slug, email(name)), 1)
		w.sim.Processor().Charge(w.ctx,
			psp.NewCharge{Key: key, Group: key, Metadata: map[string]string{psp.CampaignKey: slug}, Amount: p.Amount,
				CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, NotAfter: w.now.Add(time.Hour)})
	}
}

// If the clock is set back during an import of the agreed terms, a restored pledge is still not
// charged its old amount.
func TestAgreements_ClockSetBack(t *testing.T) {
	w := reducedAfterBackup(t)
	w.now = w.now.Add(time.Hour)
	back := false
	w.svc.Processor = &customerList{Processor: w.conn, before: func() {
		if !back {
			back, w.now = true, w.now.Add(-time.Minute)
		}
	}}
	w.settle("film", false)
	if diff := cmp.Diff([]money.Cents{2500}, w.charged()); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}

// An order has pledges to a settled campaign and to one that was closed an hour ago and may
// still be reopened. Its card is kept.
func TestDeleteCards_OtherCampaignMayBeReopened(t *testing.T) {
	w := newFixture(t)
	ids := w.pledgeToBoth("ana", 2500, 500)
	w.deadline()
	w.batches("chain", "film")
	w.now = w.now.Add(Closing)
	w.mustDeleteCards("album", CardDeletion{})
	w.now = w.now.Add(time.Hour)
	_, err := w.deleteCards("film")
	w.ok(err)
	if !w.hasCard(ids[1]) || w.pledgeByID(ids[1]).CardForgottenAt != nil {
		t.Errorf("the card was deleted although the album can be reopened")
	}
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Reopen(w.ctx, "album", operator, "closed by mistake")
		w.ok(err)
	}
	w.catalogue = newCatalogue(t, "film", 20, "album", 5)
	_, err = w.svc.Accept(w.ctx, "album", "the goal was five dollars")
	w.ok(err)
	w.settle("album", false)
	if p := w.pledgeByID(ids[1]); !p.Charged {
		t.Errorf("the reopened campaign cannot be settled: the pledge is %s, unpaid %t", p.Status, p.Unpaid())
	}
}

// listing is a processor that calls a function before the first list of payments.
type listing struct {
	psp.Processor
	before func()
}

func (l *listing) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if f := l.before; f != nil {
		l.before = nil
		f()
	}
	return l.Processor.Payments(ctx, q)
}

// The second operator confirms a reopening while the run that deletes the cards lists
// payments.
func TestReopen_WhileCardsAreAboutToBeDeleted(t *testing.T) {
	w, id := missedFixture(t)
	w.mustDeleteCards("album", CardDeletion{})
	w.now = w.now.Add(Reopening)
	_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
	w.ok(err)
	w.svc.Processor = &listing{w.conn, func() {
		r, err := w.svc.Reopen(w.ctx, "album", "eve", "a test")
		if err != nil || r.ConfirmedBy == "" {
			t.Fatalf("%+v, %v", r, err)
		}
	}}
	_, _ = w.deleteCards("album")
	if !w.hasCard(id) || !w.pledgeByID(id).Unpaid() {
		t.Error("the card of a reopened campaign was deleted")
	}
}

// The process crashes between closing the two objects. Then the deadline in the file is
// corrected to a later one.
func TestClose_CrashBetweenObjects(t *testing.T) {
	w, id := missedFixture(t)
	s := &closing{Coordinator: w.svc.Coordinator}
	w.svc.Coordinator = s
	c, err := w.catalogue.Campaign("album")
	w.ok(err)
	if _, err = w.svc.Close(w.ctx, c); err == nil {
		t.Fatal("not cut")
	}
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.catalogue = newCatalogue(t, "film", 20, "album", 4) // the file had a wrong goal
	w.mustDeleteCards("album", CardDeletion{})
	hold := w.svc.Inventory.Hold(w.ctx, "album",
		inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil)
	closed, err := w.svc.Closed(w.ctx, "album")
	w.ok(err)
	if hold != nil && !closed {
		_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
		t.Errorf("the settlement is open, a checkout is refused (%v), and reopening it too (%v); %s", hold, err, id)
	}
}

// closing is a coordinator that fails before the settlement's object is closed.
type closing struct{ kv.Coordinator }

func (c *closing) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if to.Class == state.ClassName && cmd.Kind == "close" {
		return kv.Reply{}, fault.New(fault.Unavailable, "cut")
	}
	return c.Coordinator.Do(ctx, to, cmd)
}

// reopening is a coordinator that fails before the inventory is reopened.
type reopening struct{ kv.Coordinator }

func (c *reopening) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if to.Class == inventory.ClassName && cmd.Kind == "reopen-campaign" {
		return kv.Reply{}, fault.New(fault.Unavailable, "cut")
	}
	return c.Coordinator.Do(ctx, to, cmd)
}

func TestReopen_CrashBetweenObjects(t *testing.T) {
	w, _ := missedFixture(t)
	w.mustDeleteCards("album", CardDeletion{})
	_, err := w.svc.Reopen(w.ctx, "album", "ada", "a test")
	w.ok(err)
	good := w.svc.Inventory.Coordinator
	w.svc.Inventory.Coordinator = &reopening{good}
	if _, err := w.svc.Reopen(w.ctx, "album", "eve", "a test"); err == nil {
		t.Fatal("not cut")
	}
	w.svc = w.service()
	for _, operator := range []string{"ada", "eve", "ada", "eve"} {
		_, _ = w.svc.Reopen(w.ctx, "album", operator, "a test")
	}
	err = w.svc.Inventory.Hold(w.ctx, "album",
		inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil)
	if err != nil {
		t.Errorf("a reopened campaign does not accept pledges: %v", err)
	}
}

// The hourly job does not close a reopened campaign again at once, so that its file can be
// corrected.
func TestReopen_NotClosedAgainImmediately(t *testing.T) {
	w, _ := missedFixture(t)
	w.mustDeleteCards("album", CardDeletion{})
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Reopen(w.ctx, "album", operator, "a test")
		w.ok(err)
	}
	w.now = w.now.Add(time.Hour)
	w.mustDeleteCards("album", CardDeletion{})
	if closed, err := w.svc.Closed(w.ctx, "album"); err != nil || closed {
		t.Errorf("an hour after it was reopened the campaign is closed: %t, %v", closed, err)
	}
}
