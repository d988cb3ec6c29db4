package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// The retention of the records.
const (
	OutboxLife   = 30 * 24 * time.Hour
	DeliveryLife = 400 * 24 * time.Hour
)

const (
	outboxPrefix   = "email-outbox:v1:"
	deliveryPrefix = "email-delivery:v1:"
	// cursorKey remembers where Adopt stopped.
	cursorKey = "email-outbox-cursor:v1"
)

// Hash names a mail in its records and toward the Sender: the SHA-256 of its
// identity, in hexadecimal.
func Hash(identity string) string { return sum([]byte(identity)) }

// OutboxKey holds a mail that is not delivered yet, for 30 days.
func OutboxKey(hash string) string { return outboxPrefix + hash }

// DeliveryKey holds what became of a mail, for 400 days.
func DeliveryKey(hash string) string { return deliveryPrefix + hash }

// Status says what became of a mail.
type Status string

// The statuses. All but Queued are final.
const (
	Queued  Status = "queued"
	Sent    Status = "sent"    // the provider accepted it
	Failed  Status = "failed"  // the provider refused it for good
	Expired Status = "expired" // it could not be handed over in time
	// Unclear is a reminder or an update that the provider may have taken and would not
	// know again: it is not sent twice.
	Unclear    Status = "unclear"
	Suppressed Status = "suppressed" // its recipient gets no more of these
	Discarded  Status = "discarded"  // what it states was no longer true when it was to be sent
)

// Delivery is the trace of a mail. It names neither the recipient nor the text.
type Delivery struct {
	Kind        Kind       `json:"category"`
	Status      Status     `json:"status"`
	ProviderID  string     `json:"providerId,omitempty"`
	ContentHash string     `json:"contentHash"` // SHA-256 of the mail as it was queued, in hexadecimal
	Attempts    int        `json:"attempts"`
	QueuedAt    time.Time  `json:"queuedAt"`
	EndedAt     *time.Time `json:"endedAt,omitempty"`
	// Recipient is the address as Suppressor.Address names it; "" where nobody is
	// suppressed.
	Recipient string `json:"recipient,omitempty"`
	Campaign  string `json:"campaign,omitempty"` // the slug of the one it is about
	// Last is what the provider has reported last, long after EndedAt perhaps.
	Last *Heard `json:"last,omitempty"`
	// Reason is why it failed, expired or was suppressed.
	Reason string `json:"reason,omitempty"`
	// PossiblySent is true when an attempt ended without an answer, so that the
	// recipient may have the mail whatever the status is.
	PossiblySent bool `json:"possiblySent,omitempty"`
}

// pending is a mail in the outbox.
type pending struct {
	Mail Mail `json:"mail"`
	// Draft is what the mail's HTML is made of before its first attempt; nil where it has
	// one, or has none.
	Draft *keptDraft `json:"draft,omitempty"`
	// Content is the SHA-256 of the mail as it was queued; "" where an earlier release did.
	Content  string    `json:"content,omitempty"`
	QueuedAt time.Time `json:"queuedAt"`
	DueAt    time.Time `json:"dueAt"` // of the next attempt; while one runs, of the one after a crash
	Attempts int       `json:"attempts"`
	// Sending is true from before an attempt until its outcome is written.
	Sending      bool `json:"sending,omitempty"`
	PossiblySent bool `json:"possiblySent,omitempty"`
	// UnknownSince is when the first attempt began that got no answer. From then on the
	// provider may know the mail's key, for as long as it remembers.
	UnknownSince *time.Time `json:"unknownSince,omitempty"`
	Reason       string     `json:"reason,omitempty"` // of the last attempt
	NotAfter     *time.Time `json:"notAfter,omitempty"`
	Claim        *Claim     `json:"claim,omitempty"` // what the mail states, verified before it is sent
}

// dress writes the HTML of a mail that is about to be sent. Whatever release tries again
// sends the same: a provider knows a mail by its key, and refuses another content.
func (p *pending) dress() error {
	if p.Draft == nil {
		return nil
	}
	d, err := p.Draft.draft()
	if err != nil {
		return err
	}
	p.Mail.HTML, p.Draft = d.html(), nil
	return nil
}

// delivery is the trace of p with the status.
func (o *Outbox) delivery(p pending, s Status) (Delivery, error) {
	if p.Content == "" {
		if err := p.hash(); err != nil {
			return Delivery{}, err
		}
	}
	d := Delivery{
		Kind: p.Mail.Kind, Status: s, ContentHash: p.Content, Attempts: p.Attempts, Campaign: p.Mail.Campaign,
		QueuedAt: p.QueuedAt, Reason: p.Reason, PossiblySent: p.PossiblySent,
	}
	if o.Suppressor != nil {
		d.Recipient = o.Suppressor.Address(p.Mail.To)
	}
	return d, nil
}

// hash notes what tells the mail from others. HTML that is made of a draft says what the
// text says.
func (p *pending) hash() error {
	content, err := json.Marshal(p.Mail)
	if err != nil {
		return fmt.Errorf("notify: encoding a mail: %w", err)
	}
	p.Content = sum(content)
	return nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
