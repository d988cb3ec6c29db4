// Package psp defines the interface to the payment processor: the requests that the service makes
// and every result that it has to distinguish.
//
// Adapters are in subpackages. Package sim is a stateful simulator; packages stripe and rest send
// requests to the real processor. Each adapter passes the contract test in package psptest and
// exports no type of a vendor's library.
//
// # Idempotency
//
// Every method that changes something takes an idempotency key derived from durable data. The
// processor forgets keys after [KeyHorizon], so a charge or refund with an unknown result is never
// sent again after [SafeAge].
//
// # Errors
//
// All methods except [Processor.Charge] and [Processor.Refund] return errors of package fault.
// Charge returns an [Outcome] and Refund a [RefundOutcome], because their callers handle each result
// differently.
package psp

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Version is the processor API version that every request pins. Change it
// deliberately, together with tests that show the effect.
const Version = "2026-02-25.clover"

// KeyHorizon is how long the processor is guaranteed to remember an idempotency
// key. After that the same key makes a new request, so a charge with an unknown
// outcome is never sent again once its first attempt is older than SafeAge.
const (
	KeyHorizon = 24 * time.Hour
	SafeAge    = 23 * time.Hour
)

// EvidenceLife is how long the records that explain a charge are kept: processor events, the Store's
// copies of settlement groups and jobs, and reconciliation breaks. With some card networks a
// supporter can dispute a charge as not received until 540 days after it, and the decision takes
// months.
const EvidenceLife = 730 * 24 * time.Hour

// Mode distinguishes live data from test data. Data of the two modes is never mixed.
type Mode string

// The modes.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Processor is the interface that checkout and settlement use. Every method that changes something
// takes an idempotency key derived from durable data and sends it.
//
// Errors are *fault.Error: Invalid (rejected as malformed, a bug in the service), NotFound, or
// Unavailable (the request may or may not have been executed, or has to be retried later), and the
// codes that a method documents. Charge and Refund return an outcome instead, because their callers
// handle each result differently.
type Processor interface {
	// Mode returns the mode of the adapter's key.
	Mode() Mode

	// Account returns the account of the adapter's key and the processor's time.
	Account(ctx context.Context) (Account, error)

	// CreateCustomer creates the customer for whom a card will be saved.
	CreateCustomer(ctx context.Context, c NewCustomer) (customerID string, err error)

	// StartSetup opens a setup-mode session in which the supporter saves a card.
	// Nothing is charged.
	StartSetup(ctx context.Context, s NewSetup) (Session, error)

	// Session reads a session, including its saved card if it is complete.
	Session(ctx context.Context, sessionID string) (Session, error)

	// ExpireSession expires an open session, so that it can never complete, and returns the
	// session's final state: Complete if the supporter saved a card first.
	ExpireSession(ctx context.Context, sessionID, key string) (Session, error)

	// Sessions lists complete sessions of the account by creation time, newest
	// first, in pages. A session is listed as soon as it is complete. The list
	// includes sessions of other services.
	Sessions(ctx context.Context, q SessionQuery) (SessionPage, error)

	// Charge creates and confirms one off-session payment. It never repeats the request after
	// Unknown.
	Charge(ctx context.Context, c NewCharge) Outcome

	// FindCharge returns a customer's payments whose metadata contains the
	// settlement group, newest first. It reads a strongly consistent list, not a
	// search index.
	FindCharge(ctx context.Context, customerID, group string) ([]Payment, error)

	// Payments lists payments of all customers by creation time, newest first, in
	// pages. A payment is listed as soon as it succeeds.
	Payments(ctx context.Context, q PaymentQuery) (PaymentPage, error)

	// Payment reads one payment, with its financials if they are known.
	Payment(ctx context.Context, paymentID string) (Payment, error)

	// Approval returns the data that the supporter's page needs to authenticate a payment whose
	// status is NeedsAction. It fails with code Conflict if the payment no longer awaits
	// authentication.
	Approval(ctx context.Context, paymentID string) (Approval, error)

	// Card reads a saved card. It fails with code NotFound if the card no longer
	// exists.
	Card(ctx context.Context, paymentMethodID string) (Card, error)

	// DetachCard permanently detaches a saved card from its customer, so that it
	// can no longer be charged. Detaching it again has no effect. It fails with
	// code NotFound if the card does not exist.
	DetachCard(ctx context.Context, paymentMethodID, key string) error

	// Reversals reads the refunds and disputes of a payment, newest first. It
	// fails with code NotFound for an unknown payment.
	Reversals(ctx context.Context, paymentID string) (Reversals, error)

	// Refund refunds part of a payment. Like Charge, it sends the request once and never repeats it
	// after Unknown. Reversals lists the refund if it was created.
	Refund(ctx context.Context, r NewRefund) RefundOutcome

	// BalanceTransactions lists the changes of the account's balance, newest first, in pages. A
	// change is listed as soon as it is booked.
	BalanceTransactions(ctx context.Context, q BalanceQuery) (BalancePage, error)

	// Disputes lists the disputes of all payments by creation time, newest first, in pages.
	Disputes(ctx context.Context, q DisputeQuery) (DisputePage, error)

	// Payouts lists the payouts of the account by creation time, newest first, in pages.
	Payouts(ctx context.Context, q PayoutQuery) (PayoutPage, error)

	// FraudWarnings lists the early fraud warnings about all payments by creation time, newest first,
	// in pages.
	FraudWarnings(ctx context.Context, q FraudWarningQuery) (FraudWarningPage, error)

	// UpdateCustomer merges entries into a customer's metadata and keeps the
	// others. An entry with an empty value is removed. It fails with code
	// NotFound for a customer that does not exist or was deleted.
	UpdateCustomer(ctx context.Context, customerID, key string, metadata map[string]string) error

	// Customers lists customers by creation time, newest first, in pages. A
	// customer is listed with its current metadata from its creation until it is
	// deleted.
	Customers(ctx context.Context, q CustomerQuery) (CustomerPage, error)

	// CancelPayment cancels a failed payment, so that it can never succeed, and returns its
	// resulting state: Succeeded if the supporter completed it first, Pending if the processor is
	// still processing it.
	CancelPayment(ctx context.Context, paymentID, key string) (Payment, error)

	// Verify checks a webhook delivery against the signing secret and returns the hint from its
	// payload. It fails with code Unauthorized if the signature is invalid or outside of Tolerance,
	// or the secret is empty, and with Invalid if a correctly signed body is not an event.
	Verify(body []byte, signature, secret string, now time.Time) (Hint, error)
}

// Tolerance is the maximum difference between a webhook's timestamp and the
// clock, in either direction.
const Tolerance = 5 * time.Minute

// Account is the account of the adapter's key.
type Account struct {
	ID string
	// At is the processor's time of the response, to the second.
	At time.Time
}

// NewCustomer describes a customer to create.
type NewCustomer struct {
	Key      string // idempotency key
	Email    string
	Metadata map[string]string
}

// Customer is an entry of the customer list.
type Customer struct {
	ID        string
	Metadata  map[string]string
	CreatedAt time.Time
}

// CustomerQuery selects customers created in the interval [From, To), to the
// second.
type CustomerQuery struct {
	From, To time.Time
	After    string // CustomerPage.Next of the previous page
	Limit    int    // 1 to 100
}

// CustomerPage is one page of customers. Next is "" on the last page.
type CustomerPage struct {
	Customers []Customer
	Next      string
}

// UIMode selects where the supporter enters the card.
type UIMode string

// The UI modes.
const (
	Custom UIMode = "custom" // the processor's form, mounted on our page
	Hosted UIMode = "hosted" // the processor's page
)

// NewSetup describes a setup session to create.
type NewSetup struct {
	Key        string
	CustomerID string
	UIMode     UIMode
	// ReturnURL is used in custom mode, SuccessURL and CancelURL in hosted mode.
	// "{CHECKOUT_SESSION_ID}" in them is replaced with the session's ID.
	ReturnURL  string
	SuccessURL string
	CancelURL  string
	Locale     string // "en", "es"
	Expires    time.Time
	Metadata   map[string]string // at most 50 keys of 40 characters, values of 500
}

// SessionStatus is the state of a setup session.
type SessionStatus string

// The session states. Complete and Expired are final.
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
	CompletedAt     time.Time // zero if the processor does not report it
	Card            CardLabel // empty if the processor does not report it
	// Email is the customer's; set only in lists.
	Email string
}

// SessionQuery selects sessions opened in the interval [From, To), to the second.
type SessionQuery struct {
	From, To time.Time
	After    string // SessionPage.Next of the previous page
	Limit    int    // 1 to 100
}

// SessionPage is one page of sessions. Next is "" on the last page.
type SessionPage struct {
	Sessions []Session
	Next     string
}

// CardLabel identifies a card to its holder.
type CardLabel struct {
	Brand string // as the processor names it, such as "visa"
	Last4 string // the last four digits of its number
}

// Card is a saved card with the data that determines whether it can be charged.
type Card struct {
	CustomerID string // "" if the card is detached and can no longer be charged
	// The card can be charged until the end of this month in the issuer's time
	// zone.
	ExpiresYear  int
	ExpiresMonth time.Month
}

// Expired reports whether the card has expired at the given time. It allows half a day,
// because the month may end later in the issuer's time zone than in UTC.
func (c Card) Expired(then time.Time) bool {
	return then.UTC().Add(-12 * time.Hour).After(time.Date(c.ExpiresYear, c.ExpiresMonth+1, 1, 0, 0, 0, 0, time.UTC))
}

// The payment metadata keys for the settlement group, the campaign's slug and the
// pledges (see JoinPledges).
const (
	GroupKey    = "settlementGroup"
	CampaignKey = "campaignSlug"
	PledgesKey  = "pledges"
)

// NewCharge describes one off-session payment.
type NewCharge struct {
	Key             string
	Group           string // settlement group ID, stored in the metadata
	Amount          money.Cents
	CustomerID      string
	PaymentMethodID string
	Description     string
	Metadata        map[string]string
	// NotAfter is the last moment at which the request may be sent. After that the processor may
	// have forgotten the key, so the adapter returns Unknown without sending anything. The zero
	// time counts as past.
	NotAfter time.Time
}

// Status is the outcome of a charge or refund.
type Status string

// The outcomes. Only Declined, NeedsAction, Canceled and Refused are known
// failures: only after them may a new attempt be made under a new key. After
// NeedsAction the supporter can still confirm the same payment, so it has to be
// canceled first.
const (
	Succeeded   Status = "succeeded"    // the money moved
	Declined    Status = "declined"     // declined by the issuer, or the card no longer exists; final for this attempt
	NeedsAction Status = "needs_action" // the issuer requires authentication; final for this attempt
	Canceled    Status = "canceled"     // canceled; it can never be confirmed
	Pending     Status = "pending"      // in progress; read it later
	NotStarted  Status = "not_started"  // not started by this request; the same key may be sent again
	// the request was rejected (400 and similar); nothing started, and retrying is useless
	Refused  Status = "refused"
	Unknown  Status = "unknown"  // no usable response; look it up, or send the same key within SafeAge
	Mismatch Status = "mismatch" // the key was used with a different request, a bug in the service
	Accepted Status = "accepted" // of a refund: it was created; RefundOutcome.Refund has its own state
)

// Outcome is the result of Charge.
type Outcome struct {
	Status  Status
	Payment Payment // set if the response contains a payment
	// Code and DeclineCode are the processor's codes, shown to operators.
	Code        string
	DeclineCode string
	// MayPass reports whether a Declined charge may succeed later with the same
	// card.
	MayPass   bool
	RequestID string
	// RetryAfter is the delay that the processor requests with NotStarted; zero if it requests
	// none.
	RetryAfter time.Duration
	// Barred is set, with NotStarted, if the processor rejects the service's key or account. Then
	// other charges fail too.
	Barred bool
}

// Payment is one payment at the processor.
type Payment struct {
	ID         string
	Status     Status      // Succeeded, Declined, NeedsAction, Canceled or Pending
	Amount     money.Cents // cents, as requested
	Received   money.Cents // cents captured; 0 until it succeeds
	Currency   string
	Mode       Mode
	CustomerID string
	// PaymentMethodID is the card that paid, was declined or awaits
	// authentication; "" if the processor does not report it.
	PaymentMethodID string
	Group, Campaign string   // from the metadata: GroupKey and CampaignKey
	Pledges         []string // PledgesKey; nil if the payment has none
	ChargeID        string
	CreatedAt       time.Time
	Financials      Financials
	// Refunded is the amount refunded so far, in cents. Disputed reports whether
	// the payment was ever disputed. Reversals has the details.
	Refunded money.Cents
	Disputed bool
	// The codes of the last failed attempt, as in Outcome.
	Code, DeclineCode string
	MayPass           bool
}

// Approval is the data that the supporter's page needs to authenticate a payment. It must be sent
// only to the supporter.
type Approval struct {
	PaymentID       string
	ClientSecret    string
	PaymentMethodID string
	Amount          money.Cents
	Currency        string
}

// PaymentQuery selects payments created in the interval [From, To), to the
// second.
type PaymentQuery struct {
	From, To time.Time
	After    string // PaymentPage.Next of the previous page
	Limit    int    // 1 to 100
}

// PaymentPage is one page of payments. Next is "" on the last page.
type PaymentPage struct {
	Payments []Payment
	Next     string
}

// Financials are a payment's gross, fee and net. BalanceTransactionID is "" until
// the processor has booked the payment.
type Financials struct {
	BalanceTransactionID string
	Gross, Fee, Net      money.Cents
	AvailableAt          time.Time
}
