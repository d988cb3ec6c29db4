package compose

import (
	"context"
	"encoding/hex"
	"io"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// NewsRequest is a message from an operator to a campaign's supporters.
type NewsRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Subject      string `json:"subject"`
	Body         string `json:"body"` // Markdown, in the language of the author
	Label        string `json:"ctaLabel"`
	URL          string `json:"ctaUrl"`
	DryRun       bool   `json:"dryRun"`
	// Hash is the hash from a dry run. If it is set, the message and its audience must not have
	// changed since then.
	Hash string `json:"hash"`
	// Audience narrows the recipients; its zero value is all supporters.
	Audience broadcast.Segment `json:"audience,omitzero"`
	// Resend allows a message with the subject of one sent in the last 30 days. It requires a
	// ChangeID, with which the request can be repeated.
	Resend   bool   `json:"resend,omitempty"`
	ChangeID string `json:"changeId,omitempty"`
}

// DiaryRequest selects a diary entry to send, the newest if EntryID is empty.
type DiaryRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	EntryID      string `json:"entryId"`
	DryRun       bool   `json:"dryRun"`
}

// Broadcasting is the result of a broadcast or of its dry run. Broadcast is nil in a dry run and if
// there is nothing to send.
type Broadcasting struct {
	DryRun         bool           `json:"dryRun"`
	RecipientCount int            `json:"recipientCount"`
	Hash           string         `json:"hash,omitempty"`
	Milestone      string         `json:"milestone,omitempty"`
	Broadcast      *BroadcastView `json:"broadcast,omitempty"`
	// Earlier is, in a dry run, the last message with the same subject.
	Earlier *EarlierNews `json:"earlier,omitempty"`
}

// Announce sends an announcement to a campaign's supporters. A dry run only returns the number of
// recipients and the hash. A repeated request returns the existing broadcast.
//
// Announce fails with code Conflict if another message with this subject was sent in the last 30
// days and Resend is not set, or if Hash is set and the message or its audience has changed.
func (s *Services) Announce(ctx context.Context, r NewsRequest) (Broadcasting, error) {
	return s.send(ctx, notify.Announcement, r)
}

// Blast is Announce for the campaign's own operators. Sending requires the hash of a dry run.
func (s *Services) Blast(ctx context.Context, r NewsRequest) (Broadcasting, error) {
	if !r.DryRun && r.Hash == "" {
		return Broadcasting{}, fault.New(fault.Invalid, "To send a blast, pass the hash of its dry run").In("hash")
	}
	return s.send(ctx, notify.Blast, r)
}

// EarlierNews is a message that was sent before.
type EarlierNews struct {
	ID         string    `json:"id"`
	Subject    string    `json:"subject"`
	SentAt     time.Time `json:"sentAt"`
	Recipients int       `json:"recipientCount"`
}

// BroadcastView is a broadcast as operators see it.
type BroadcastView struct {
	ID           string          `json:"id"`
	Kind         notify.Kind     `json:"category"`
	CampaignSlug string          `json:"campaignSlug"`
	Subject      string          `json:"subject"`
	Phase        broadcast.Phase `json:"phase"`
	Reason       string          `json:"reason,omitempty"` // why it is paused or stopped
	Recipients   int             `json:"recipientCount"`
	LaunchedAt   time.Time       `json:"launchedAt"`
	// States counts the recipients by the state of their mails. It is nil if they were not counted.
	States map[broadcast.State]int `json:"states,omitempty"`
}

// TurnRequest pauses, resumes or stops a broadcast.
type TurnRequest struct {
	ID     string          `json:"id"`
	To     broadcast.Phase `json:"to"` // paused, sending or stopped
	Reason string          `json:"reason"`
}

// newsUnsubscribe returns the link with which a reader unsubscribes from a campaign's news.
func (s *Services) newsUnsubscribe(slug, email string) (string, error) {
	return s.Unsubscribing.Unsubscribe(notify.Message{Kind: notify.Announcement, To: email, Campaign: slug}, s.Now())
}

// nonce returns 128 random bits in hexadecimal.
func (s *Services) nonce() string {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return s.Now().Format(time.RFC3339Nano) // a duplicate is rejected and retried
	}
	return hex.EncodeToString(b)
}
