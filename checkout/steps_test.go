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

// recordingProcessor records its calls.
type recordingProcessor struct {
	psp.Processor
	note func(string)
}

func (h recordingProcessor) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	h.note("verify")
	return h.Processor.Verify(body, signature, secret, now)
}

func (h recordingProcessor) Session(ctx context.Context, id string) (psp.Session, error) {
	h.note("retrieve")
	return h.Processor.Session(ctx, id)
}

// stepOf returns the step of the specification to which an effect belongs.
func stepOf(op memkv.Op) string {
	name := op.Key + op.Command.Kind
	if op.Kind == memkv.OpGet && strings.HasPrefix(op.Key, "psp-event:") {
		return "idempotency"
	}
	if !op.After { // reads are reported only before their execution
		return ""
	}
	for prefix, step := range map[string]string{
		"confirm": "manifest, pledges", "pledge:": "projections", "campaign-pledges:": "projections",
		"stats:": "projections", "tier-inventory:": "projections", "add-on-inventory-sold:": "projections",
		"email:": "projections", "enlist": "projections",
		"book": "reservations", "email-outbox:": "mail", "email-queue:": "mail", "email-delivery:": "mail",
		"abandoned-cart": "transient", "pending-": "transient", "checkout-intent:": "transient", "finish": "transient",
		"processor-event:": "processed", "psp-event:": "processed",
	} {
		if strings.HasPrefix(name, prefix) {
			return step
		}
	}
	return "?" + string(op.Kind) + " " + name
}

// A completed session is processed in the order of the specification, with the exception
// explained in decision 0027: the command that confirms the units also counts the pledge, and the
// projections, which show both, are written after it. One command validates the manifest and
// creates the pledges, so no other step can run in between.
//
// Proves WHK-20, WHK-04 and WHK-05: the raw body is verified before anything else.
func TestWebhook_Steps(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(1), one("addon__sound"))
	r.AbandonedCartConsent = true
	s := w.start(r)
	w.save(s.SessionID)
	d := w.completedDelivery()
	var steps []string
	note := func(step string) {
		if step != "" && (len(steps) == 0 || steps[len(steps)-1] != step) {
			steps = append(steps, step)
		}
	}
	w.svc.Processor = recordingProcessor{w.svc.Processor, note}
	marks := 0
	w.fail = func(op memkv.Op) error {
		if op.After && strings.HasPrefix(op.Key, "psp-event:") {
			marks++
		}
		note(stepOf(op))
		return nil
	}
	body := []byte(" \n" + string(d.Body) + "\n") // a different body if it were parsed and re-encoded first
	if _, err := w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock())); err != nil {
		t.Fatal(err)
	}
	w.fail = nil
	want := []string{"verify", "idempotency", "retrieve", "manifest, pledges", "reservations",
		"projections", "mail", "transient", "processed"}
	if diff := cmp.Diff(want, steps); diff != "" || marks != 1 {
		t.Errorf("marked %d times; steps (-want +got):\n%s", marks, diff)
	}
}

// altered is a command that no client sends: it makes a manifest's first pledge
// cheaper or, without changing a pledge, makes the order's total inconsistent.
type altered struct {
	Hidden bool `json:"hidden"`
}

func (altered) Kind() string { return "alter" }

// alter returns the hash of the altered manifest.
func alter(tx kv.Tx, _ time.Time, cmd altered) (string, error) {
	m, ok, err := kv.Load[order.Manifest](tx, "manifest")
	if err != nil || !ok {
		return "", err
	}
	c := &m.Campaigns[0]
	c.Lines[0].UnitPrice, c.Lines[0].Amount = 100, 100
	c.Totals, err = pledge.CalculateTotals(c.Lines, 0, 0, pledge.Tip{Percent: m.TipPercent})
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
		err = errors.Join(err, kv.PutValue(tx, "order", head))
	}
	return hash, errors.Join(err, wrong, tx.Put("manifest", b))
}

// The manifest's hash is recomputed: the stored manifest is checked against it even if the
// session carries the hash of the altered one. Amounts that do not add up are rejected even if
// the hash matches.
//
// Proves WHK-12.
func TestConfirm_AlteredManifest(t *testing.T) {
	for _, tt := range []struct {
		session bool
		alter   altered
		want    fault.Code
	}{{false, altered{}, fault.Conflict}, {true, altered{}, fault.Conflict},
		{true, altered{Hidden: true}, fault.Invalid}} {
		w, session := newFixture(t), tt.session
		s := w.start(request("a@example.org", seats(1)))
		hash := must[string](t)(kv.Send[string](w.ctx, w.db.Coordinator(),
			kv.Object{Class: order.ClassName, Name: s.OrderID}, "alter", tt.alter))
		if hash == "" {
			t.Fatal("nothing was altered")
		}
		w.save(s.SessionID)
		if session {
			w.svc.Processor = tampered{w.svc.Processor, "checkoutCartHash", hash}
		}
		d := w.completedDelivery()
		if _, err := w.svc.Webhook(w.ctx, d.Body, d.Signature); codeOf(err) != tt.want {
			t.Errorf("webhook, session altered %v: %v", session, err)
		}
		if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID)); o.State != order.Open {
			t.Errorf("session altered %v: order is %s", session, o.State)
		}
	}
}

// flakySender is an email provider that does not respond to the first request.
type flakySender struct{ attempts, sent []notify.Mail }

func (f *flakySender) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	f.attempts = append(f.attempts, m)
	if len(f.attempts) == 1 {
		return notify.Receipt{}, errors.New("no response")
	}
	f.sent = append(f.sent, m)
	return notify.Receipt{Outcome: notify.Accepted}, nil
}

// An email that cannot be sent does not block the checkout, and is sent later.
//
// Proves WHK-17, EML-02.
func TestConfirm_EmailRetry(t *testing.T) {
	w := newFixture(t)
	mails := &flakySender{}
	w.svc.Outbox.Sender = mails
	s := w.pledge(request("a@example.org", seats(1)))
	for range 5 {
		must[notify.Drained](t)(w.svc.Outbox.Drain(w.ctx, 10))
		w.advance(time.Hour)
	}
	if len(mails.attempts) != 2 || len(mails.sent) != 1 {
		t.Fatalf("%d attempts, %d mails, want 2 and 1", len(mails.attempts), len(mails.sent))
	}
	m := mails.sent[0]
	if m.Kind != notify.Confirmation || m.To != "a@example.org" || !strings.Contains(m.Text, s.OrderID) ||
		m.Key != mails.attempts[0].Key {
		t.Errorf("mail %+v", m)
	}
}

// The reminder of an unfinished checkout is kept until its pledge exists.
//
// Proves WHK-19, ABN-07.
func TestConfirm_DeletesReminder(t *testing.T) {
	w := newFixture(t)
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
			t.Errorf("cut at %d: reminder deleted before the pledge exists", cut)
		}
		if !wasCut {
			break
		}
	}
	w.advance(3 * time.Hour)
	runBackground(w)
	if diff := cmp.Diff([]string{"abandoned-cart:" + given.OrderID}, kept()); diff != "" {
		t.Errorf("reminders (-want +got):\n%s", diff)
	}
}
