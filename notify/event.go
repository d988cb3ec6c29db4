package notify

import "time"

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
