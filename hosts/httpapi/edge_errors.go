package httpapi

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/status"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// statuses maps the codes that only this package uses; package status maps the others.
var statuses = map[fault.Code]int{
	methodNotAllowed:   405,
	bodyTooLarge:       413,
	unsupportedType:    415,
	adminNotConfigured: 500,
	signInAgain:        403,
	passkeyMissing:     403,
	tooMany:            429,
}

// Codes that only this package uses.
const (
	methodNotAllowed   fault.Code = "method_not_allowed"
	bodyTooLarge       fault.Code = "body_too_large"
	unsupportedType    fault.Code = "unsupported_media_type"
	adminNotConfigured fault.Code = "admin_not_configured"
	signInAgain        fault.Code = "sign_in_again"
	passkeyMissing     fault.Code = "passkey_missing"
	tooMany            fault.Code = "too_many" // for rate limits with a reset time
)

func statusOf(code fault.Code) int { return cmp.Or(statuses[code], status.Of(code)) }

// errorBody is the body of every error response.
type errorBody struct {
	Error      string     `json:"error"`
	Code       fault.Code `json:"code"`
	Field      string     `json:"field,omitempty"`
	Remaining  *int       `json:"remaining,omitempty"`
	RetryAfter int        `json:"retryAfter,omitempty"` // seconds
	Details    any        `json:"details,omitempty"`
}

// detailed is an error with more details than a fault.
type detailed interface {
	error
	Details() any
}

// limited is the error returned when a rate limit is exceeded.
type limited struct {
	max   int
	reset time.Time
	now   time.Time
}

func (limited) Error() string { return "Too many requests" }

func (l limited) response() (Response, error) {
	wait := int((l.reset.Sub(l.now) + time.Second - 1) / time.Second)
	wait = max(wait, 1)
	r, err := encode(429, errorBody{Error: l.Error(), Code: tooMany, RetryAfter: wait})
	r.Header = Header{
		"Retry-After":           {strconv.Itoa(wait)},
		"X-Ratelimit-Limit":     {strconv.Itoa(l.max)},
		"X-Ratelimit-Remaining": {"0"},
		"X-Ratelimit-Reset":     {strconv.FormatInt(l.reset.Unix(), 10)},
	}
	return r, err
}

// fail converts an error to a response. An error without a fault code, or whose code has no status,
// is reported as an internal error without its text. Errors with status 500 or above are logged.
func (a *API) fail(ctx context.Context, x *exchange, err error) Response {
	if l, ok := errors.AsType[limited](err); ok {
		if r, err := l.response(); err == nil {
			return r
		}
	}
	if errors.Is(err, ErrOverloaded) {
		return Overloaded("Too many requests are being processed. Try again in a few seconds.")
	}
	f := fault.Of(err)
	if f == nil {
		f = fault.New(fault.Internal, "Internal error")
	}
	code := statusOf(f.Code)
	if code == 0 || f.Code == fault.Internal {
		code, f = 500, fault.New(fault.Internal, "Internal error")
	}
	if code >= 500 {
		a.log.ErrorContext(ctx, "request failed", "request", x.ID, "route", x.pattern(), "error", err.Error())
	}
	r := failure(code, f, detailsOf(err))
	if f.Code == methodNotAllowed {
		r.Header = Header{"Allow": {x.endpoint.allow()}}
	}
	return r
}

func detailsOf(err error) any {
	for ; err != nil; err = errors.Unwrap(err) {
		if d, ok := err.(detailed); ok { //nolint:errorlint // TinyGo's errors.As panics for interfaces
			return d.Details()
		}
	}
	return nil
}

func failure(status int, f *fault.Error, details any) Response {
	r, err := encode(status,
		errorBody{Error: f.Message, Code: f.Code, Field: f.Field, Remaining: f.Remaining, Details: details})
	if err != nil {
		return Response{Status: 500, Body: []byte(`{"error":"Internal error","code":"internal"}`)}
	}
	return r
}

// Failure returns an error response for a request that a host rejects before it reaches the API.
func Failure(code fault.Code, message string) Response {
	r := failure(cmp.Or(statusOf(code), 500), fault.New(code, "%s", message), nil)
	r.Header = private
	return r
}

// overloadWait is the Retry-After of an overloaded host, in seconds.
const overloadWait = 5

// Overloaded returns the response of a host without memory or connections for a request.
func Overloaded(message string) Response {
	r, err := encode(503, errorBody{Error: message, Code: fault.Unavailable, RetryAfter: overloadWait})
	if err != nil {
		return failure(500, fault.New(fault.Internal, "Internal error"), nil)
	}
	r.Header = with(private, Header{"Retry-After": {strconv.Itoa(overloadWait)}})
	return r
}

func notFound() error { return fault.New(fault.NotFound, "Not found") }
