package broadcast

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Message is what a broadcast says. It is frozen when the broadcast is launched.
type Message struct {
	Kind notify.Kind `json:"category"`
	// Identity makes it this broadcast, such as "diary:film:2031-05-04".
	Identity string `json:"identity"`
	Campaign string `json:"campaign"` // a slug
	// Letters are its wordings by language; Lang is the one for whoever reads another.
	Letters map[string]Letter `json:"letters"`
	Lang    string            `json:"lang"`
}

// Letter is a wording. UnsubscribeLink in its text stands for the reader's own link.
type Letter struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html,omitempty"`
}

// UnsubscribeLink is replaced in a Letter by the link to the page that stops more of these.
const UnsubscribeLink = "{unsubscribe}"

// Phase says how far a broadcast is.
type Phase string

// The phases. Stopped and Done are final.
const (
	Drafting Phase = "drafting" // its audience is being frozen
	Sending  Phase = "sending"
	Paused   Phase = "paused" // until somebody resumes it
	Stopped  Phase = "stopped"
	Done     Phase = "done"
)

// Broadcast is where one stands.
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
	NotAfter   time.Time `json:"notAfter"` // it stops by itself then
	// EndedAt is when it was done or stopped. The addresses of its members go 30 days later,
	// chunk by chunk: Forgotten counts those that hold none any more.
	EndedAt   time.Time `json:"endedAt,omitzero"`
	Forgotten int       `json:"forgotten,omitempty"`
	// DraftBy is who freezes the audience: whoever begins later takes over.
	DraftBy string `json:"draftBy"`
}

// State says what became of a member.
type State string

// The states.
const (
	Pending    State = "pending"
	Accepted   State = "accepted" // the provider has the mail
	Refused    State = "refused"
	Suppressed State = "suppressed" // wants no such mails
	Ambiguous  State = "ambiguous"  // may have the mail, and never gets it again
	Bounced    State = "bounced"    // the address did not take the mail
	Complained State = "complained" // the reader called it spam
)

// Member is one recipient.
type Member struct {
	Email       string `json:"email,omitempty"`     // "" from 30 days after the end on
	Recipient   string `json:"recipient,omitempty"` // the address as notify.Suppressor names it
	Lang        string `json:"lang"`
	Unsubscribe string `json:"unsubscribe,omitempty"`
	State       State  `json:"state"`
	Reason      string `json:"reason,omitempty"`
	ProviderID  string `json:"providerId,omitempty"`
	// Heard is when that happened which the provider has reported last.
	Heard time.Time `json:"heard,omitzero"`
}

// chunk is a part of the members.
type chunk struct {
	Members []Member `json:"members"`
}

// unit is what leaves with one request.
type unit struct {
	Name  string `json:"name" kv:"id"`
	Chunk int    `json:"chunk"`
	Items []int  `json:"items"` // of the chunk
	// By is who attempts it since AttemptAt; "" where nobody does, and AttemptAt is of the last one.
	By        string    `json:"by,omitempty"`
	AttemptAt time.Time `json:"attemptAt,omitzero"`
	DueAt     time.Time `json:"dueAt"` // of the next attempt; of the one after a crash while one runs
	Attempts  int       `json:"attempts"`
	// UnknownSince is when the first attempt began that got no answer.
	UnknownSince time.Time `json:"unknownSince,omitzero"`
	// Cut is after how many attempts members were left out last; 0 where none were since
	// the first.
	Cut int `json:"cut,omitempty"`
	// LeftOut are those who were left out while the provider may have had the unit.
	LeftOut []leftOut `json:"leftOut,omitempty"`
}

// wait is how long until the next attempt. A unit that nobody attempts and that was written in
// the future, by a server whose clock was wrong, does not wait.
func (u unit) wait(now time.Time) time.Duration {
	written := u.AttemptAt
	if written.IsZero() {
		written = u.DueAt
	}
	if u.By == "" && written.Sub(now) > skew {
		return 0
	}
	return u.DueAt.Sub(now)
}

func newUnit(n int, items []int, due time.Time) unit {
	return unit{Name: fmt.Sprintf("%06d-%03d-%03d", n, items[0], len(items)), Chunk: n, Items: items, DueAt: due}
}

// batchKey stands for the same mails at every attempt, but for those left out meanwhile.
func (b Broadcast) batchKey(u unit) string {
	key := "b_" + b.ID + "_u_" + u.Name
	if u.Cut > 0 {
		key += "-" + strconv.Itoa(u.Cut)
	}
	return key
}

func mailKey(id string, n, i int) string { return fmt.Sprintf("b_%s_%d_%d", id, n, i) }

// parseMailKey is the reverse of mailKey.
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

// mail is the one to a member, the same at every attempt.
func (b Broadcast) mail(n, i int, m Member) notify.Mail {
	lang := m.Lang
	letter, ok := b.Message.Letters[lang]
	if !ok {
		lang = b.Message.Lang
		letter = b.Message.Letters[lang]
	}
	page := notify.UnsubscribePage(m.Unsubscribe)
	return notify.Mail{
		Key: mailKey(b.ID, n, i), Kind: b.Message.Kind, Stream: b.Message.Kind.Stream(), Campaign: b.Message.Campaign,
		From: b.From, ReplyTo: b.ReplyTo, To: pledge.DeliveryEmail(m.Email), Lang: lang, Unsubscribe: m.Unsubscribe,
		Subject: letter.Subject, Text: strings.ReplaceAll(letter.Text, UnsubscribeLink, page),
		HTML: strings.ReplaceAll(letter.HTML, UnsubscribeLink, html.EscapeString(page)),
	}
}
