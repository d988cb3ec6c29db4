// Package fault defines the error type of the service. An [Error] has a code for programs, a
// message for users, and the input field that caused it.
//
// Core packages return *fault.Error for every failure that a caller may have to handle.
// They never use HTTP status codes; package hosts/httpapi maps codes to statuses. Every
// other error is internal: it is logged and never shown.
//
//	if units > left {
//		return fault.New(fault.SoldOut, "Only %d remaining", left).In("items[0].quantity")
//	}
//
// [CodeOf], [Of] and [Is] find an Error anywhere in a chain of wrapped errors.
package fault

import (
	"errors"
	"fmt"
)

// Code is the kind of a failure. Codes are part of the public API and must not be
// renamed.
type Code string

// General codes.
const (
	Invalid      Code = "invalid"      // the input is wrong; a retry cannot succeed
	Unauthorized Code = "unauthorized" // missing or invalid credentials
	Forbidden    Code = "forbidden"    // valid credentials without permission
	NotFound     Code = "not_found"    // the requested object does not exist
	Conflict     Code = "conflict"     // the object's state does not allow this
	Gone         Code = "gone"         // the object existed but is no longer available
	Unavailable  Code = "unavailable"  // an external system failed; a retry may succeed
	Internal     Code = "internal"     // a bug or an unexpected error
)

// Specific codes that clients handle.
const (
	SoldOut Code = "sold_out" // a Conflict about stock; Remaining is set
	Busy    Code = "busy"     // a temporary Conflict: the same work is already running
	// campaigns cannot be saved, because no content repository is configured
	EditingOff            Code = "editing_off"
	CampaignIndexRequired Code = "campaign_index_required" // a campaign's order index is missing
)

// Error is a failure with a code. It is sent between processes as JSON, without its
// cause.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"error"`
	// Field is the path of the invalid input, such as "items[2].quantity".
	Field string `json:"field,omitempty"`
	// Remaining is the number of remaining units (SoldOut), or of units that the client can still
	// reserve (Busy).
	Remaining *int `json:"remaining,omitempty"`

	cause error
}

// New returns an error whose message may be shown to the user.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is like [New] with a cause, which is logged but never shown.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// In returns a copy of e with the given field.
func (e *Error) In(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// Error returns the message, field and cause, for logs. Clients are only shown Message.
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
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return nil
}

// CodeOf returns the code of the first *Error in err's chain, Internal for any other
// error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e := Of(err); e != nil {
		return e.Code
	}
	return Internal
}

// Is reports whether err has the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
