package checkout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves PLG-16.
func TestCardUpdate_WithoutWebhook(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1), one("game__print"))).OrderID + "-film"
	old := w.read(id)
	w.advance(time.Minute)
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
	r := checkout.CompleteRequest{OrderID: id, SessionID: card.SessionID}
	if _, err := w.svc.Complete(w.ctx, r); codeOf(err) != fault.Conflict {
		t.Errorf("Complete before the card is saved: %v", err)
	}
	w.save(card.SessionID)
	other := checkout.CompleteRequest{OrderID: strings.Replace(id, "-film", "-game", 1), SessionID: card.SessionID}
	if _, err := w.svc.Complete(w.ctx, other); codeOf(err) != fault.Conflict {
		t.Errorf("Complete for another pledge: %v", err)
	}
	must[checkout.Completed](t)(w.svc.Complete(w.ctx, r))
	if w.read(id).PaymentMethodID == old.PaymentMethodID ||
		w.read(other.OrderID).PaymentMethodID != old.PaymentMethodID {
		t.Error("the card was set on the wrong pledge")
	}
}

// The most recently saved card is used, regardless of the order of the webhooks.
func TestCardUpdate_OutOfOrder(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	var sessions []string
	for range 2 {
		w.advance(time.Minute)
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
		w.save(card.SessionID)
		sessions = append(sessions, card.SessionID)
	}
	newest := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, sessions[1])).PaymentMethodID
	for _, i := range []int{1, 0, 1} {
		must[checkout.Completed](t)(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: id, SessionID: sessions[i]}))
		if w.read(id).PaymentMethodID != newest {
			t.Errorf("the pledge has the wrong card after session %d", i)
		}
	}
}

// A card that was saved too late is detached. A card whose session is unknown to its order is
// kept: the order may have been rolled back, and a charge to the card may be in progress.
func TestCardUpdate_DetachesLateCard(t *testing.T) {
	for name, known := range map[string]bool{"known": true, "forgotten": false} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		w.advance(time.Minute)
		session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx,
			checkout.CardRequest{Token: w.link(id)})).SessionID
		if !known {
			was := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session))
			session = must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{
				Key: "lost", CustomerID: w.read(id).CustomerID, Expires: w.clock().Add(time.Hour),
				Metadata: was.Metadata, UIMode: psp.Custom, ReturnURL: "https://example.org/",
			})).ID
		}
		w.save(session)
		card := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session)).PaymentMethodID
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
		if err := w.deliver(); err != nil {
			t.Fatal(err)
		}
		if at := must[psp.Card](t)(w.svc.Processor.Card(w.ctx, card)); (at.CustomerID == "") != known {
			t.Errorf("card of a session that is %s: %+v", name, at)
		}
	}
}

// The event of a replaced card is redelivered while a newer card is charged: the
// pledge is claimed, settlement rejects the change, and the card of the open
// charge is kept.
func TestCardUpdate_KeepsCardOfOpenCharge(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	fail := func(generation int) {
		must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", generation))
		must[*pledge.Pledge](t)(w.svc.Orders.MarkFailed(w.ctx, id, "g", generation,
			pledge.Failure{Kind: "declined", Generation: generation, At: w.clock()},
			pledge.Recovery{Lane: pledge.NewCard}))
	}
	replace := func() {
		w.advance(time.Minute)
		w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID)
	}
	w.svc.Retry = func(context.Context, string, string) error {
		return fault.New(fault.Conflict, "charging is stopped")
	}
	all := &detachRecorder{Processor: w.svc.Processor}
	w.svc.Processor = all
	fail(1)
	replace()
	if err := w.deliver(); codeOf(err) != fault.Conflict {
		t.Errorf("new card for a claimed pledge: %v", err)
	}
	used := w.read(id).PaymentMethodID
	w.svc.Retry = nil
	if err := w.deliver(); err != nil {
		t.Errorf("after that: %v", err)
	}
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 2))
	replace()
	if err := w.deliver(); err != nil {
		t.Errorf("redelivered event of the replaced card: %v", err)
	}
	if w.read(id).PaymentMethodID == used || len(all.cards) > 0 {
		t.Errorf("deleted cards %q, charged card %q", all.cards, used)
	}
}

// detachRecorder is a processor that records the cards to detach.
type detachRecorder struct {
	psp.Processor
	cards []string
}

func (p *detachRecorder) DetachCard(ctx context.Context, id, key string) error {
	p.cards = append(p.cards, id)
	return p.Processor.DetachCard(ctx, id, key)
}

// Only cards of complete sessions of this mode are detached.
func TestCardUpdate_DetachesNoOtherCard(t *testing.T) {
	for name, change := range map[string]func(*psp.Session){
		"unchanged":    func(*psp.Session) {},
		"another mode": func(s *psp.Session) { s.Mode = psp.Live },
	} {
		w := newFixture(t)
		id := w.pledge(request("a@example.org", seats(1))).OrderID
		w.advance(time.Minute)
		session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx,
			checkout.CardRequest{Token: w.link(id)})).SessionID
		w.save(session)
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
		all := &detachRecorder{Processor: w.svc.Processor}
		w.svc.Processor = incompleteCards{all, change}
		if err := w.deliver(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(all.cards); (n == 1) != (name == "unchanged") || n > 1 {
			t.Errorf("%s: deleted cards %q", name, all.cards)
		}
	}
}

// An event is retried until its session contains the card.
func TestCardUpdate_CardNotYetVisible(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	old := w.read(id).PaymentMethodID
	w.advance(time.Minute)
	w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID)
	w.svc.Processor = incompleteCards{w.svc.Processor,
		func(s *psp.Session) { s.Status, s.CustomerID, s.PaymentMethodID = psp.Open, "", "" }}
	if err := w.deliver(); codeOf(err) != fault.Conflict {
		t.Errorf("session still open: %v", err)
	}
	w.restart()
	if err := w.deliver(); err != nil || w.read(id).PaymentMethodID == old {
		t.Errorf("session complete: %v, card %q", err, w.read(id).PaymentMethodID)
	}
}

// A late card whose order cannot be read is detached on redelivery.
func TestCardUpdate_DetachRetry(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.advance(time.Minute)
	session := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)})).SessionID
	w.save(session)
	card := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, session)).PaymentMethodID
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "get" {
			return errors.New("no response")
		}
		return nil
	}
	if err := w.deliver(); codeOf(err) != fault.Unavailable {
		t.Errorf("order cannot be read: %v", err)
	}
	w.fail = nil
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if at := must[psp.Card](t)(w.svc.Processor.Card(w.ctx, card)); at.CustomerID != "" {
		t.Errorf("card %+v", at)
	}
}

// Proves PLG-55, WHK-30.
func TestCardUpdate(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	old := w.read(id)
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
	must[*pledge.Pledge](t)(w.svc.Orders.MarkFailed(w.ctx, id, "g", 1,
		pledge.Failure{Kind: "declined", Generation: 1, At: w.clock()}, pledge.Recovery{Lane: pledge.NewCard}))
	var retried []string
	w.svc.Retry = func(_ context.Context, slug, email string) error {
		retried = append(retried, slug+" "+email)
		return nil
	}
	w.advance(time.Minute)
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
	if card.UIMode != psp.Custom || card.ClientSecret == "" || card.PublishableKey == "" || card.SessionID == "" {
		t.Errorf("card %+v", card)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, card.SessionID))
	if sess.Metadata["isPaymentUpdate"] != "true" || sess.Metadata["orderId"] != id {
		t.Errorf("metadata %v", sess.Metadata)
	}
	w.save(card.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	p := w.read(id)
	if p.PaymentMethodID == old.PaymentMethodID || p.SetupIntentID == old.SetupIntentID ||
		p.CustomerID == "" || p.History[len(p.History)-1].Type != "card_updated" {
		t.Errorf("pledge %+v", p)
	}
	if diff := cmp.Diff([]string{"film a@example.org"}, retried); diff != "" {
		t.Error(diff)
	}
	if storedStatus(w, id) != "payment_failed3" {
		t.Errorf("stored status: %s", storedStatus(w, id))
	}
	if d, err := w.svc.Outbox.Delivery(w.ctx, fmt.Sprintf("card-replaced:%s:%d", id, len(p.History))); err == nil {
		t.Errorf("mail about the card in addition to the charge's: %+v", d)
	}
	again := must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}))
	if want := (checkout.Completed{Success: true, Recovered: true, Persisted: true, OrderID: id}); again != want ||
		w.read(id).Revision != p.Revision {
		t.Errorf("second Recover: %+v, pledge revision %d", again, w.read(id).Revision)
	}
	// Without a Retry callback, the card is saved but no charge is retried.
	w.svc.Retry = nil
	must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}))
	w.svc.Retry = func(context.Context, string, string) error { return fault.New(fault.Unavailable, "not now") }
	if _, err := w.svc.Recover(w.ctx,
		checkout.RecoverRequest{SessionID: card.SessionID}); codeOf(err) != fault.Unavailable {
		t.Errorf("settlement unavailable: %v", err)
	}
}

// A new card for a pledge that is not due charges nothing.
func TestCardUpdate_BeforeDeadline(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.svc.Retry = func(context.Context, string, string) error { t.Error("the new card was charged"); return nil }
	for _, lang := range []string{"", "es-MX", "xx"} {
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx,
			checkout.CardRequest{Token: w.link(id), PreferredLang: lang}))
		sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, card.SessionID))
		want := map[string]string{"": "en", "es-MX": "es", "xx": "en"}[lang]
		if sess.Metadata["preferredLang"] != want {
			t.Errorf("requested language %q, got %q", lang, sess.Metadata["preferredLang"])
		}
		customers := w.sim.Received(sim.CreateCustomer)
		w.save(card.SessionID)
		must[checkout.Completed](t)(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: id, SessionID: card.SessionID}))
		if w.sim.Received(sim.CreateCustomer) != customers || customers != 1 {
			t.Errorf("%d customers created for one supporter", customers)
		}
		// A repeated completion sends no second email.
		must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: card.SessionID}))
	}
	for revision, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: false} {
		d, err := w.svc.Outbox.Delivery(w.ctx, fmt.Sprintf("card-replaced:%s:%d", id, revision))
		if sent := err == nil && d.Kind == notify.CardReplaced; sent != want {
			t.Errorf("mail about the card of revision %d: %+v, %v", revision, d, err)
		}
	}
}

// A supporter whose customer was deleted at the processor can still save another
// card.
func TestCardUpdate_DeletedCustomer(t *testing.T) {
	w := newFixture(t)
	for _, email := range []string{"a@example.org", "b@example.org"} {
		id := w.pledge(request(email, seats(1))).OrderID
		was := w.read(id).CustomerID
		if err := w.sim.DeleteCustomer(was); err != nil {
			t.Fatal(err)
		}
		w.advance(time.Minute)
		card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
		w.save(card.SessionID)
		if err := w.deliver(); err != nil {
			t.Fatal(err)
		}
		if p := w.read(id); p.CustomerID == was || p.CustomerID == "" {
			t.Errorf("%s: customer %q, previously %q", email, p.CustomerID, was)
		}
	}
}
