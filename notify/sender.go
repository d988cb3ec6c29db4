package notify

import (
	"context"
	"time"
)

// Sender sends mails through an email provider or a mail server. Implementations must not include
// the recipient or the text in errors and logs.
type Sender interface {
	// Send sends one mail. An error means that it is unknown whether the mail was accepted;
	// it is retried later under the same key. A known result is returned as a Receipt.
	Send(ctx context.Context, m Mail) (Receipt, error)
}

// Rememberer is a Sender whose provider recognizes idempotency keys, so that a mail that is sent
// twice under the same key is delivered once. If different content is sent under a known key, the
// outcome is KeyReused.
type Rememberer interface {
	Sender
	// Remembers returns how long the provider remembers a key after its first request.
	Remembers() time.Duration
}

// Batcher is a Sender that can send several mails in one request.
type Batcher interface {
	Sender
	// MaxBatch returns the maximum number of mails in a request.
	MaxBatch() int
	// SendBatch sends mails of one stream under a key for the batch. It returns one Receipt per
	// mail, in order. The outcome Divide means that none was accepted because one of them is
	// invalid; the caller finds it by sending smaller batches. An error means that it is unknown
	// whether the mails were accepted.
	//
	// A retry under the same key has the same mails in the same order, except for recipients
	// who have unsubscribed since an attempt with an unknown result.
	SendBatch(ctx context.Context, key string, mails []Mail) ([]Receipt, error)
}

// Mail is a mail as passed to a Sender, identical in every attempt.
type Mail struct {
	// Key is the idempotency key. Senders that get the same key twice must deliver the mail
	// once, as far as their provider supports it.
	Key     string `json:"key"`
	Kind    Kind   `json:"category"`
	From    string `json:"from"` // "Name <address>" or an address
	To      string `json:"to"`
	ReplyTo string `json:"replyTo,omitempty"` // an address; "" for From
	Lang    string `json:"lang"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html,omitempty"`
	// Stream is "" for transactional mails queued by earlier releases.
	Stream      Stream `json:"stream,omitempty"`
	Campaign    string `json:"campaign,omitempty"`    // slug
	Unsubscribe string `json:"unsubscribe,omitempty"` // absolute URL
	// Attachment is optional; it is absent if its Name is "".
	Attachment Attachment `json:"attachment,omitzero"`
}

// Attachment is a CSV file.
type Attachment struct {
	Name string `json:"name"` // such as "pledges.csv"
	Text string `json:"text"`
}

// CSV is the media type of attachments.
const CSV = "text/csv"

// Receipt is the known result of an attempt to send a mail.
type Receipt struct {
	Outcome    Outcome
	ProviderID string        // of an accepted mail
	RetryAfter time.Duration // minimum wait before a retry, with RetryLater; may be 0
	Reason     string        // why the mail was refused or must wait, for the operator
	// Quota is the provider's rate limit as stated in the response; nil if it states none.
	Quota *Quota
	// Account is set if the problem concerns the account, not the mail: an invalid API key, an
	// unverified domain or a used-up quota.
	Account bool
}

// Quota is a provider's rate limit.
type Quota struct {
	Limit int           // requests per window
	Left  int           // requests left in the window
	Reset time.Duration // time until the next window
}

// Outcome is the result of an attempt.
type Outcome string

// The outcomes.
const (
	Accepted   Outcome = "accepted"    // accepted by the provider
	RetryLater Outcome = "retry_later" // not accepted now; may be retried
	Refused    Outcome = "refused"     // permanently refused
	Divide     Outcome = "divide"      // batch not accepted because one of its mails is invalid
	KeyReused  Outcome = "key_reused"  // not accepted: the provider has seen the key with different content
)
