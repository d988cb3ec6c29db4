package broadcast

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Message is the message of a broadcast. It is frozen when the broadcast is launched.
type Message struct {
	Kind notify.Kind `json:"category"`
	// Identity identifies the broadcast, such as "diary:film:2031-05-04".
	Identity string `json:"identity"`
	Campaign string `json:"campaign"` // slug
	// Segment selects the supporters who get the message; nil for all.
	Segment *Segment `json:"segment,omitempty"`
	// Letters holds the message in each language. Lang is the fallback for other languages.
	Letters map[string]Letter `json:"letters"`
	Lang    string            `json:"lang"`
}

// Letter is the message in one language. Its text contains UnsubscribeLink as a placeholder.
type Letter struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html,omitempty"`
}

// UnsubscribeLink is the placeholder in a Letter for the reader's own unsubscribe link.
const UnsubscribeLink = "{unsubscribe}"

// Phase is the lifecycle phase of a broadcast.
type Phase string

// The phases. Stopped and Done are final.
const (
	Drafting Phase = "drafting" // the audience is being frozen
	Sending  Phase = "sending"
	Paused   Phase = "paused" // until an operator resumes it
	Stopped  Phase = "stopped"
	Done     Phase = "done"
)

// Broadcast is the stored state of a broadcast, without its members.
type Broadcast struct {
	ID         string    `json:"id" kv:"id"`
	Message    Message   `json:"message"`
	From       string    `json:"from"`
	ReplyTo    string    `json:"replyTo,omitempty"`
	Phase      Phase     `json:"phase"`
	Reason     string    `json:"reason,omitempty"` // why it is paused or stopped
	Recipients int       `json:"recipients"`
	Chunks     int       `json:"chunks"`
	LaunchedAt time.Time `json:"launchedAt"`
	NotAfter   time.Time `json:"notAfter"` // when it stops automatically
	// EndedAt is when it was done or stopped. 30 days later the members' addresses are
	// removed, chunk by chunk: Forgotten counts the chunks that no longer have any.
	EndedAt   time.Time `json:"endedAt,omitzero"`
	Forgotten int       `json:"forgotten,omitempty"`
	// DraftBy is the launch that is freezing the audience. A later launch takes over.
	DraftBy string `json:"draftBy"`
}

// State is the delivery state of a member.
type State string

// The states.
const (
	Pending    State = "pending"
	Accepted   State = "accepted" // accepted by the provider
	Refused    State = "refused"
	Suppressed State = "suppressed" // the address is suppressed
	Ambiguous  State = "ambiguous"  // may have received the mail; not sent again
	Bounced    State = "bounced"    // not delivered, as reported by the provider
	Complained State = "complained" // marked the mail as spam
)

// Member is one recipient.
type Member struct {
	Email       string `json:"email,omitempty"`     // removed 30 days after the end
	Recipient   string `json:"recipient,omitempty"` // as returned by notify.Suppressor.Address
	Lang        string `json:"lang"`
	Unsubscribe string `json:"unsubscribe,omitempty"`
	State       State  `json:"state"`
	Reason      string `json:"reason,omitempty"`
	ProviderID  string `json:"providerId,omitempty"`
	// LastEventAt is the time of the latest event that was applied, except complaints.
	LastEventAt time.Time `json:"heard,omitzero"`
}

// chunk is a part of the audience.
type chunk struct {
	Members []Member `json:"members"`
}

// unit is the part of a chunk that is sent in one request.
type unit struct {
	Name  string `json:"name" kv:"id"`
	Chunk int    `json:"chunk"`
	Items []int  `json:"items"` // indexes in the chunk
	// By is the attempt that is running since AttemptAt. If it is "", none is running, and
	// AttemptAt is the start of the last one.
	By        string    `json:"by,omitempty"`
	AttemptAt time.Time `json:"attemptAt,omitzero"`
	DueAt     time.Time `json:"dueAt"` // of the next attempt; during an attempt, the end of its lease
	Attempts  int       `json:"attempts"`
	// UnknownSince is when the first attempt without an answer started.
	UnknownSince time.Time `json:"unknownSince,omitzero"`
	// Cut is the number of attempts that were made before suppressed members were last removed
	// from the unit; 0 if none were removed since the first attempt. It is part of the key.
	Cut int `json:"cut,omitempty"`
	// LeftOut lists the members that were left out after the provider may have received the unit.
	LeftOut []leftOut `json:"leftOut,omitempty"`
}

// timeUntilDue returns the time until the next attempt; zero or less if the unit is due. A unit
// without a running attempt is also due if its last change is more than maxClockSkew in the future:
// a server with a wrong clock wrote it.
func (u unit) timeUntilDue(now time.Time) time.Duration {
	written := u.AttemptAt
	if written.IsZero() {
		written = u.DueAt
	}
	if u.By == "" && written.Sub(now) > maxClockSkew {
		return 0
	}
	return u.DueAt.Sub(now)
}

func newUnit(n int, items []int, due time.Time) unit {
	return unit{Name: fmt.Sprintf("%06d-%03d-%03d", n, items[0], len(items)), Chunk: n, Items: items, DueAt: due}
}

// batchKey returns the idempotency key of a unit. It changes only when members are removed while
// the provider has certainly not accepted the unit.
func (b Broadcast) batchKey(u unit) string {
	key := "b_" + b.ID + "_u_" + u.Name
	if u.Cut > 0 {
		key += "-" + strconv.Itoa(u.Cut)
	}
	return key
}

// mailKey returns the idempotency key of member i of chunk n.
func mailKey(id string, n, i int) string { return fmt.Sprintf("b_%s_%d_%d", id, n, i) }

// parseMailKey is the inverse of mailKey.
func parseMailKey(key string) (id string, n, i int, ok bool) {
	parts := strings.Split(key, "_")
	if len(parts) != 4 || parts[0] != "b" || parts[1] == "" {
		return "", 0, 0, false
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil || n < 0 {
		return "", 0, 0, false
	}
	i, err = strconv.Atoi(parts[3])
	if err != nil || i < 0 || mailKey(parts[1], n, i) != key {
		return "", 0, 0, false
	}
	return parts[1], n, i, true
}

// mail returns the mail for m, which is member i of chunk n. It is identical in every attempt.
func (b Broadcast) mail(n, i int, m Member) notify.Mail {
	lang := m.Lang
	letter, ok := b.Message.Letters[lang]
	if !ok {
		lang = b.Message.Lang
		letter = b.Message.Letters[lang]
	}
	page := mailtext.UnsubscribePage(m.Unsubscribe)
	return notify.Mail{
		Key: mailKey(b.ID, n, i), Kind: b.Message.Kind, Stream: b.Message.Kind.Stream(), Campaign: b.Message.Campaign,
		From: b.From, ReplyTo: b.ReplyTo, To: pledge.DeliveryEmail(m.Email), Lang: lang, Unsubscribe: m.Unsubscribe,
		Subject: letter.Subject, Text: strings.ReplaceAll(letter.Text, UnsubscribeLink, page),
		HTML: strings.ReplaceAll(letter.HTML, UnsubscribeLink, html.EscapeString(page)),
	}
}
