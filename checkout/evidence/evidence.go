// Package evidence stores records of all communication with the payment processor: requests with
// their results, webhook events, and operators' decisions. Records are stored under
// processor-event:v1:{time}:{id}. They contain only identifiers, results and times, never
// payloads or personal data. The service makes no decisions based on them; they are for
// investigations.
package evidence

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
)

// Prefix is the key prefix of all evidence. Keys sort by time.
const Prefix = "processor-event:v1:"

// Key returns the key of a record.
func Key(at time.Time, id string) string {
	return Prefix + at.UTC().Format("20060102T150405Z") + ":" + id
}

// Event is the record of a webhook event.
type Event struct {
	Version   int           `json:"version" kv:"version"`
	Kind      string        `json:"kind"` // "webhook"
	EventID   string        `json:"eventId"`
	EventType psp.EventType `json:"eventType"`
	ObjectID  string        `json:"objectId"`
	// PaymentID is the payment that the event's charge, refund or dispute belongs to.
	PaymentID    string    `json:"paymentId,omitempty"`
	OrderID      string    `json:"orderId,omitempty"`
	CampaignSlug string    `json:"campaignSlug,omitempty"`
	Outcome      string    `json:"outcome"` // applied, skipped or conflict
	Reason       string    `json:"reason,omitempty"`
	Mode         psp.Mode  `json:"mode"`
	APIVersion   string    `json:"apiVersion"`
	ValueTime    time.Time `json:"valueTime"` // of the event, by the processor's clock
	BookedAt     time.Time `json:"bookedAt"`
}

// EventOf returns the record of an event without its order, campaign and outcome.
func EventOf(h psp.Hint, now time.Time) Event {
	return Event{
		Version: 1, Kind: "webhook", EventID: h.EventID, EventType: h.Type, ObjectID: h.ObjectID,
		PaymentID: h.PaymentID, Mode: h.Mode, APIVersion: psp.Version,
		ValueTime: h.Created.UTC(), BookedAt: now.UTC(),
	}
}

// Write returns the write that stores the record under the event's time.
func (e Event) Write() (kv.Write, error) {
	return kv.Record(Key(e.ValueTime, e.EventID), e, e.BookedAt.Add(psp.EvidenceLife))
}

// Statement records the result of a charge as stated by an operator.
type Statement struct {
	Version      int    `json:"version"`
	Kind         string `json:"kind"` // "statement"
	Operator     string `json:"operator"`
	CampaignSlug string `json:"campaignSlug"`
	Group        string `json:"group"`
	Generation   int    `json:"generation"`
	// PaymentID is the payment that was made; "" means that nothing was charged.
	PaymentID string `json:"paymentIntentId,omitempty"`
	// AcceptAmount is set if the payment was booked despite a different amount.
	AcceptAmount bool      `json:"acceptAmount,omitempty"`
	At           time.Time `json:"at"`
}

// Write returns the write that stores the record under the given ID.
func (s Statement) Write(id string) (kv.Write, error) {
	s.Version, s.Kind, s.At = 1, "statement", s.At.UTC()
	return kv.Record(Key(s.At, id), s, s.At.Add(psp.EvidenceLife))
}

// Decision records an operator's decision about a pledge or a campaign.
type Decision struct {
	Version      int       `json:"version"`
	Kind         string    `json:"kind"` // "decision"
	Operator     string    `json:"operator"`
	CampaignSlug string    `json:"campaignSlug"`
	Subject      string    `json:"subject,omitempty"` // the pledge; "" for the campaign
	Decision     string    `json:"decision"`          // "reopen", "charge_as_is"
	Reason       string    `json:"reason"`
	At           time.Time `json:"at"`
}

// Write returns the write that stores the record under the given ID.
func (d Decision) Write(id string) (kv.Write, error) {
	d.Version, d.Kind, d.At = 1, "decision", d.At.UTC()
	return kv.Record(Key(d.At, id), d, d.At.Add(psp.EvidenceLife))
}

// Resumption records that charging was resumed after a restore although not all
// later changes had been reviewed.
type Resumption struct {
	Version int       `json:"version"`
	Kind    string    `json:"kind"` // "resumption"
	Reason  string    `json:"reason"`
	Stopped time.Time `json:"stopped"` // when charging stopped
	At      time.Time `json:"at"`
}

// Write returns the write that stores the record.
func (r Resumption) Write() (kv.Write, error) {
	r.Version, r.Kind, r.At = 1, "resumption", r.At.UTC()
	return kv.Record(Key(r.At, r.Kind), r, r.At.Add(psp.EvidenceLife))
}

// Request is the record of one call to the processor.
type Request struct {
	Version   int           `json:"version" kv:"version"`
	Kind      string        `json:"kind"` // "request"
	Operation psp.Operation `json:"operation"`
	// ObjectID is the object at the processor that was read, changed or created.
	ObjectID string `json:"objectId,omitempty"`
	// Group is the settlement group of a payment.
	Group string `json:"group,omitempty"`
	// Key is the idempotency key of a change.
	Key string `json:"idempotencyKey,omitempty"`
	// Outcome is the psp.Status of a payment, otherwise "done" or the error's code.
	Outcome     string `json:"outcome"`
	Code        string `json:"code,omitempty"`        // the processor's own
	DeclineCode string `json:"declineCode,omitempty"` // the issuer's
	Requests    int    `json:"requests"`              // requests sent by this call
	// HTTPStatus, RequestID and Replayed are those of the last response, if there was one.
	HTTPStatus int    `json:"httpStatus,omitempty"`
	RequestID  string `json:"requestId,omitempty"`
	Replayed   bool   `json:"replayed,omitempty"`

	Mode       psp.Mode  `json:"mode"`
	APIVersion string    `json:"apiVersion"`
	At         time.Time `json:"at"`     // start of the call
	TookMS     int64     `json:"tookMs"` // includes waiting for the rate limiter
}
