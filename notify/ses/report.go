package ses

import (
	"cmp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// report is an SES event
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
// The recipient's address is not read: the tag "key" identifies the mail.
type report struct {
	EventType string `json:"eventType"`
	Mail      struct {
		Timestamp string              `json:"timestamp"`
		Tags      map[string][]string `json:"tags"`
	} `json:"mail"`
	Bounce struct {
		Type       string     `json:"bounceType"`
		SubType    string     `json:"bounceSubType"`
		Timestamp  string     `json:"timestamp"`
		Recipients recipients `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		SubType   string `json:"complaintSubType"`
		Feedback  string `json:"complaintFeedbackType"`
		Timestamp string `json:"timestamp"`
	} `json:"complaint"`
	Delivery struct {
		Timestamp string `json:"timestamp"`
	} `json:"delivery"`
	Delay struct {
		Type       string     `json:"delayType"`
		Timestamp  string     `json:"timestamp"`
		Recipients recipients `json:"delayedRecipients"`
	} `json:"deliveryDelay"`
	Reject struct {
		Reason string `json:"reason"`
	} `json:"reject"`
}

// recipients has one element, since every mail has one recipient.
type recipients []struct {
	Diagnostic string `json:"diagnosticCode"`
}

// onList is the subtype of events about addresses on the account's suppression list. SES does not
// send mails to them.
const onList = "OnAccountSuppressionList"

// event returns the kind of event and its reason. The kind is "" for events that are ignored,
// such as opens.
func (r report) event() (notify.EventKind, string) {
	switch r.EventType {
	case "Send":
		return notify.Taken, ""
	case "Delivery":
		return notify.Delivered, ""
	case "DeliveryDelay":
		return notify.Delayed, reasonText(r.Delay.Recipients, r.Delay.Type)
	case "Bounce":
		return r.bounceKind(), reasonText(r.Bounce.Recipients, r.Bounce.Type, r.Bounce.SubType)
	case "Complaint":
		return r.complaintEvent()
	case "Reject":
		return notify.Unsent, r.Reject.Reason
	}
	return "", ""
}

// bounceKind maps a bounce type to an event
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html#event-publishing-retrieving-sns-contents-bounce-types).
// Unknown types do not suppress the address.
func (r report) bounceKind() notify.EventKind {
	switch {
	case r.Bounce.SubType == "Suppressed", r.Bounce.SubType == onList:
		return notify.Unsent
	case r.Bounce.Type == "Permanent":
		return notify.Bounced
	}
	return notify.Returned
}

// complaintEvent maps a complaint to an event. Mailbox providers can also report "not spam".
func (r report) complaintEvent() (notify.EventKind, string) {
	switch {
	case r.Complaint.SubType == onList:
		return notify.Unsent, onList
	case r.Complaint.Feedback == "not-spam":
		return "", ""
	}
	return notify.Complained, r.Complaint.Feedback
}

// reasonText returns the types followed by the recipient's diagnostic, if there is one.
func reasonText(who recipients, types ...string) string {
	why := strings.Join(types, " ")
	if len(who) > 0 {
		why += ": " + who[0].Diagnostic
	}
	return strings.Trim(why, ": ")
}

// time returns when the event happened, or the fallback if the event has no valid time.
func (r report) time(fallback time.Time) time.Time {
	at, err := time.Parse(time.RFC3339,
		cmp.Or(r.Bounce.Timestamp, r.Complaint.Timestamp, r.Delivery.Timestamp, r.Delay.Timestamp, r.Mail.Timestamp))
	if err != nil {
		return fallback
	}
	return at.UTC()
}
