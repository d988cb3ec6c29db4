package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Life is how long an event is kept.
const Life = 400 * 24 * time.Hour

// Status is how an act ended.
type Status string

// The statuses.
const (
	Done    Status = "done"
	Failed  Status = "failed"  // on our side; part of it may have happened
	Unknown Status = "unknown" // its program died on the way
)

// Act is what somebody sets out to do.
type Act struct {
	Action string `json:"action"` // such as "settlement.stop"
	// AdminEmail names the person, "" for who shows a shared secret.
	AdminEmail   string `json:"adminEmail,omitempty"`
	AdminRole    string `json:"adminRole"` // or the kind of the secret
	Source       string `json:"source"`    // where it came in: "api" or "command line"
	CampaignSlug string `json:"campaignSlug,omitempty"`
	OrderID      string `json:"orderId,omitempty"`
	Target       string `json:"target,omitempty"` // the user or session that it was done to, of what was done
	Reason       string `json:"reason,omitempty"` // as it was given, of what was done
	// ChangedFields names what was given, without its values.
	ChangedFields []string `json:"changedFields,omitempty"`
}

// Event is an act that has ended.
type Event struct {
	Number int       `json:"number"` // from 1, without gaps
	At     time.Time `json:"createdAt"`
	Act
	Status Status `json:"status"`
	Code   string `json:"code,omitempty"` // of what went wrong
	Before string `json:"before"`         // the hash of the event before, "" for the first
	Hash   string `json:"hash"`
}

// Key is the key of an event's copy.
func (e *Event) Key() string {
	return fmt.Sprintf("admin-audit:%s:%s:%09d", e.At.UTC().Format(time.DateOnly), e.Action, e.Number)
}

// The bounds of an act's texts, in bytes, and of its fields.
const (
	maxText   = 500
	maxFields = 50
)

// begun is the act as it is noted before anybody has looked at what was given: identifiers
// alone, and no text.
func (a Act) begun() Act {
	a.Reason, a.Target = "", ""
	a.CampaignSlug, a.OrderID = identifier(a.CampaignSlug), identifier(a.OrderID)
	var fields []string
	for _, f := range a.ChangedFields {
		if f = identifier(f); f != "" && len(fields) < maxFields {
			fields = append(fields, f)
		}
	}
	a.ChangedFields = fields
	return a
}

// identifier returns the text where it is one, and "" otherwise.
func identifier(text string) string {
	other := func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if len(text) > 100 || strings.ContainsFunc(text, other) {
		return ""
	}
	return text
}

func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// link is an event as it is stored: the bytes that were hashed, and their hash. A later
// release may add to events; their bytes stay as they are.
type link struct {
	Event json.RawMessage `json:"event"` // without its hash
	Hash  string          `json:"hash"`
}

// newLink makes the link of an event.
func newLink(e Event) (link, error) {
	e.Hash = ""
	b, err := json.Marshal(e)
	return link{b, hashOf(b)}, err
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// event reads a link.
func (l link) event() (e Event, err error) {
	err = json.Unmarshal(l.Event, &e)
	e.Hash = l.Hash
	return e, err
}

// Filter chooses events; what is empty chooses all.
type Filter struct {
	Action       string    `json:"action,omitempty"`
	AdminEmail   string    `json:"adminEmail,omitempty"` // exactly
	CampaignSlug string    `json:"campaignSlug,omitempty"`
	From         time.Time `json:"from,omitzero"`
	To           time.Time `json:"to,omitzero"`    // before this time
	Text         string    `json:"text,omitempty"` // within any of an event's texts, in any case
}

func (f Filter) takes(e Event) bool {
	switch {
	case f.Action != "" && e.Action != f.Action,
		f.AdminEmail != "" && !strings.EqualFold(e.AdminEmail, f.AdminEmail),
		f.CampaignSlug != "" && e.CampaignSlug != f.CampaignSlug,
		!f.From.IsZero() && e.At.Before(f.From),
		!f.To.IsZero() && !e.At.Before(f.To):
		return false
	}
	return f.Text == "" || strings.Contains(strings.ToLower(e.texts()), strings.ToLower(f.Text))
}

func (e *Event) texts() string {
	return strings.Join(append([]string{e.Action, e.AdminEmail, e.AdminRole, e.Source, e.CampaignSlug, e.OrderID, e.Target, e.Reason, string(e.Status), e.Code}, e.ChangedFields...), "\n")
}
