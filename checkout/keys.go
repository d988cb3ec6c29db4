package checkout

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Keys of this package's records, all in the primary namespace.

// intentKey holds an Intent.
func intentKey(orderID string) string { return "checkout-intent:" + orderID }

// extrasKey holds the items other than tiers of a checkout in progress.
func extrasKey(orderID string) string { return "pending-extras:" + orderID }

// tiersKey holds the tiers of a checkout in progress.
func tiersKey(orderID string) string { return "pending-tiers:" + orderID }

// attemptKey holds the order that a start created, under the hash of the client's attempt secret.
func attemptKey(attempt string) string {
	sum := sha256.Sum256([]byte(attempt))
	return "checkout-attempt:" + hex.EncodeToString(sum[:])
}

// eventKey marks a webhook event as processed.
func eventKey(eventID string) string { return "psp-event:" + eventID }

// approvalKey marks a payment whose client secret was given to its supporter.
func approvalKey(paymentID string) string { return "payment-approval:" + paymentID }

// backfillKey holds the position at which BackfillCustomers continues.
func backfillKey(slug string) string { return "backfill-customers:" + slug }

// Retention of records.
const (
	eventLife  = 35 * 24 * time.Hour
	intentLife = 35 * 24 * time.Hour // after the checkout's end
)
