package rest

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const retryAfter = time.Second // without a Retry-After header

// apiError is an unsuccessful response.
type apiError struct {
	errorBody
	status    int
	requestID string
	delay     time.Duration // from the Retry-After header
}

func (r *apiError) Error() string {
	return "rest: the processor responded with status " + strconv.Itoa(r.status) + " (" + r.Code + " " + r.requestID + ")"
}

// newAPIError returns the *apiError of an unsuccessful response.
func newAPIError(res fetch.Response) error {
	var body struct {
		Error errorBody `json:"error"`
	}
	_ = decode(res.Body, &body) // without an error body, only the status is known
	r := &apiError{errorBody: body.Error, status: res.Status, requestID: res.Header("Request-Id"), delay: retryAfter}
	if seconds, err := strconv.Atoi(res.Header("Retry-After")); err == nil && seconds > 0 {
		r.delay = time.Duration(seconds) * time.Second
	}
	return r
}

// convertError converts an error to one that psp.Processor documents.
func convertError(err error) error {
	var r *apiError
	if !errors.As(err, &r) {
		return fault.New(fault.Unavailable, "The processor did not answer")
	}
	switch {
	case r.status == 404, r.Code == "resource_missing":
		return fault.New(fault.NotFound, "Not found at the processor").In(r.Param)
	case r.status == 400:
		return fault.New(fault.Invalid, "The processor rejected the request (%s %s)", r.Code, r.requestID).In(r.Param)
	}
	return fault.New(fault.Unavailable, "The processor responded with status %d (%s %s)", r.status, r.Code, r.requestID)
}

// cardUnusable reports whether the card can never be charged again: it does not
// exist, it belongs to another customer, or its customer was deleted.
func (e *errorBody) cardUnusable() bool {
	return e.Param == "payment_method" && e.Code != "parameter_missing" ||
		e.Param == "customer" && e.Code == "resource_missing"
}

// outcome classifies the error of a charge. A charge that may have been executed is Unknown.
func outcome(err error, requestID string) psp.Outcome {
	o := onceOutcome(err, requestID)
	var r *apiError
	if !errors.As(err, &r) || r.Type == "" {
		return o
	}
	o.DeclineCode = r.DeclineCode
	if r.PaymentIntent != nil {
		o.Payment = r.PaymentIntent.payment()
	}
	switch s := r.status; {
	case s == 402 && r.needsAuthentication():
		o.Status, o.Code = psp.NeedsAction, r.Code
	case s == 402:
		o.Status, o.Code, o.MayPass = psp.Declined, r.Code, r.isTemporary()
	case s == 400 && r.Type != idempotencyError && r.cardUnusable():
		// Nothing was started under this key, and this card can never be charged.
		o.Status, o.Code = psp.Declined, cmp.Or(r.Code, "payment_method_unusable")
	}
	return o
}

// refundOutcome classifies the error of a refund. A refund that may have been executed is Unknown.
func refundOutcome(err error, requestID string) psp.RefundOutcome {
	o := onceOutcome(err, requestID)
	out := psp.RefundOutcome{Status: o.Status, Code: o.Code, RequestID: o.RequestID, RetryAfter: o.RetryAfter,
		Barred: o.Barred}
	var r *apiError
	if errors.As(err, &r) && out.Status == psp.Refused {
		out.Refusal = psp.RefusalOf(r.Code, r.Param)
	}
	return out
}

const idempotencyError = "idempotency_error"

// onceOutcome classifies the error of a request that is sent once: Unknown if the request may have
// been executed, NotStarted, Mismatch or Refused if it was not.
func onceOutcome(err error, requestID string) psp.Outcome {
	var r *apiError
	if !errors.As(err, &r) {
		o := psp.Outcome{Status: psp.Unknown, RequestID: requestID}
		if errors.Is(err, errTooLate) {
			o.Code = "too_late_to_send"
		}
		return o
	}
	if r.Type == "" { // not from the processor but from a proxy
		return psp.Outcome{Status: psp.Unknown, RequestID: r.requestID}
	}
	o := psp.Outcome{Status: psp.Unknown, Code: r.Code, RequestID: r.requestID}
	switch s := r.status; {
	case s == 400 && r.Type == idempotencyError:
		o.Status, o.Code = psp.Mismatch, r.Type
	case s == 401, s == 403:
		o.Status, o.Code, o.Barred = psp.NotStarted, cmp.Or(o.Code, "key_refused"), true
	case s == 409, s == 429:
		o.Status, o.RetryAfter = psp.NotStarted, r.delay
	case s == 408, s == 425:
		// Part of the request may be in progress.
	case s >= 400 && s < 500:
		o.Status, o.Code = psp.Refused, cmp.Or(o.Code, "request_refused")
	}
	return o
}
