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

// Status is the result of an action.
type Status string

// The statuses.
const (
	Done    Status = "done"
	Failed  Status = "failed"  // internal error; part of the action may have happened
	Unknown Status = "unknown" // the process died before the action ended
)

// Act is an operator's action.
type Act struct {
	Action string `json:"action"` // for example "settlement.stop"
	// AdminEmail identifies the operator, "" for a shared secret.
	AdminEmail   string `json:"adminEmail,omitempty"`
	AdminRole    string `json:"adminRole"` // or the kind of the secret
	Source       string `json:"source"`    // "api" or "command line"
	CampaignSlug string `json:"campaignSlug,omitempty"`
	OrderID      string `json:"orderId,omitempty"`
	Target       string `json:"target,omitempty"` // the affected user or session; only if Status is Done
	Reason       string `json:"reason,omitempty"` // as given by the operator; only if Status is Done
	// ChangedFields holds the names of the given fields, without values.
	ChangedFields []string `json:"changedFields,omitempty"`
}

// Event is an action that has ended.
type Event struct {
	Number int       `json:"number"` // from 1, without gaps
	At     time.Time `json:"createdAt"`
	Act
	Status Status `json:"status"`
	Code   string `json:"code,omitempty"` // error code
	Before string `json:"before"`         // the hash of the previous event, "" for the first
	Hash   string `json:"hash"`
}

// Key returns the key of an event's copy in the Store.
func (e *Event) Key() string {
	return fmt.Sprintf("admin-audit:%s:%s:%09d", e.At.UTC().Format(time.DateOnly), e.Action, e.Number)
}

// Limits of an action's texts, in bytes, and of its number of fields.
const (
	maxText   = 500
	maxFields = 50
)

// withoutText returns the action as recorded before its input is validated: identifiers only, no
// free text.
func (a Act) withoutText() Act {
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

// identifier returns the text if it consists of at most 100 ASCII letters, digits, hyphens and
// underscores, otherwise "".
func identifier(text string) string {
	other := func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if len(text) > 100 || strings.ContainsFunc(text, other) {
		return ""
	}
	return text
}

func truncate(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// link is an event as stored: the hashed bytes and their hash. A later release can add
// fields to events without changing the bytes of stored ones.
type link struct {
	Event json.RawMessage `json:"event"` // without its hash
	Hash  string          `json:"hash"`
}

// newLink encodes an event as a link.
func newLink(e Event) (link, error) {
	e.Hash = ""
	b, err := json.Marshal(e)
	return link{b, hash(b)}, err
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// event decodes a link.
func (l link) event() (e Event, err error) {
	err = json.Unmarshal(l.Event, &e)
	e.Hash = l.Hash
	return e, err
}

// Filter selects events. Empty fields match all.
type Filter struct {
	Action       string    `json:"action,omitempty"`
	AdminEmail   string    `json:"adminEmail,omitempty"` // exact match, ignoring case
	CampaignSlug string    `json:"campaignSlug,omitempty"`
	From         time.Time `json:"from,omitzero"`
	To           time.Time `json:"to,omitzero"`    // exclusive
	Text         string    `json:"text,omitempty"` // substring of any text field, ignoring case
}

func (f Filter) matches(e Event) bool {
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
	return strings.Join(append([]string{e.Action, e.AdminEmail, e.AdminRole, e.Source, e.CampaignSlug,
		e.OrderID, e.Target, e.Reason, string(e.Status), e.Code}, e.ChangedFields...), "\n")
}
