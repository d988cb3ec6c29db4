package checkout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// PledgeView is a pledge as shown to its supporter.
type PledgeView struct {
	OrderID       string `json:"orderId"`
	Email         string `json:"email"`
	CampaignSlug  string `json:"campaignSlug"`
	CampaignTitle string `json:"campaignTitle"`
	Revision      int    `json:"revision"`
	pledge.Totals
	Currency        string              `json:"currency"`
	Status          pledge.Status       `json:"pledgeStatus"`
	Charged         bool                `json:"charged"`
	Lines           []pledge.Line       `json:"lines"`
	History         []pledge.Entry      `json:"history"`
	Explanation     []pledge.Derivation `json:"explanation"`
	Promise         pledge.Promise      `json:"promise"`
	ShippingAddress *pledge.Address     `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address     `json:"billingAddress,omitempty"`
	ShippingOption  string              `json:"shippingOption,omitempty"`
	// EstimatedDeliveries maps the IDs of the pledge's rewards to the months in which the campaign
	// now expects to deliver them. Each line has the month that was promised.
	EstimatedDeliveries map[string]string `json:"estimatedDeliveries,omitempty"`
	// CampaignChanged is set if the campaign's file differs from the one pinned
	// by the Promise.
	CampaignChanged bool       `json:"campaignChanged"`
	PreferredLang   string     `json:"preferredLang"`
	CreatedAt       time.Time  `json:"createdAt"`
	ChargedAt       *time.Time `json:"chargedAt,omitempty"`
	// ChargedAmount is the charged amount, in cents, if it differs from Amount;
	// otherwise 0.
	ChargedAmount money.Cents `json:"chargedAmount,omitempty"`
	Deadline      time.Time   `json:"deadline"`
	// Now is the service's time, from which pages calculate the remaining days.
	Now            time.Time `json:"now"`
	DeadlinePassed bool      `json:"deadlinePassed"`
	CanModify      bool      `json:"canModify"`
	CanCancel      bool      `json:"canCancel"`
	CanUpdateCard  bool      `json:"canUpdatePaymentMethod"`
	CanApprove     bool      `json:"canApprovePayment"`
	// Joined is set if the pledge is charged together with the address's other
	// joined pledges. CanJoin is set if it can be joined and there is another pledge
	// to join it with.
	Joined  bool `json:"joined"`
	CanJoin bool `json:"canJoin"`
	// Combined describes the other pledges that are charged in the same payment without being
	// joined: those made in the same browser session or, with pledge.ByEmail, with the same
	// address. It is nil if there are none.
	Combined *Combined `json:"combined,omitempty"`
	// Recovery describes how to recover from a failed charge.
	Recovery *pledge.Recovery `json:"recovery,omitempty"`
	// DeclineReason is why the last charge failed. DueNow is the amount, in cents, that is charged
	// as soon as a new card is saved; 0 if none is.
	DeclineReason pledge.Reason `json:"declineReason,omitempty"`
	DueNow        money.Cents   `json:"dueNow"`
	// Outcome is "funded" or "missed" once the deadline has passed.
	Outcome string `json:"outcome,omitempty"`
	// CardForgottenAt is when the saved card was deleted at the processor; nil if it was not.
	CardForgottenAt *time.Time `json:"cardForgottenAt,omitempty"`
	// Card is the card to be charged, if the processor has reported its details.
	Card *pledge.CardLabel `json:"card,omitempty"`
	// Refunds are the refunds of a charged pledge, and Refunded the amount refunded, in cents, without
	// pending refunds and those that failed.
	Refunds  []pledge.Refund `json:"refunds,omitempty"`
	Refunded money.Cents     `json:"refunded,omitempty"`
	// Parcels are the packed or sent parcels.
	Parcels []pledge.Parcel `json:"parcels,omitempty"`
}

// CancelRequest cancels the token's pledge. OrderID is optional and has to match
// it. Reason is optional and at most MaxCancelReason characters long; operators see it.
type CancelRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Cancelled is the pledge after its cancellation.
type Cancelled struct {
	Success bool       `json:"success"`
	Message string     `json:"message"`
	Pledge  PledgeView `json:"pledge"`
}

// ModifyRequest changes the token's pledge. Fields that are not set stay
// unchanged.
type ModifyRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
	// Items, if set, is the complete new selection, in the form of a Cart.
	Items *[]Item `json:"items,omitempty"`
	// CustomAmount, if set, is the new custom support in whole dollars; 0 removes
	// it.
	CustomAmount    *int64          `json:"customAmount,omitempty"`
	TipPercent      *int            `json:"tipPercent,omitempty"`
	Tip             *money.Cents    `json:"tipCents,omitempty"` // in cents, instead of TipPercent
	ShippingOption  *string         `json:"shippingOption,omitempty"`
	ShippingAddress *pledge.Address `json:"shippingAddress,omitempty"`
	// ExpectedRevision, if set, is the revision that the supporter saw.
	ExpectedRevision int `json:"expectedRevision,omitempty"`
	// DryRun returns the result without changing anything.
	DryRun bool `json:"dryRun,omitempty"`
}

// Modified is a pledge before and after a change.
type Modified struct {
	Success  bool                `json:"success"`
	Message  string              `json:"message"`
	DryRun   bool                `json:"dryRun"`
	Previous pledge.Totals       `json:"previous"`
	Current  pledge.Totals       `json:"current"`
	Delta    money.Cents         `json:"amountDelta"` // cents, negative if the pledge became cheaper
	Lines    []pledge.Line       `json:"lines"`
	Reasons  []pledge.Derivation `json:"explanation"`
	// Consent is the text that the supporter accepts with the change.
	Consent Consent `json:"consent"`
	// Revision is the pledge's revision after the change, or the current one for a dry run.
	Revision int `json:"revision"`
}

// CardRequest starts replacing the card of the token's pledge.
type CardRequest struct {
	Token         string `json:"token"`
	OrderID       string `json:"orderId,omitempty"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// CardStarted is a session that awaits the new card.
type CardStarted struct {
	UIMode         psp.UIMode `json:"checkoutUiMode"`
	SessionID      string     `json:"sessionId"`
	ClientSecret   string     `json:"clientSecret,omitempty"`
	PublishableKey string     `json:"publishableKey,omitempty"`
	URL            string     `json:"url,omitempty"`
	ExpiresAt      time.Time  `json:"expiresAt"`
	// DueNow is the amount that is charged as soon as the card is saved, as in PledgeView.
	DueNow money.Cents `json:"dueNow"`
}

// ApprovalRequest identifies the payment of the token's pledge that awaits
// authentication.
type ApprovalRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
}

// ApprovalStarted has the data with which the supporter's page confirms a payment.
type ApprovalStarted struct {
	PaymentID       string      `json:"paymentIntentId"`
	ClientSecret    string      `json:"clientSecret"`
	PaymentMethodID string      `json:"paymentMethodId"`
	PublishableKey  string      `json:"publishableKey"`
	Amount          money.Cents `json:"amount"` // cents, total of all pledges in the payment
	Currency        string      `json:"currency"`
	Until           time.Time   `json:"until"`
}

// VoteRequest casts a vote in one decision.
type VoteRequest struct {
	Token      string `json:"token"`
	DecisionID string `json:"decisionId"`
	Option     string `json:"option"`
}

// Voted is a decision after a vote.
type Voted struct {
	Success    bool           `json:"success"`
	DecisionID string         `json:"decisionId"`
	Choice     string         `json:"userChoice"`
	Results    map[string]int `json:"results"`
	Total      int            `json:"totalVotes"`
}

// Standings are the decisions of a campaign as shown to the token's supporter.
type Standings struct {
	CampaignSlug string                      `json:"campaignSlug"`
	Decisions    map[string]DecisionStanding `json:"decisions"`
}

// DecisionStanding is one decision's results and the supporter's vote.
type DecisionStanding struct {
	HasVoted bool           `json:"hasVoted"`
	Choice   string         `json:"userChoice,omitempty"`
	Status   string         `json:"status"` // open or closed
	Results  map[string]int `json:"results"`
	Total    int            `json:"totalVotes"`
}

func results(t vote.Tally) map[string]int {
	if t.Options == nil {
		return map[string]int{}
	}
	return t.Options
}
