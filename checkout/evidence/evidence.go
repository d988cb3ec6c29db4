// Package evidence keeps the records processor-event:v1:{time}:{id}: what was
// asked of the processor, what it answered, and what it said by itself. They hold
// identifiers, outcomes and times only, never anything of a payload or a person.
// Nothing is decided by them; a person looks into them who has to know what
// happened.
package evidence

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
)

// Prefix begins the keys of all evidence, which are in the order of their times.
const Prefix = "processor-event:v1:"

const life = 400 * 24 * time.Hour

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
	// PaymentID is the payment that a charge, a refund or a dispute is about.
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

// EventOf begins the record of an event.
func EventOf(h psp.Hint, now time.Time) Event {
	return Event{
		Version: 1, Kind: "webhook", EventID: h.EventID, EventType: h.Type, ObjectID: h.ObjectID, PaymentID: h.PaymentID,
		Mode: h.Mode, APIVersion: psp.Version, ValueTime: h.Created.UTC(), BookedAt: now.UTC(),
	}
}

// Write returns the write of the record, under the time of the event.
func (e Event) Write() (kv.Write, error) {
	return kv.Record(Key(e.ValueTime, e.EventID), e, e.BookedAt.Add(life))
}

// Statement is the record of what an operator said became of a charge.
type Statement struct {
	Version      int    `json:"version"`
	Kind         string `json:"kind"` // "statement"
	Operator     string `json:"operator"`
	CampaignSlug string `json:"campaignSlug"`
	Group        string `json:"group"`
	Generation   int    `json:"generation"`
	// PaymentID is the payment that was made; "" says that nothing was charged.
	PaymentID string `json:"paymentIntentId,omitempty"`
	// AcceptAmount says that the payment is booked although its amount differs.
	AcceptAmount bool      `json:"acceptAmount,omitempty"`
	At           time.Time `json:"at"`
}

// Write returns the write of the record, under an ID of its own.
func (s Statement) Write(id string) (kv.Write, error) {
	s.Version, s.Kind, s.At = 1, "statement", s.At.UTC()
	return kv.Record(Key(s.At, id), s, s.At.Add(life))
}

// Decision is the record of what an operator decided about a pledge or a campaign.
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

// Write returns the write of the record, under an ID of its own.
func (d Decision) Write(id string) (kv.Write, error) {
	d.Version, d.Kind, d.At = 1, "decision", d.At.UTC()
	return kv.Record(Key(d.At, id), d, d.At.Add(life))
}

// Resumption is the record of charging that was resumed after a restore although what was
// done meanwhile had not been looked at to the end.
type Resumption struct {
	Version int       `json:"version"`
	Kind    string    `json:"kind"` // "resumption"
	Reason  string    `json:"reason"`
	Stopped time.Time `json:"stopped"` // since when
	At      time.Time `json:"at"`
}

// Write returns the write of the record.
func (r Resumption) Write() (kv.Write, error) {
	r.Version, r.Kind, r.At = 1, "resumption", r.At.UTC()
	return kv.Record(Key(r.At, r.Kind), r, r.At.Add(life))
}

// Request is the record of one call to the processor.
type Request struct {
	Version   int           `json:"version" kv:"version"`
	Kind      string        `json:"kind"` // "request"
	Operation psp.Operation `json:"operation"`
	// ObjectID is what was read, changed or made, at the processor.
	ObjectID string `json:"objectId,omitempty"`
	// Group is the settlement group of a payment.
	Group string `json:"group,omitempty"`
	// Key is the idempotency key of a change.
	Key string `json:"idempotencyKey,omitempty"`
	// Outcome is a psp.Status for a payment, and else "done" or the code of the
	// error.
	Outcome     string `json:"outcome"`
	Code        string `json:"code,omitempty"`        // the processor's own
	DeclineCode string `json:"declineCode,omitempty"` // the issuer's
	// Of the request that was answered last, where one was.
	Requests   int    `json:"requests"` // that left for this call
	HTTPStatus int    `json:"httpStatus,omitempty"`
	RequestID  string `json:"requestId,omitempty"`
	Replayed   bool   `json:"replayed,omitempty"`

	Mode       psp.Mode  `json:"mode"`
	APIVersion string    `json:"apiVersion"`
	At         time.Time `json:"at"`     // when it was asked for
	TookMS     int64     `json:"tookMs"` // with the wait for its turn
}
