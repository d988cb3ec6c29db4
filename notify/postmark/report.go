package postmark

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// report is a webhook's body
// (https://postmarkapp.com/developer/webhooks/webhooks-overview). The recipient's address is
// not read: the key in Metadata identifies the mail.
type report struct {
	RecordType string
	MessageID  string // Postmark's ID of the mail; "" if the report is not about a mail
	Metadata   struct {
		Key string `json:"key"`
	}

	ID          json.Number // of a bounce; exceeds the precision of a float64
	Type        string      // of a bounce
	Description string
	Details     string

	SuppressSending   bool
	SuppressionReason string

	DeliveredAt string
	BouncedAt   string
	ChangedAt   string
}

// messageID matches Postmark's message IDs, which become part of a record's key, and "".
var messageID = regexp.MustCompile(`^[A-Za-z0-9-]{0,64}$`)

func (r report) validID() bool { return messageID.MatchString(r.MessageID) }

// event returns the kind of event that r reports, and its reason. The kind is "" for reports that
// are ignored, such as opens.
func (r report) event() (notify.EventKind, string) {
	switch r.RecordType {
	case "Delivery":
		return notify.Delivered, ""
	case "SpamComplaint":
		return notify.Complained, ""
	case "SubscriptionChange":
		return r.suppressionEvent()
	case "Bounce":
		kind := bounceKind(r.Type)
		if kind == "" {
			return "", ""
		}
		return kind, strings.Trim(r.Type+": "+cmp.Or(r.Details, r.Description), ": ")
	}
	return "", ""
}

// suppressionEvent returns the event for an address that was added to Postmark's suppression list.
// A broadcast stream's webhook may report bounces and complaints only in this way. An unsubscribe
// at Postmark is ignored, because it does not affect the mail, which was delivered.
func (r report) suppressionEvent() (notify.EventKind, string) {
	switch {
	case r.SuppressSending && r.SuppressionReason == "HardBounce":
		return notify.Bounced, "HardBounce"
	case r.SuppressSending && r.SuppressionReason == "SpamComplaint":
		return notify.Complained, ""
	}
	return "", ""
}

// bounceKind maps a bounce type to an event
// (https://postmarkapp.com/developer/api/bounce-api#bounce-types). Unknown types do not
// suppress the address.
func bounceKind(kind string) notify.EventKind {
	switch kind {
	case "HardBounce", "BadEmailAddress", "ManuallyDeactivated":
		return notify.Bounced
	case "SpamComplaint":
		return notify.Complained
	case "Transient":
		return notify.Delayed
	case "AutoResponder", "AddressChange", "Subscribe", "Unsubscribe", "OpenRelayTest":
		return "" // an automatic or personal reply to a delivered mail
	}
	return notify.Returned
}

// eventID returns the event's ID. Postmark can report a permanent failure twice, as a bounce
// or complaint and as a suppression change; both get the same ID. Temporary failures can occur
// repeatedly and include the bounce's ID.
func (r report) eventID(kind notify.EventKind) string {
	id := "postmark:" + r.MessageID + ":" + string(kind)
	if kind == notify.Delayed || kind == notify.Returned {
		id += ":" + r.ID.String()
	}
	return id
}

// time returns when the event happened, or now if the report has no valid time.
func (r report) time(now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, cmp.Or(r.DeliveredAt, r.BouncedAt, r.ChangedAt))
	if err != nil || at.IsZero() {
		return now.UTC()
	}
	return at.UTC()
}
