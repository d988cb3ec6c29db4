package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Kind classifies a break.
type Kind string

// The kinds.
const (
	WithoutPayment Kind = "charged_without_payment" // a charged pledge has no payment ID
	NotSucceeded   Kind = "payment_not_succeeded"   // the payment of a charged pledge has not succeeded
	Unavailable    Kind = "payment_unavailable"     // the processor does not have the payment of a charged pledge
	AmountDiffers  Kind = "amount_differs"          // a payment differs from the total of the pledges that it charged
	Currency       Kind = "currency_differs"        // the payment of a charged pledge is in another currency
	OtherCharge    Kind = "payment_of_another"      // the payment of a charged pledge is for another charge or mode
	TotalsDiffer   Kind = "totals_differ"           // the totals differ, and no other break explains it
	NotBooked      Kind = "payment_not_booked"      // a payment succeeded, but not all of its pledges record it
	ChargedTwice   Kind = "charged_twice"           // a charge group has two payments that succeeded
	Ambiguous      Kind = "ambiguous_charge"        // the outcome of a charge is unknown
	StaleJob       Kind = "stale_settlement_job"    // a settlement stopped without completing
	OrderLost      Kind = "order_lost"              // a saved card has no pledge
	LedgerDiffers  Kind = "ledger_differs"          // the ledger was changed, or lacks charges
	DisputeDiffers Kind = "dispute_differs"         // a dispute is recorded otherwise than the processor has it
	DisputedSum    Kind = "disputed_differs"        // the ledger's accounts of disputes differ from the disputes
	DisputeUnpaid  Kind = "dispute_not_returned"    // a dispute was won, but its money is not back
	Unexplained    Kind = "movement_unexplained"    // the balance changed in a way that this release does not know
	RefundDiffers  Kind = "refund_differs"          // a payment's refunds differ from the recorded ones
	PayoutDiffers  Kind = "payout_differs"          // a payout differs from its rows, or its share from the ledger
	PayoutUnknown  Kind = "payout_row_unknown"      // a payout has rows that the ledger does not have
)

// Severity is a break's urgency.
type Severity string

// The severities. A critical break needs an operator at once.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
)

func (k Kind) severity() Severity {
	switch k {
	case StaleJob, Ambiguous, OrderLost, DisputeUnpaid, Unexplained:
		return Warning
	default:
		return Critical
	}
}

// Status reports whether a break was found by the last pass.
type Status string

// The statuses.
const (
	Open     Status = "open"
	Resolved Status = "resolved"
)

// Finding is one difference that a pass found.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject"` // the pledge, payment or group
	// The difference, as far as it is known.
	OrderIDs  []string    `json:"orderIds,omitempty"`
	PaymentID string      `json:"paymentIntentId,omitempty"`
	Booked    money.Cents `json:"bookedAmount"`    // cents, in our records
	Processor money.Cents `json:"processorAmount"` // cents, at the processor
	Message   string      `json:"message"`
}

// Break is a difference between our records and the processor's, with the history of its findings.
// Its Store key is reconciliation-break:v1:{slug}:{kind}:{hash}.
type Break struct {
	Finding
	Version      int        `json:"version" kv:"version"`
	ID           string     `json:"id"`
	CampaignSlug string     `json:"campaignSlug"`
	Severity     Severity   `json:"severity"`
	Status       Status     `json:"status"`
	FirstSeenAt  time.Time  `json:"firstSeenAt"`
	LastSeenAt   time.Time  `json:"lastSeenAt"`
	ResolvedAt   *time.Time `json:"resolvedAt,omitempty"`
	Occurrences  int        `json:"occurrences"` // number of passes that found it
	LastPass     int        `json:"lastPass"`
}

const breakVersion = 1

// Key returns the Store key of the break's copy.
func (b *Break) Key() string {
	return "reconciliation-break:v1:" + b.CampaignSlug + ":" + string(b.Kind) + ":" + b.ID
}

// id returns the identity of the difference, which is the same in every pass.
func (f *Finding) id() string {
	sum := sha256.Sum256([]byte(string(f.Kind) + "\x00" + f.Subject))
	return hex.EncodeToString(sum[:12])
}

// update records the latest finding and counts the pass that found it, once.
func (b *Break) update(f Finding, pass int, now time.Time) {
	b.Finding, b.Status, b.LastSeenAt, b.ResolvedAt = f, Open, now, nil
	if b.LastPass != pass {
		b.Occurrences++
	}
	b.LastPass = pass
}
