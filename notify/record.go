package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// How long records are kept.
const (
	OutboxLife   = 30 * 24 * time.Hour
	DeliveryLife = 400 * 24 * time.Hour
)

const (
	outboxPrefix   = "email-outbox:v1:"
	deliveryPrefix = "email-delivery:v1:"
	// cursorKey stores where the last RepairQueue ended.
	cursorKey = "email-outbox-cursor:v1"
)

// Hash returns the idempotency key of a mail, which also identifies it in records: the
// hexadecimal SHA-256 of its identity.
func Hash(identity string) string { return hexSHA256([]byte(identity)) }

// OutboxKey is the key of a mail that is not delivered yet, kept for 30 days.
func OutboxKey(hash string) string { return outboxPrefix + hash }

// DeliveryKey is the key of a mail's Delivery record, kept for 400 days.
func DeliveryKey(hash string) string { return deliveryPrefix + hash }

// Status is the delivery status of a mail.
type Status string

// The statuses. All but Queued are final.
const (
	Queued  Status = "queued"
	Sent    Status = "sent"    // accepted by the provider
	Failed  Status = "failed"  // permanently refused by the provider
	Expired Status = "expired" // could not be sent in time
	// Unclear is a reminder or an update that the provider may have accepted and would no
	// longer recognize: it is not sent again, to avoid a duplicate.
	Unclear    Status = "unclear"
	Suppressed Status = "suppressed" // the recipient's address is suppressed
	Discarded  Status = "discarded"  // its claim was no longer true when it was due
)

// Delivery is the delivery record of a mail. It contains neither the recipient's address nor
// the text.
type Delivery struct {
	Kind        Kind       `json:"category"`
	Status      Status     `json:"status"`
	ProviderID  string     `json:"providerId,omitempty"`
	ContentHash string     `json:"contentHash"` // hexadecimal SHA-256 of the mail as queued
	Attempts    int        `json:"attempts"`
	QueuedAt    time.Time  `json:"queuedAt"`
	EndedAt     *time.Time `json:"endedAt,omitempty"`
	// Recipient is the address as returned by Suppressor.Address; "" without a Suppressor.
	Recipient string `json:"recipient,omitempty"`
	Campaign  string `json:"campaign,omitempty"` // slug
	// Last is the latest event from the provider, possibly long after EndedAt.
	Last *LastEvent `json:"last,omitempty"`
	// Reason explains the status or the last retry.
	Reason string `json:"reason,omitempty"`
	// PossiblySent is set if an attempt ended without an answer, so that the recipient may have
	// received the mail regardless of the status.
	PossiblySent bool `json:"possiblySent,omitempty"`
}

// pending is a mail in the outbox.
type pending struct {
	Mail Mail `json:"mail"`
	// Draft is the source from which the HTML is rendered before the first attempt; nil once it is
	// rendered, and for a message without a draft.
	Draft json.RawMessage `json:"draft,omitempty"`
	// Content is the SHA-256 of the mail as queued; "" if an earlier release queued it.
	Content  string    `json:"content,omitempty"`
	QueuedAt time.Time `json:"queuedAt"`
	DueAt    time.Time `json:"dueAt"` // of the next attempt; during an attempt, the end of its lease
	Attempts int       `json:"attempts"`
	// Sending is set before an attempt and cleared when its outcome is recorded.
	Sending      bool `json:"sending,omitempty"`
	PossiblySent bool `json:"possiblySent,omitempty"`
	// UnknownSince is when the first attempt without an answer started. The provider may recognize
	// the mail's key from then on, for as long as it remembers keys.
	UnknownSince *time.Time `json:"unknownSince,omitempty"`
	Reason       string     `json:"reason,omitempty"` // of the last attempt
	NotAfter     *time.Time `json:"notAfter,omitempty"`
	Claim        *Claim     `json:"claim,omitempty"` // verified before the mail is sent
}

// renderHTML renders the HTML from the draft before the first attempt. The result is stored, so
// that later releases retry with the same content: a provider rejects other content under a
// known key.
func (p *pending) renderHTML(render func(json.RawMessage) (string, error)) error {
	if p.Draft == nil {
		return nil
	}
	if render == nil {
		return errors.New("notify: a mail with a draft needs Outbox.Render")
	}
	html, err := render(p.Draft)
	if err != nil {
		return err
	}
	p.Mail.HTML, p.Draft = html, nil
	return nil
}

// delivery returns the delivery record of p with the given status.
func (o *Outbox) delivery(p pending, s Status) (Delivery, error) {
	if p.Content == "" {
		if err := p.setContentHash(); err != nil {
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

// setContentHash sets the content hash. A mail with a draft is hashed without HTML, since
// its text has the same content.
func (p *pending) setContentHash() error {
	content, err := json.Marshal(p.Mail)
	if err != nil {
		return fmt.Errorf("notify: encode mail: %w", err)
	}
	p.Content = hexSHA256(content)
	return nil
}

func hexSHA256(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
