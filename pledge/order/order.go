package order

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// State is the state of a checkout.
type State string

// States of a checkout. Confirmed is final. An abandoned checkout can still be confirmed if its
// session completes afterwards.
const (
	Open      State = "open"
	Confirmed State = "confirmed"
	Abandoned State = "abandoned"
)

// Order is the state of an order object.
type Order struct {
	Manifest    Manifest         `json:"manifest"`
	Hash        string           `json:"hash"` // of the accepted manifest
	State       State            `json:"state"`
	SessionID   string           `json:"sessionId,omitempty"`
	ConfirmedAt *time.Time       `json:"confirmedAt,omitempty"`
	Pledges     []*pledge.Pledge `json:"pledges,omitempty"` // in the manifest's order
	// CardSessions are the sessions to replace a pledge's card, newest last.
	CardSessions []CardSession `json:"cardSessions,omitempty"`
	// CardsDetachedAt is when all cards of the order were deleted at Stripe.
	CardsDetachedAt *time.Time `json:"cardsDetachedAt,omitempty"`
}

// CardSession is a session to replace a pledge's card.
type CardSession struct {
	SessionID string    `json:"sessionId" kv:"id"`
	PledgeID  string    `json:"pledgeId"`
	StartedAt time.Time `json:"startedAt"`
	Done      bool      `json:"done"`
}

// Card is a saved payment method.
type Card struct {
	CustomerID      string    `json:"pspCustomerId"`
	PaymentMethodID string    `json:"pspPaymentMethodId"`
	SetupIntentID   string    `json:"pspSetupIntentId"`
	SavedAt         time.Time `json:"savedAt"`
	// Label is nil if Stripe does not report it.
	Label *pledge.CardLabel `json:"label,omitempty"`
}

// Change is the new content of an active pledge.
type Change struct {
	Lines           []pledge.Line       `json:"lines"`
	Totals          pledge.Totals       `json:"totals"`
	Explanation     []pledge.Derivation `json:"explanation"`
	ShippingOption  string              `json:"shippingOption,omitempty"`
	ShippingAddress *pledge.Address     `json:"shippingAddress,omitempty"`
	FulfillmentType string              `json:"fulfillmentType"`
	Promise         pledge.Promise      `json:"promise"`
	// NotAfter is the time after which the change is rejected, even if its delivery was delayed;
	// zero means no limit.
	NotAfter time.Time `json:"notAfter"`
}

// Charged is the part of a successful payment that is stored on a pledge.
type Charged struct {
	PaymentIntentID      string            `json:"pspPaymentIntentId"`
	ChargeID             string            `json:"pspChargeId,omitempty"`
	BalanceTransactionID string            `json:"pspBalanceTransactionId,omitempty"`
	Financials           pledge.Financials `json:"pspFinancials"`
	AvailableAt          *time.Time        `json:"processorAvailableAt,omitempty"`
	At                   time.Time         `json:"at"`
}
