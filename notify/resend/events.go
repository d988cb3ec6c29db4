package resend

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// tolerance is how far an event's time may be from the clock
// (https://docs.svix.com/receiving/verifying-payloads/how-manual).
const tolerance = 5 * time.Minute

// maxEvent is how long an event may be, in bytes.
const maxEvent = 256 << 10

// Listener implements notify.Listener for Resend's webhooks, which Svix signs.
type Listener struct {
	key []byte
	now func() time.Time
}

// NewListener returns a Listener for the webhook whose signing secret it is given: "whsec_"
// and base64. It fails with code Invalid, and the field's name.
func NewListener(secret string, now func() time.Time) (*Listener, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case !ok || err != nil || len(key) < 16:
		return nil, fault.New(fault.Invalid, "A signing secret is whsec_ and at least 16 bytes in base64").In("secret")
	case now == nil:
		return nil, fault.New(fault.Invalid, "A time is held against a clock").In("now")
	}
	return &Listener{key, now}, nil
}

// Events implements notify.Listener.
func (l *Listener) Events(_ context.Context, header func(string) string, body []byte) ([]notify.Event, error) {
	id, sent := header("svix-id"), header("svix-timestamp")
	if !l.signed(id, sent, header("svix-signature"), body) || !l.recent(sent) {
		return nil, fault.New(fault.Unauthorized, "Invalid signature")
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fault.New(fault.Invalid, "An event is JSON").In("body")
	}
	kind, told := e.kind()
	if !told {
		return nil, nil
	}
	return []notify.Event{{ID: id, Key: e.Data.Tags["key"], Kind: kind, At: e.at(l.now), Reason: e.Data.reason()}}, nil
}

// signed reports whether one of the signatures is the webhook's own. Several stand beside
// each other while its secret changes; those of another version than v1 count for nothing.
func (l *Listener) signed(id, sent, signatures string, body []byte) bool {
	if id == "" || len(id) > 256 || len(body) > maxEvent {
		return false
	}
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(id + "." + sent + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for _, s := range strings.Fields(signatures) {
		encoded, ok := strings.CutPrefix(s, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if ok && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}

func (l *Listener) recent(sent string) bool {
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil {
		return false
	}
	age := l.now().Sub(time.Unix(seconds, 0))
	return -tolerance <= age && age <= tolerance
}

// event is the body of a webhook (https://resend.com/docs/dashboard/webhooks/event-types).
type event struct {
	Type      string `json:"type"`
	CreatedAt string `json:"created_at"`
	Data      data   `json:"data"`
}

type data struct {
	Tags   tags `json:"tags"`
	Bounce struct {
		Type    string `json:"type"`
		SubType string `json:"subType"`
		Message string `json:"message"`
	} `json:"bounce"`
	Failed struct {
		Reason string `json:"reason"`
	} `json:"failed"`
	Suppressed struct {
		Message string `json:"message"`
	} `json:"suppressed"`
}

// tags are those of a mail. They come as an object, or as the list that was sent.
type tags map[string]string

// UnmarshalJSON implements json.Unmarshaler. What is neither has no tags.
func (t *tags) UnmarshalJSON(b []byte) error {
	var list []tag
	var object map[string]string
	switch {
	case json.Unmarshal(b, &object) == nil:
		*t = object
	case json.Unmarshal(b, &list) == nil:
		*t = tags{}
		for _, one := range list {
			(*t)[one.Name] = one.Value
		}
	}
	return nil
}

func (d data) reason() string {
	for _, s := range []string{d.Bounce.Message, d.Failed.Reason, d.Suppressed.Message} {
		if s != "" {
			return s
		}
	}
	return ""
}

func (e event) kind() (notify.EventKind, bool) {
	if e.Type == "email.bounced" && e.Data.Bounce.Type != "Permanent" {
		return notify.Returned, true
	}
	kind, ok := map[string]notify.EventKind{
		"email.sent": notify.Taken, "email.delivered": notify.Delivered, "email.delivery_delayed": notify.Delayed,
		"email.bounced": notify.Bounced, "email.complained": notify.Complained,
		"email.failed": notify.Unsent, "email.suppressed": notify.Unsent,
	}[e.Type]
	return kind, ok
}

// at is when it happened, or now where the event does not say it.
func (e event) at(now func() time.Time) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999-07"} {
		if at, err := time.Parse(layout, e.CreatedAt); err == nil {
			return at.UTC()
		}
	}
	return now().UTC()
}
