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

// Dispute is a chargeback or inquiry about a payment.
type Dispute struct {
	ID        string
	Amount    money.Cents // cents
	Currency  string
	Status    DisputeStatus
	Reason    string // as named by the processor, such as "fraudulent"
	CreatedAt time.Time
	// EvidenceDueBy is the deadline for evidence; zero if none can be submitted.
	EvidenceDueBy time.Time
}
