// Package psptest is the suite that every adapter of psp.Processor passes. It
// turns each promise of the contract into a test, so it needs a processor that
// can be told to misbehave: the simulator, in process or at the other end of a
// real client library.
package psptest

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Harness makes what the suite tests.
type Harness struct {
	// New returns an adapter in test mode and the bench that its processor
	// stands on, with nothing in its books. It is called once for every test.
	New func(t testing.TB) (psp.Processor, Bench)
}

// Bench is how the suite reaches behind the adapter.
type Bench interface {
	// Now is the clock of the adapter and of the processor.
	Now() time.Time
	// Advance moves that clock.
	Advance(d time.Duration)
	// Complete enters a card into an open session, as the supporter would.
	Complete(t testing.TB, sessionID string, card Card)
	// Authenticate has the supporter confirm a payment that wants it.
	Authenticate(t testing.TB, paymentID string)
	// Detach parts a card from its customer at the processor.
	Detach(t testing.TB, paymentMethodID string)
	// DeleteCustomer deletes a customer at the processor.
	DeleteCustomer(t testing.TB, customerID string)
	// Refund returns part of a payment to the supporter.
	Refund(t testing.TB, paymentID string, amount money.Cents) (refundID string)
	// FailRefund makes a refund fail, whether it is pending or had succeeded.
	FailRefund(t testing.TB, refundID string)
	// Dispute has the supporter's bank dispute part of a payment. One that is disputed
	// already is disputed again once the dispute was won.
	Dispute(t testing.TB, paymentID string, amount money.Cents) (disputeID string)
	// CloseDispute has the bank decide a dispute.
	CloseDispute(t testing.TB, disputeID string, won bool)
	// Break makes the next call meet a fault; called again, the one after it too.
	Break(t testing.TB, fault Fault)
	// Clear forgets the faults that no call has met.
	Clear()
	// Received counts the requests that have reached the processor.
	Received() int
	// Books lists the successful charges by the processor's own account.
	Books() []Entry
	// Delivery returns the webhook that the processor sends about the latest
	// event of a type, signed now with Secret, or fails the test.
	Delivery(t testing.TB, event psp.EventType) (body []byte, signature string)
	// Sign signs any body as the processor would at a time.
	Sign(body []byte, secret string, at time.Time) string
	// Secret is the signing secret of the processor's endpoint.
	Secret() string
}

// Labeller is a Bench whose processor tells with a session by what its card is known.
type Labeller interface {
	Bench
	// Label is that of a Good card.
	Label() psp.CardLabel
}

// Card is a card whose behaviour is known.
type Card string

// The cards that the suite uses.
const (
	Good          Card = "good"          // every charge passes
	Refused       Card = "refused"       // saves, and every charge is refused for good
	Poor          Card = "poor"          // saves, and every charge is refused for want of funds
	Authenticated Card = "authenticated" // saves, and every charge wants the supporter present
	Passing       Card = "passing"       // saves, and runs out with the month
	Slow          Card = "slow"          // is Pending for an hour and then passes
	Partial       Card = "partial"       // passes, and PartialCapture of every charge is captured
	SlowRefund    Card = "slow_refund"   // passes, and its refunds are pending for an hour at most
)

// PartialCapture is what is captured of a charge of a Partial card.
const PartialCapture money.Cents = 5000

// Fault is something that befalls one call.
type Fault string

// The faults that the suite orders.
const (
	RequestLost Fault = "request_lost" // nothing reaches the processor
	AnswerLost  Fault = "answer_lost"  // the work is done, and the answer is lost
	AnswerCut   Fault = "answer_cut"   // the work is done, and the answer ends half way
	AnswerBad   Fault = "answer_bad"   // the work is done, and the answer is not JSON
	Broken      Fault = "broken"       // 500, nothing is made, and the key remembers it
	BrokenAfter Fault = "broken_after" // 500, though the work is done
	Proxy       Fault = "proxy"        // a proxy's HTML page instead of an answer
	Limited     Fault = "limited"      // 429, nothing is made
	Locked      Fault = "locked"       // 429 over a locked object, nothing is made
	InUse       Fault = "in_use"       // 409, the key is being worked on
	Barred      Fault = "barred"       // 401, the service's key is refused
	Challenged  Fault = "challenged"   // 402, the supporter is wanted, said as a decline code alone
	NotAccepted Fault = "not_accepted" // 400, the request is not accepted, nothing is made

	// Answers that are wrong in one field, though the work is done.
	WrongAmount   Fault = "wrong_amount"
	WrongReceived Fault = "wrong_received" // less than was captured
	WrongCustomer Fault = "wrong_customer"
	WrongCard     Fault = "wrong_card"
	WrongGroup    Fault = "wrong_group"
	WrongMode     Fault = "wrong_mode"
)

// Entry is one successful charge in the processor's books.
type Entry struct {
	PaymentID, CustomerID, Group string
	Amount                       money.Cents
}

// check is one promise of the contract.
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
	{"account: its name stays, and its clock goes", accountTold},
	{"customer: the same key gives the same customer", customerKey},
	{"calls that change something need a key", keyNeeded},
	{"setup: a custom session is open and knows its way back", setupCustom},
	{"setup: a hosted session has a page", setupHosted},
	{"setup: the same key gives the same session", setupKey},
	{"setup: nothing is charged", setupFree},
	{"setup: a complete session names the card", setupComplete},
	{"setup: a session ends by itself", setupExpires},
	{"setup: unknown names are not found", unknownNames},
	{"expire: an open session ends", expireOpen},
	{"expire: a complete session stays complete", expireLate},
	{"expire: an expired session can be expired again", expireTwice},
	{"a processor without an answer is unavailable", unavailable},
	{"a cancelled context is unavailable", canceledCalls},
	{"charge: succeeds once, with what was asked", chargeSucceeds},
	{"charge: the same key charges once", chargeKey},
	{"charge: the same key with another request is a mismatch", chargeMismatch},
	{"charge: refused", chargeDeclined},
	{"charge: a refusal that may pass", chargeMayPass},
	{"charge: the supporter is wanted", chargeNeedsAction},
	{"charge: the supporter is wanted, said the other way", chargeChallenged},
	{"charge: pending, then succeeded", chargePending},
	{"charge: a refusal is remembered under its key", chargeDeclineKey},
	{"charge: faults after which nothing was begun", chargeNotStarted},
	{"charge: a key that is refused", chargeBarred},
	{"charge: faults after which nobody knows", chargeUnknown},
	{"charge: what is malformed is not begun", chargeMalformed},
	{"charge: a request that is not accepted", chargeRefused},
	{"charge: the payment of the answer, not of the request", chargeReported},
	{"charge: captured in part", chargePartial},
	{"charge: a card that is gone", chargeGone},
	{"charge: without key or group nothing is sent", chargeNameless},
	{"charge: not after NotAfter", chargeNotAfter},
	{"charge: never repeated by itself", chargeOnce},
	{"charge: a cancelled context is not an answer", chargeCanceled},
	{"find: only the group's payments, the newest first", findGroup},
	{"find: beyond one page", findPages},
	{"find: nothing", findNothing},
	{"payments: those of a time, whose ever they are, page by page", paymentsListed},
	{"sessions: the complete ones of a time, whose ever they are, page by page", sessionsListed},
	{"payments: nobody answers", paymentsUnanswered},
	{"payment: financials add up", financials},
	{"payment: how much was refunded", refundedTotals},
	{"payment: disputed, for good", disputedFlag},
	{"reversals: all of them, the newest first", reversalsListed},
	{"reversals: their states", reversalStates},
	{"reversals: none, and those of an unknown payment", reversalsNone},
	{"customer: entries are merged", customerUpdated},
	{"customer: an update happens once", customerUpdateKey},
	{"customer: only one that exists is updated", customerMissing},
	{"customers: those of a time, page by page", customersListed},
	{"errors carry no message of the processor", errorsWithoutMessage},
	{"card: its customer and its last month", cardRead},
	{"card: detached, and never there", cardGone},
	{"card: forgotten, and never charged again", cardForgotten},
	{"card: forgetting without an answer", forgetUnanswered},
	{"approval: the supporter confirms the same payment, once", approval},
	{"approval: only of a payment that waits for it", approvalNotWanted},
	{"cancel: a payment never succeeds after it", cancelEnds},
	{"cancel: the supporter was faster", cancelLate},
	{"cancel: the processor is still working", cancelPending},
	{"cancel: without an answer", cancelUnanswered},
	{"verify: a delivery holds", verifyHolds},
	{"verify: the tolerance, either way", verifyTolerance},
	{"verify: an empty secret holds nothing", verifyEmptySecret},
	{"verify: another secret", verifySecret},
	{"verify: changed bytes", verifyBytes},
	{"verify: broken headers", verifyHeaders},
	{"verify: one of several signatures", verifyRotation},
	{"verify: a signed body that is no event", verifyNoEvent},
}
