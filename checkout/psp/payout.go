package psp

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// PayoutStatus is the state of a payout.
type PayoutStatus string

// The payout states, as named by the processor. A paid payout may fail up to five business days later.
const (
	PayoutStatusPending   PayoutStatus = "pending"
	PayoutStatusInTransit PayoutStatus = "in_transit"
	PayoutStatusPaid      PayoutStatus = "paid"
	PayoutStatusFailed    PayoutStatus = "failed"
	PayoutStatusCanceled  PayoutStatus = "canceled"
)

// ReconciliationStatus reports whether BalanceTransactions lists a payout's contents.
type ReconciliationStatus string

// The reconciliation states, as named by the processor. Manual payouts are NotApplicable.
const (
	ReconciliationCompleted     ReconciliationStatus = "completed"
	ReconciliationInProgress    ReconciliationStatus = "in_progress"
	ReconciliationNotApplicable ReconciliationStatus = "not_applicable"
)

// Payout is a transfer from the account's balance to its bank account.
type Payout struct {
	ID                   string
	Amount               money.Cents // cents
	Currency             string
	Status               PayoutStatus
	Automatic            bool // made by the processor's schedule and not by a person
	ReconciliationStatus ReconciliationStatus
	ArrivalDate          time.Time // when the bank is expected to have it
	CreatedAt            time.Time
	// BalanceTransactionID is the withdrawal from the balance. FailureBalanceTransactionID is the
	// return of the amount after a failure or a cancellation, "" before.
	BalanceTransactionID, FailureBalanceTransactionID string
}

// PayoutQuery selects payouts created in the interval [From, To), to the second. A zero From or To does
// not limit it.
type PayoutQuery struct {
	From, To time.Time
	After    string // PayoutPage.Next of the previous page
	Limit    int    // 1 to 100
}

// PayoutPage is one page of payouts. Next is "" on the last page.
type PayoutPage struct {
	Payouts []Payout
	Next    string
}
