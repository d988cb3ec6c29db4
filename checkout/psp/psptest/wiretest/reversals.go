package wiretest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func newRefund() psp.NewRefund {
	return psp.NewRefund{Key: "k", ID: "rf_1", PaymentID: "pi_1", Amount: 100,
		Metadata: map[string]string{"note": "x"}, NotAfter: time.Unix(1_800_000_001, 0)}
}

// refuse checks that a charge or refund is Refused only if the processor itself rejected it. After a
// proxy's response, a timeout or a server error, the outcome is Unknown.
func refuse(t *testing.T, m Maker) {
	const refusal = `{"error":{"type":"invalid_request_error","code":"amount_too_large","param":"amount","message":"Of ada@example.org"}}`
	const bare = `{"error":{"type":"invalid_request_error","message":"Of ada@example.org"}}`
	const proxy = `<html>Not here</html>`
	for _, tt := range []struct {
		status int
		body   string
		want   psp.Status
		code   string
	}{
		{http.StatusBadRequest, refusal, psp.Refused, "amount_too_large"},
		{http.StatusBadRequest, bare, psp.Refused, "request_refused"},
		{http.StatusNotFound, refusal, psp.Refused, "amount_too_large"},
		{http.StatusNotFound, bare, psp.Refused, "request_refused"},
		{http.StatusMethodNotAllowed, bare, psp.Refused, "request_refused"},
		{http.StatusRequestEntityTooLarge, bare, psp.Refused, "request_refused"},
		{http.StatusUnprocessableEntity, refusal, psp.Refused, "amount_too_large"},
		{http.StatusGone, bare, psp.Refused, "request_refused"},
		{http.StatusRequestTimeout, bare, psp.Unknown, ""},
		{http.StatusTooEarly, bare, psp.Unknown, ""},
		{http.StatusConflict, refusal, psp.NotStarted, "amount_too_large"},
		{http.StatusTooManyRequests, refusal, psp.NotStarted, "amount_too_large"},
		{http.StatusUnauthorized, bare, psp.NotStarted, "key_refused"},
		{http.StatusForbidden, refusal, psp.NotStarted, "amount_too_large"},
		{http.StatusBadRequest, `{"error":{"type":"idempotency_error"}}`, psp.Mismatch, "idempotency_error"},
		{http.StatusInternalServerError, refusal, psp.Unknown, "amount_too_large"},
		{http.StatusServiceUnavailable, bare, psp.Unknown, ""},
		{http.StatusBadRequest, proxy, psp.Unknown, ""},
		{http.StatusForbidden, proxy, psp.Unknown, ""},
		{http.StatusNotFound, proxy, psp.Unknown, ""},
		{http.StatusNotFound, `{}`, psp.Unknown, ""},
		{http.StatusNotFound, `{"error":{"message":"No route"}}`, psp.Unknown, ""},
		{http.StatusRequestEntityTooLarge, proxy, psp.Unknown, ""},
	} {
		p, s := newScripted(t, m, page{status: tt.status, body: tt.body})
		o := p.Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
			PaymentMethodID: "pm_1", NotAfter: time.Unix(1_800_000_001, 0)})
		if o.Status != tt.want || o.Code != tt.code || o.DeclineCode != "" || len(s.requests) != 1 {
			t.Errorf("%d %s: %+v after %d requests, want %s %q", tt.status, tt.body, o, len(s.requests), tt.want,
				tt.code)
		}
		p, s = newScripted(t, m, page{status: tt.status, body: tt.body})
		f := p.Refund(t.Context(), newRefund())
		if f.Status != tt.want || f.Code != tt.code || f.Refund.ID != "" || len(s.requests) != 1 ||
			(f.Refusal != "") != (tt.want == psp.Refused) {
			t.Errorf("refund, %d %s: %+v after %d requests, want %s %q", tt.status, tt.body, f, len(s.requests),
				tt.want, tt.code)
		}
	}
}

// sendRefunds checks the request for a refund, which has no reason, and how its response is read.
func sendRefunds(t *testing.T, m Maker) {
	const refund = `{"id":"re_1","object":"refund","amount":100,"currency":"usd","status":"pending","reason":null,"created":1700000200,` +
		`"payment_intent":"pi_1","charge":"ch_1","metadata":{"refund":"rf_1","note":"x"},"balance_transaction":null}`
	p, s := newScripted(t, m, page{status: http.StatusOK, header: map[string]string{"Request-Id": "req_1"}, body: refund})
	want := psp.RefundOutcome{Status: psp.Accepted, RequestID: "req_1", Refund: psp.Refund{ID: "re_1",
		PaymentID: "pi_1", ChargeID: "ch_1", OurID: "rf_1", Amount: 100, Currency: "usd",
		Status: psp.RefundStatusPending, CreatedAt: time.Unix(1_700_000_200, 0).UTC()}}
	if diff := cmp.Diff(want, p.Refund(t.Context(), newRefund())); diff != "" {
		t.Errorf("accepted refund (-want +got):\n%s", diff)
	}
	if s.requests[0] != "POST https://api.stripe.com/v1/refunds" {
		t.Errorf("request %s", s.requests[0])
	}
	const form = "amount=100&metadata[note]=x&metadata[refund]=rf_1&payment_intent=pi_1"
	if got := s.form(t); got != form || s.keys[0] != "k" {
		t.Errorf("sent %q under key %q, want %q", got, s.keys[0], form)
	}
	for body, want := range map[string]psp.Refusal{
		`"code":"charge_disputed"`:                                    psp.RefusalDisputed,
		`"code":"charge_already_refunded"`:                            psp.RefusalRefunded,
		`"param":"amount"`:                                            psp.RefusalAmount,
		`"param":"amount","code":"parameter_invalid_integer"`:         psp.RefusalAmount,
		`"param":"payment_intent","code":"resource_missing"`:          psp.RefusalPayment,
		`"param":"id","code":"resource_missing"`:                      psp.RefusalPayment,
		`"param":"payment_intent","code":"intent_unexpected_state"`:   psp.RefusalPayment,
		`"param":"payment_method","code":"parameter_invalid_integer"`: psp.RefusalOther,
		`"code":"insufficient_funds"`:                                 psp.RefusalOther,
	} {
		for _, status := range []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound} {
			p, _ := newScripted(t, m,
				page{status: status, body: `{"error":{"type":"invalid_request_error",` + body + `}}`})
			if o := p.Refund(t.Context(), newRefund()); o.Status != psp.Refused || o.Refusal != want {
				t.Errorf("%d %s: %+v, want %s", status, body, o, want)
			}
		}
	}
}

// readReversals checks that all pages of refunds and disputes are read, and that the failure of
// either list fails the call.
func readReversals(t *testing.T, m Maker) {
	list := func(more bool, objects ...string) page {
		end := `],"has_more":false}`
		if more {
			end = `],"has_more":true}`
		}
		return ok(`{"object":"list","data":[` + strings.Join(objects, ",") + end)
	}
	const (
		first   = `{"id":"re_2","object":"refund","amount":300,"currency":"usd","status":"pending","reason":null,"created":1700000200,"payment_intent":"pi_1","charge":{"id":"ch_1","object":"charge"},"metadata":{"refund":"rf_1","parts":"1,2"},"balance_transaction":null}`
		second  = `{"id":"re_1","object":"refund","amount":200,"currency":"usd","status":"failed","reason":"duplicate","created":1700000100,"payment_intent":{"id":"pi_1","object":"payment_intent"},"charge":"ch_1","metadata":{},"failure_reason":"merchant_request","balance_transaction":"txn_1","failure_balance_transaction":"txn_2"}`
		dispute = `{"id":"du_1","object":"dispute","amount":500,"currency":"usd","status":"under_review","reason":"fraudulent","created":1700000300,"evidence_details":{"due_by":1700000900},"charge":"ch_1","payment_intent":"pi_1","is_charge_refundable":false,"network_reason_code":"10.4"}`
		inquiry = `{"id":"du_0","object":"dispute","amount":400,"currency":"usd","status":"warning_needs_response","reason":"general","created":1700000250,"evidence_details":{"due_by":null}}`
	)
	at := func(seconds int64) time.Time { return time.Unix(1_700_000_000+seconds, 0).UTC() }
	want := psp.Reversals{
		Refunds: []psp.Refund{
			{ID: "re_2", PaymentID: "pi_1", ChargeID: "ch_1", OurID: "rf_1", Parts: "1,2", Amount: 300, Currency: "usd", Status: psp.RefundStatusPending, CreatedAt: at(200)},
			{ID: "re_1", PaymentID: "pi_1", ChargeID: "ch_1", Amount: 200, Currency: "usd",
				Status: psp.RefundStatusFailed, Reason: "duplicate", FailureReason: "merchant_request",
				BalanceTransactionID: "txn_1", FailureBalanceTransactionID: "txn_2", CreatedAt: at(100)},
		},
		Disputes: []psp.Dispute{
			{ID: "du_1", PaymentID: "pi_1", ChargeID: "ch_1", Amount: 500, Currency: "usd",
				Status: psp.DisputeStatusUnderReview, Reason: "fraudulent", NetworkReasonCode: "10.4",
				CreatedAt: at(300), EvidenceDueBy: at(900)},
			{ID: "du_0", Amount: 400, Currency: "usd", Status: psp.DisputeStatusWarningNeedsResponse,
				Reason: "general", CreatedAt: at(250)},
		},
	}
	p, s := newScripted(t, m, list(true, first), list(false, second), list(true, dispute), list(false, inquiry))
	got, err := p.Reversals(t.Context(), "pi_1")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const refunds, disputes = "GET https://api.stripe.com/v1/refunds", "GET https://api.stripe.com/v1/disputes"
	if diff := cmp.Diff([]string{refunds, refunds, disputes, disputes}, s.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	down := page{status: http.StatusServiceUnavailable, body: `{"error":{"type":"api_error"}}`}
	missing := page{status: http.StatusBadRequest,
		body: `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"payment_intent"}}`}
	for name, tt := range map[string]struct {
		pages []page
		want  fault.Code
	}{
		"no response for refunds":         {[]page{down}, fault.Unavailable},
		"no response for the second page": {[]page{list(true, first), down}, fault.Unavailable},
		"no response for disputes":        {[]page{list(false, first), down}, fault.Unavailable},
		"an unknown payment":              {[]page{missing}, fault.NotFound},
		"disputes of a payment not found": {[]page{list(false), missing}, fault.NotFound},
		"empty last page of either list":  {[]page{list(true, first), list(true), list(true, dispute), list(true)}, ""},
	} {
		p, _ := newScripted(t, m, tt.pages...)
		got, err := p.Reversals(t.Context(), "pi_1")
		if fault.CodeOf(err) != tt.want || err != nil && len(got.Refunds)+len(got.Disputes) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// changeCustomers checks that an update is sent to its customer's URL, and that errors omit the
// processor's message.
func changeCustomers(t *testing.T, m Maker) {
	p, s := newScripted(t, m, ok(customerBody))
	if err := p.UpdateCustomer(t.Context(), "cus_1", "k", map[string]string{"a": "1"}); err != nil ||
		s.requests[0] != "POST https://api.stripe.com/v1/customers/cus_1" {
		t.Errorf("requests %s, %v", s.requests, err)
	}
	for body, want := range map[string]fault.Code{
		`{"error":{"type":"invalid_request_error","code":"resource_missing","param":"id","message":"Of ada@example.org"}}`: fault.NotFound,
		`{"error":{"type":"invalid_request_error","param":"metadata","message":"Of ada@example.org"}}`:                     fault.Invalid,
	} {
		p, _ := newScripted(t, m, page{status: http.StatusBadRequest, body: body})
		if err := p.UpdateCustomer(t.Context(), "cus_1", "k", nil); fault.CodeOf(err) != want ||
			strings.Contains(err.Error(), "@") {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}
