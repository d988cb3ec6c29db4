package checkout_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// heard notes what is asked of the processor.
type heard struct {
	psp.Processor
	note func(string)
}

func (h heard) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	h.note("verify")
	return h.Processor.Verify(body, signature, secret, now)
}

func (h heard) Session(ctx context.Context, id string) (psp.Session, error) {
	h.note("retrieve")
	return h.Processor.Session(ctx, id)
}

// stepOf names the step of the specification that an effect belongs to.
func stepOf(op memkv.Op) string {
	name := op.Key + op.Command.Kind
	if op.Kind == memkv.OpGet && strings.HasPrefix(op.Key, "psp-event:") {
		return "idempotency"
	}
	if !op.After { // reads are announced before only
		return ""
	}
	for prefix, step := range map[string]string{
		"confirm": "manifest, pledges", "pledge:": "projections", "campaign-pledges:": "projections", "stats:": "projections",
		"tier-inventory:": "projections", "add-on-inventory-sold:": "projections", "email:": "projections", "enlist": "projections",
		"book": "reservations", "email-outbox:": "mail", "email-queue:": "mail", "email-delivery:": "mail", "abandoned-cart": "transient", "pending-": "transient", "checkout-intent:": "transient", "finish": "transient",
		"processor-event:": "processed", "psp-event:": "processed",
	} {
		if strings.HasPrefix(name, prefix) {
			return step
		}
	}
	return "?" + string(op.Kind) + " " + name
}

// A completed session goes through the steps of the specification in their order,
// but for one, which decision 0027 explains: units are confirmed in the command that
// also counts the pledge, and the projections, which show both, are written after it.
// The manifest is validated and the pledges are made in one command, so that nothing
// comes between.
//
// Proves WHK-20, WHK-04 and WHK-05: the raw body is what is read, and before anything else.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	r := request("a@example.org", seats(1), one("addon__sound"))
	r.AbandonedCartConsent = true
	s := w.start(r)
	w.save(s.SessionID)
	d := w.completed()
	var steps []string
	note := func(step string) {
		if step != "" && (len(steps) == 0 || steps[len(steps)-1] != step) {
			steps = append(steps, step)
		}
	}
	w.svc.Processor = heard{w.svc.Processor, note}
	marks := 0
	w.fail = func(op memkv.Op) error {
		if op.After && strings.HasPrefix(op.Key, "psp-event:") {
			marks++
		}
		note(stepOf(op))
		return nil
	}
	body := []byte(" \n" + string(d.Body) + "\n") // another body, if anything parsed it first
	if _, err := w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock())); err != nil {
		t.Fatal(err)
	}
	w.fail = nil
	want := []string{"verify", "idempotency", "retrieve", "manifest, pledges", "reservations", "projections", "mail", "transient", "processed"}
	if diff := cmp.Diff(want, steps); diff != "" || marks != 1 {
		t.Errorf("marked %d times; the steps (-want +got):\n%s", marks, diff)
	}
}

// altered is what nobody sends: it makes the first pledge of a manifest cheaper, or, where
// nothing is to show it, has the order accept a total that is not its pledges'.
type altered struct {
	Hidden bool `json:"hidden"`
}

func (altered) Kind() string { return "alter" }

// alter returns the altered manifest's hash.
func alter(tx kv.Tx, _ time.Time, cmd altered) (string, error) {
	m, ok, err := kv.Load[order.Manifest](tx, "manifest")
	if err != nil || !ok {
		return "", err
	}
	c := &m.Campaigns[0]
	c.Lines[0].UnitPrice, c.Lines[0].Amount = 100, 100
	c.Totals, err = pledge.Add(c.Lines, 0, 0, m.TipPercent)
	m.Amount = c.Totals.Amount
	if cmd.Hidden {
		m.Amount++
	}
	b, wrong := json.Marshal(m)
	hash := fmt.Sprintf("%x", sha256.Sum256(b))
	if cmd.Hidden {
		head, _, failed := kv.Load[map[string]any](tx, "order")
		if failed != nil {
			return "", failed
		}
		head["hash"] = hash
		err = errors.Join(err, kv.Keep(tx, "order", head))
	}
	return hash, errors.Join(err, wrong, tx.Put("manifest", b))
}

// The manifest's hash is made anew: what was kept is held against it too, also
// where the session carries the hash of what was altered. What has the right hash has to add
// up too.
//
// Proves WHK-12.
func TestAManifestThatWasAlteredIsNotConfirmed(t *testing.T) {
	for _, tt := range []struct {
		session bool
		alter   altered
		want    fault.Code
	}{{false, altered{}, fault.Conflict}, {true, altered{}, fault.Conflict}, {true, altered{Hidden: true}, fault.Invalid}} {
		w, session := newWorld(t), tt.session
		s := w.start(request("a@example.org", seats(1)))
		hash := must[string](t)(kv.Send[string](w.ctx, w.db.Coordinator(), kv.Object{Class: order.ClassName, Name: s.OrderID}, "alter", tt.alter))
		if hash == "" {
			t.Fatal("nothing was altered")
		}
		w.save(s.SessionID)
		if session {
			w.svc.Processor = tampered{w.svc.Processor, "checkoutCartHash", hash}
		}
		d := w.completed()
		if _, err := w.svc.Webhook(w.ctx, d.Body, d.Signature); code(err) != tt.want {
			t.Errorf("the webhook, with the session altered: %v: %v", session, err)
		}
		if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID)); o.State != order.Open {
			t.Errorf("the order, with the session altered: %v, is %s", session, o.State)
		}
	}
}

// flaky is a provider of mails that answers the first one too late.
type flaky struct{ asked, sent []notify.Mail }

func (f *flaky) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	f.asked = append(f.asked, m)
	if len(f.asked) == 1 {
		return notify.Receipt{}, errors.New("no answer")
	}
	f.sent = append(f.sent, m)
	return notify.Receipt{Outcome: notify.Accepted}, nil
}

// A mail that cannot be sent keeps no checkout from its end, and is sent later.
//
// Proves WHK-17, EML-02.
func TestAConfirmationIsSentUntilItIsTaken(t *testing.T) {
	w := newWorld(t)
	mails := &flaky{}
	w.svc.Outbox.Sender = mails
	s := w.pledge(request("a@example.org", seats(1)))
	for range 5 {
		must[notify.Drained](t)(w.svc.Outbox.Drain(w.ctx, 10))
		w.advance(time.Hour)
	}
	if len(mails.asked) != 2 || len(mails.sent) != 1 {
		t.Fatalf("%d attempts, %d mails, want 2 and 1", len(mails.asked), len(mails.sent))
	}
	m := mails.sent[0]
	if m.Kind != notify.Confirmation || m.To != "a@example.org" || !strings.Contains(m.Text, s.OrderID) || m.Key != mails.asked[0].Key {
		t.Errorf("the mail is %+v", m)
	}
}

// The reminder of a checkout that was not finished stays until its pledge is made.
//
// Proves WHK-19, ABN-07.
func TestWhoHasPledgedIsRemindedOfNothing(t *testing.T) {
	w := newWorld(t)
	var both []checkout.Started
	for _, email := range []string{"a@example.org", "b@example.org"} {
		r := request(email, seats(1))
		r.AbandonedCartConsent = true
		both = append(both, w.start(r))
	}
	s, given := both[0], both[1]
	kept := func() []string { return keys(w.db.Snapshot().Stores["PLEDGES"], "abandoned-cart:") }
	w.save(s.SessionID)
	for cut := 0; ; cut++ {
		off := w.cutAt(cut)
		_ = w.deliver()
		wasCut := off()
		w.restore()
		_, pledged := w.value("pledge:" + s.OrderID)
		if !pledged && len(kept()) != 2 {
			t.Errorf("cut at %d: a reminder is gone before there is a pledge", cut)
		}
		if !wasCut {
			break
		}
	}
	w.advance(3 * time.Hour)
	settle(w)
	if diff := cmp.Diff([]string{"abandoned-cart:" + given.OrderID}, kept()); diff != "" {
		t.Errorf("the reminders (-want +got):\n%s", diff)
	}
}
