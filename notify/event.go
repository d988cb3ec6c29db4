package notify

import (
	"context"
	"time"
)

// Event is a provider's report about a mail that it accepted. Events arrive late, repeatedly
// and in any order.
type Event struct {
	// ID is assigned by the provider. Redeliveries of the same event have the same ID.
	ID string
	// Key is the mail's idempotency key, which the provider returns. It identifies the mail
	// even if the response to the send request was lost. It is "" if the event is not about
	// a mail.
	Key  string
	Kind EventKind
	At   time.Time
	// Reason is the explanation of the provider or of the recipient's server. It may contain
	// email addresses, which a Noter removes.
	Reason string
}

// EventKind classifies an Event.
type EventKind string

// The kinds of event. Listeners drop other events.
const (
	Taken      EventKind = "sent"       // accepted by the provider; replaces a lost response
	Delivered  EventKind = "delivered"  // accepted by the recipient's server
	Delayed    EventKind = "delayed"    // the provider will retry the delivery
	Bounced    EventKind = "bounced"    // permanent failure: the address rejects all mail
	Returned   EventKind = "returned"   // this mail failed: mailbox full, or refused by the server
	Complained EventKind = "complained" // the recipient marked it as spam
	Unsent     EventKind = "unsent"     // not sent by the provider, because of an error or its suppression list
)

// Listener parses a provider's webhook requests.
type Listener interface {
	// Events verifies a request and returns the events in it, if any. header returns "" for
	// a missing header. It fails with code Unauthorized if the request is not from the
	// provider or is too old, and with code Invalid if it cannot be parsed.
	Events(ctx context.Context, header func(name string) string, body []byte) ([]Event, error)
}

// Noter stores mails and records the events about them.
type Noter interface {
	// Note records an event on the mail with the event's Key. It returns false if it has no
	// such mail. Recording an event again changes nothing.
	Note(ctx context.Context, e Event) (Noted, bool, error)
}

// Noted identifies the mail that an event was about.
type Noted struct {
	Recipient string // as returned by Suppressor.Address
	Stream    Stream
	Campaign  string
}

// Suppressor decides which addresses get no more mails. It identifies addresses by a keyed
// hash, so that its records do not contain them.
type Suppressor interface {
	// Suppressed returns why a mail must not be sent, or "" if it may be sent.
	Suppressed(ctx context.Context, m Mail) (reason string, err error)
	// Address returns the keyed hash that identifies an address in records.
	Address(email string) string
}
