// Package psptest is the contract test for implementations of psp.Processor. It tests every
// guarantee of the interface, so it needs a processor into which faults can be injected: the
// simulator, either in process or behind a real client library.
//
// An adapter's test calls [Run] with a [Harness]:
//
//	func TestContract(t *testing.T) {
//		psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
//			b := psptest.NewSimBench(nil)
//			return newAdapter(t, b), b
//		}})
//	}
package psptest

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Harness creates the processors under test.
type Harness struct {
	// New returns an adapter in test mode and the bench of its processor, with
	// empty books. It is called once per test.
	New func(t testing.TB) (psp.Processor, Bench)
}

// Bench gives the suite access to the processor behind the adapter.
type Bench interface {
	// Now returns the time of the adapter and of the processor.
	Now() time.Time
	// Advance moves that clock.
	Advance(d time.Duration)
	// Complete enters a card into an open session, as the supporter would.
	Complete(t testing.TB, sessionID string, card Card)
	// Authenticate completes the authentication of a payment that requires it.
	Authenticate(t testing.TB, paymentID string)
	// Detach detaches a card from its customer at the processor.
	Detach(t testing.TB, paymentMethodID string)
	// DeleteCustomer deletes a customer at the processor.
	DeleteCustomer(t testing.TB, customerID string)
	// Refund refunds part of a payment.
	Refund(t testing.TB, paymentID string, amount money.Cents) (refundID string)
	// FailRefund makes a pending or succeeded refund fail.
	FailRefund(t testing.TB, refundID string)
	// Dispute opens a dispute about part of a payment. After a won dispute, a
	// payment can be disputed again.
	Dispute(t testing.TB, paymentID string, amount money.Cents) (disputeID string)
	// CloseDispute decides a dispute.
	CloseDispute(t testing.TB, disputeID string, won bool)
	// OpenInquiry opens an inquiry about part of a payment, during which the payment can be refunded if
	// refundable is set.
	OpenInquiry(t testing.TB, paymentID string, amount money.Cents, refundable bool) (disputeID string)
	// MoveDispute changes a dispute's state, as the network or submitted evidence would.
	MoveDispute(t testing.TB, disputeID string, to psp.DisputeStatus)
	// WarnOfFraud creates an early fraud warning about a payment.
	WarnOfFraud(t testing.TB, paymentID string) (warningID string)
	// AutomaticPayout pays out everything that is available.
	AutomaticPayout(t testing.TB) (payoutID string)
	// ManualPayout pays out an amount that is available.
	ManualPayout(t testing.TB, amount money.Cents) (payoutID string)
	// FailPayout makes a payout fail, even if it was paid.
	FailPayout(t testing.TB, payoutID string)
	// Adjust changes the balance by an amount without a charge, refund, dispute or payout. The category
	// may be unknown to the service.
	Adjust(t testing.TB, category string, amount money.Cents) (transactionID string)
	// Break injects a fault into the next call. Repeated calls of Break affect the following calls.
	Break(t testing.TB, fault Fault)
	// Clear removes pending faults.
	Clear()
	// Received returns the number of requests that have reached the processor.
	Received() int
	// Books returns the successful charges in the processor's books.
	Books() []Entry
	// Delivery returns the webhook about the latest event of a type, signed now with Secret. It
	// fails the test if there is none.
	Delivery(t testing.TB, event psp.EventType) (body []byte, signature string)
	// Sign signs a body as the processor would at the given time.
	Sign(body []byte, secret string, at time.Time) string
	// Secret returns the signing secret of the processor's endpoint.
	Secret() string
}

// Labeller is a Bench whose processor includes the card's label in sessions.
type Labeller interface {
	Bench
	// Label returns the label of a Good card.
	Label() psp.CardLabel
}

// Card is a card with known behavior.
type Card string

// The cards that the suite uses.
const (
	Good          Card = "good"          // every charge succeeds
	Refused       Card = "refused"       // can be saved; every charge is permanently declined
	Poor          Card = "poor"          // can be saved; every charge lacks funds
	Authenticated Card = "authenticated" // can be saved; every charge requires authentication
	Passing       Card = "passing"       // can be saved; expires at the end of the month
	Slow          Card = "slow"          // Pending for an hour, then succeeds
	Partial       Card = "partial"       // succeeds, but only PartialCapture of every charge is captured
	SlowRefund    Card = "slow_refund"   // succeeds; refunds are pending for up to an hour
)

// PartialCapture is the captured amount of a charge of a Partial card.
const PartialCapture money.Cents = 5000

// Fault is a fault in one call.
type Fault string

// The faults.
const (
	RequestLost Fault = "request_lost" // the request does not reach the processor
	AnswerLost  Fault = "answer_lost"  // the request runs, and the response is lost
	AnswerCut   Fault = "answer_cut"   // the request runs, and the response is truncated
	AnswerBad   Fault = "answer_bad"   // the request runs, and the response is not JSON
	Broken      Fault = "broken"       // 500, stored under the key; nothing is created
	BrokenAfter Fault = "broken_after" // 500, although the request ran
	Proxy       Fault = "proxy"        // a proxy's HTML page instead of a response
	Limited     Fault = "limited"      // 429; nothing is created
	Locked      Fault = "locked"       // 429 for a locked object; nothing is created
	InUse       Fault = "in_use"       // 409; a request with the same key is in progress
	Barred      Fault = "barred"       // 401; the service's key is rejected
	Challenged  Fault = "challenged"   // 402; authentication is required, indicated only by the decline code
	NotAccepted Fault = "not_accepted" // 400; the request is rejected; nothing is created

	// The request runs, and one field of the response is wrong.
	WrongAmount   Fault = "wrong_amount"
	WrongReceived Fault = "wrong_received" // less than was captured
	WrongCustomer Fault = "wrong_customer"
	WrongCard     Fault = "wrong_card"
	WrongGroup    Fault = "wrong_group"
	WrongMode     Fault = "wrong_mode"
)

// Entry is a successful charge in the processor's books.
type Entry struct {
	PaymentID, CustomerID, Group string
	Amount                       money.Cents
}

// check tests one guarantee of the interface.
type check struct {
	name string
	run  func(t testing.TB, p psp.Processor, b Bench)
}

// Run tests an adapter.
func Run(t *testing.T, h Harness) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			p, b := h.New(t)
			c.run(t, p, b)
		})
	}
}

var checks = []check{
	{"mode", mode},
	{"account: stable ID, advancing clock", accountRead},
	{"customer: same key", customerKey},
	{"keys required", keyRequired},
	{"setup: custom session", setupCustom},
	{"setup: hosted session", setupHosted},
	{"setup: same key", setupKey},
	{"setup: no charge", setupNotCharged},
	{"setup: complete session", setupComplete},
	{"setup: expiry", setupExpires},
	{"setup: unknown IDs", unknownIDs},
	{"expire: open session", expireOpen},
	{"expire: complete session", expireLate},
	{"expire: expired session", expireTwice},
	{"no response", unavailable},
	{"canceled context", canceledCalls},
	{"charge: success", chargeSucceeds},
	{"charge: same key", chargeKey},
	{"charge: same key, different request", chargeMismatch},
	{"charge: declined", chargeDeclined},
	{"charge: temporary decline", chargeTemporaryDecline},
	{"charge: authentication required", chargeNeedsAction},
	{"charge: authentication required by decline code", chargeChallenged},
	{"charge: pending, then succeeded", chargePending},
	{"charge: replayed decline", chargeDeclineKey},
	{"charge: faults before the start", chargeNotStarted},
	{"charge: API key rejected", chargeBarred},
	{"charge: faults with an unknown outcome", chargeUnknown},
	{"charge: malformed requests", chargeMalformed},
	{"charge: rejected request", chargeRefused},
	{"charge: false responses", chargeMismatchReturned},
	{"charge: partial capture", chargePartial},
	{"charge: missing card", chargeGone},
	{"charge: missing key or group", chargeMissingKey},
	{"charge: NotAfter", chargeNotAfter},
	{"charge: no retries", chargeOnce},
	{"charge: canceled context", chargeCanceled},
	{"find: payments of the group", findGroup},
	{"find: several pages", findPages},
	{"find: no payments", findNothing},
	{"payments: list", paymentsListed},
	{"sessions: list", sessionsListed},
	{"payments: no response", paymentsUnanswered},
	{"payment: financials", financials},
	{"payment: refunded amount", refundedTotals},
	{"payment: disputed", disputedFlag},
	{"refund: accepted", refundAccepted},
	{"refund: same key", refundKey},
	{"refund: same key, different request", refundMismatch},
	{"refund: states", refundStates},
	{"refund: rejected", refundRefused},
	{"refund: faults before the start", refundNotStarted},
	{"refund: API key rejected", refundBarred},
	{"refund: faults with an unknown outcome", refundUnknown},
	{"refund: missing key or ID", refundMissingKey},
	{"refund: NotAfter", refundNotAfter},
	{"refund: no retries", refundOnce},
	{"refund: canceled context", refundCanceled},
	{"refund: false response", refundMismatchReturned},
	{"reversals: list", reversalsListed},
	{"reversals: states", reversalStates},
	{"reversals: none", reversalsNone},
	{"balance: sources", balanceSources},
	{"balance: pages and range", balancePages},
	{"balance: automatic payout", balanceOfPayout},
	{"disputes: list", disputesListed},
	{"disputes: states", disputeStates},
	{"payouts: list", payoutsListed},
	{"fraud warnings: list", warningsListed},
	{"customer: merged metadata", customerUpdated},
	{"customer: update with the same key", customerUpdateKey},
	{"customer: update of a missing customer", customerMissing},
	{"customers: list", customersListed},
	{"errors without messages", errorsWithoutMessage},
	{"card: customer and expiry", cardRead},
	{"card: detached or unknown", cardMissing},
	{"card: detach", cardDetached},
	{"card: detach without response", detachUnanswered},
	{"approval: authentication", approvalConfirmed},
	{"approval: other payments", approvalOfOtherPayments},
	{"cancel: final", cancelEnds},
	{"cancel: already succeeded", cancelLate},
	{"cancel: pending", cancelPending},
	{"cancel: no response", cancelUnanswered},
	{"verify: valid delivery", verifyValid},
	{"verify: tolerance", verifyTolerance},
	{"verify: empty secret", verifyEmptySecret},
	{"verify: wrong secret", verifySecret},
	{"verify: modified body", verifyBytes},
	{"verify: invalid headers", verifyHeaders},
	{"verify: several signatures", verifyRotation},
	{"verify: body is not an event", verifyNoEvent},
}
