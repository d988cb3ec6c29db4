package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Kind says what a break is about.
type Kind string

// The kinds.
const (
	WithoutPayment Kind = "charged_without_payment" // a charged pledge names no payment
	NotSucceeded   Kind = "payment_not_succeeded"   // its payment has not succeeded
	Unavailable    Kind = "payment_unavailable"     // the processor does not know its payment
	AmountDiffers  Kind = "amount_differs"          // its payment is of another amount
	Currency       Kind = "currency_differs"        // or of another currency
	OtherCharge    Kind = "payment_of_another"      // its payment is for another charge, customer or mode
	TotalsDiffer   Kind = "totals_differ"           // the sums differ, and no other break tells why
	NotBooked      Kind = "payment_not_booked"      // a payment succeeded and no pledge is charged by it
	ChargedTwice   Kind = "charged_twice"           // a supporter has two payments that succeeded
	Ambiguous      Kind = "ambiguous_charge"        // it is not known whether a charge happened
	StaleJob       Kind = "stale_settlement_job"    // a settlement stopped on its way
	OrderLost      Kind = "order_lost"              // a card was saved and there is no pledge for it
)

// Severity says how urgent a break is.
type Severity string

// The severities. A critical break means: stop, and find out.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
)

func (k Kind) severity() Severity {
	if k == StaleJob || k == Ambiguous || k == OrderLost {
		return Warning
	}
	return Critical
}

// Status is whether a break is still seen.
type Status string

// The statuses.
const (
	Open     Status = "open"
	Resolved Status = "resolved"
)

// Finding is one difference as a pass sees it.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject"` // the pledge, payment or group that it is about
	// What is named of the difference, as far as it is known.
	OrderIDs  []string    `json:"orderIds,omitempty"`
	PaymentID string      `json:"paymentIntentId,omitempty"`
	Booked    money.Cents `json:"bookedAmount"`    // cents, on our side
	Processor money.Cents `json:"processorAmount"` // cents, on theirs
	Message   string      `json:"message"`
}

// Break is a difference over time, the record
// reconciliation-break:v1:{slug}:{kind}:{hash}.
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
	Occurrences  int        `json:"occurrences"` // passes that found it
	LastPass     int        `json:"lastPass"`
}

const breakVersion = 1

// Retention is how long a break is kept after it was last seen.
const Retention = 400 * 24 * time.Hour

// Key is where the Store's copy of a break is kept.
func (b *Break) Key() string {
	return "reconciliation-break:v1:" + b.CampaignSlug + ":" + string(b.Kind) + ":" + b.ID
}

// id is the same for the same difference, however often it is found.
func (f *Finding) id() string {
	sum := sha256.Sum256([]byte(string(f.Kind) + "\x00" + f.Subject))
	return hex.EncodeToString(sum[:12])
}

// see counts a finding of a pass. Found again in the same pass it is no more.
func (b *Break) see(f Finding, pass int, now time.Time) {
	b.Finding, b.Status, b.LastSeenAt, b.ResolvedAt = f, Open, now, nil
	if b.LastPass != pass {
		b.Occurrences++
	}
	b.LastPass = pass
}
