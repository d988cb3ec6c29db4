package psp

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// DisputeStatus is the state of a dispute.
type DisputeStatus string

// The dispute states, as named by the processor. WarningClosed, Won, Lost and
// Prevented are final.
const (
	DisputeStatusWarningNeedsResponse DisputeStatus = "warning_needs_response"
	DisputeStatusWarningUnderReview   DisputeStatus = "warning_under_review"
	DisputeStatusWarningClosed        DisputeStatus = "warning_closed"
	DisputeStatusNeedsResponse        DisputeStatus = "needs_response"
	DisputeStatusUnderReview          DisputeStatus = "under_review"
	DisputeStatusWon                  DisputeStatus = "won"
	DisputeStatusLost                 DisputeStatus = "lost"
	DisputeStatusPrevented            DisputeStatus = "prevented"
)

// Dispute is a chargeback or inquiry about a payment. An inquiry has one of the warning states, and
// moves no money unless it escalates to DisputeStatusNeedsResponse.
type Dispute struct {
	ID        string
	PaymentID string
	ChargeID  string
	Amount    money.Cents // cents
	Currency  string
	Status    DisputeStatus
	Reason    string // as named by the processor, such as "fraudulent"; new names may appear
	// NetworkReasonCode is the card network's reason, such as "13.1"; "" if it is not known.
	NetworkReasonCode string
	// Refundable reports whether the payment can still be refunded although the dispute is open.
	Refundable bool
	CreatedAt  time.Time
	// EvidenceDueBy is the deadline for evidence; zero if none can be submitted.
	EvidenceDueBy time.Time
	// Movements are what the dispute has changed in the account's balance so far, in any order: the
	// withdrawal with its fee and, after a win, the return.
	Movements []BalanceTransaction
}

// Of returns the changes of the balance as changes that the dispute caused. The processor reports
// them within a dispute without the dispute's own data.
func (d *Dispute) Of(changes []BalanceTransaction) []BalanceTransaction {
	for i := range changes {
		b := &changes[i]
		b.SourceID, b.DisputeID, b.PaymentID, b.ChargeID = d.ID, d.ID, d.PaymentID, d.ChargeID
	}
	return changes
}

// DisputeQuery selects disputes created in the interval [From, To), to the second. A zero From or To
// does not limit it.
type DisputeQuery struct {
	From, To time.Time
	After    string // DisputePage.Next of the previous page
	Limit    int    // 1 to 100
}

// DisputePage is one page of disputes. Next is "" on the last page.
type DisputePage struct {
	Disputes []Dispute
	Next     string
}

// FraudWarning is a card network's early warning that a payment may be fraudulent. It moves no money.
type FraudWarning struct {
	ID        string
	PaymentID string
	ChargeID  string
	// Actionable reports whether a refund can still prevent a dispute: the payment is neither disputed
	// nor fully refunded.
	Actionable bool
	Reason     string // as named by the processor, such as "unauthorized_use_of_card"
	CreatedAt  time.Time
}

// FraudWarningQuery selects warnings created in the interval [From, To), to the second. A zero From or To
// does not limit it.
type FraudWarningQuery struct {
	From, To time.Time
	After    string // FraudWarningPage.Next of the previous page
	Limit    int    // 1 to 100
}

// FraudWarningPage is one page of warnings. Next is "" on the last page.
type FraudWarningPage struct {
	Warnings []FraudWarning
	Next     string
}
