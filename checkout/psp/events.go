package psp

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// EventType names the webhook events the service knows.
type EventType string

// The events that change something.
const (
	SessionCompleted EventType = "checkout.session.completed"
	SessionExpired   EventType = "checkout.session.expired"
	PaymentSucceeded EventType = "payment_intent.succeeded"
)

// The events that are kept as evidence alone.
const (
	PaymentFailed     EventType = "payment_intent.payment_failed"
	ChargeUpdated     EventType = "charge.updated"
	ChargeRefunded    EventType = "charge.refunded"
	RefundCreated     EventType = "refund.created"
	RefundUpdated     EventType = "refund.updated"
	RefundFailed      EventType = "refund.failed"
	DisputeCreated    EventType = "charge.dispute.created"
	DisputeUpdated    EventType = "charge.dispute.updated"
	DisputeClosed     EventType = "charge.dispute.closed"
	DisputeWithdrawn  EventType = "charge.dispute.funds_withdrawn"
	DisputeReinstated EventType = "charge.dispute.funds_reinstated"
	FraudWarning      EventType = "radar.early_fraud_warning.created"
	CardUpdated       EventType = "payment_method.automatically_updated"
	CardDetached      EventType = "payment_method.detached"
	CustomerDeleted   EventType = "customer.deleted"
	SetupFailed       EventType = "setup_intent.setup_failed"
)

// Applied are the events that change something.
func Applied() []EventType { return []EventType{SessionCompleted, SessionExpired, PaymentSucceeded} }

// Observed reports whether an event is kept as evidence alone.
func (t EventType) Observed() bool { return slices.Contains(observed, t) }

// Subscriptions are the events that a webhook endpoint is to be sent.
func Subscriptions() []EventType { return append(Applied(), observed...) }

var observed = []EventType{
	PaymentFailed, ChargeUpdated, ChargeRefunded, RefundCreated, RefundUpdated, RefundFailed, DisputeCreated, DisputeUpdated, DisputeClosed,
	DisputeWithdrawn, DisputeReinstated, FraudWarning, CardUpdated, CardDetached, CustomerDeleted, SetupFailed,
}

// Hint is what a verified webhook says: something happened to an object. The
// object itself is always read back from the processor.
type Hint struct {
	EventID  string
	Type     EventType
	ObjectID string
	// PaymentID is the payment that a charge, a refund or a dispute names.
	PaymentID string
	Mode      Mode
	Created   time.Time
}

// ModeOf is the mode of an object that says whether it is live.
func ModeOf(live bool) Mode {
	if live {
		return Live
	}
	return Test
}

// ReadHint reads of a webhook's body what a Hint holds and nothing else, so that the
// event's API version does not matter. Its signature has been checked before. It fails
// with code Invalid where the body is not an event.
func ReadHint(body []byte) (Hint, error) {
	var e struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Type    string `json:"type"`
		Live    *bool  `json:"livemode"`
		Created int64  `json:"created"`
		Data    struct {
			Object struct {
				ID      string          `json:"id"`
				Payment json.RawMessage `json:"payment_intent"`
			} `json:"object"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &e)
	if err != nil || e.Object != "event" || e.ID == "" || e.Type == "" || e.Live == nil || e.Data.Object.ID == "" {
		return Hint{}, fault.New(fault.Invalid, "The body is not an event")
	}
	h := Hint{EventID: e.ID, Type: EventType(e.Type), ObjectID: e.Data.Object.ID, Mode: ModeOf(*e.Live), Created: time.Unix(e.Created, 0).UTC()}
	_ = json.Unmarshal(e.Data.Object.Payment, &h.PaymentID) // what is not an ID names none
	return h, nil
}
