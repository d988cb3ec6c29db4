package pledge

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Status is the status of a pledge.
type Status string

// Statuses of a pledge. A charged pledge also has Charged set.
const (
	Active        Status = "active"
	PaymentFailed Status = "payment_failed"
	Cancelled     Status = "cancelled"
	Charged       Status = "charged"
)

// Pledge is one supporter's pledge to one campaign, stored under pledge:{orderId}.
type Pledge struct {
	OrderID      string `json:"orderId"`
	Email        string `json:"email"`
	CampaignSlug string `json:"campaignSlug"`
	// Revision counts the changes of this pledge, starting at 1.
	Revision int `json:"revision"`

	Totals
	Currency string `json:"currency"` // "usd"

	ValueTime            time.Time  `json:"valueTime"` // when the pledge's first card was saved, by Stripe's clock
	BookedAt             time.Time  `json:"bookedAt"`  // when the pledge was created
	UpdatedAt            time.Time  `json:"updatedAt"`
	ProcessorAvailableAt *time.Time `json:"processorAvailableAt,omitempty"`

	CustomerID      string `json:"pspCustomerId,omitempty"`
	PaymentMethodID string `json:"pspPaymentMethodId,omitempty"`
	SetupIntentID   string `json:"pspSetupIntentId,omitempty"`
	// Card is the label of PaymentMethodID. It is nil if Stripe did not report one, and
	// after the card was deleted without a charge.
	Card *CardLabel `json:"card,omitempty"`
	// CardSavedAt is when PaymentMethodID was saved.
	CardSavedAt time.Time `json:"cardSavedAt"`
	// CardByLink is set if the card was saved through the pledge link, which is emailed to Email.
	// Only such a card is charged for pledges of other browser sessions.
	CardByLink bool `json:"cardByLink,omitempty"`
	// JoinedAt is when the pledge was joined with the address's other pledges through that link. If
	// it is nil, the pledge is charged separately or with its browser session's other pledges,
	// because anyone can type an address at checkout.
	JoinedAt *time.Time `json:"joinedAt,omitempty"`
	// CardForGroup is set if the card was saved after a failed charge, on a page that showed the
	// total of the whole group.
	CardForGroup bool `json:"cardForGroup,omitempty"`
	// Session is a keyed hash of the address and the secret of the browser session in which
	// the pledge was made, or "" if the browser sent none. See CombinedBy.
	Session string `json:"browserSession,omitempty"`

	// CardForgottenAt is when the card was marked for deletion at Stripe because nothing is left to
	// charge. The pledge is never charged afterwards.
	CardForgottenAt *time.Time `json:"cardForgottenAt,omitempty"`

	Status  Status  `json:"pledgeStatus"`
	Charged bool    `json:"charged"`
	History []Entry `json:"history"`

	Lines           []Line   `json:"lines"`
	ShippingAddress *Address `json:"shippingAddress,omitempty"`
	BillingAddress  *Address `json:"billingAddress,omitempty"`
	ShippingOption  string   `json:"shippingOption,omitempty"`
	// Promise identifies the terms that the supporter agreed to. Explanation records how each
	// amount was calculated.
	Promise     Promise      `json:"promise"`
	Explanation []Derivation `json:"explanation"`
	Attribution Attribution  `json:"attribution"`
	// FulfillmentType is "physical", "digital" or "none".
	FulfillmentType string `json:"fulfillmentType"`
	PreferredLang   string `json:"preferredLang"`
	// Parcels has the parcels whose status was changed after the charge.
	Parcels []Parcel `json:"parcels,omitempty"`

	// Settlement is the claim of a running or successful charge; nil otherwise.
	Settlement *Claim `json:"settlement,omitempty"`
	// Group is the settlement group that first claimed the pledge. No other group can
	// charge it.
	Group string `json:"settlementGroup,omitempty"`
	// LastFailure is the last failed charge; nil if there is none, or if a later charge succeeded.
	LastFailure *Failure `json:"lastFailure,omitempty"`
	// Recovery describes how LastFailure can be resolved.
	Recovery *Recovery `json:"recovery,omitempty"`

	PaymentIntentID      string      `json:"pspPaymentIntentId,omitempty"`
	ChargeID             string      `json:"pspChargeId,omitempty"`
	BalanceTransactionID string      `json:"pspBalanceTransactionId,omitempty"`
	Financials           *Financials `json:"pspFinancials,omitempty"`
	ChargedAt            *time.Time  `json:"chargedAt,omitempty"`
	// ChargedAmount is the charged amount in cents if it differs from Amount because an
	// operator accepted another payment. See Paid.
	ChargedAmount money.Cents `json:"chargedAmount,omitempty"`
	// Refunds are the refunds of the pledge, in the order in which the processor accepted them.
	Refunds []Refund `json:"refunds,omitempty"`
	// Disputes are those of the payment, in the order in which they were found.
	Disputes []Dispute `json:"disputes,omitempty"`
	// HoldChoice is an operator's choice for the parcels, "" for none; see Held.
	HoldChoice HoldChoice `json:"holdChoice,omitempty"`
}

// CardUpdated is the type of the history entry for a card that the supporter replaced.
const CardUpdated = "card_updated"

// Entry is an event in a pledge's history, with the totals after it.
type Entry struct {
	// created, modified, joined, cancelled, card_updated, charged, payment_failed, dropped,
	// card_forgotten, parcel_packed, parcel_sent, parcel_reopened, address_changed, refund_pending,
	// refund_succeeded, refund_failed, refund_repaid, refund_ended, dispute_open, dispute_won, dispute_lost,
	// dispute_closed, parcels_held, parcels_released
	Type string `json:"type"`
	Totals
	At time.Time `json:"at"`
	// Reason is the supporter's reason for the cancellation, or "".
	Reason string `json:"reason,omitempty"`
}

// Promise identifies the texts that were shown when the supporter agreed.
type Promise struct {
	CampaignRevision string    `json:"campaignRevision"` // of the campaign's source
	ConsentVersion   string    `json:"consentVersion"`   // of the text about saving and charging the card
	AcceptedAt       time.Time `json:"acceptedAt"`
	// EndsAt is the campaign's deadline, and Goal the amount it had to reach, in cents;
	// both are zero in older records.
	EndsAt time.Time   `json:"endsAt,omitzero"`
	Goal   money.Cents `json:"goal,omitempty"`
}

// Derivation explains how one stored amount was calculated.
type Derivation struct {
	Amount string      `json:"amount"` // "tax", "shipping", "tipAmount", "lines[0]"
	Cents  money.Cents `json:"cents"`
	Rule   string      `json:"rule"` // "list price", "flat rate", "percent of subtotal"
	// source of the rate or price: "campaign film@3fa1…", "pricing.sales_tax_rate"
	Source   string      `json:"source,omitempty"`
	Rate     string      `json:"rate,omitempty"`     // exact fraction
	Base     money.Cents `json:"base,omitempty"`     // amount that the rate was applied to
	Rounding string      `json:"rounding,omitempty"` // money.RoundingRule if a rate was applied
	AsOf     string      `json:"asOf,omitempty"`     // date of the source
}

// Attribution identifies the link or campaign that a supporter came from. The fields are bounded
// plain text, see Clean.
type Attribution struct {
	Referral    string `json:"referral,omitempty"`
	UTMSource   string `json:"utmSource,omitempty"`
	UTMMedium   string `json:"utmMedium,omitempty"`
	UTMCampaign string `json:"utmCampaign,omitempty"`
	UTMContent  string `json:"utmContent,omitempty"`
}

// Claim ties a pledge to the settlement group that charges it, so that it cannot change
// during the charge.
type Claim struct {
	Group      string    `json:"group" kv:"id"`
	Generation int       `json:"generation" kv:"id"`
	At         time.Time `json:"at"`
}

// Failure is a charge that did not succeed.
type Failure struct {
	Kind        string    `json:"kind"` // the payment's status, such as "declined" or "needs_action"
	Code        string    `json:"code,omitempty"`
	DeclineCode string    `json:"declineCode,omitempty"`
	Generation  int       `json:"generation" kv:"id"`
	At          time.Time `json:"at"`
	// PaymentIntentID is the failed payment, if Stripe reported one.
	PaymentIntentID string `json:"pspPaymentIntentId,omitempty"`
}

// Financials are Stripe's figures for the pledge's share of a payment, in cents.
type Financials struct {
	Gross  money.Cents `json:"grossAmount"`
	Fee    money.Cents `json:"feeAmount"`
	Net    money.Cents `json:"netAmount"`
	Source string      `json:"source"` // "actual", or "pending" until Stripe has booked it
}

// UnmarshalJSON decodes a record and sets the currency to US dollars if an old record has none.
func (p *Pledge) UnmarshalJSON(b []byte) error {
	type plain Pledge
	*p = Pledge{}
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		return err
	}
	if p.Currency == "" {
		p.Currency = money.USD
	}
	return nil
}

// Paid returns the amount charged for the pledge, in cents; 0 if it is not charged.
func (p *Pledge) Paid() money.Cents {
	switch {
	case !p.Charged:
		return 0
	case p.ChargedAmount != 0:
		return p.ChargedAmount
	}
	return p.Amount
}

// PaidOrDue returns the charged amount or, if the pledge is not charged, Amount, in
// cents.
func (p *Pledge) PaidOrDue() money.Cents {
	if p.Charged {
		return p.Paid()
	}
	return p.Amount
}

// Open reports whether the supporter can change the pledge: it is active, not charged, and no
// charge is running. It does not check the campaign's deadline.
func (p *Pledge) Open() bool { return p.Status == Active && !p.Charged && p.Settlement == nil }

// Claimed reports whether a settlement group has ever claimed the pledge. Claims of
// earlier releases have no Group: they covered all pledges of the address.
func (p *Pledge) Claimed() bool {
	return p.Group != "" || p.Settlement != nil || p.LastFailure != nil || p.Charged
}

// Unpaid reports whether the pledge can still be charged.
func (p *Pledge) Unpaid() bool {
	return !p.Charged && !p.Dropped() && p.CardForgottenAt == nil && (p.Status == Active || p.Status == PaymentFailed)
}

// Record appends an event with the current totals to the history and starts a new revision.
func (p *Pledge) Record(event string, at time.Time) {
	p.History = append(p.History, Entry{Type: event, Totals: p.Totals, At: at})
	p.Revision++
	p.UpdatedAt = at
}
