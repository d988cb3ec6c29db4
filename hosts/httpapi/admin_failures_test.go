package httpapi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Super admins see a failed charge with its payment, and remind its supporter once.
func TestFailures_PaymentAndReminder(t *testing.T) {
	e := newEdgeAfterDeadline(t, memory.Options{})
	e.Services.PaymentPage = func(id string) string { return "https://pay.example/" + id }
	e.cron()
	e.Advance(time.Hour)
	e.cron()
	b := e.super()
	const path = "/admin/settlement/" + game
	failure := func() httpapi.FailedCharge {
		t.Helper()
		r := b.get(path+"/failures", "")
		e.wantStatus(r, 200)
		got := decode[httpapi.Failures](t, r).Failures
		if len(got) != 1 {
			t.Fatalf("%d failures", len(got))
		}
		return got[0]
	}
	f := failure()
	if f.Email != "b@example.com" || f.PaymentID == "" ||
		f.PaymentURL != "https://pay.example/"+f.PaymentID || !f.Remindable {
		t.Errorf("a failure: %+v", f)
	}
	live := false
	remind := httpapi.RemindRequest{OrderID: f.OrderIDs[0], DryRun: &live}
	for _, want := range []settlement.Reminded{{Reminded: 1}, {Skipped: 1}} {
		r := b.ask("POST", path+"/remind", remind)
		e.wantStatus(r, 200)
		if diff := cmp.Diff(want, decode[settlement.Reminded](t, r)); diff != "" {
			t.Error(diff)
		}
	}
	if f = failure(); f.Remindable || f.RemindedAt == nil {
		t.Errorf("after the reminder: %+v", f)
	}
	e.wantField(b.ask("POST", path+"/remind", httpapi.RemindRequest{OrderID: remind.OrderID}), "dryRun")
	remind.Cursor = "failed/0"
	e.wantField(b.ask("POST", path+"/remind", remind), "cursor")
}
