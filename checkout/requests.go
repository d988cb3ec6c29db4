package checkout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Cart is a supporter's selection.
type Cart = pricing.Cart

// Item is one entry of a cart.
type Item = pricing.Item

// StartRequest starts a checkout.
type StartRequest struct {
	Cart
	Email                string             `json:"email"`
	PreferredLang        string             `json:"preferredLang,omitempty"`
	AbandonedCartConsent bool               `json:"abandonedCartConsent,omitempty"`
	Attribution          pledge.Attribution `json:"attribution"`
	// Attempt is an optional client-generated secret of 16 to 64 letters, digits, "-" and "_". A
	// start with the same secret replaces the earlier checkout, whose response was lost, instead
	// of competing with its holds.
	Attempt string `json:"attempt,omitempty"`
	// ManageToken is the token of a link that was mailed to Email; optional. With
	// it, the new pledges are joined: charged in one payment with the other
	// joined pledges, including the link's pledge if it is to the same campaign.
	ManageToken string `json:"manageToken,omitempty"`
	// Session is an optional client-generated secret of 22 to 64 letters, digits,
	// "-" and "_", kept for the duration of a browser session. Pledges of one
	// address to one campaign that are started with the same secret are charged
	// together.
	Session string `json:"session,omitempty"`
	// Client identifies the requester by network address, as far as the host knows it. Each client
	// may hold only a share of scarce units; "" is not limited.
	Client string `json:"-"`
	// ClientNetwork is a larger network that contains Client, such as an IPv6 /48, and has a larger
	// share; "" if unknown.
	ClientNetwork string `json:"-"`
}

// Started is a checkout that awaits the supporter's card.
type Started struct {
	UIMode         psp.UIMode `json:"checkoutUiMode"`
	OrderID        string     `json:"orderId"`
	SessionID      string     `json:"sessionId"`
	ClientSecret   string     `json:"clientSecret,omitempty"`   // custom mode
	PublishableKey string     `json:"publishableKey,omitempty"` // custom mode
	URL            string     `json:"url,omitempty"`            // hosted mode
	Token          string     `json:"checkoutToken"`            // for Extend, Resume, Abandon and Summary
	ExpiresAt      time.Time  `json:"expiresAt"`                // of the session
	// HeldUntil is when the units are released unless Extend is called. Without scarce units, it is
	// not before ExpiresAt.
	HeldUntil time.Time       `json:"heldUntil"`
	Amount    money.Cents     `json:"amount"` // cents, over all campaigns
	Campaigns []CampaignTotal `json:"campaigns"`
	Consent   Consent         `json:"consent"`
	// The supporter's data, for display and for editing a checkout that is resumed.
	Email           string          `json:"email"`
	ShippingAddress *pledge.Address `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address `json:"billingAddress,omitempty"`
	TipPercent      int             `json:"tipPercent"`
	ShippingOption  string          `json:"shippingOption,omitempty"` // for the campaigns' parcels
}

// CampaignTotal is the total of one campaign's pledge.
type CampaignTotal struct {
	OrderID      string `json:"orderId"` // of the pledge
	CampaignSlug string `json:"campaignSlug"`
	Title        string `json:"campaignTitle"`
	pledge.Totals
	Lines []pledge.Line `json:"lines"`
	// Explanation shows how every amount was calculated.
	Explanation []pledge.Derivation `json:"explanation"`
	// Combined describes the pledges charged in the same payment, as far as the
	// requester may know. It is nil if there are none, and in a Summary.
	Combined *Combined `json:"combined,omitempty"`
}

// CompleteRequest completes a checkout, or a card update, whose session is complete.
type CompleteRequest struct {
	OrderID   string `json:"orderId"`
	SessionID string `json:"sessionId"`
}

// RecoverRequest completes a session on behalf of an operator. OrderID is optional and has to match
// the session.
type RecoverRequest struct {
	SessionID string `json:"sessionId"`
	OrderID   string `json:"orderId,omitempty"`
}

// Completed is the result of completing a checkout, whose pledges exist, or a card update.
type Completed struct {
	Success   bool   `json:"success"`
	Recovered bool   `json:"recovered"` // created by this call
	Persisted bool   `json:"persisted"`
	OrderID   string `json:"orderId"`
}

// OpenRequest identifies a checkout in progress. Token is Started.Token.
type OpenRequest struct {
	OrderID string `json:"orderId"`
	Token   string `json:"token"`
}

// Extended reports until when a checkout's units are held.
type Extended struct {
	OrderID   string    `json:"orderId"`
	HeldUntil time.Time `json:"heldUntil"`
}

// AbandonRequest abandons a checkout. Token is Started.Token.
type AbandonRequest struct {
	OrderID string `json:"orderId"`
	Token   string `json:"token"`
}

// Abandoned is the result of abandoning a checkout.
type Abandoned struct {
	Success bool `json:"success"`
	// Released is the number of released holds.
	Released int `json:"released"`
	// Persisted is true if the card was already saved: then the pledges exist.
	Persisted bool `json:"persisted"`
}

// Summary is a checkout for display.
type Summary struct {
	OrderID           string          `json:"orderId"`
	Persisted         bool            `json:"persisted"`
	PledgeStatus      string          `json:"pledgeStatus"` // pending, abandoned, or the first pledge's
	CreatedAt         time.Time       `json:"createdAt"`
	ExpiresAt         time.Time       `json:"expiresAt"`
	ShippingCollected bool            `json:"shippingCollected"`
	TipPercent        int             `json:"tipPercent"`
	Amount            money.Cents     `json:"amount"` // cents
	Campaigns         []CampaignTotal `json:"campaigns"`
}

// WebhookResult acknowledges a webhook.
type WebhookResult struct {
	Received  bool   `json:"received"`
	Skipped   string `json:"skipped,omitempty"` // why the event was ignored
	Duplicate bool   `json:"duplicate,omitempty"`
	// EventID and Type are set once the signature is verified, even if the event then fails. They
	// are for metrics, not for the sender.
	EventID string `json:"-"`
	Type    string `json:"-"`
}

// SkippedMode is the reason for skipping an event of the other mode.
const SkippedMode = "mode mismatch"

// Swept counts the results of a sweep.
type Swept struct {
	Seen     int `json:"seen"`     // expired holds and unfinished checkouts
	Booked   int `json:"booked"`   // confirmed or booked
	Released int `json:"released"` // those whose units were released
	Left     int `json:"left"`     // undecided; retried by the next sweep
}
