package wiretest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// page is a scripted response.
type page struct {
	status int
	header map[string]string
	body   string
}

// scriptedServer responds to each request with the next page, and repeats the last page.
type scriptedServer struct {
	pages    []page
	requests []string // methods and URLs
	queries  []string
	keys     []string
	bodies   []string
}

// form returns the form of the only request, with its fields sorted.
func (s *scriptedServer) form(t *testing.T) string {
	t.Helper()
	values, err := url.ParseQuery(s.bodies[0])
	if err != nil || len(s.bodies) != 1 {
		t.Fatalf("bodies %q, %v", s.bodies, err)
	}
	sorted, err := url.QueryUnescape(values.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return sorted
}

func (s *scriptedServer) RoundTrip(r *http.Request) (*http.Response, error) {
	a := s.pages[min(len(s.requests), len(s.pages)-1)]
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	s.requests = append(s.requests, r.Method+" "+r.URL.Scheme+"://"+r.URL.Host+r.URL.Path)
	s.queries, s.bodies = append(s.queries, r.URL.RawQuery), append(s.bodies, string(body))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	res := &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}},
		Request: r, Body: io.NopCloser(strings.NewReader(a.body))}
	for k, v := range a.header {
		res.Header.Set(k, v)
	}
	return res, nil
}

func newScripted(t *testing.T, m Maker, pages ...page) (psp.Processor, *scriptedServer) {
	t.Helper()
	s := &scriptedServer{pages: pages}
	p, err := m(s, func() time.Time { return time.Unix(1_800_000_000, 0) },
		func(context.Context, time.Duration) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func ok(body string) page { return page{status: http.StatusOK, body: body} }

var malformed = page{status: http.StatusBadRequest,
	body: `{"error":{"type":"invalid_request_error","code":"payment_intent_unexpected_state"}}`}

// readSessions checks the card details of sessions, which only complete sessions have. Details that
// the response does not contain stay empty.
func readSessions(t *testing.T, m Maker) {
	const method = `"setup_intent":{"id":"seti_1","payment_method":{"id":"pm_1","created":1700000000}}`
	complete := psp.Session{CustomerID: "cus_1", SetupIntentID: "seti_1", PaymentMethodID: "pm_1",
		CompletedAt: time.Unix(1_700_000_000, 0).UTC()}
	unseen, silent := complete, complete
	unseen.CompletedAt, unseen.PaymentMethodID = time.Time{}, ""
	silent.CompletedAt = time.Time{}
	for body, want := range map[string]psp.Session{
		`"status":"complete",` + method: complete,
		`"status":"open",` + method:     {},
		`"status":"expired",` + method:  {},
		`"status":"complete"`:           {},
		`"status":"complete","setup_intent":{"id":"seti_1","payment_method":null}`:                      unseen,
		`"status":"complete","setup_intent":{"id":"seti_1","payment_method":"pm_1"}`:                    silent,
		`"status":"complete","setup_intent":{"id":"seti_1","payment_method":{"id":"pm_1","created":0}}`: silent,
	} {
		p, s := newScripted(t, m, ok(`{"id":"cs_1","object":"checkout.session","customer":"cus_1",`+body+`}`))
		got, err := p.Session(t.Context(), "cs_1")
		got = psp.Session{CustomerID: got.CustomerID, SetupIntentID: got.SetupIntentID,
			PaymentMethodID: got.PaymentMethodID, CompletedAt: got.CompletedAt}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
		if s.requests[0] != "GET https://api.stripe.com/v1/checkout/sessions/cs_1" {
			t.Errorf("request %s", s.requests[0])
		}
	}
}

// readPayments checks that the error of a payment is returned only if the payment has failed.
func readPayments(t *testing.T, m Maker) {
	const refused, wanted = `"last_payment_error":{"code":"card_declined","decline_code":"insufficient_funds"}`,
		`"last_payment_error":{"code":"authentication_required"}`
	for body, want := range map[string]psp.Payment{
		`"status":"requires_payment_method",` + refused: {Status: psp.Declined, Code: "card_declined",
			DeclineCode: "insufficient_funds", MayPass: true},
		`"status":"requires_payment_method",` + wanted: {Status: psp.NeedsAction, Code: "authentication_required"},
		`"status":"requires_payment_method"`:           {Status: psp.Declined},
		`"status":"succeeded",` + refused:              {Status: psp.Succeeded},
		`"status":"canceled",` + refused:               {Status: psp.Canceled},
		`"status":"processing",` + refused:             {Status: psp.Pending},
	} {
		p, _ := newScripted(t, m, ok(`{"id":"pi_1","object":"payment_intent",`+body+`}`))
		got, err := p.Payment(t.Context(), "pi_1")
		got = psp.Payment{Status: got.Status, Code: got.Code, DeclineCode: got.DeclineCode, MayPass: got.MayPass}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}

// readReports checks the captured amount, card, mode, refunds and disputes of payments.
func readReports(t *testing.T, m Maker) {
	const head = `{"id":"pi_1","object":"payment_intent","status":"succeeded","amount":500,"currency":"usd","created":1700000000,`
	base := psp.Payment{ID: "pi_1", Status: psp.Succeeded, Amount: 500, Currency: "usd",
		Mode: psp.Test, CreatedAt: time.Unix(1_700_000_000, 0).UTC()}
	with := func(change func(p *psp.Payment)) psp.Payment {
		p := base
		change(&p)
		return p
	}
	for body, want := range map[string]psp.Payment{
		`"livemode":false`:        base,
		`"livemode":true`:         with(func(p *psp.Payment) { p.Mode = psp.Live }),
		`"amount_received":400`:   with(func(p *psp.Payment) { p.Received = 400 }),
		`"payment_method":null`:   base,
		`"payment_method":"pm_1"`: with(func(p *psp.Payment) { p.PaymentMethodID = "pm_1" }),
		`"payment_method":{"id":"pm_1","object":"payment_method"}`: with(func(p *psp.Payment) { p.PaymentMethodID = "pm_1" }),
		`"metadata":{"campaignSlug":"film","settlementGroup":"g"}`: with(
			func(p *psp.Payment) { p.Campaign, p.Group = "film", "g" }),
		`"latest_charge":null`:   base,
		`"latest_charge":"ch_1"`: with(func(p *psp.Payment) { p.ChargeID = "ch_1" }),
		`"latest_charge":{"id":"ch_1","object":"charge","amount_refunded":300,"disputed":true,"balance_transaction":null}`: with(func(p *psp.Payment) {
			p.ChargeID, p.Refunded, p.Disputed = "ch_1", 300, true
		}),
	} {
		p, s := newScripted(t, m, ok(head+body+`}`))
		got, err := p.Payment(t.Context(), "pi_1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
		if len(s.requests) != 1 {
			t.Errorf("requests %q", s.requests)
		}
	}
}

// endRefused checks that an object is read after the processor rejected its cancellation or expiry.
// The call succeeds if the object has ended or is in progress.
func endRefused(t *testing.T, m Maker) {
	for body, want := range map[string]fault.Code{
		`"status":"requires_payment_method"`: fault.Invalid,
		`"status":"requires_payment_method","last_payment_error":{"code":"authentication_required"}`: fault.Invalid,
		`"status":"succeeded"`:  "",
		`"status":"processing"`: "",
	} {
		p, s := newScripted(t, m, malformed, ok(`{"id":"pi_1","object":"payment_intent",`+body+`}`))
		if _, err := p.CancelPayment(t.Context(), "pi_1", "k"); fault.CodeOf(err) != want || len(s.requests) != 2 {
			t.Errorf("payment %s: %v after %d requests", body, err, len(s.requests))
		}
	}
	for status, want := range map[string]fault.Code{"open": fault.Invalid, "complete": "", "expired": ""} {
		p, s := newScripted(t, m, malformed, ok(`{"id":"cs_1","object":"checkout.session","status":"`+status+`"}`))
		if _, err := p.ExpireSession(t.Context(), "cs_1", "k"); fault.CodeOf(err) != want || len(s.requests) != 2 {
			t.Errorf("session %s: %v after %d requests", status, err, len(s.requests))
		}
	}
}

// detachRefused checks that a card is read after the processor rejected its detachment. The call
// succeeds if the card is not attached.
func detachRefused(t *testing.T, m Maker) {
	for customer, want := range map[string]fault.Code{`"cus_1"`: fault.Invalid, `null`: ""} {
		p, s := newScripted(t, m, malformed,
			ok(`{"id":"pm_1","object":"payment_method","customer":`+customer+`,"card":{"exp_month":1,"exp_year":2030}}`))
		if err := p.DetachCard(t.Context(), "pm_1", "k"); fault.CodeOf(err) != want || len(s.requests) != 2 {
			t.Errorf("card of %s: %v after %d requests", customer, err, len(s.requests))
		}
	}
}

// readLists checks that reading a list ends when has_more is false, or with an empty page.
func readLists(t *testing.T, m Maker) {
	const one = `{"object":"list","data":[{"id":"pi_1","object":"payment_intent","metadata":{"settlementGroup":"g"}}],"has_more":`
	for name, tt := range map[string]struct {
		pages []page
		want  int // payments and requests
	}{
		"one page":        {[]page{ok(one + `false}`)}, 1},
		"empty last page": {[]page{ok(one + `true}`), ok(`{"object":"list","data":[],"has_more":true}`)}, 1},
	} {
		p, s := newScripted(t, m, tt.pages...)
		found, err := p.FindCharge(t.Context(), "cus_1", "g")
		if err != nil || len(found) != tt.want || len(s.requests) != len(tt.pages) {
			t.Errorf("%s: %d payments from %d requests, %v", name, len(found), len(s.requests), err)
		}
	}
}

// readPages checks that a page has the requested length, and that the pages, from Next to Next, end
// with an empty Next.
func readPages(t *testing.T, m Maker) {
	listed := func(object string, more bool, ids ...string) page {
		var data []string
		for _, id := range ids {
			data = append(data, fmt.Sprintf(`{"id":%q,"object":%q}`, id, object))
		}
		return ok(fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%t}`, strings.Join(data, ","), more))
	}
	for object, read := range map[string]func(p psp.Processor, limit int, after string) (n int, next string, err error){
		"payment_intent": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.Payments(t.Context(), psp.PaymentQuery{Limit: limit, After: after})
			return len(out.Payments), out.Next, err
		},
		"customer": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.Customers(t.Context(), psp.CustomerQuery{Limit: limit, After: after})
			return len(out.Customers), out.Next, err
		},
		"balance_transaction": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.BalanceTransactions(t.Context(), psp.BalanceQuery{Limit: limit, After: after})
			return len(out.Transactions), out.Next, err
		},
		"dispute": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.Disputes(t.Context(), psp.DisputeQuery{Limit: limit, After: after})
			return len(out.Disputes), out.Next, err
		},
		"payout": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.Payouts(t.Context(), psp.PayoutQuery{Limit: limit, After: after})
			return len(out.Payouts), out.Next, err
		},
		"radar.early_fraud_warning": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.FraudWarnings(t.Context(), psp.FraudWarningQuery{Limit: limit, After: after})
			return len(out.Warnings), out.Next, err
		},
		"checkout.session": func(p psp.Processor, limit int, after string) (int, string, error) {
			out, err := p.Sessions(t.Context(), psp.SessionQuery{Limit: limit, After: after})
			return len(out.Sessions), out.Next, err
		},
	} {
		p, s := newScripted(t, m, listed(object, true, "x_1", "x_2"))
		if n, next, err := read(p, 2, ""); n != 2 || next != "x_2" || err != nil || len(s.requests) != 1 {
			t.Errorf("%s: full page of %d, next %q, from %d requests, %v", object, n, next, len(s.requests), err)
		}
		for name, tt := range map[string]struct {
			pages []page
			want  int
		}{
			"one page":        {[]page{listed(object, false, "x_1")}, 1},
			"empty last page": {[]page{listed(object, true, "x_1"), listed(object, true)}, 1},
			"nothing":         {[]page{listed(object, false)}, 0},
		} {
			p, s := newScripted(t, m, tt.pages...)
			sum, next := 0, ""
			for range 5 {
				n, after, err := read(p, 10, next)
				if sum, next = sum+n, after; err != nil {
					t.Fatal(err)
				}
				if next == "" {
					break
				}
			}
			if sum != tt.want || next != "" || len(s.requests) != len(tt.pages) {
				t.Errorf("%s, %s: %d from %d requests, next %q", object, name, sum, len(s.requests), next)
			}
		}
	}
}

// readAccount checks that a response without the account's ID or the time is an error. The service
// uses the ID to verify which account is charged.
func readAccount(t *testing.T, m Maker) {
	const date = "Fri, 15 Jan 2027 08:00:00 GMT"
	for name, tt := range map[string]struct {
		id, date string
		want     fault.Code
	}{
		"both":    {"acct_1", date, ""},
		"no ID":   {"", date, fault.Unavailable},
		"no time": {"acct_1", "", fault.Unavailable},
		"neither": {"", "now", fault.Unavailable},
	} {
		p, _ := newScripted(t, m, page{status: http.StatusOK, header: map[string]string{"Date": tt.date},
			body: `{"id":"` + tt.id + `","object":"account"}`})
		a, err := p.Account(t.Context())
		if fault.CodeOf(err) != tt.want || err == nil && (a.ID != tt.id || a.At.Unix() != 1_800_000_000) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// readCharges checks that a rejected charge is Declined only if the response reports that the card
// or customer does not exist or does not match. Other invalid parameters result in Refused.
func readCharges(t *testing.T, m Maker) {
	for what, want := range map[string]psp.Status{
		`"param":"payment_method","code":"resource_missing"`:  psp.Declined,
		`"param":"payment_method"`:                            psp.Declined,
		`"param":"payment_method","code":"parameter_missing"`: psp.Refused,
		`"param":"customer","code":"resource_missing"`:        psp.Declined,
		`"param":"customer","code":"parameter_missing"`:       psp.Refused,
		`"param":"customer"`:                                  psp.Refused,
		`"param":"on_behalf_of","code":"resource_missing"`:    psp.Refused,
	} {
		p, s := newScripted(t, m,
			page{status: http.StatusBadRequest, body: `{"error":{"type":"invalid_request_error",` + what + `}}`})
		o := p.Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
			PaymentMethodID: "pm_1", NotAfter: time.Unix(1_800_000_001, 0)})
		if o.Status != want || len(s.requests) != 1 {
			t.Errorf("%s: %s after %d requests", what, o.Status, len(s.requests))
		}
	}
	good := ok(`{"id":"pi_1","object":"payment_intent","status":"succeeded"}`)
	good.header = map[string]string{"Request-Id": "req_1"}
	p, _ := newScripted(t, m, good)
	o := p.Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
		PaymentMethodID: "pm_1", NotAfter: time.Unix(1_800_000_001, 0)})
	if o.Status != psp.Succeeded || o.RequestID != "req_1" {
		t.Errorf("succeeded charge: %+v", o)
	}
}

// traces checks that a call's trace counts all its requests and describes the
// last response.
func traces(t *testing.T, m Maker) {
	answered := func(status int, id, replayed string) page {
		return page{status: status, header: map[string]string{"Request-Id": id, "Idempotent-Replayed": replayed},
			body: `{"id":"cus_1","object":"customer"}`}
	}
	for _, replayed := range []string{"true", "false", ""} {
		p, _ := newScripted(t, m, answered(http.StatusServiceUnavailable, "req_1", "true"),
			answered(http.StatusOK, "req_2", replayed))
		ctx, trace := psp.WithTrace(t.Context())
		if _, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "k"}); err != nil {
			t.Fatal(err)
		}
		if want := (psp.Trace{Requests: 2, HTTPStatus: http.StatusOK, RequestID: "req_2",
			Replayed: replayed == "true"}); *trace != want {
			t.Errorf("replayed %q: %+v", replayed, *trace)
		}
	}
}
