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
// twice under it is delivered once. Another mail, or other mails, under a key that it knows
// are not taken: their outcome is KeyReused.
type Rememberer interface {
	Sender
	// Remembers returns for how long the provider knows a key after its first request.
	Remembers() time.Duration
}

// Batcher is a Sender that passes several mails on with one request.
type Batcher interface {
	Sender
	// MaxBatch is how many mails a request holds at most.
	MaxBatch() int
	// SendBatch passes mails of one stream on, under a key of their own: the same key
	// goes with the same mails in the same order, or with some of them where it is not known
	// whether they were taken and others want theirs no more. It returns a Receipt for each,
	// in their order. With the outcome Divide none was taken, and smaller batches tell which
	// was at fault. An error means that it is not known whether they were taken.
	SendBatch(ctx context.Context, key string, mails []Mail) ([]Receipt, error)
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
	HTML    string `json:"html,omitempty"`
	// Stream is "" in mails that an earlier release queued, which are transactional.
	Stream      Stream `json:"stream,omitempty"`
	Campaign    string `json:"campaign,omitempty"`    // a slug
	Unsubscribe string `json:"unsubscribe,omitempty"` // an absolute address
	// Attachment is a file that comes with it; without a name there is none.
	Attachment Attachment `json:"attachment,omitzero"`
}

// Attachment is a file of comma-separated values.
type Attachment struct {
	Name string `json:"name"` // such as "pledges.csv"
	Text string `json:"text"`
}

// CSV is the type of attachments.
const CSV = "text/csv"

// Receipt is a Sender's answer.
type Receipt struct {
	Outcome    Outcome
	ProviderID string        // of an accepted mail
	RetryAfter time.Duration // with RetryLater, where the provider states it; no attempt is made sooner
	Reason     string        // why a mail was refused or has to wait, for the operator
	// Quota is what the provider says about its rate; nil where it says nothing.
	Quota *Quota
	// Account is true where the trouble is the account's and not the mail's: a key that
	// is refused, a domain that is not verified, a plan that is used up.
	Account bool
}

// Quota is what a provider says about its rate.
type Quota struct {
	Limit int           // requests in a window
	Left  int           // of them
	Reset time.Duration // from now to the next window
}

// Outcome is what is known about an attempt.
type Outcome string

// The outcomes.
const (
	Accepted   Outcome = "accepted"    // the provider has taken it
	RetryLater Outcome = "retry_later" // it was not taken, and later it may be
	Refused    Outcome = "refused"     // it was not taken, and never will be
	Divide     Outcome = "divide"      // of a batch: none was taken, since one of them is at fault
	KeyReused  Outcome = "key_reused"  // it was not taken: under its key the provider has taken something else
)
