package notify

import (
	"context"
	"time"
)

// Event is what a provider says later of a mail that it took. Events come late, twice and
// in any order.
type Event struct {
	// ID is the provider's own, the same when the event is delivered again.
	ID string
	// Key is the mail's, which the provider sends back: it names the mail also where the
	// answer to its request was lost. "" where the event is about no mail.
	Key  string
	Kind EventKind
	At   time.Time
	// Reason is the provider's or the recipient's server's, for the operator. It may hold
	// the recipient's address, and is cleaned before it is kept.
	Reason string
}

// EventKind says what happened to a mail.
type EventKind string

// The kinds of event. Whatever else a provider tells is none of them, and is left out.
const (
	Taken      EventKind = "sent"       // the provider accepted the mail; resolves an answer that was lost
	Delivered  EventKind = "delivered"  // the recipient's server has it
	Delayed    EventKind = "delayed"    // the provider tries again
	Bounced    EventKind = "bounced"    // the address takes no mail, and won't
	Returned   EventKind = "returned"   // not this time: a full mailbox, a server's refusal
	Complained EventKind = "complained" // the reader called it spam
	Unsent     EventKind = "unsent"     // the provider gave it up, or keeps the address on its own list
)

// Listener reads what a provider reports.
type Listener interface {
	// Events verifies a request and returns what it says; nothing, where it tells of
	// something else. header returns "" for what is not there. It fails with code
	// Unauthorized where the request is not the provider's own or is too old, and with code
	// Invalid where it can't be read.
	Events(ctx context.Context, header func(name string) string, body []byte) ([]Event, error)
}

// Noter keeps mails, and notes what it hears of them later.
type Noter interface {
	// Note writes down what an event says of the mail with its key. It is false where the
	// mail is none of its own. Noting an event again changes nothing.
	Note(ctx context.Context, e Event) (Noted, bool, error)
}

// Noted says whose mail an event was about.
type Noted struct {
	Recipient string // as Suppressor.Address names it
	Stream    Stream
	Campaign  string
}

// Suppressor knows who gets no more mails. It names addresses by a keyed hash, so that its
// records hold none.
type Suppressor interface {
	// Suppressed returns why a mail must not be sent, and "" where it may.
	Suppressed(ctx context.Context, m Mail) (reason string, err error)
	// Address returns the name of an address in records.
	Address(email string) string
}
