package ses

import (
	"cmp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// report is an event of SES
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
// The recipient's address is not read: a mail is known by its key.
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

// recipients are those of one mail, which has one.
type recipients []struct {
	Diagnostic string `json:"diagnosticCode"`
}

// onList is why SES did not even try: the address is on the account's own list.
const onList = "OnAccountSuppressionList"

// says is what happened to the mail and why; "" where the event is about something else,
// such as that somebody opened it.
func (r report) says() (notify.EventKind, string) {
	switch r.EventType {
	case "Send":
		return notify.Taken, ""
	case "Delivery":
		return notify.Delivered, ""
	case "DeliveryDelay":
		return notify.Delayed, because(r.Delay.Recipients, r.Delay.Type)
	case "Bounce":
		return r.bounced(), because(r.Bounce.Recipients, r.Bounce.Type, r.Bounce.SubType)
	case "Complaint":
		return r.complained()
	case "Reject":
		return notify.Unsent, r.Reject.Reason
	}
	return "", ""
}

// bounced is what a type of bounce means
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html#event-publishing-retrieving-sns-contents-bounce-types).
// A type that is not known stops no further mail.
func (r report) bounced() notify.EventKind {
	switch {
	case r.Bounce.SubType == "Suppressed", r.Bounce.SubType == onList:
		return notify.Unsent
	case r.Bounce.Type == "Permanent":
		return notify.Bounced
	}
	return notify.Returned
}

// complained: a mailbox may also report that a mail is no spam.
func (r report) complained() (notify.EventKind, string) {
	switch {
	case r.Complaint.SubType == onList:
		return notify.Unsent, onList
	case r.Complaint.Feedback == "not-spam":
		return "", ""
	}
	return notify.Complained, r.Complaint.Feedback
}

func because(who recipients, types ...string) string {
	why := strings.Join(types, " ")
	if len(who) > 0 {
		why += ": " + who[0].Diagnostic
	}
	return strings.Trim(why, ": ")
}

// at is when it happened; when SNS was told where the event does not say.
func (r report) at(told time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, cmp.Or(r.Bounce.Timestamp, r.Complaint.Timestamp, r.Delivery.Timestamp, r.Delay.Timestamp, r.Mail.Timestamp))
	if err != nil {
		return told
	}
	return at.UTC()
}
