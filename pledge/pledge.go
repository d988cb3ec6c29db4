package pledge

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Status is where a pledge stands.
type Status string

// The statuses. A charged pledge has status Charged and Charged true.
const (
	Active        Status = "active"
	PaymentFailed Status = "payment_failed"
	Cancelled     Status = "cancelled"
	Charged       Status = "charged"
)

// Pledge is one supporter's promise to one campaign, the record pledge:{orderId}.
type Pledge struct {
	OrderID      string `json:"orderId"`
	Email        string `json:"email"`
	CampaignSlug string `json:"campaignSlug"`
	// Revision counts the changes of this pledge; the first is 1.
	Revision int `json:"revision"`

	Totals
	Currency string `json:"currency"` // "usd"

	ValueTime            time.Time  `json:"valueTime"` // when the supporter or the processor acted
	BookedAt             time.Time  `json:"bookedAt"`  // when it was persisted
	UpdatedAt            time.Time  `json:"updatedAt"`
	ProcessorAvailableAt *time.Time `json:"processorAvailableAt,omitempty"`

	CustomerID      string `json:"pspCustomerId,omitempty"`
	PaymentMethodID string `json:"pspPaymentMethodId,omitempty"`
	SetupIntentID   string `json:"pspSetupIntentId,omitempty"`
	// Card is by what its supporter knows the card of PaymentMethodID; nil where that was not
	// told, and once the card is forgotten without a charge.
	Card *CardLabel `json:"card,omitempty"`
	// CardSavedAt is when PaymentMethodID was saved.
	CardSavedAt time.Time `json:"cardSavedAt"`
	// CardByLink says that the card was given by who holds the link that is mailed to
	// Email. Only such a card is charged for pledges of other browser sessions.
	CardByLink bool `json:"cardByLink,omitempty"`
	// JoinedAt is when who holds that link had the pledge charged together with the others
	// of the address. Anybody may type an address; without this, a pledge is charged alone,
	// or with the others of its browser session.
	JoinedAt *time.Time `json:"joinedAt,omitempty"`
	// CardForGroup is set when the card was given after a failed charge, on a page that
	// showed the total of the whole group.
	CardForGroup bool `json:"cardForGroup,omitempty"`
	// Session is a keyed hash of the address and of a secret of the browser session in which
	// the pledge was made, "" if the browser sent none. Pledges that share it were made in
	// the same browser: see CombinedBy.
	Session string `json:"browserSession,omitempty"`

	// CardForgottenAt is when the card was deleted at the processor, since nothing is left
	// to charge. The pledge is never charged from then on.
	CardForgottenAt *time.Time `json:"cardForgottenAt,omitempty"`

	Status  Status  `json:"pledgeStatus"`
	Charged bool    `json:"charged"`
	History []Entry `json:"history"`

	Lines           []Line   `json:"lines"`
	ShippingAddress *Address `json:"shippingAddress,omitempty"`
	BillingAddress  *Address `json:"billingAddress,omitempty"`
	ShippingOption  string   `json:"shippingOption,omitempty"`
	// Promise is what the supporter agreed to, and Explanation how each amount
	// came about.
	Promise     Promise      `json:"promise"`
	Explanation []Derivation `json:"explanation"`
	Attribution Attribution  `json:"attribution"`
	// FulfillmentType is "physical", "digital" or "none".
	FulfillmentType string `json:"fulfillmentType"`
	PreferredLang   string `json:"preferredLang"`
	// Parcels are those of which something was said once the pledge was charged.
	Parcels []Parcel `json:"parcels,omitempty"`

	// Settlement is set while a charge of this pledge is under way or done.
	Settlement *Claim `json:"settlement,omitempty"`
	// Group is the settlement group that claimed the pledge first. No other charges it.
	Group string `json:"settlementGroup,omitempty"`
	// LastFailure is why the last charge did not succeed.
	LastFailure *Failure `json:"lastFailure,omitempty"`
	// Recovery is how it goes on after LastFailure.
	Recovery *Recovery `json:"recovery,omitempty"`

	PaymentIntentID      string      `json:"pspPaymentIntentId,omitempty"`
	ChargeID             string      `json:"pspChargeId,omitempty"`
	BalanceTransactionID string      `json:"pspBalanceTransactionId,omitempty"`
	Financials           *Financials `json:"pspFinancials,omitempty"`
	ChargedAt            *time.Time  `json:"chargedAt,omitempty"`
	// ChargedAmount is what was charged, in cents, where that is not Amount: operators accepted
	// another payment. See Paid.
	ChargedAmount money.Cents `json:"chargedAmount,omitempty"`
}

// Entry is one event in a pledge's history, with the totals it left.
type Entry struct {
	Type string `json:"type"` // created, modified, joined, cancelled, card_updated, charged, payment_failed, dropped, card_forgotten, parcel_packed, parcel_sent, parcel_reopened, address_changed
	Totals
	At time.Time `json:"at"`
}

// Promise pins what was shown when the supporter agreed.
type Promise struct {
	CampaignRevision string    `json:"campaignRevision"` // of the campaign's source
	ConsentVersion   string    `json:"consentVersion"`   // of the text about saving and charging the card
	AcceptedAt       time.Time `json:"acceptedAt"`
	// EndsAt is the deadline, and Goal what had to be reached by then, in cents; zero
	// where a record is older than they are.
	EndsAt time.Time   `json:"endsAt,omitzero"`
	Goal   money.Cents `json:"goal,omitempty"`
}

// Derivation explains one stored amount.
type Derivation struct {
	Amount   string      `json:"amount"` // "tax", "shipping", "tipAmount", "lines[0]"
	Cents    money.Cents `json:"cents"`
	Rule     string      `json:"rule"`               // "list price", "flat rate", "percent of subtotal"
	Source   string      `json:"source,omitempty"`   // of a rate or price: "campaign film@3fa1…", "pricing.sales_tax_rate"
	Rate     string      `json:"rate,omitempty"`     // exact fraction
	Base     money.Cents `json:"base,omitempty"`     // what the rate was applied to
	Rounding string      `json:"rounding,omitempty"` // money.RoundingRule where a rate was applied
	AsOf     string      `json:"asOf,omitempty"`     // date of the source
}

// Attribution says where a supporter came from. The fields are bounded plain
// text, as Clean leaves them.
type Attribution struct {
	Referral    string `json:"referral,omitempty"`
	UTMSource   string `json:"utmSource,omitempty"`
	UTMMedium   string `json:"utmMedium,omitempty"`
	UTMCampaign string `json:"utmCampaign,omitempty"`
	UTMContent  string `json:"utmContent,omitempty"`
}

// Claim ties a pledge to the settlement group that charges it, so that it
// cannot change under the charge.
type Claim struct {
	Group      string    `json:"group" kv:"id"`
	Generation int       `json:"generation" kv:"id"`
	At         time.Time `json:"at"`
}

// Failure is a charge that is known not to have happened.
type Failure struct {
	Kind        string    `json:"kind"` // "declined" or "needs_action"
	Code        string    `json:"code,omitempty"`
	DeclineCode string    `json:"declineCode,omitempty"`
	Generation  int       `json:"generation" kv:"id"`
	At          time.Time `json:"at"`
	// PaymentIntentID is the payment that failed, where the processor named one.
	PaymentIntentID string `json:"pspPaymentIntentId,omitempty"`
}

// Financials are the processor's figures for the pledge's share of a payment,
// in cents.
type Financials struct {
	Gross  money.Cents `json:"grossAmount"`
	Fee    money.Cents `json:"feeAmount"`
	Net    money.Cents `json:"netAmount"`
	Source string      `json:"source"` // "actual", or "pending" until the processor has booked it
}

// UnmarshalJSON reads a record of any age: one without a currency is in US dollars.
func (p *Pledge) UnmarshalJSON(b []byte) error {
	type plain Pledge
	var v plain
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	if v.Currency == "" {
		v.Currency = money.USD
	}
	*p = Pledge(v)
	return nil
}

// Paid is what was charged for the pledge, in cents; 0 while it is not charged.
func (p *Pledge) Paid() money.Cents {
	switch {
	case !p.Charged:
		return 0
	case p.ChargedAmount != 0:
		return p.ChargedAmount
	}
	return p.Amount
}

// PaidOrDue is the charged amount, or Amount while the pledge is not charged, in cents.
func (p *Pledge) PaidOrDue() money.Cents {
	if p.Charged {
		return p.Paid()
	}
	return p.Amount
}

// Open reports whether the pledge may still be changed by its supporter, as
// far as the record tells: it is active, not charged, and no charge is under way.
func (p *Pledge) Open() bool { return p.Status == Active && !p.Charged && p.Settlement == nil }

// Claimed reports whether a settlement group has claimed the pledge at any time. What
// an earlier release claimed does not name its Group: it had one of the whole address.
func (p *Pledge) Claimed() bool {
	return p.Group != "" || p.Settlement != nil || p.LastFailure != nil || p.Charged
}

// Unpaid reports whether the pledge still waits to be charged.
func (p *Pledge) Unpaid() bool {
	return !p.Charged && !p.Dropped() && p.CardForgottenAt == nil && (p.Status == Active || p.Status == PaymentFailed)
}

// Record appends an event with the present totals.
func (p *Pledge) Record(event string, at time.Time) {
	p.History = append(p.History, Entry{Type: event, Totals: p.Totals, At: at})
	p.Revision++
	p.UpdatedAt = at
}
