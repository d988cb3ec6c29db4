package refund

import (
	"regexp"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Status is the state of a refund.
type Status string

// The statuses. Refused, Withdrawn and Repaid are final; a refund that succeeded may fail for 30 days.
const (
	Waiting        Status = "waiting"        // needs a second operator
	Granted        Status = "granted"        // decided, not sent
	Submitted      Status = "submitted"      // counted before it was sent; the result is unknown
	Pending        Status = "pending"        // accepted by the processor
	Succeeded      Status = "succeeded"      // the money is on its way to the supporter
	Refused        Status = "refused"        // the processor created nothing
	Failed         Status = "failed"         // the money came back: it is still owed to the supporter
	NeedsAttention Status = "needsAttention" // no answer until the key was too old
	Withdrawn      Status = "withdrawn"      // by an operator, before it was sent
	Repaid         Status = "repaid"         // failed, and two operators stated that it was paid in another way
)

// Reason is why an operator refunds. It is not sent to the processor.
type Reason string

// The reasons.
const (
	Requested   Reason = "requested"   // the supporter asked for it
	Undelivered Reason = "undelivered" // the campaign cannot deliver
	Damaged     Reason = "damaged"
	Mistake     Reason = "mistake" // in the price, the tax or the shipping
	OtherReason Reason = "other"
)

// Reasons lists the reasons in the order in which operators choose from them.
var Reasons = []Reason{Requested, Undelivered, Damaged, Mistake, OtherReason}

// ValidID reports whether a refund can have an ID.
func ValidID(id string) bool { return len(id) >= 8 && len(id) <= 64 && validID.MatchString(id) }

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Version is the version of a refund's record.
const Version = 1

// Refund is a refund of a payment, or of part of it. Its parts are frozen when it is granted.
type Refund struct {
	Version      int    `json:"version" kv:"version"`
	ID           string `json:"id" kv:"id"` // chosen by the caller, so that a repeated request is the same refund
	CampaignSlug string `json:"campaignSlug"`
	Status       Status `json:"status"`

	Group     string                    `json:"group"` // hash of the charge group
	PaymentID string                    `json:"paymentIntentId"`
	Amount    money.Cents               `json:"amount"` // cents
	Parts     []ledger.PledgeComponents `json:"parts"`
	Reason    Reason                    `json:"reason"`
	// Message is what the operator writes to the supporter; "" for none.
	Message string `json:"message,omitempty"`

	// Adopted reports whether the refund was found at the processor: it was made there, or a restore
	// removed its record. GrantedBy is then "".
	Adopted     bool       `json:"adopted,omitempty"`
	GrantedBy   string     `json:"grantedBy"`
	GrantedAt   time.Time  `json:"grantedAt"`
	ConfirmedBy string     `json:"confirmedBy,omitempty"` // of the second operator, above the limit
	ConfirmedAt *time.Time `json:"confirmedAt,omitempty"`

	Key           string     `json:"idempotencyKey"`
	Attempts      int        `json:"attempts"`
	FirstSentAt   *time.Time `json:"firstSentAt,omitempty"` // of a request that may have arrived
	NotStarted    int        `json:"notStarted,omitempty"`  // requests that certainly did not arrive
	NextAttemptAt time.Time  `json:"nextAttemptAt"`
	AskedAt       *time.Time `json:"askedAt,omitempty"`
	AskedAfter    int        `json:"askedAfter"` // the number of requests before the last lookup

	RefundID      string      `json:"refundId,omitempty"` // the processor's
	Code          string      `json:"errorCode,omitempty"`
	Refusal       psp.Refusal `json:"refusal,omitempty"`
	FailureReason string      `json:"failureReason,omitempty"`
	// RepaidBy is the operator who stated that a failed refund was paid in another way; another one
	// has to state the same.
	RepaidBy string `json:"repaidBy,omitempty"`

	SettledAt *time.Time `json:"settledAt,omitempty"` // when the current status became known
	// The last status that was copied to the pledges and emailed to the supporter.
	Told Status `json:"told,omitempty"`
	// DueAt is when the next step is due, nil if there is none.
	DueAt     *time.Time `json:"dueAt,omitempty"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// watched is how long after its creation a refund that succeeded is looked up, because it may still
// fail. Stripe documents 30 days.
const watched = 35 * 24 * time.Hour

// Holds reports whether the refund's amount is taken from what remains of the payment.
func (r *Refund) Holds() bool { return r.Status != Refused && r.Status != Withdrawn }

// NeedsPerson reports whether an operator has to act.
func (r *Refund) NeedsPerson() bool {
	return r.Status == Waiting || r.Status == Failed || r.Status == NeedsAttention
}

// Moved reports whether the processor has paid the refund back.
func (r *Refund) Moved() bool {
	return r.Status == Succeeded || r.Status == Failed || r.Status == Repaid
}
