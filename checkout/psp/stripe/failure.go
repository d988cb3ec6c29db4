package stripe

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	authenticationRequired = "authentication_required"
	retryAfter             = time.Second // without a Retry-After header
)

// convertError converts an error to one that psp.Processor documents. It drops the library's
// message, which may contain a client secret or an address.
func convertError(err error) error {
	var e *stripego.Error
	if !errors.As(err, &e) {
		return fault.New(fault.Unavailable, "The processor did not answer")
	}
	switch {
	case e.HTTPStatusCode == http.StatusNotFound, e.Code == stripego.ErrorCodeResourceMissing:
		return fault.New(fault.NotFound, "Not found at the processor").In(e.Param)
	case e.HTTPStatusCode == http.StatusBadRequest:
		return fault.New(fault.Invalid, "The processor rejected the request (%s %s)", e.Code, e.RequestID).In(e.Param)
	default:
		return fault.New(fault.Unavailable, "The processor responded with status %d (%s %s)", e.HTTPStatusCode, e.Code, e.RequestID)
	}
}

// outcome classifies the error of a charge. A charge that may have been executed is Unknown.
func outcome(err error) psp.Outcome {
	o := onceOutcome(err)
	var e *stripego.Error
	if !errors.As(err, &e) || e.Type == "" {
		return o
	}
	o.DeclineCode = string(e.DeclineCode)
	if e.PaymentIntent != nil {
		o.Payment = paymentOf(e.PaymentIntent)
	}
	switch status := e.HTTPStatusCode; {
	case status == http.StatusPaymentRequired && needsAuthentication(e):
		o.Status, o.Code = psp.NeedsAction, string(e.Code)
	case status == http.StatusPaymentRequired:
		o.Status, o.Code, o.MayPass = psp.Declined, string(e.Code), isTemporary(e)
	case status == http.StatusBadRequest && e.Type != stripego.ErrorTypeIdempotency && cardUnusable(e):
		// Nothing was started under this key, and this card can never be charged.
		o.Status, o.Code = psp.Declined, cmp.Or(string(e.Code), "payment_method_unusable")
	}
	return o
}

// refundOutcome classifies the error of a refund. A refund that may have been executed is Unknown.
func refundOutcome(err error) psp.RefundOutcome {
	o := onceOutcome(err)
	out := psp.RefundOutcome{Status: o.Status, Code: o.Code, RequestID: o.RequestID, RetryAfter: o.RetryAfter,
		Barred: o.Barred}
	var e *stripego.Error
	if errors.As(err, &e) && out.Status == psp.Refused {
		out.Refusal = psp.RefusalOf(string(e.Code), e.Param)
	}
	return out
}

// onceOutcome classifies the error of a request that is sent once: Unknown if the request may have
// been executed, NotStarted, Mismatch or Refused if it was not.
func onceOutcome(err error) psp.Outcome {
	var e *stripego.Error
	if !errors.As(err, &e) {
		if errors.Is(err, errTooLate) {
			return psp.Outcome{Status: psp.Unknown, Code: "too_late_to_send"}
		}
		return psp.Outcome{Status: psp.Unknown}
	}
	if e.Type == "" { // not from Stripe but from a proxy
		return psp.Outcome{Status: psp.Unknown, RequestID: e.RequestID}
	}
	o := psp.Outcome{Status: psp.Unknown, Code: string(e.Code), RequestID: e.RequestID}
	switch status := e.HTTPStatusCode; {
	case status == http.StatusBadRequest && e.Type == stripego.ErrorTypeIdempotency:
		o.Status, o.Code = psp.Mismatch, string(e.Type)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		o.Status, o.Code, o.Barred = psp.NotStarted, cmp.Or(o.Code, "key_refused"), true
	case status == http.StatusConflict, status == http.StatusTooManyRequests:
		o.Status, o.RetryAfter = psp.NotStarted, retryDelay(e)
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		// Part of the request may be in progress.
	case status >= 400 && status < 500:
		o.Status, o.Code = psp.Refused, cmp.Or(o.Code, "request_refused")
	}
	return o
}

// cardUnusable reports whether the card can never be charged again: it does not
// exist, it belongs to another customer, or its customer was deleted.
func cardUnusable(e *stripego.Error) bool {
	return e.Param == "payment_method" && e.Code != stripego.ErrorCodeParameterMissing ||
		e.Param == "customer" && e.Code == stripego.ErrorCodeResourceMissing
}

// retryDelay returns the delay that Stripe requests, by default retryAfter.
func retryDelay(e *stripego.Error) time.Duration {
	if e.LastResponse != nil {
		if seconds, err := strconv.Atoi(e.LastResponse.Header.Get("Retry-After")); err == nil && seconds > 0 {
			return time.Duration(seconds) * time.Second
		}
	}
	return retryAfter
}

// needsAuthentication reports whether the issuer requires authentication. Either of two fields may
// have that code.
func needsAuthentication(e *stripego.Error) bool {
	return e.Code == authenticationRequired || e.DeclineCode == authenticationRequired
}

func requestID(r *stripego.APIResponse) string {
	if r == nil {
		return ""
	}
	return r.RequestID
}
