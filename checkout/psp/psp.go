// Package psp is the contract with the payment processor: what the service
// asks of it, and every answer the service has to tell apart.
//
// Adapters hang below it: sim is a stateful simulator, stripe speaks to the
// real thing. Each passes psptest. The core never sees a vendor's type.
package psp

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Version is the processor API version that every request pins. It changes
// only on purpose, with the tests that show what the change does.
const Version = "2026-02-25.clover"

// KeyHorizon is how long the processor is sure to remember an idempotency
// key. After it the same key is a new request, so a charge whose outcome is
// not known is never sent again once its first attempt is older than SafeAge.
const (
	KeyHorizon = 24 * time.Hour
	SafeAge    = 23 * time.Hour
)

// Mode separates real money from tests. Data of one mode never touches the other.
type Mode string

// The two modes.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Processor is what checkout and settlement need. Every method that changes
// something takes an idempotency key made from durable data, and sends it.
//
// Errors are *fault.Error: Invalid (refused as malformed: a fault of ours),
// NotFound, Unavailable (not known whether it ran, or try later). Charge
// answers with an Outcome instead, because settlement has to handle each.
type Processor interface {
	// Mode tells which mode the adapter's key belongs to.
	Mode() Mode

	// Account tells whose key it is, and the processor's time.
	Account(ctx context.Context) (Account, error)

	// CreateCustomer makes the customer that a card will be saved on.
	CreateCustomer(ctx context.Context, c NewCustomer) (customerID string, err error)

	// StartSetup opens a setup-mode session in which the supporter saves a card.
	// Nothing is charged.
	StartSetup(ctx context.Context, s NewSetup) (Session, error)

	// Session reads a session back, with the card it saved when it is complete.
	Session(ctx context.Context, sessionID string) (Session, error)

	// ExpireSession ends an open session, so that it can never complete, and
	// returns the session as it then stands: Complete when the supporter was
	// faster.
	ExpireSession(ctx context.Context, sessionID, key string) (Session, error)

	// Sessions lists the complete sessions of a time, whose ever they are, the newest
	// first, by pages. A session is on the list as soon as it is complete.
	Sessions(ctx context.Context, q SessionQuery) (SessionPage, error)

	// Charge creates and confirms one off-session payment. It never retries by
	// itself across Unknown.
	Charge(ctx context.Context, c NewCharge) Outcome

	// FindCharge looks for the payments of a customer that carry the settlement
	// group in their metadata, the newest first. It reads a strongly consistent
	// list, never a search index.
	FindCharge(ctx context.Context, customerID, group string) ([]Payment, error)

	// Payments lists the payments of a time, of any customer, the newest first, by
	// pages. A payment that succeeds is on the list from then on.
	Payments(ctx context.Context, q PaymentQuery) (PaymentPage, error)

	// Payment reads one payment back, with its financials where they are known.
	Payment(ctx context.Context, paymentID string) (Payment, error)

	// Approval returns what the supporter's page needs to confirm, present and in
	// person, a payment that ended as NeedsAction. It fails with code Conflict
	// when the payment no longer waits for that.
	Approval(ctx context.Context, paymentID string) (Approval, error)

	// Card reads a saved card. It fails with code NotFound when it is not there any
	// more.
	Card(ctx context.Context, paymentMethodID string) (Card, error)

	// DetachCard parts a saved card from its customer, for good: nobody can charge it any
	// more. One that is detached already stays so. It fails with code NotFound when it is
	// not there.
	DetachCard(ctx context.Context, paymentMethodID, key string) error

	// Reversals reads the refunds and disputes of a payment, both the newest first. It fails
	// with code NotFound for an unknown payment.
	Reversals(ctx context.Context, paymentID string) (Reversals, error)

	// UpdateCustomer merges entries into a customer's metadata; the others stay. An entry with
	// an empty value is removed. It fails with code NotFound for a customer that does not
	// exist or was deleted.
	UpdateCustomer(ctx context.Context, customerID, key string, metadata map[string]string) error

	// Customers lists the customers that were created in a time, the newest first, by pages.
	// A customer is on the list, with its present metadata, from its creation until it is
	// deleted.
	Customers(ctx context.Context, q CustomerQuery) (CustomerPage, error)

	// CancelPayment ends a payment that has failed, so that it can never succeed,
	// and returns it as it then stands: Succeeded when the supporter was faster,
	// Pending when the processor is still working on it.
	CancelPayment(ctx context.Context, paymentID, key string) (Payment, error)

	// Verify checks a webhook delivery against the signing secret and returns
	// what it hints at. Nothing of the payload but the hint leaves the adapter.
	// It fails with code Unauthorized when the signature does not hold, is older
	// or newer than Tolerance, or the secret is empty; with Invalid when a
	// correctly signed body is not an event.
	Verify(body []byte, signature, secret string, now time.Time) (Hint, error)
}

// Tolerance is how far a webhook's timestamp may be from the clock, either way.
const Tolerance = 5 * time.Minute

// Account is the one that the adapter's key belongs to.
type Account struct {
	ID string
	// At is the processor's clock when it answered, to the second.
	At time.Time
}

// NewCustomer asks for a customer.
type NewCustomer struct {
	Key      string // idempotency key
	Email    string
	Metadata map[string]string
}

// Customer is a customer as the processor lists it.
type Customer struct {
	ID        string
	Metadata  map[string]string
	CreatedAt time.Time
}

// CustomerQuery asks for the customers that were created from a time on and before another,
// to the second.
type CustomerQuery struct {
	From, To time.Time
	After    string // CustomerPage.Next of the page before
	Limit    int    // 1 to 100
}

// CustomerPage is one page of them. Next is "" on the last one.
type CustomerPage struct {
	Customers []Customer
	Next      string
}

// UIMode is where the supporter enters the card.
type UIMode string

// The two places.
const (
	Custom UIMode = "custom" // the processor's form, mounted on our page
	Hosted UIMode = "hosted" // the processor's page
)

// NewSetup asks for a setup session.
type NewSetup struct {
	Key        string
	CustomerID string
	UIMode     UIMode
	// ReturnURL is where custom mode comes back to; SuccessURL and CancelURL
	// are where hosted mode does. "{CHECKOUT_SESSION_ID}" in them is replaced
	// by the session's ID.
	ReturnURL  string
	SuccessURL string
	CancelURL  string
	Locale     string // "en", "es"
	Expires    time.Time
	Metadata   map[string]string // at most 50 keys of 40 characters, values of 500
}

// SessionStatus is the state of a setup session.
type SessionStatus string

// The states. Complete and Expired are final.
const (
	Open     SessionStatus = "open"
	Complete SessionStatus = "complete"
	Expired  SessionStatus = "expired"
)

// Session is a setup session.
type Session struct {
	ID           string
	Status       SessionStatus
	Mode         Mode
	ClientSecret string // custom mode only
	URL          string // hosted mode only
	Expires      time.Time
	Metadata     map[string]string
	// Set once the session is complete.
	CustomerID      string
	SetupIntentID   string
	PaymentMethodID string
	CompletedAt     time.Time // zero where the processor does not tell
	Card            CardLabel // empty where the processor does not tell
	// Email is the customer's, on a list alone.
	Email string
}

// SessionQuery asks for the sessions that were opened from a time on and before another,
// to the second.
type SessionQuery struct {
	From, To time.Time
	After    string // SessionPage.Next of the page before
	Limit    int    // 1 to 100
}

// SessionPage is one page of them. Next is "" on the last one.
type SessionPage struct {
	Sessions []Session
	Next     string
}

// CardLabel is by what somebody knows a card.
type CardLabel struct {
	Brand string // as the processor names it, such as "visa"
	Last4 string // the last four digits of its number
}

// Card is a saved card, as far as it matters whether it can be charged.
type Card struct {
	CustomerID string // "" where it is detached, and cannot be charged any more
	// It can be charged until the end of this month, by the issuer's calendar.
	ExpiresYear  int
	ExpiresMonth time.Month
}

// Expired reports whether the card has run out by then. The issuer's month may
// still last where UTC's has ended, so half a day is given.
func (c Card) Expired(then time.Time) bool {
	return then.UTC().Add(-12 * time.Hour).After(time.Date(c.ExpiresYear, c.ExpiresMonth+1, 1, 0, 0, 0, 0, time.UTC))
}

// The metadata keys under which a payment carries its settlement group, its campaign's slug
// and its pledges (see JoinPledges) at the processor.
const (
	GroupKey    = "settlementGroup"
	CampaignKey = "campaignSlug"
	PledgesKey  = "pledges"
)

// NewCharge asks for one off-session payment.
type NewCharge struct {
	Key             string
	Group           string // settlement group identity, written to the metadata
	Amount          money.Cents
	CustomerID      string
	PaymentMethodID string
	Description     string
	Metadata        map[string]string
	// NotAfter is the last moment at which the request may leave the machine:
	// past it the key may be forgotten, and the adapter answers Unknown without
	// sending anything. The zero time is past.
	NotAfter time.Time
}

// Status tells the outcomes of a charge apart.
type Status string

// Every outcome. Only Declined, NeedsAction, Canceled and Refused are known failures:
// after them, and only then, a new attempt may be made under a new key. After
// NeedsAction the same payment can still be confirmed by the supporter, so it
// has to be canceled first.
const (
	Succeeded   Status = "succeeded"    // the money moved
	Declined    Status = "declined"     // refused by the issuer, or the card is gone; this attempt is over
	NeedsAction Status = "needs_action" // the issuer wants the supporter present; this attempt is over
	Canceled    Status = "canceled"     // ended for good, whoever tries to confirm it
	Pending     Status = "pending"      // the processor is still working on it; read it later
	NotStarted  Status = "not_started"  // not begun by this request; the same key may be sent again
	Refused     Status = "refused"      // the request itself is not accepted (400 and similar); nothing began, and repeating it is useless
	Unknown     Status = "unknown"      // no usable answer; ask, or send the same key within SafeAge
	Mismatch    Status = "mismatch"     // the key is known with another request: a fault of ours
)

// Outcome is the answer to Charge.
type Outcome struct {
	Status  Status
	Payment Payment // set where the processor named one
	// Code and DeclineCode are the processor's own, for the operator.
	Code        string
	DeclineCode string
	// MayPass says that a Declined one may succeed later with the same card.
	MayPass   bool
	RequestID string
	// RetryAfter is the processor's advice, with NotStarted; zero where it gives none.
	RetryAfter time.Duration
	// Barred says, with NotStarted, that the processor refuses the service's key or
	// account: no other charge will do better.
	Barred bool
}

// Payment is one payment at the processor.
type Payment struct {
	ID         string
	Status     Status      // Succeeded, Declined, NeedsAction, Canceled or Pending
	Amount     money.Cents // cents, as requested
	Received   money.Cents // cents that were captured; 0 until it succeeds
	Currency   string
	Mode       Mode
	CustomerID string
	// PaymentMethodID is the card that paid, was declined or waits for its holder, "" where the
	// processor names none.
	PaymentMethodID string
	Group, Campaign string   // from the metadata: GroupKey and CampaignKey
	Pledges         []string // PledgesKey; nil if the payment names none
	ChargeID        string
	CreatedAt       time.Time
	Financials      Financials
	// Refunded is how much was refunded so far, in cents, and Disputed reports whether the
	// payment was ever disputed. Reversals has the details.
	Refunded money.Cents
	Disputed bool
	// Why the last attempt at it failed, as in an Outcome.
	Code, DeclineCode string
	MayPass           bool
}

// Reversals are the refunds and disputes of a payment, both the newest first.
type Reversals struct {
	Refunds  []Refund
	Disputes []Dispute
}

// Refunded is the sum of the refunds that succeeded or are under way, in cents.
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

// The states, as the processor names them. Pending and RequiresAction may still change;
// a succeeded refund may fail later.
const (
	RefundStatusPending        RefundStatus = "pending"
	RefundStatusRequiresAction RefundStatus = "requires_action"
	RefundStatusSucceeded      RefundStatus = "succeeded"
	RefundStatusFailed         RefundStatus = "failed"
	RefundStatusCanceled       RefundStatus = "canceled"
)

// Refund is money on its way back to the supporter.
type Refund struct {
	ID        string
	Amount    money.Cents // cents
	Currency  string
	Status    RefundStatus
	Reason    string // as the processor names it, "" for none
	CreatedAt time.Time
}

// DisputeStatus is the state of a dispute.
type DisputeStatus string

// The states, as the processor names them. WarningClosed, Won, Lost and Prevented are final.
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

// Dispute is a supporter's complaint to their bank about a payment.
type Dispute struct {
	ID        string
	Amount    money.Cents // cents
	Currency  string
	Status    DisputeStatus
	Reason    string // as the processor names it, such as "fraudulent"
	CreatedAt time.Time
	// EvidenceDueBy is when evidence must have been submitted; zero where none can be.
	EvidenceDueBy time.Time
}

// Approval lets the supporter's page confirm a payment. It leaves the service
// only to the supporter.
type Approval struct {
	PaymentID       string
	ClientSecret    string
	PaymentMethodID string
	Amount          money.Cents
	Currency        string
}

// PaymentQuery asks for the payments that were created from a time on and before
// another, to the second.
type PaymentQuery struct {
	From, To time.Time
	After    string // PaymentPage.Next of the page before
	Limit    int    // 1 to 100
}

// PaymentPage is one page of them. Next is "" on the last one.
type PaymentPage struct {
	Payments []Payment
	Next     string
}

// Financials are what a payment brought, known once the processor has booked
// it; until then BalanceTransactionID is "".
type Financials struct {
	BalanceTransactionID string
	Gross, Fee, Net      money.Cents
	AvailableAt          time.Time
}
