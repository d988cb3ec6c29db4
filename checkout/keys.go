package checkout

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// The keys of this package's records, all in the primary namespace.

// intentKey holds an Intent.
func intentKey(orderID string) string { return "checkout-intent:" + orderID }

// extrasKey holds what a checkout that is under way has beside tiers.
func extrasKey(orderID string) string { return "pending-extras:" + orderID }

// tiersKey holds the tiers of a checkout that is under way.
func tiersKey(orderID string) string { return "pending-tiers:" + orderID }

// attemptKey holds which order a start under a client's secret has made.
func attemptKey(attempt string) string {
	sum := sha256.Sum256([]byte(attempt))
	return "checkout-attempt:" + hex.EncodeToString(sum[:])
}

// eventKey marks a webhook event as processed.
func eventKey(eventID string) string { return "psp-event:" + eventID }

// approvalKey notes that a payment's supporter was given the means to confirm it.
func approvalKey(paymentID string) string { return "payment-approval:" + paymentID }

// backfillKey holds where the search for missing customers goes on.
func backfillKey(slug string) string { return "backfill-customers:" + slug }

// How long records are kept.
const (
	eventLife  = 35 * 24 * time.Hour
	intentLife = 35 * 24 * time.Hour // after the checkout's end
)
