package settlement

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Each failed attempt has one reminder, which is sent after the mail about the failure.
func TestRemind_OncePerAttempt(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("cleo", "film", 500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	remind := func(dryRun bool) Reminded {
		t.Helper()
		out, err := w.svc.Remind(w.ctx, "film", "", dryRun)
		w.ok(err)
		return out
	}
	if got := remind(false); got != (Reminded{Skipped: 2}) {
		t.Errorf("before the first mails are sent: %+v", got)
	}
	w.sendMails()
	if got := remind(true); got != (Reminded{DryRun: true, Reminded: 2}) {
		t.Errorf("in a dry run: %+v", got)
	}
	one, err := w.svc.RemindOrder(w.ctx, "film", id, false)
	if err != nil || one != (Reminded{Reminded: 1}) {
		t.Errorf("one order: %+v, %v", one, err)
	}
	if got := remind(false); got != (Reminded{Reminded: 1, Skipped: 1}) {
		t.Errorf("all: %+v", got)
	}
	if got := remind(false); got != (Reminded{Skipped: 2}) {
		t.Errorf("again: %+v", got)
	}
	sent := slices.DeleteFunc(w.mails(), func(m string) bool { return m == "charged bob" })
	want := []string{"update_card ana", "update_card ana", "update_card cleo", "update_card cleo"}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	page, err := w.svc.Failures(w.ctx, "film", "")
	w.ok(err)
	for _, f := range page.Failures {
		if f.Remindable || f.RemindedAt == nil || !f.RemindedAt.Equal(w.now) || f.PaymentID == "" {
			t.Errorf("listed as %+v", f)
		}
	}
}

// A reminder is not sent if the supporter paid before it was due. Only failures have one.
func TestRemind_OnlyFailures(t *testing.T) {
	w := newFixture(t)
	failed := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	paid := w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	w.settle("film", false)
	w.sendMails()
	if got, err := w.svc.RemindOrder(w.ctx, "film", paid, false); err != nil || got != (Reminded{Skipped: 1}) {
		t.Errorf("a charged pledge: %+v, %v", got, err)
	}
	if got, err := w.svc.RemindOrder(w.ctx, "film", failed, false); err != nil || got.Reminded != 1 {
		t.Errorf("a failed one: %+v, %v", got, err)
	}
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	w.now = w.now.Add(time.Hour)
	if want := []string{"charged ana", "charged bob", "update_card ana"}; !slices.Equal(w.mails(), want) {
		t.Errorf("mails %v", w.mails())
	}
	for _, tt := range []struct{ slug, order string }{{"album", failed}, {"nowhere", failed}} {
		if _, err := w.svc.RemindOrder(w.ctx, tt.slug, tt.order, false); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of %s: %v", tt.order, tt.slug, err)
		}
	}
	if _, err := w.svc.Remind(w.ctx, "film", "failed/x", false); !fault.Is(err, fault.Invalid) ||
		fault.Of(err).Field != "cursor" {
		t.Errorf("an invalid cursor: %v", err)
	}
}
