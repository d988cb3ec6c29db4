package notifytest

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/notify"
)

// testBatch tests that a batch whose response was lost can be sent again under its key: each mail
// is delivered once if the provider remembers keys, and otherwise twice.
func testBatch(t *testing.T, s notify.Sender, p Provider) {
	b, ok := s.(notify.Batcher)
	if !ok {
		t.Skip("the provider has no batches")
	}
	mails := []notify.Mail{MailTo("ana"), MailTo("bob"), MailTo("cid")}
	p.FailNext(LoseAnswer)
	if r, err := b.SendBatch(t.Context(), "one", mails); err == nil {
		t.Errorf("lost response: %+v", r)
	}
	all, err := b.SendBatch(t.Context(), "one", mails)
	if err != nil || len(all) != len(mails) {
		t.Fatalf("%+v, %v", all, err)
	}
	ids := map[string]bool{}
	for _, r := range all {
		ids[r.ProviderID] = r.Outcome == notify.Accepted && r.ProviderID != ""
		if !ids[r.ProviderID] {
			t.Errorf("%+v", r)
		}
	}
	got := p.Delivered()
	if want := map[bool]int{true: 3, false: 6}[remembersKeys(s)]; len(got) != want || len(ids) != len(mails) {
		t.Fatalf("%d mails delivered with %d IDs, want %d", len(got), len(ids), want)
	}
	for i, m := range mails {
		if got[i].To != m.To {
			t.Errorf("mail %d goes to %s", i, got[i].To)
		}
	}
}

// testPartialBatch tests that a provider that remembers keys accepts a part of a batch under the
// batch's key only if it has not accepted the batch.
func testPartialBatch(t *testing.T, s notify.Sender, p Provider) {
	b, ok := s.(notify.Batcher)
	if !ok || !remembersKeys(s) {
		t.Skip("the provider has no batches or no idempotency keys")
	}
	part := []notify.Mail{MailTo("ana"), MailTo("cid")}
	for _, tt := range []struct {
		failure   Failure
		want      notify.Outcome
		delivered int
	}{
		{LoseAnswer, notify.KeyReused, 3},
		{LoseRequest, notify.Accepted, 3 + 2},
	} {
		p.FailNext(tt.failure)
		if r, err := b.SendBatch(t.Context(), string(tt.failure),
			[]notify.Mail{MailTo("ana"), MailTo("bob"), MailTo("cid")}); err == nil {
			t.Errorf("%s: %+v", tt.failure, r)
		}
		all, err := b.SendBatch(t.Context(), string(tt.failure), part)
		if err != nil || len(all) != len(part) || all[0].Outcome != tt.want || all[1].Outcome != tt.want {
			t.Errorf("%s: part of the batch: %+v, %v", tt.failure, all, err)
		}
		if n := len(p.Delivered()); n != tt.delivered {
			t.Errorf("%s: %d mails are delivered, want %d", tt.failure, n, tt.delivered)
		}
	}
}

// testInvalidMailInBatch tests a batch with one invalid mail: either only that mail is refused, or
// every receipt has the outcome Divide. It also tests batches that are too large or rejected
// temporarily.
func testInvalidMailInBatch(t *testing.T, s notify.Sender, p Provider) {
	b, ok := s.(notify.Batcher)
	if !ok {
		t.Skip("the provider has no batches")
	}
	bad := MailTo("bob")
	bad.To = "no address"
	all, err := b.SendBatch(t.Context(), "one", []notify.Mail{MailTo("ana"), bad, MailTo("cid")})
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	taken := 0
	for i, r := range all {
		want := map[bool]notify.Outcome{true: notify.Refused, false: notify.Accepted}[i == 1]
		if r.Outcome != want && all[0].Outcome != notify.Divide ||
			all[0].Outcome == notify.Divide && r.Outcome != notify.Divide {
			t.Errorf("mail %d: %+v", i, r)
		}
		if r.Outcome == notify.Accepted {
			taken++
		}
	}
	if n := len(p.Delivered()); n != taken {
		t.Errorf("%d mails delivered, %d accepted", n, taken)
	}
	many := make([]notify.Mail, b.MaxBatch()+1)
	for i := range many {
		many[i] = MailTo("ana")
	}
	all, err = b.SendBatch(t.Context(), "many", many)
	if err != nil || len(all) != len(many) || all[0].Outcome != notify.Divide {
		t.Errorf("too many: %d receipts, %v", len(all), err)
	}
	for _, failure := range []Failure{Later, BadCredentials} {
		p.FailNext(failure)
		all, err := b.SendBatch(t.Context(), string(failure), []notify.Mail{MailTo("dan")})
		if err != nil || len(all) != 1 || all[0].Outcome != notify.RetryLater ||
			all[0].Account != (failure == BadCredentials) {
			t.Errorf("%s: %+v, %v", failure, all, err)
		}
	}
}
