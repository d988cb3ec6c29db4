package notify

import (
	"context"
	"time"
)

// Sender hands mails to whoever delivers them. An implementation keeps the
// recipient and the text to itself: neither belongs into an error or a log.
type Sender interface {
	// Send passes one mail on. An error means that it is not known whether the
	// mail was taken: it is sent again later, under the same key. What is known
	// is a Receipt.
	Send(ctx context.Context, m Mail) (Receipt, error)
}

// Rememberer is a Sender whose provider knows a key again, so that a mail that is sent
// twice under it is delivered once.
type Rememberer interface {
	Sender
	// Remembers returns for how long the provider knows a key after its first request.
	Remembers() time.Duration
}

// Mail is one mail on its way, the same at every attempt.
type Mail struct {
	// Key is the mail's idempotency key: a Sender that is given it again has to
	// see to it that the mail is delivered once, as far as its provider can.
	Key     string `json:"key"`
	Kind    Kind   `json:"category"`
	From    string `json:"from"` // "Name <address>" or an address
	To      string `json:"to"`
	ReplyTo string `json:"replyTo,omitempty"` // an address; "" where answers go to From
	Lang    string `json:"lang"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// Receipt is a Sender's answer.
type Receipt struct {
	Outcome    Outcome
	ProviderID string        // of an accepted mail
	RetryAfter time.Duration // with RetryLater, where the provider states it; no attempt is made sooner
	Reason     string        // why a mail was refused or has to wait, for the operator
}

// Outcome is what is known about an attempt.
type Outcome string

// The outcomes.
const (
	Accepted   Outcome = "accepted"    // the provider has taken it
	RetryLater Outcome = "retry_later" // it was not taken, and later it may be
	Refused    Outcome = "refused"     // it was not taken, and never will be
)
