package psp

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// BalanceCategory is what changed the balance: the processor's reporting category. The list is open;
// a caller must expect categories that it does not know.
type BalanceCategory string

// The categories that an account like this one is expected to have.
const (
	BalanceCharge                 BalanceCategory = "charge"
	BalanceChargeFailure          BalanceCategory = "charge_failure"
	BalanceRefund                 BalanceCategory = "refund"
	BalanceRefundFailure          BalanceCategory = "refund_failure"
	BalanceDispute                BalanceCategory = "dispute"
	BalanceDisputeReversal        BalanceCategory = "dispute_reversal"
	BalanceFee                    BalanceCategory = "fee"
	BalancePayout                 BalanceCategory = "payout"
	BalancePayoutReversal         BalanceCategory = "payout_reversal"
	BalancePartialCaptureReversal BalanceCategory = "partial_capture_reversal"
	BalanceRiskReservedFunds      BalanceCategory = "risk_reserved_funds"
	BalanceTax                    BalanceCategory = "tax"
	BalanceTopup                  BalanceCategory = "topup"
	BalanceOtherAdjustment        BalanceCategory = "other_adjustment"
)

// BalanceTransaction is one change of the account's balance. The balance is the sum of Net.
type BalanceTransaction struct {
	ID       string
	Category BalanceCategory
	// Amount is positive if it increases the balance. Net is Amount without Fee. All are in cents.
	Amount, Fee, Net money.Cents
	Currency         string
	// SourceID is the object that caused the change; "" if there is none. PaymentID and ChargeID are
	// set if that is a charge, a refund or a dispute, and are then the payment's. One of RefundID,
	// DisputeID and PayoutID is set if it is a refund, a dispute or a payout.
	SourceID                      string
	PaymentID, ChargeID           string
	RefundID, DisputeID, PayoutID string
	CreatedAt                     time.Time
	AvailableAt                   time.Time // when Net can be paid out
}

// BalanceQuery selects balance transactions created in the interval [From, To), to the second. A zero
// From or To does not limit it.
type BalanceQuery struct {
	From, To time.Time
	// PayoutID, if set, selects what an automatic payout consists of, together with the payout's own
	// transaction. The list is empty until the payout's ReconciliationStatus is completed. It fails
	// with code Invalid for a manual payout, whose contents the processor does not know.
	PayoutID string
	After    string // BalancePage.Next of the previous page
	Limit    int    // 1 to 100
}

// BalancePage is one page of balance transactions. Next is "" on the last page.
type BalancePage struct {
	Transactions []BalanceTransaction
	Next         string
}
