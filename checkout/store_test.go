package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
)

// Proves KVR-17, KVR-18, KVR-19.
func TestStore_Retention(t *testing.T) {
	w := newFixture(t)
	rec := must[*evidence.Recorder](t)(evidence.NewRecorder(w.svc.Store, w.clock, (*random)(w), w.svc.Log))
	w.svc.Processor = rec.Wrap(w.svc.Processor)
	w.pledge(request("a@example.org", seats(1)))
	s := w.start(request("b@example.org", one("film__thanks"), one("addon__sound")))
	countEvidence := func() int { return len(keys(w.db.Snapshot().Stores["PLEDGES"], "processor-event:v1:")) }
	events := countEvidence()
	if err := rec.Flush(w.ctx); err != nil {
		t.Fatal(err)
	}
	all := countEvidence() // requests too
	has := func(prefix string) bool {
		return len(keys(w.db.Snapshot().Stores["PLEDGES"], prefix)) > 0
	}
	tiers, _ := w.value("pending-tiers:" + s.OrderID)
	extras, _ := w.value("pending-extras:" + s.OrderID)
	if !strings.Contains(tiers, `"thanks"`) || strings.Contains(tiers, `"sound"`) ||
		!strings.Contains(extras, `"sound"`) {
		t.Errorf("tiers %s, extras %s", tiers, extras)
	}
	w.advance(34 * 24 * time.Hour)
	if !has("psp-event:") || !has("pending-tiers:") {
		t.Error("a record was deleted too early")
	}
	w.advance(2 * 24 * time.Hour)
	if has("psp-event:") || has("pending-tiers:") || has("pending-extras:") || has("checkout-intent:") {
		t.Error("a record was kept too long")
	}
	w.advance(694*24*time.Hour - time.Minute)
	if n := countEvidence(); n != all || events == 0 || all == events {
		t.Errorf("evidence of %d events and %d requests: %d records remain", events, all-events, n)
	}
	w.advance(2 * time.Minute)
	if has("processor-event:v1:") || !has("pledge:") {
		t.Error("evidence was kept too long, or a pledge was deleted")
	}
}

// A store with stale reads may cause repeated work but gives the same result.
func TestStore_StaleReads(t *testing.T) {
	run := func(stale time.Duration) string {
		w := newStaleFixture(t, stale)
		s := w.start(bundle())
		w.save(s.SessionID)
		d := w.completedDelivery()
		for range 3 {
			must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
			must[checkout.Completed](t)(w.svc.Complete(w.ctx,
				checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
		}
		must[checkout.Modified](t)(w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: w.link(s.OrderID + "-film"), Items: items(seats(1))}))
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(s.OrderID + "-game")}))
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10))
		w.advance(2 * time.Hour)
		return w.finalState()
	}
	if diff := cmp.Diff(run(0), run(time.Minute)); diff != "" {
		t.Error(diff)
	}
}

// Proves WHK-15.
func TestConfirm_VisibleImmediately(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(2)))
	w.save(s.SessionID)
	shown := func() string { return string(must[json.RawMessage](t)(w.svc.Projector.Stats(w.ctx, "film"))) }
	if got := shown(); !strings.Contains(got, `"pledgedAmount":0`) {
		t.Errorf("before: %s", got)
	}
	w.wantPublicStock("before", 2, 1)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	w.wantPublicStock("after", 0, 1)
	if got := shown(); !strings.Contains(got, `"pledgedAmount":5000`) {
		t.Errorf("after: %s", got)
	}
}
