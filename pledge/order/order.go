package order

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// State is where a checkout stands.
type State string

// The states. Confirmed is final; an abandoned checkout whose session turns
// out to have completed all the same may still be confirmed.
const (
	Open      State = "open"
	Confirmed State = "confirmed"
	Abandoned State = "abandoned"
)

// Order is the state of one order.
type Order struct {
	Manifest    Manifest         `json:"manifest"`
	Hash        string           `json:"hash"` // of the manifest as it was accepted
	State       State            `json:"state"`
	SessionID   string           `json:"sessionId,omitempty"`
	ConfirmedAt *time.Time       `json:"confirmedAt,omitempty"`
	Pledges     []*pledge.Pledge `json:"pledges,omitempty"` // in the manifest's order
	// CardSessions are the sessions in which a supporter replaces the card of a
	// pledge, newest last.
	CardSessions []CardSession `json:"cardSessions,omitempty"`
	// CardsDetachedAt is when all cards of the order were deleted at the processor.
	CardsDetachedAt *time.Time `json:"cardsDetachedAt,omitempty"`
}

// CardSession is one attempt to replace a card.
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
	// Label is nil where the processor does not tell it.
	Label *pledge.CardLabel `json:"label,omitempty"`
}

// Change is a new version of an active pledge's content.
type Change struct {
	Lines           []pledge.Line       `json:"lines"`
	Totals          pledge.Totals       `json:"totals"`
	Explanation     []pledge.Derivation `json:"explanation"`
	ShippingOption  string              `json:"shippingOption,omitempty"`
	ShippingAddress *pledge.Address     `json:"shippingAddress,omitempty"`
	FulfillmentType string              `json:"fulfillmentType"`
	Promise         pledge.Promise      `json:"promise"`
	// NotAfter, where it is set, is when the change comes too late, however long
	// it was on its way.
	NotAfter time.Time `json:"notAfter"`
}

// Charged is what a successful charge leaves on a pledge.
type Charged struct {
	PaymentIntentID      string            `json:"pspPaymentIntentId"`
	ChargeID             string            `json:"pspChargeId,omitempty"`
	BalanceTransactionID string            `json:"pspBalanceTransactionId,omitempty"`
	Financials           pledge.Financials `json:"pspFinancials"`
	AvailableAt          *time.Time        `json:"processorAvailableAt,omitempty"`
	At                   time.Time         `json:"at"`
}
