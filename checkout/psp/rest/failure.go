package rest

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const retryAfter = time.Second // where the processor names no delay

// refusal is an answer that is not a success.
type refusal struct {
	problem
	status    int
	requestID string
	delay     time.Duration // that the processor advises
}

func (r *refusal) Error() string {
	return "rest: the processor answered " + strconv.Itoa(r.status) + " (" + r.Code + " " + r.requestID + ")"
}

func refused(res fetch.Response) error {
	var body struct {
		Error problem `json:"error"`
	}
	_ = decode(res.Body, &body) // an answer that is not the processor's says no more than its status
	r := &refusal{problem: body.Error, status: res.Status, requestID: res.Header("Request-Id"), delay: retryAfter}
	if seconds, err := strconv.Atoi(res.Header("Retry-After")); err == nil && seconds > 0 {
		r.delay = time.Duration(seconds) * time.Second
	}
	return r
}

// failure turns an error into what psp.Processor documents.
func failure(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return fault.New(fault.Unavailable, "The processor did not answer")
	}
	switch {
	case r.status == 404, r.Code == "resource_missing":
		return fault.New(fault.NotFound, "The processor knows nothing of that name").In(r.Param)
	case r.status == 400:
		return fault.New(fault.Invalid, "The processor refused the request (%s %s)", r.Code, r.requestID).In(r.Param)
	}
	return fault.New(fault.Unavailable, "The processor answered %d (%s %s)", r.status, r.Code, r.requestID)
}

// gone reports whether the card can't be charged by anybody any more: it is not there, it
// is another customer's, or its customer was deleted.
func (e *problem) gone() bool {
	return e.Param == "payment_method" && e.Code != "parameter_missing" || e.Param == "customer" && e.Code == "resource_missing"
}

// outcome classifies a charge that did not simply succeed. What is not known to be over
// is Unknown.
func outcome(err error, requestID string) psp.Outcome {
	var r *refusal
	if !errors.As(err, &r) {
		o := psp.Outcome{Status: psp.Unknown, RequestID: requestID}
		if errors.Is(err, errTooLate) {
			o.Code = "too_late_to_send"
		}
		return o
	}
	if r.Type == "" { // not the processor's answer, but that of something in between
		return psp.Outcome{Status: psp.Unknown, RequestID: r.requestID}
	}
	o := psp.Outcome{Status: psp.Unknown, Code: r.Code, DeclineCode: r.DeclineCode, RequestID: r.requestID}
	if r.PaymentIntent != nil {
		o.Payment = r.PaymentIntent.payment()
	}
	switch s := r.status; {
	case s == 402 && r.wantsSupporter():
		o.Status = psp.NeedsAction
	case s == 402:
		o.Status, o.MayPass = psp.Declined, r.mayPass()
	case s == 400 && r.Type == "idempotency_error":
		o.Status, o.Code = psp.Mismatch, r.Type
	case s == 401, s == 403:
		o.Status, o.Code, o.Barred = psp.NotStarted, cmp.Or(o.Code, "key_refused"), true
	case s == 400 && r.gone():
		// Nothing was begun under this key, and nothing ever will be with this card.
		o.Status, o.Code = psp.Declined, cmp.Or(o.Code, "payment_method_unusable")
	case s == 409, s == 429:
		o.Status, o.RetryAfter = psp.NotStarted, r.delay
	case s == 408, s == 425:
		// Part of the request may be on its way.
	case s >= 400 && s < 500:
		o.Status, o.Code = psp.Refused, cmp.Or(o.Code, "request_refused")
	}
	return o
}
