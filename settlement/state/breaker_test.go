package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The breaker opens at thirty failures among the last fifty first charges.
func TestCircuitBreaker(t *testing.T) {
	f, s := func(n int) string { return strings.Repeat("f", n) }, func(n int) string { return strings.Repeat("s", n) }
	for _, tt := range []struct {
		name, ends string
		want       string // failures and charges when it opens
	}{
		{"one below the limit", f(29), ""},
		{"first charges", f(30), "30 of 30"},
		{"last charges", s(100) + f(30), "30 of 50"},
		{"one below the limit, last charges", s(100) + f(29), ""},
		{"mixed with successes", f(20) + s(20) + f(10), "30 of 50"},
		{"first failure outside the window", f(20) + s(21) + f(10), ""},
		{"later successes", f(30) + s(50), "30 of 30"},
		{"later failures", f(60), "30 of 30"},
	} {
		b := breaker{}
		for _, end := range tt.ends {
			g := Group{Status: Succeeded}
			if end == 'f' {
				g.Status, g.Code = Failed, "card_declined"
			}
			b.countOutcome(g, noon)
		}
		got := ""
		if b.Held != nil {
			got = fmt.Sprintf("%d of %d", b.Held.Failed, b.Held.Of)
		}
		if got != tt.want || len(b.Last) > 50 {
			t.Errorf("%s: held for %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Two charges run concurrently. The processor rejects the key of one, and answers the other or
// never does. Neither closes the breaker or counts as silence, which would let the known
// failures be booked.
func TestBreaker_LaterAnswerKeepsItOpen(t *testing.T) {
	barred := Result{Status: psp.NotStarted, RequestID: "req_1", Code: "account_closed", Barred: true}
	for name, answers := range map[string][]Result{
		"success":              {won},
		"decline":              {refused},
		"pending":              {{Status: psp.Pending, PaymentID: "pi_1"}},
		"no answer":            {noAnswer},
		"repeatedly no answer": slices.Repeat([]Result{noAnswer}, breakerSilence),
	} {
		b := newGroupFixture(t)
		b.sendAndRecord(noAnswer)
		g, err := b.object.Submit(b.ctx, b.newLease(), newGroup("bob", 1, 700, 1))
		b.ok(err)
		g, err = b.object.Attempt(b.ctx, b.newLease(), g)
		b.ok(err)
		_, err = b.object.RecordResult(b.ctx, b.newLease(), g, barred)
		b.ok(err)
		since := b.now
		for _, f := range answers {
			b.sendAndRecord(f)
		}
		st, err := b.object.Overview(b.ctx)
		b.ok(err)
		if h := st.Held; h == nil || !h.Barred || h.Unanswered != 0 || !h.Since.Equal(since) {
			t.Errorf("after %s it is held for %+v", name, h)
		}
	}
}

// Operators see the most frequent code. Of two equally frequent codes, it is always the same
// one.
func TestHeld_MostFrequentCode(t *testing.T) {
	for _, tt := range []struct {
		codes map[string]int
		want  string
	}{
		{map[string]int{"expired_card": 10, "card_declined": 12, "processing_error": 8}, "card_declined 12 times"},
		{map[string]int{"expired_card": 12, "card_declined": 8, "processing_error": 10}, "expired_card 12 times"},
		{map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}, "d 4 times"},
		{map[string]int{"a": 4, "b": 3, "c": 2, "d": 1}, "a 4 times"},
		{map[string]int{"b": 15, "a": 15}, "a 15 times"},
	} {
		for range 20 { // maps are iterated in random order
			if got := (&Held{Codes: tt.codes}).why(); got != tt.want {
				t.Fatalf("codes %v: %q, want %q", tt.codes, got, tt.want)
			}
		}
	}
}

// Only a charge that was sent and got no answer counts as silence.
func TestBreaker_CountsUnanswered(t *testing.T) {
	unknown := Result{Status: psp.Unknown}
	for name, tt := range map[string]struct {
		between Result
		held    bool
	}{
		"another one without an answer": {unknown, true},
		"lookup without a payment":      {Result{FromLookup: true}, true},
		"lookup that found the payment": {Result{FromLookup: true, Status: psp.Succeeded}, true},
		"request not sent":              {Result{Status: psp.NotStarted, Code: "not_sent"}, true},
		"success":                       {Result{Status: psp.Succeeded}, false},
		"decline":                       {Result{Status: psp.Declined}, false},
		"rate limited":                  {Result{Status: psp.NotStarted, RequestID: "req_1"}, false},
	} {
		b := breaker{}
		for i := range 20 {
			if i == 10 {
				b.countUnanswered(tt.between, noon)
			}
			b.countUnanswered(unknown, noon)
		}
		if got := b.Held != nil; got != tt.held {
			t.Errorf("%s: held is %t", name, got)
		}
	}
}

// Three requests in a row that are rejected with the same code open the breaker. Lookups and
// charges without an answer do not count; any other result restarts the count.
func TestBreaker_CountsRefusals(t *testing.T) {
	bad, other := Result{Status: psp.Refused, Code: "bad"}, Result{Status: psp.Refused, Code: "other"}
	for name, tt := range map[string]struct {
		results []Result
		held    bool
	}{
		"two":                    {[]Result{bad, bad}, false},
		"three":                  {[]Result{bad, bad, bad}, true},
		"another code":           {[]Result{bad, bad, other}, false},
		"another code, repeated": {[]Result{bad, other, other, other}, true},
		"a success between":      {[]Result{bad, bad, won, bad}, false},
		"no answer between":      {[]Result{bad, bad, noAnswer, bad}, true},
		"a lookup between":       {[]Result{bad, bad, {FromLookup: true}, bad}, true},
	} {
		b := breaker{}
		for _, f := range tt.results {
			was := b
			if changed := b.countRefusals(f, noon); changed != !cmp.Equal(was, b, cmp.AllowUnexported(breaker{})) {
				t.Errorf("%s: changed %t after %+v", name, changed, f)
			}
		}
		if got := b.Held != nil; got != tt.held {
			t.Errorf("%s: held %t", name, got)
		}
	}
}

// While charges get no answer, one is sent every half hour. An answer closes the breaker.
func TestBreaker_Probe(t *testing.T) {
	b := newGroupFixture(t)
	for range breakerSilence {
		b.sendAndRecord(noAnswer)
	}
	st, err := b.object.Overview(b.ctx)
	b.ok(err)
	if st.Held == nil || st.Held.Unanswered != breakerSilence || !st.Held.ProbeAt.Equal(b.now.Add(probeEvery)) ||
		!st.SucceededAt.IsZero() {
		t.Fatalf("held for %+v", st.Held)
	}
	_, err = b.object.Attempt(b.ctx, b.newLease(), b.group)
	wantCode(t, "before the probe", err, fault.Conflict)
	b.now = *st.Held.ProbeAt
	b.group, err = b.object.Submit(b.ctx, b.newLease(), newGroup("bob", 1, 2500, 1))
	b.ok(err)
	b.sendAndRecord(won)
	if st, err = b.object.Overview(b.ctx); err != nil || st.Held != nil || !st.SucceededAt.Equal(b.now) {
		t.Errorf("after an answer: held for %+v, last success %s, %v", st.Held, st.SucceededAt, err)
	}
	succeeded := b.now
	b.recordOnly(won)
	if st, err = b.object.Overview(b.ctx); err != nil || !st.SucceededAt.Equal(succeeded) {
		t.Errorf("after a repeat: last success %s, %v", st.SucceededAt, err)
	}
}

// A pause replaces a hold that would end with an answer. Neither answers nor their absence end
// the pause.
func TestBreaker_PauseStays(t *testing.T) {
	b := newGroupFixture(t)
	for range breakerSilence {
		b.sendAndRecord(noAnswer)
	}
	held, err := b.object.Pause(b.ctx, "n1", "a doubt")
	b.ok(err)
	if held.Paused != "a doubt" || held.Unanswered != 0 {
		t.Errorf("paused: %+v", held)
	}
	b.sendAndRecord(noAnswer)
	b.sendAndRecord(won)
	st, err := b.object.Overview(b.ctx)
	b.ok(err)
	if h := st.Held; h == nil || h.Paused != "a doubt" || h.Unanswered != 0 || !h.ForbidsAt(b.now.Add(probeEvery)) {
		t.Errorf("after an answer it is held for %+v", h)
	}
}
