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

// NewsRequest is what an operator writes to a campaign's supporters.
type NewsRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Subject      string `json:"subject"`
	Body         string `json:"body"` // Markdown, in the language that it is written in
	Label        string `json:"ctaLabel"`
	URL          string `json:"ctaUrl"`
	DryRun       bool   `json:"dryRun"`
	// Hash is that of the dry run. Where it is given, the message and its audience have to
	// be what they were.
	Hash string `json:"hash"`
}

// DiaryRequest asks for an entry of a campaign's diary to be sent, the newest where none
// is named.
type DiaryRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	EntryID      string `json:"entryId"`
	DryRun       bool   `json:"dryRun"`
}

// Broadcasting says what was or would be sent. Broadcast is nil in a dry run, and where
// there is nothing to tell.
type Broadcasting struct {
	DryRun         bool           `json:"dryRun"`
	RecipientCount int            `json:"recipientCount"`
	Hash           string         `json:"hash,omitempty"`
	Milestone      string         `json:"milestone,omitempty"`
	Broadcast      *BroadcastView `json:"broadcast,omitempty"`
}

// Announce sends an announcement to a campaign's supporters, or says in a dry run what it
// would do. The same words go to a campaign once.
func (s *Services) Announce(ctx context.Context, r NewsRequest) (Broadcasting, error) {
	return s.send(ctx, notify.Announcement, r)
}

// Blast is Announce for what a campaign's own operator writes: it is sent only with the
// hash of a dry run.
func (s *Services) Blast(ctx context.Context, r NewsRequest) (Broadcasting, error) {
	if !r.DryRun && r.Hash == "" {
		return Broadcasting{}, fault.New(fault.Invalid, "A blast is sent with the hash of its dry run").In("hash")
	}
	return s.send(ctx, notify.Blast, r)
}

// BroadcastView is a broadcast as an operator sees it.
type BroadcastView struct {
	ID           string          `json:"id"`
	Kind         notify.Kind     `json:"category"`
	CampaignSlug string          `json:"campaignSlug"`
	Subject      string          `json:"subject"`
	Phase        broadcast.Phase `json:"phase"`
	Reason       string          `json:"reason,omitempty"` // why it is paused or stopped
	Recipients   int             `json:"recipientCount"`
	LaunchedAt   time.Time       `json:"launchedAt"`
	// States counts the recipients by what became of their mails; nil where nobody counted.
	States map[broadcast.State]int `json:"states,omitempty"`
}

// TurnRequest pauses, resumes or stops a broadcast.
type TurnRequest struct {
	ID     string          `json:"id"`
	To     broadcast.Phase `json:"to"` // paused, sending or stopped
	Reason string          `json:"reason"`
}

// stopsNews is the address that stops a campaign's news to a reader.
func (s *Services) stopsNews(slug, email string) (string, error) {
	return s.Unsubscribing.Unsubscribe(notify.Message{Kind: notify.Announcement, To: email, Campaign: slug}, s.Now())
}

// nonce is another text at every call.
func (s *Services) nonce() string {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return s.Now().Format(time.RFC3339Nano) // what is repeated is refused, and tried again later
	}
	return hex.EncodeToString(b)
}
