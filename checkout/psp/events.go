package psp

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// EventType is a type of webhook event.
type EventType string

// Events that change stored data.
const (
	SessionCompleted EventType = "checkout.session.completed"
	SessionExpired   EventType = "checkout.session.expired"
	PaymentSucceeded EventType = "payment_intent.succeeded"
)

// Events about disputes and early fraud warnings. They are stored as evidence, and cause a lookup.
const (
	DisputeCreated      EventType = "charge.dispute.created"
	DisputeUpdated      EventType = "charge.dispute.updated"
	DisputeClosed       EventType = "charge.dispute.closed"
	DisputeWithdrawn    EventType = "charge.dispute.funds_withdrawn"
	DisputeReinstated   EventType = "charge.dispute.funds_reinstated"
	FraudWarningCreated EventType = "radar.early_fraud_warning.created"
	FraudWarningUpdated EventType = "radar.early_fraud_warning.updated"
)

// Events about payouts. They are stored as evidence, and cause a lookup.
const (
	PayoutCreated    EventType = "payout.created"
	PayoutUpdated    EventType = "payout.updated"
	PayoutPaid       EventType = "payout.paid"
	PayoutFailed     EventType = "payout.failed"
	PayoutCanceled   EventType = "payout.canceled"
	PayoutReconciled EventType = "payout.reconciliation_completed"
)

// Events that are only stored as evidence.
const (
	PaymentFailed  EventType = "payment_intent.payment_failed"
	ChargeUpdated  EventType = "charge.updated"
	ChargeRefunded EventType = "charge.refunded"
	RefundCreated  EventType = "refund.created"
	RefundUpdated  EventType = "refund.updated"
	RefundFailed   EventType = "refund.failed"

	CardUpdated     EventType = "payment_method.automatically_updated"
	CardDetached    EventType = "payment_method.detached"
	CustomerDeleted EventType = "customer.deleted"
	SetupFailed     EventType = "setup_intent.setup_failed"
)

// Applied returns the events that change stored data.
func Applied() []EventType { return []EventType{SessionCompleted, SessionExpired, PaymentSucceeded} }

// Observed reports whether an event is stored as evidence and does not change data by itself.
func (t EventType) Observed() bool { return slices.Contains(observed, t) }

// IsDispute reports whether an event is about a dispute.
func (t EventType) IsDispute() bool { return slices.Contains(observedDisputes, t) }

// IsRefund reports whether an event is about a refund.
func (t EventType) IsRefund() bool { return slices.Contains(observedRefunds, t) }

// IsPayout reports whether an event is about a payout.
func (t EventType) IsPayout() bool { return slices.Contains(observedPayouts, t) }

// IsFraudWarning reports whether an event is about an early fraud warning.
func (t EventType) IsFraudWarning() bool { return t == FraudWarningCreated || t == FraudWarningUpdated }

var observedRefunds = []EventType{ChargeRefunded, RefundCreated, RefundUpdated, RefundFailed}

var observedDisputes = []EventType{DisputeCreated, DisputeUpdated, DisputeClosed, DisputeWithdrawn, DisputeReinstated}

var observedPayouts = []EventType{PayoutCreated, PayoutUpdated, PayoutPaid, PayoutFailed, PayoutCanceled,
	PayoutReconciled}

// Subscriptions returns the events to which a webhook endpoint subscribes.
func Subscriptions() []EventType { return append(Applied(), observed...) }

var observed = []EventType{
	PaymentFailed, ChargeUpdated, ChargeRefunded, RefundCreated, RefundUpdated, RefundFailed,
	DisputeCreated, DisputeUpdated, DisputeClosed,
	DisputeWithdrawn, DisputeReinstated, FraudWarningCreated, FraudWarningUpdated,
	PayoutCreated, PayoutUpdated, PayoutPaid, PayoutFailed, PayoutCanceled,
	PayoutReconciled, CardUpdated, CardDetached, CustomerDeleted, SetupFailed,
}

// Hint is the parsed content of a verified webhook. It identifies the object that changed. The
// object itself is always read from the processor.
type Hint struct {
	EventID  string
	Type     EventType
	ObjectID string
	// PaymentID is the payment of a charge, refund, dispute or early fraud warning.
	PaymentID string
	Mode      Mode
	Created   time.Time
}

// ModeOf returns the mode for an object's livemode flag.
func ModeOf(live bool) Mode {
	if live {
		return Live
	}
	return Test
}

// ReadHint parses the hint from a webhook's body and ignores the rest, so that
// the event's API version does not matter. The caller has verified the signature.
// It fails with code Invalid if the body is not an event.
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
	h := Hint{EventID: e.ID, Type: EventType(e.Type), ObjectID: e.Data.Object.ID, Mode: ModeOf(*e.Live),
		Created: time.Unix(e.Created, 0).UTC()}
	_ = json.Unmarshal(e.Data.Object.Payment, &h.PaymentID) // anything but an ID counts as none
	return h, nil
}
