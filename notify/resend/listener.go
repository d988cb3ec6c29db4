package resend

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxReport limits a webhook's body, in bytes. Resend's webhooks do not contain the mail's
// content.
const maxReport = 256 << 10

// Listener implements notify.Listener. It is safe for concurrent use if its clock is.
type Listener struct {
	secret []byte
	now    func() time.Time
}

// NewListener returns a Listener for webhooks that are signed with a secret, in the format
// that Resend displays: "whsec_…". It fails with code Invalid, and the parameter's name, for
// an invalid parameter.
func NewListener(secret string, now func() time.Time) (*Listener, error) {
	key, ok := parseSecret(secret)
	switch {
	case !ok:
		return nil, fault.New(fault.Invalid, "A signing secret must be whsec_ followed by base64").In("secret")
	case now == nil:
		return nil, fault.New(fault.Invalid, "A clock is required").In("now")
	}
	return &Listener{key, now}, nil
}

// report is a webhook's body (https://resend.com/docs/webhooks/event-types).
type report struct {
	Type      string `json:"type"`
	CreatedAt string `json:"created_at"`
	Data      struct {
		Tags   tags `json:"tags"`
		Bounce struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"bounce"`
		Failed struct {
			Reason string `json:"reason"`
		} `json:"failed"`
		Suppressed struct {
			Message string `json:"message"`
		} `json:"suppressed"`
	} `json:"data"`
}

// tags holds a mail's tags by name. Resend sends them as an object, and formerly sent them as a
// list of names and values.
type tags map[string]string

// UnmarshalJSON implements json.Unmarshaler. It ignores tags in an unknown format, so that
// they do not invalidate the event.
func (t *tags) UnmarshalJSON(b []byte) error {
	*t = tags{}
	var list []tag
	if json.Unmarshal(b, &list) == nil {
		for _, each := range list {
			(*t)[each.Name] = each.Value
		}
		return nil
	}
	var object map[string]any
	if json.Unmarshal(b, &object) == nil {
		for name, value := range object {
			if text, ok := value.(string); ok {
				(*t)[name] = text
			}
		}
	}
	return nil
}

// Events implements notify.Listener.
func (l *Listener) Events(_ context.Context, header func(string) string, body []byte) ([]notify.Event, error) {
	if len(body) > maxReport {
		return nil, fault.New(fault.Invalid, "A report must not exceed %d bytes", maxReport)
	}
	s, err := verify(l.secret, l.now(), header, body)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fault.New(fault.Invalid, "Not a valid Resend webhook")
	}
	kind, why := r.event()
	if kind == "" {
		return nil, nil
	}
	e := notify.Event{ID: s.id, Key: r.Data.Tags["key"], Kind: kind, At: s.at, Reason: why}
	if at, err := time.Parse(time.RFC3339, r.CreatedAt); err == nil {
		e.At = at.UTC()
	}
	return []notify.Event{e}, nil
}

// event returns the kind of event and its reason. The kind is "" for ignored reports.
func (r report) event() (notify.EventKind, string) {
	bounce := r.Data.Bounce
	switch r.Type {
	case "email.sent":
		return notify.Taken, ""
	case "email.delivered":
		return notify.Delivered, ""
	case "email.delivery_delayed":
		return notify.Delayed, ""
	case "email.bounced":
		// Resend documents this event as permanent, but a given type takes precedence.
		if bounce.Type == "" || bounce.Type == "Permanent" {
			return notify.Bounced, bounce.Message
		}
		return notify.Returned, bounce.Message
	case "email.complained":
		return notify.Complained, ""
	case "email.failed":
		return notify.Unsent, r.Data.Failed.Reason
	case "email.suppressed":
		return notify.Unsent, r.Data.Suppressed.Message
	}
	return "", ""
}
