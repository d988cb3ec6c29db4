// Package fault is the one error value of the service: a code a program can
// switch on, a message a person can act on, and the field it is about.
//
// Core packages return *fault.Error for everything a caller may have to handle
// and never name an HTTP status; hosts/httpapi holds the only table that turns
// a code into one. Any other error is internal: it is logged and never shown.
package fault

import (
	"errors"
	"fmt"
)

// Code tells a program what kind of failure it has met. Codes are part of the
// public API and are never renamed.
type Code string

// The codes that every package may use.
const (
	Invalid      Code = "invalid"      // the input is wrong; sending it again cannot help
	Unauthorized Code = "unauthorized" // no credential, or one that does not hold
	Forbidden    Code = "forbidden"    // the credential holds, but not for this
	NotFound     Code = "not_found"    // the thing named does not exist
	Conflict     Code = "conflict"     // the thing named is not in a state that allows this
	Gone         Code = "gone"         // it existed and has ended
	Unavailable  Code = "unavailable"  // something outside failed; later it may work
	Internal     Code = "internal"     // a fault of ours
)

// Named codes that a client is known to act on.
const (
	SoldOut               Code = "sold_out"                // a Conflict over stock; Remaining says what is left
	Busy                  Code = "busy"                    // a Conflict that passes by itself: the same work is running
	CampaignIndexRequired Code = "campaign_index_required" // a campaign's order index is missing
)

// Error is a failure with a code. It crosses process borders as JSON, so all
// of it but the cause is plain data.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"error"`
	// Field names the input at fault, as a path such as "items[2].quantity".
	Field string `json:"field,omitempty"`
	// Remaining is how many units are left, with code SoldOut, or how many more one
	// may reserve, with code Busy.
	Remaining *int `json:"remaining,omitempty"`

	cause error
}

// New returns an error whose message may be shown to the person who caused it.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is New with a cause, which is logged and never shown.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// In returns a copy of e that names the field at fault.
func (e *Error) In(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// Error reports the message, the field and the cause. It is for logs; what a
// client may see is Message.
func (e *Error) Error() string {
	s := e.Message
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause, if any.
func (e *Error) Unwrap() error { return e.cause }

// Of returns the first *Error in err's chain, or nil.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// CodeOf returns the code of err: that of the first *Error in its chain,
// Internal for any other error, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e := Of(err); e != nil {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
