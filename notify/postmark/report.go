package postmark

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// report is what Postmark sends
// (https://postmarkapp.com/developer/webhooks/webhooks-overview). The recipient's address is
// not read: a mail is known by its key.
type report struct {
	RecordType string
	MessageID  string // Postmark's name of the mail; "" where the report is about none
	Metadata   struct {
		Key string `json:"key"`
	}

	ID          json.Number // of a bounce, which may be longer than a float holds
	Type        string      // of a bounce
	Description string
	Details     string

	SuppressSending   bool
	SuppressionReason string

	DeliveredAt string
	BouncedAt   string
	ChangedAt   string
}

// messageID is what Postmark names mails by. It becomes part of a record's key.
var messageID = regexp.MustCompile(`^[A-Za-z0-9-]{0,64}$`)

func (r report) names() bool { return messageID.MatchString(r.MessageID) }

// says is what happened to the mail and why; "" where the report is about something else,
// such as that somebody opened it.
func (r report) says() (notify.EventKind, string) {
	switch r.RecordType {
	case "Delivery":
		return notify.Delivered, ""
	case "SpamComplaint":
		return notify.Complained, ""
	case "SubscriptionChange":
		return r.listed()
	case "Bounce":
		kind := bounce(r.Type)
		if kind == "" {
			return "", ""
		}
		return kind, strings.Trim(r.Type+": "+cmp.Or(r.Details, r.Description), ": ")
	}
	return "", ""
}

// listed is why an address came onto Postmark's own list: a webhook of a broadcast stream
// may tell of bounces and complaints in this way alone. That a reader unsubscribed at
// Postmark says nothing of what became of the mail, which has arrived.
func (r report) listed() (notify.EventKind, string) {
	switch {
	case r.SuppressSending && r.SuppressionReason == "HardBounce":
		return notify.Bounced, "HardBounce"
	case r.SuppressSending && r.SuppressionReason == "SpamComplaint":
		return notify.Complained, ""
	}
	return "", ""
}

// bounce is what a type of bounce means
// (https://postmarkapp.com/developer/api/bounce-api#bounce-types). A type that is not known
// stops no further mail.
func bounce(kind string) notify.EventKind {
	switch kind {
	case "HardBounce", "BadEmailAddress", "ManuallyDeactivated":
		return notify.Bounced
	case "SpamComplaint":
		return notify.Complained
	case "Transient":
		return notify.Delayed
	case "AutoResponder", "AddressChange", "Subscribe", "Unsubscribe", "OpenRelayTest":
		return "" // somebody or something has answered a mail that arrived
	}
	return notify.Returned
}

// identity is the same whenever the event is told again. What ends a mail is told in up to
// two ways, as a bounce or complaint and as a change of the list, and counts once; what is
// temporary may come again.
func (r report) identity(kind notify.EventKind) string {
	id := "postmark:" + r.MessageID + ":" + string(kind)
	if kind == notify.Delayed || kind == notify.Returned {
		id += ":" + r.ID.String()
	}
	return id
}

// at is when it happened; now where the report does not say.
func (r report) at(now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, cmp.Or(r.DeliveredAt, r.BouncedAt, r.ChangedAt))
	if err != nil || at.IsZero() {
		return now.UTC()
	}
	return at.UTC()
}
