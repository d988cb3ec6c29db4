// Package wiretest is a test suite for adapters that send HTTP requests to the processor: which
// requests are retried and when, which are never retried, and how responses are parsed.
package wiretest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Maker creates an adapter with a transport, a clock and a sleep function.
type Maker func(transport http.RoundTripper, now func() time.Time,
	wait func(context.Context, time.Duration) error) (psp.Processor, error)

// Run tests an adapter.
func Run(t *testing.T, m Maker) {
	t.Run("retries", func(t *testing.T) { retries(t, m) })
	t.Run("retry delays", func(t *testing.T) { retryWaits(t, m) })
	t.Run("charge and refund without retries", func(t *testing.T) { chargeOnce(t, m) })
	t.Run("canceled retries", func(t *testing.T) { canceledRetries(t, m) })
	t.Run("sessions", func(t *testing.T) { readSessions(t, m) })
	t.Run("payments", func(t *testing.T) { readPayments(t, m) })
	t.Run("payment details", func(t *testing.T) { readReports(t, m) })
	t.Run("rejected cancel or expiry", func(t *testing.T) { endRefused(t, m) })
	t.Run("rejected detach", func(t *testing.T) { detachRefused(t, m) })
	t.Run("lists", func(t *testing.T) { readLists(t, m) })
	t.Run("pages", func(t *testing.T) { readPages(t, m) })
	t.Run("account", func(t *testing.T) { readAccount(t, m) })
	t.Run("charge outcomes", func(t *testing.T) { readCharges(t, m) })
	t.Run("rejected charges and refunds", func(t *testing.T) { refuse(t, m) })
	t.Run("refunds", func(t *testing.T) { sendRefunds(t, m) })
	t.Run("reversals", func(t *testing.T) { readReversals(t, m) })
	t.Run("balance transactions", func(t *testing.T) { readBalance(t, m) })
	t.Run("disputes, payouts and warnings", func(t *testing.T) { readAccountLists(t, m) })
	t.Run("customers", func(t *testing.T) { changeCustomers(t, m) })
	t.Run("traces", func(t *testing.T) { traces(t, m) })
}

// answer is a scripted response.
type answer struct {
	status int // 0 for no response
	header map[string]string
	after  time.Duration // delay
}

const customerBody = `{"id":"cus_1","object":"customer"}`

// fakeServer gives the scripted responses in order, and successful ones after the last.
type fakeServer struct {
	t       *testing.T
	make    Maker
	now     time.Time
	answers []answer
	bodies  []string
	keys    []string
	waits   []time.Duration
}

func (p *fakeServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	p.bodies, p.keys = append(p.bodies, string(body)), append(p.keys, r.Header.Get("Idempotency-Key"))
	a := answer{status: 200}
	if n := len(p.bodies); n <= len(p.answers) {
		a = p.answers[n-1]
	}
	p.now = p.now.Add(a.after)
	if a.status == 0 {
		return nil, errors.New("the network is down")
	}
	res := &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r}
	text := customerBody
	if a.status != 200 {
		text = `{"error":{"type":"api_error","message":"no"}}`
	}
	res.Body = io.NopCloser(strings.NewReader(text))
	for k, v := range a.header {
		res.Header.Set(k, v)
	}
	return res, nil
}

func (p *fakeServer) processor() psp.Processor {
	p.t.Helper()
	s, err := p.make(p, func() time.Time { return p.now }, func(_ context.Context, d time.Duration) error {
		p.waits = append(p.waits, d)
		p.now = p.now.Add(d)
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// times returns n copies of a response.
func times(n int, a answer) []answer {
	var out []answer
	for range n {
		out = append(out, a)
	}
	return out
}

func shouldRetryHeader(word string) map[string]string {
	return map[string]string{"Stripe-Should-Retry": word}
}

// retries checks that a request is retried at most twice, unchanged and with the same key, if a
// retry may succeed and the processor does not advise against it.
func retries(t *testing.T, m Maker) {
	for name, tt := range map[string]struct {
		answers []answer
		change  int // expected requests of a change
		read    int // expected requests of a read
	}{
		"success":                     {nil, 1, 1},
		"no response once":            {times(1, answer{}), 2, 2},
		"never a response":            {times(9, answer{}), 3, 3},
		"too many requests":           {times(9, answer{status: 429}), 3, 3},
		"in use":                      {times(1, answer{status: 409}), 2, 2},
		"proxy page":                  {times(1, answer{status: 502}), 2, 2},
		"stored error":                {times(1, answer{status: 500}), 1, 2},
		"advised to retry":            {times(1, answer{status: 500, header: shouldRetryHeader("true")}), 2, 2},
		"advised to retry, malformed": {times(9, answer{status: 400, header: shouldRetryHeader("true")}), 3, 3},
		"advised not to retry":        {times(1, answer{status: 429, header: shouldRetryHeader("false")}), 1, 1},
		"malformed":                   {times(1, answer{status: 400}), 1, 1},
		"API key rejected":            {times(1, answer{status: 401}), 1, 1},
		"short Retry-After": {times(1, answer{status: 429, header: map[string]string{"Retry-After": "2"}}),
			2, 2},
		"long Retry-After":    {times(1, answer{status: 429, header: map[string]string{"Retry-After": "60"}}), 1, 1},
		"slow response":       {times(9, answer{after: 31 * time.Second}), 1, 1},
		"half the time limit": {times(9, answer{after: 16 * time.Second}), 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fakeServer{t: t, make: m, answers: tt.answers}
			_, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k", Email: "a@example.org"})
			if len(p.bodies) != tt.change {
				t.Errorf("a change was sent %d times, want %d", len(p.bodies), tt.change)
			}
			if good := tt.change > len(tt.answers); good != (err == nil) {
				t.Errorf("change: %v", err)
			}
			for i := range p.bodies {
				if p.bodies[i] != p.bodies[0] || p.keys[i] != "k" || !strings.Contains(p.bodies[i], "example.org") {
					t.Errorf("request %d: %q under %q", i+1, p.bodies[i], p.keys[i])
				}
			}
			q := &fakeServer{t: t, make: m, answers: tt.answers}
			_, _ = q.processor().Session(t.Context(), "cs_1")
			if len(q.bodies) != tt.read {
				t.Errorf("a read was sent %d times, want %d", len(q.bodies), tt.read)
			}
		})
	}
}

func retryWaits(t *testing.T, m Maker) {
	p := &fakeServer{t: t, make: m, answers: times(2, answer{})}
	if _, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if len(p.waits) != 2 || p.waits[0] < 200*time.Millisecond || p.waits[0] > 400*time.Millisecond ||
		p.waits[1] < 400*time.Millisecond || p.waits[1] > 800*time.Millisecond {
		t.Errorf("waits %v", p.waits)
	}
	again := &fakeServer{t: t, make: m, answers: times(2, answer{})}
	if _, err := again.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.waits, again.waits); diff != "" {
		t.Errorf("waits differ in a repeated run:\n%s", diff)
	}
	withoutHeader := p.waits[:1]
	for header, want := range map[string][]time.Duration{"3": {3 * time.Second}, "5": {5 * time.Second},
		"0": withoutHeader, "-1": withoutHeader, "soon": withoutHeader} {
		p := &fakeServer{t: t, make: m,
			answers: times(1, answer{status: 429, header: map[string]string{"Retry-After": header}})}
		if _, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.waits); diff != "" {
			t.Errorf("Retry-After %s (-want +got):\n%s", header, diff)
		}
	}
}

// chargeOnce checks that a charge or refund is sent once, whatever the result, and that the outcome contains
// the delay that the processor requests.
func chargeOnce(t *testing.T, m Maker) {
	for name, tt := range map[string]struct {
		answer answer
		want   psp.Outcome
	}{
		"no response": {answer{}, psp.Outcome{Status: psp.Unknown}},
		"rate limit":  {answer{status: 429}, psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"advised to retry": {answer{status: 429, header: shouldRetryHeader("true")},
			psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"Retry-After: 90": {answer{status: 429, header: map[string]string{"Retry-After": "90"}},
			psp.Outcome{Status: psp.NotStarted, RetryAfter: 90 * time.Second}},
		"Retry-After: 0": {answer{status: 429, header: map[string]string{"Retry-After": "0"}},
			psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"invalid Retry-After": {answer{status: 429, header: map[string]string{"Retry-After": "soon"}},
			psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"server error":  {answer{status: 503, header: shouldRetryHeader("true")}, psp.Outcome{Status: psp.Unknown}},
		"rejected key":  {answer{status: 401}, psp.Outcome{Status: psp.NotStarted, Code: "key_refused", Barred: true}},
		"forbidden key": {answer{status: 403}, psp.Outcome{Status: psp.NotStarted, Code: "key_refused", Barred: true}},
	} {
		p := &fakeServer{t: t, make: m, answers: times(1, tt.answer)}
		got := p.processor().Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus",
			PaymentMethodID: "pm", Description: "Film", NotAfter: p.now.Add(time.Hour)})
		if diff := cmp.Diff(tt.want, got); diff != "" || len(p.bodies) != 1 ||
			!strings.Contains(p.bodies[0], "description=Film") {
			t.Errorf("%s: sent %d times (-want +got):\n%s", name, len(p.bodies), diff)
		}
		p = &fakeServer{t: t, make: m, answers: times(1, tt.answer)}
		n := newRefund()
		n.NotAfter = p.now.Add(time.Hour)
		refund := p.processor().Refund(t.Context(), n)
		want := psp.RefundOutcome{Status: tt.want.Status, Code: tt.want.Code, RetryAfter: tt.want.RetryAfter,
			Barred: tt.want.Barred}
		if diff := cmp.Diff(want, refund); diff != "" || len(p.bodies) != 1 {
			t.Errorf("refund, %s: sent %d times (-want +got):\n%s", name, len(p.bodies), diff)
		}
	}
}

// canceledRetries checks that there are no retries after the context is canceled.
func canceledRetries(t *testing.T, m Maker) {
	p := &fakeServer{t: t, make: m, answers: times(9, answer{status: 503})}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := m(p, func() time.Time { return p.now },
		func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Session(ctx, "cs_1"); !fault.Is(err, fault.Unavailable) || len(p.bodies) != 1 {
		t.Errorf("sent %d times: %v", len(p.bodies), err)
	}
}
