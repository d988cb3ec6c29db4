package psp

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Refund metadata keys.
const (
	RefundKey      = "refund" // the service's own refund ID
	RefundPartsKey = "parts"  // the service's record of the refunded parts
)

// NewRefund describes a refund of part of a payment.
type NewRefund struct {
	Key       string
	ID        string // the service's refund ID, stored in the metadata
	PaymentID string
	Amount    money.Cents // at least one cent
	Metadata  map[string]string
	// NotAfter is the last moment at which the request may be sent, as in NewCharge.
	NotAfter time.Time
}

// RefundOutcome is the result of Processor.Refund. Its Status is one of
//
//   - Accepted: the refund was created, and Refund is set. The refund may still be pending, or fail
//     later even if it has succeeded.
//   - Refused: nothing was created, and sending the same request again is useless. Refusal is set.
//   - NotStarted, Unknown and Mismatch: as for a charge.
type RefundOutcome struct {
	Status Status
	Refund Refund
	// Code is the processor's code, shown to operators. Refusal classifies it.
	Code      string
	Refusal   Refusal
	RequestID string
	// RetryAfter and Barred are set with NotStarted, as in Outcome.
	RetryAfter time.Duration
	Barred     bool
}

// Refusal is the reason for which the processor rejected a refund.
type Refusal string

// The refusals.
const (
	RefusalDisputed Refusal = "disputed" // the payment was charged back, or is disputed
	RefusalRefunded Refusal = "refunded" // all of the payment is already refunded
	RefusalAmount   Refusal = "amount"   // more than remains of the payment, or less than one cent
	RefusalPayment  Refusal = "payment"  // the payment does not exist or did not succeed
	RefusalOther    Refusal = "other"
)

// RefusalOf classifies the code and the parameter of the processor's error.
func RefusalOf(code, param string) Refusal {
	switch {
	case code == "charge_disputed":
		return RefusalDisputed
	case code == "charge_already_refunded":
		return RefusalRefunded
	case param == "amount":
		return RefusalAmount
	case code == "resource_missing", param == "payment_intent", param == "charge":
		return RefusalPayment
	}
	return RefusalOther
}

// Reversals are the refunds and disputes of a payment, each newest first.
type Reversals struct {
	Refunds  []Refund
	Disputes []Dispute
}

// Refunded returns the sum of the succeeded and pending refunds, in cents.
func (r Reversals) Refunded() money.Cents {
	var sum money.Cents
	for _, f := range r.Refunds {
		if f.Status == RefundStatusSucceeded || f.Status == RefundStatusPending {
			sum += f.Amount
		}
	}
	return sum
}

// RefundStatus is the state of a refund.
type RefundStatus string

// The refund states, as named by the processor. Pending and RequiresAction may
// still change; a succeeded refund may fail later.
const (
	RefundStatusPending        RefundStatus = "pending"
	RefundStatusRequiresAction RefundStatus = "requires_action"
	RefundStatusSucceeded      RefundStatus = "succeeded"
	RefundStatusFailed         RefundStatus = "failed"
	RefundStatusCanceled       RefundStatus = "canceled"
)

// Refund is a refund of a payment.
type Refund struct {
	ID        string
	PaymentID string
	ChargeID  string
	// OurID is the ID that the service gave the refund, from the metadata: RefundKey. It is "" for a
	// refund that was created at the processor, such as in its dashboard.
	OurID string
	// Parts is the metadata's RefundPartsKey, "" if it is not set.
	Parts    string
	Amount   money.Cents // cents
	Currency string
	Status   RefundStatus
	Reason   string // as named by the processor, "" for none
	// FailureReason is why a failed refund failed, as named by the processor. New names may appear.
	FailureReason string
	// BalanceTransactionID is the withdrawal from the balance; "" until the processor has booked it,
	// which it does not do while the refund is pending. FailureBalanceTransactionID is the return of
	// the amount to the balance after a booked refund failed.
	BalanceTransactionID, FailureBalanceTransactionID string
	CreatedAt                                         time.Time
}
