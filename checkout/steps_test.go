package checkout_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
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
		"book": "reservations", "email-outbox:": "mail", "email-delivery:": "mail", "abandoned-cart:": "transient", "pending-": "transient", "checkout-intent:": "transient", "finish": "transient",
		"processor-event:": "processed", "psp-event:": "processed",
	} {
		if strings.HasPrefix(name, prefix) {
			return step
		}
	}
	return "?" + string(op.Kind) + " " + name
}

// A completed session goes through the steps of the specification in their order,
// but for one: units are confirmed in the command that also counts the pledge, and
// the projections, which show both, are written after it. The manifest is validated
// and the pledges are made in one command, so that nothing comes between.
//
// Proves WHK-05: the raw body is what is read, and before anything else.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	s := w.start(request("a@example.org", seats(1), one("addon__sound")))
	w.save(s.SessionID)
	d := w.completed()
	var steps []string
	note := func(step string) {
		if step != "" && (len(steps) == 0 || steps[len(steps)-1] != step) {
			steps = append(steps, step)
		}
	}
	w.svc.Processor = heard{w.svc.Processor, note}
	w.fail = func(op memkv.Op) error { note(stepOf(op)); return nil }
	body := []byte(" \n" + string(d.Body) + "\n") // another body, if anything parsed it first
	if _, err := w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock())); err != nil {
		t.Fatal(err)
	}
	w.fail = nil
	want := []string{"verify", "idempotency", "retrieve", "manifest, pledges", "reservations", "projections", "mail", "transient", "processed"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("the steps (-want +got):\n%s", diff)
	}
}
