// Package wiretest is the suite of the adapters that speak to the processor in
// requests of their own: which of them are sent again, when, and which never, and
// how its answers are read.
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

// Maker makes an adapter over a transport, a clock and a way to wait.
type Maker func(transport http.RoundTripper, now func() time.Time, wait func(context.Context, time.Duration) error) (psp.Processor, error)

// Run tests an adapter.
func Run(t *testing.T, m Maker) {
	t.Run("retries", func(t *testing.T) { retries(t, m) })
	t.Run("the waits between them", func(t *testing.T) { retryWaits(t, m) })
	t.Run("a charge is sent once", func(t *testing.T) { chargeOnce(t, m) })
	t.Run("giving up ends the retries", func(t *testing.T) { givingUp(t, m) })
	t.Run("sessions", func(t *testing.T) { readSessions(t, m) })
	t.Run("payments", func(t *testing.T) { readPayments(t, m) })
	t.Run("what a payment reports", func(t *testing.T) { readReports(t, m) })
	t.Run("what cannot be ended", func(t *testing.T) { endRefused(t, m) })
	t.Run("what cannot be forgotten", func(t *testing.T) { forgetRefused(t, m) })
	t.Run("lists", func(t *testing.T) { readLists(t, m) })
	t.Run("pages", func(t *testing.T) { readPages(t, m) })
	t.Run("the account", func(t *testing.T) { readAccount(t, m) })
	t.Run("what a charge comes to", func(t *testing.T) { readCharges(t, m) })
	t.Run("refused charges", func(t *testing.T) { refuseCharges(t, m) })
	t.Run("reversals", func(t *testing.T) { readReversals(t, m) })
	t.Run("customers", func(t *testing.T) { changeCustomers(t, m) })
	t.Run("traces", func(t *testing.T) { traces(t, m) })
}

// answer is one thing that the processor does with a request.
type answer struct {
	status int // 0: no answer at all
	header map[string]string
	after  time.Duration // how long it takes
}

const customerBody = `{"id":"cus_1","object":"customer"}`

// peer answers by a list, and good from then on.
type peer struct {
	t       *testing.T
	make    Maker
	now     time.Time
	answers []answer
	bodies  []string
	keys    []string
	waits   []time.Duration
}

func (p *peer) RoundTrip(r *http.Request) (*http.Response, error) {
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

func (p *peer) processor() psp.Processor {
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

func times(n int, a answer) []answer {
	var out []answer
	for range n {
		out = append(out, a)
	}
	return out
}

func advice(word string) map[string]string { return map[string]string{"Stripe-Should-Retry": word} }

// A request is sent again, at most twice, where that may help and the processor
// does not advise against it; each time the same, under the same key.
func retries(t *testing.T, m Maker) {
	for name, tt := range map[string]struct {
		answers []answer
		change  int // requests of a change
		read    int // requests of a read
	}{
		"good at once":               {nil, 1, 1},
		"no answer, once":            {times(1, answer{}), 2, 2},
		"no answer, for ever":        {times(9, answer{}), 3, 3},
		"too many requests":          {times(9, answer{status: 429}), 3, 3},
		"in use":                     {times(1, answer{status: 409}), 2, 2},
		"a proxy's page":             {times(1, answer{status: 502}), 2, 2},
		"an error that is kept":      {times(1, answer{status: 500}), 1, 2},
		"advised to, against all":    {times(1, answer{status: 500, header: advice("true")}), 2, 2},
		"advised to, and malformed":  {times(9, answer{status: 400, header: advice("true")}), 3, 3},
		"advised not to":             {times(1, answer{status: 429, header: advice("false")}), 1, 1},
		"malformed":                  {times(1, answer{status: 400}), 1, 1},
		"the key is refused":         {times(1, answer{status: 401}), 1, 1},
		"later, in a moment":         {times(1, answer{status: 429, header: map[string]string{"Retry-After": "2"}}), 2, 2},
		"later, too late for anyone": {times(1, answer{status: 429, header: map[string]string{"Retry-After": "60"}}), 1, 1},
		"it takes all the time":      {times(9, answer{after: 31 * time.Second}), 1, 1},
		"it takes half the time":     {times(9, answer{after: 16 * time.Second}), 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := &peer{t: t, make: m, answers: tt.answers}
			_, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k", Email: "a@example.org"})
			if len(p.bodies) != tt.change {
				t.Errorf("a change was sent %d times, want %d", len(p.bodies), tt.change)
			}
			if good := tt.change > len(tt.answers); good != (err == nil) {
				t.Errorf("a change: %v", err)
			}
			for i := range p.bodies {
				if p.bodies[i] != p.bodies[0] || p.keys[i] != "k" || !strings.Contains(p.bodies[i], "example.org") {
					t.Errorf("request %d: %q under %q", i+1, p.bodies[i], p.keys[i])
				}
			}
			q := &peer{t: t, make: m, answers: tt.answers}
			_, _ = q.processor().Session(t.Context(), "cs_1")
			if len(q.bodies) != tt.read {
				t.Errorf("a read was sent %d times, want %d", len(q.bodies), tt.read)
			}
		})
	}
}

func retryWaits(t *testing.T, m Maker) {
	p := &peer{t: t, make: m, answers: times(2, answer{})}
	if _, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if len(p.waits) != 2 || p.waits[0] < 200*time.Millisecond || p.waits[0] > 400*time.Millisecond || p.waits[1] < 400*time.Millisecond || p.waits[1] > 800*time.Millisecond {
		t.Errorf("the waits are %v", p.waits)
	}
	again := &peer{t: t, make: m, answers: times(2, answer{})}
	if _, err := again.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.waits, again.waits); diff != "" {
		t.Errorf("a repeated run waits otherwise:\n%s", diff)
	}
	usual := p.waits[:1]
	for asked, want := range map[string][]time.Duration{"3": {3 * time.Second}, "5": {5 * time.Second}, "0": usual, "-1": usual, "soon": usual} {
		p := &peer{t: t, make: m, answers: times(1, answer{status: 429, header: map[string]string{"Retry-After": asked}})}
		if _, err := p.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "k"}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.waits); diff != "" {
			t.Errorf("asked for %s (-want +got):\n%s", asked, diff)
		}
	}
}

// A charge is sent once, whatever comes of it, and the advice about it goes to
// settlement.
func chargeOnce(t *testing.T, m Maker) {
	for name, tt := range map[string]struct {
		answer answer
		want   psp.Outcome
	}{
		"no answer":     {answer{}, psp.Outcome{Status: psp.Unknown}},
		"a limit":       {answer{status: 429}, psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"advice":        {answer{status: 429, header: advice("true")}, psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"later":         {answer{status: 429, header: map[string]string{"Retry-After": "90"}}, psp.Outcome{Status: psp.NotStarted, RetryAfter: 90 * time.Second}},
		"at once":       {answer{status: 429, header: map[string]string{"Retry-After": "0"}}, psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"at some time":  {answer{status: 429, header: map[string]string{"Retry-After": "soon"}}, psp.Outcome{Status: psp.NotStarted, RetryAfter: time.Second}},
		"an error":      {answer{status: 503, header: advice("true")}, psp.Outcome{Status: psp.Unknown}},
		"refused key":   {answer{status: 401}, psp.Outcome{Status: psp.NotStarted, Code: "key_refused", Barred: true}},
		"forbidden key": {answer{status: 403}, psp.Outcome{Status: psp.NotStarted, Code: "key_refused", Barred: true}},
	} {
		p := &peer{t: t, make: m, answers: times(1, tt.answer)}
		got := p.processor().Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus", PaymentMethodID: "pm", Description: "Film", NotAfter: p.now.Add(time.Hour)})
		if diff := cmp.Diff(tt.want, got); diff != "" || len(p.bodies) != 1 || !strings.Contains(p.bodies[0], "description=Film") {
			t.Errorf("%s: sent %d times (-want +got):\n%s", name, len(p.bodies), diff)
		}
	}
}

// Whoever gives up in between gets no answer, and nothing more is sent.
func givingUp(t *testing.T, m Maker) {
	p := &peer{t: t, make: m, answers: times(9, answer{status: 503})}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := m(p, func() time.Time { return p.now }, func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Session(ctx, "cs_1"); !fault.Is(err, fault.Unavailable) || len(p.bodies) != 1 {
		t.Errorf("sent %d times: %v", len(p.bodies), err)
	}
}
