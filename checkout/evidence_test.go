package checkout_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves KVR-64.
func TestEvidence_IdentifiersOnly(t *testing.T) {
	w := newFixture(t)
	s := w.pledge(request("secret.person@example.org", seats(1)))
	all := w.db.Snapshot().Stores["PLEDGES"]
	found := 0
	for _, e := range all {
		if !strings.HasPrefix(e.Key, "processor-event:v1:") {
			continue
		}
		text := string(e.Value)
		for _, canary := range []string{"secret.person", webhookSecret, s.ClientSecret, "4242",
			"client_secret", "livemode", "metadata"} {
			if strings.Contains(text, canary) {
				t.Errorf("%s holds %q", e.Key, canary)
			}
		}
		if strings.Contains(text, s.SessionID) && strings.Contains(text, `"outcome":"applied"`) &&
			strings.Contains(text, s.OrderID) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d records of the session's completion", found)
	}
	if strings.Contains(w.log.String(), "secret.person") {
		t.Error("the log contains an email address")
	}
	got := w.deliverEvent("payment_intent.payment_failed", "pi_1")
	if !got.Received || got.Skipped != "" {
		t.Errorf("payment_failed event: %+v", got)
	}
	if n := len(keys(w.db.Snapshot().Stores["PLEDGES"],
		"processor-event:v1:"+w.clock().Format("20060102T150405Z")+":"+got.EventID)); n != 1 {
		t.Error("no evidence of the payment_failed event")
	}
	w.wantNoPayload()
}

// An event's payload is never stored, whatever the event's result.
//
// Proves KVR-64.
func TestEvidence_NoPayload(t *testing.T) {
	w := newFixture(t)
	session := func() string {
		id := w.start(request("b@example.org", seats(1))).SessionID
		w.save(id)
		return id
	}
	applied, delayed, misplaced := session(), session(), session()
	w.deliverEvent(psp.SessionCompleted, applied)
	w.deliverEvent(psp.SessionCompleted, "cs_of_another_service")
	w.deliverEvent("customer.created", "cus_1")
	w.eventsSent-- // redelivery
	if got := w.deliverEvent("customer.created", "cus_1"); !got.Duplicate {
		t.Errorf("again: %+v", got)
	}
	if err := w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.tryEvent(psp.SessionCompleted, delayed); codeOf(err) != fault.Unavailable {
		t.Errorf("processor unavailable: %v", err)
	}
	w.svc.Processor = tampered{w.svc.Processor, "checkoutCartHash", "another"}
	if _, err := w.tryEvent(psp.SessionCompleted, misplaced); codeOf(err) != fault.Conflict {
		t.Errorf("session of another cart: %v", err)
	}
	live := fmt.Appendf(nil,
		`{"id":"evt_live","object":"event","type":"customer.created","livemode":true,"created":%d,"data":{"object":{"id":"cus_1","note":%q}}}`,
		w.clock().Unix(), payloadOnly)
	if got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, live,
		sim.Sign(live, webhookSecret, w.clock()))); got.Skipped != checkout.SkippedMode {
		t.Errorf("event of another mode: %+v", got)
	}
	w.svc.Settings.WebhookSecret = ""
	w.deliverEvent(psp.SessionCompleted, applied)
	w.svc.Settings.WebhookSecret = "whsec_other"
	if _, err := w.tryEvent(psp.SessionCompleted, applied); codeOf(err) != fault.Unauthorized {
		t.Errorf("signed with another secret: %v", err)
	}
	w.wantNoPayload()
}

// wantNoPayload searches everything durable and the log for a marker that only
// event payloads contain, both in plain text and encoded.
func (w *fixture) wantNoPayload() {
	w.t.Helper()
	all := w.db.Snapshot()
	kept := slices.Concat(slices.AppendSeq(slices.Collect(maps.Values(all.Stores)), maps.Values(all.Objects))...)
	kept = append(kept, kv.Entry{Key: "the log", Value: []byte(w.log.String())})
	forms := []string{payloadOnly}
	for lead := range 3 { // base64 encodes a word in three ways, depending on its offset
		code := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", lead) + payloadOnly))
		forms = append(forms, code[4:len(code)-4])
	}
	for _, e := range kept {
		if slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(string(e.Value), form) }) {
			w.t.Errorf("%s has a payload", e.Key)
		}
	}
}
