package checkout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// PledgeView is a pledge as its supporter sees it.
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
	// CampaignChanged says that the campaign's file is not as the Promise has it.
	CampaignChanged bool       `json:"campaignChanged"`
	PreferredLang   string     `json:"preferredLang"`
	CreatedAt       time.Time  `json:"createdAt"`
	ChargedAt       *time.Time `json:"chargedAt,omitempty"`
	// ChargedAmount is the charged amount, in cents, if it is not Amount; 0 otherwise.
	ChargedAmount  money.Cents `json:"chargedAmount,omitempty"`
	Deadline       time.Time   `json:"deadline"`
	DeadlinePassed bool        `json:"deadlinePassed"`
	CanModify      bool        `json:"canModify"`
	CanCancel      bool        `json:"canCancel"`
	CanUpdateCard  bool        `json:"canUpdatePaymentMethod"`
	CanApprove     bool        `json:"canApprovePayment"`
	// Joined says that the pledge is charged together with the others of its address that
	// are, and CanJoin that it may still be.
	Joined  bool `json:"joined"`
	CanJoin bool `json:"canJoin"`
	// Combined is what the pledge is charged with in one payment though it was not joined,
	// because the pledges were made in the same browser session; nil if there is nothing.
	Combined *Combined `json:"combined,omitempty"`
	// Recovery is how it goes on after a failed charge.
	Recovery *pledge.Recovery `json:"recovery,omitempty"`
	// DeclineReason is why the last charge failed, and DueNow what another card is charged
	// as soon as it is saved, in cents; 0 where saving a card charges nothing.
	DeclineReason pledge.Reason `json:"declineReason,omitempty"`
	DueNow        money.Cents   `json:"dueNow"`
	// Outcome is "funded" or "missed" once the deadline has passed.
	Outcome         string     `json:"outcome,omitempty"`
	CardForgottenAt *time.Time `json:"cardForgottenAt,omitempty"`
	// Card is the one that is charged, where the processor has told of it.
	Card *pledge.CardLabel `json:"card,omitempty"`
	// Parcels are those that were packed or sent.
	Parcels []pledge.Parcel `json:"parcels,omitempty"`
}

// CancelRequest cancels the token's pledge. OrderID, where it is given, has to
// be that pledge's.
type CancelRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
}

// Cancelled is the pledge after it was cancelled.
type Cancelled struct {
	Success bool       `json:"success"`
	Message string     `json:"message"`
	Pledge  PledgeView `json:"pledge"`
}

// ModifyRequest changes the token's pledge. What is left out stays as it is.
type ModifyRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
	// Items, where given, is the whole new selection, in the form of a Cart.
	Items *[]Item `json:"items,omitempty"`
	// CustomAmount, where given, is the new custom support in whole dollars; 0
	// takes it away.
	CustomAmount    *int64          `json:"customAmount,omitempty"`
	TipPercent      *int            `json:"tipPercent,omitempty"`
	ShippingOption  *string         `json:"shippingOption,omitempty"`
	ShippingAddress *pledge.Address `json:"shippingAddress,omitempty"`
	// ExpectedRevision, where given, is the revision that the supporter saw.
	ExpectedRevision int `json:"expectedRevision,omitempty"`
	// DryRun returns what would change and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}

// Modified is a pledge before and after a change.
type Modified struct {
	Success  bool                `json:"success"`
	Message  string              `json:"message"`
	DryRun   bool                `json:"dryRun"`
	Previous pledge.Totals       `json:"previous"`
	Current  pledge.Totals       `json:"current"`
	Delta    money.Cents         `json:"amountDelta"` // cents, negative where it became less
	Lines    []pledge.Line       `json:"lines"`
	Reasons  []pledge.Derivation `json:"explanation"`
	// Consent is what the supporter agrees to with the change.
	Consent Consent `json:"consent"`
	// Revision is the pledge's after the change; a dry run leaves it as it is.
	Revision int `json:"revision"`
}

// CardRequest begins to replace the card of the token's pledge.
type CardRequest struct {
	Token         string `json:"token"`
	OrderID       string `json:"orderId,omitempty"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// CardStarted is a session that waits for the new card.
type CardStarted struct {
	UIMode         psp.UIMode `json:"checkoutUiMode"`
	SessionID      string     `json:"sessionId"`
	ClientSecret   string     `json:"clientSecret,omitempty"`
	PublishableKey string     `json:"publishableKey,omitempty"`
	URL            string     `json:"url,omitempty"`
	ExpiresAt      time.Time  `json:"expiresAt"`
	// DueNow is what the card is charged as soon as it is saved, as in PledgeView.
	DueNow money.Cents `json:"dueNow"`
}

// ApprovalRequest is about the payment of the token's pledge that waits to be
// approved.
type ApprovalRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
}

// ApprovalStarted is what the page needs to have the supporter confirm a payment.
type ApprovalStarted struct {
	PaymentID       string      `json:"paymentIntentId"`
	ClientSecret    string      `json:"clientSecret"`
	PaymentMethodID string      `json:"paymentMethodId"`
	PublishableKey  string      `json:"publishableKey"`
	Amount          money.Cents `json:"amount"` // cents, of all the pledges that the payment is for
	Currency        string      `json:"currency"`
	Until           time.Time   `json:"until"`
}

// VoteRequest answers one decision.
type VoteRequest struct {
	Token      string `json:"token"`
	DecisionID string `json:"decisionId"`
	Option     string `json:"option"`
}

// Voted is a decision after an answer.
type Voted struct {
	Success    bool           `json:"success"`
	DecisionID string         `json:"decisionId"`
	Choice     string         `json:"userChoice"`
	Results    map[string]int `json:"results"`
	Total      int            `json:"totalVotes"`
}

// Standings are decisions as the token's supporter sees them.
type Standings struct {
	CampaignSlug string                      `json:"campaignSlug"`
	Decisions    map[string]DecisionStanding `json:"decisions"`
}

// DecisionStanding is one of them.
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
