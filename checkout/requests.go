package checkout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Cart is what a supporter chose. It holds intent only: prices and totals that
// a client sends along are not read.
type Cart struct {
	// CampaignSlug is the campaign that CustomAmount goes to, and whose pledge
	// has the platform's add-ons. It may be left out when all items name
	// their campaign.
	CampaignSlug string `json:"campaignSlug"`
	Items        []Item `json:"items"`
	// CustomAmount is support of the supporter's own choice, in whole dollars.
	CustomAmount    *int64          `json:"customAmount,omitempty"`
	TipPercent      *int            `json:"tipPercent,omitempty"` // nil is the default
	ShippingAddress *pledge.Address `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address `json:"billingAddress,omitempty"`
	ShippingOption  string          `json:"shippingOption,omitempty"`
}

// Item is one entry of a cart. The form of its ID says what it is:
//
//	{slug}__{tierId}
//	{slug}__support__{itemId}
//	{slug}__custom-support
//	{slug}__addon__{productId}[__variant__{variantId}]   an add-on of the campaign
//	addon__{productId}[__variant__{variantId}]           an add-on of the platform
type Item struct {
	ID       string `json:"id"`
	Quantity *int   `json:"quantity,omitempty"` // of tiers and add-ons; nil is 1
	Amount   *int64 `json:"amount,omitempty"`   // of support, in whole dollars
}

// StartRequest begins a checkout.
type StartRequest struct {
	Cart
	Email                string             `json:"email"`
	PreferredLang        string             `json:"preferredLang,omitempty"`
	AbandonedCartConsent bool               `json:"abandonedCartConsent,omitempty"`
	Attribution          pledge.Attribution `json:"attribution"`
	// Attempt is a secret of the client's own, 16 to 64 letters, digits, "-" and
	// "_". A start that is repeated under it, because its answer was lost, is not
	// refused for what the first one holds. It may be left out.
	Attempt string `json:"attempt,omitempty"`
	// ManageToken is that of a link that was mailed to Email. What is pledged is then joined:
	// charged in one payment with the others that were, the link's own pledge among them
	// where it is to the same campaign. It may be left out.
	ManageToken string `json:"manageToken,omitempty"`
	// Session is a secret of the client's own, 22 to 64 letters, digits, "-" and "_", that it
	// keeps for the length of a browser session. Pledges of one address to one campaign that
	// are started under it are charged together. It may be left out.
	Session string `json:"session,omitempty"`
	// Client is who asks, as far as a host can tell: the address of a network.
	// One client holds only a share of what is scarce; "" is not bounded.
	Client string `json:"-"`
	// ClientNetwork is a larger network around Client, such as an IPv6 /48, which holds only a
	// larger share; "" for none.
	ClientNetwork string `json:"-"`
}

// Started is a checkout that waits for the supporter's card.
type Started struct {
	UIMode         psp.UIMode `json:"checkoutUiMode"`
	OrderID        string     `json:"orderId"`
	SessionID      string     `json:"sessionId"`
	ClientSecret   string     `json:"clientSecret,omitempty"`   // custom mode
	PublishableKey string     `json:"publishableKey,omitempty"` // custom mode
	URL            string     `json:"url,omitempty"`            // hosted mode
	Token          string     `json:"checkoutToken"`            // for Extend, Resume, Abandon and Summary
	ExpiresAt      time.Time  `json:"expiresAt"`                // of the session
	// HeldUntil is how long the units are held unless Extend puts that off. It is
	// not before ExpiresAt where nothing is scarce.
	HeldUntil time.Time       `json:"heldUntil"`
	Amount    money.Cents     `json:"amount"` // cents, over all campaigns
	Campaigns []CampaignTotal `json:"campaigns"`
	Consent   Consent         `json:"consent"`
}

// CampaignTotal is what one campaign's pledge comes to.
type CampaignTotal struct {
	OrderID      string `json:"orderId"` // of the pledge
	CampaignSlug string `json:"campaignSlug"`
	Title        string `json:"campaignTitle"`
	pledge.Totals
	Lines []pledge.Line `json:"lines"`
	// Combined is what the pledge is charged with in one payment, as far as whoever asks may
	// know. nil if there is nothing, and in a Summary.
	Combined *Combined `json:"combined,omitempty"`
}

// CompleteRequest asks to finish a checkout whose session the browser saw complete.
type CompleteRequest struct {
	OrderID   string `json:"orderId"`
	SessionID string `json:"sessionId"`
}

// RecoverRequest asks the same on an operator's behalf. OrderID may be left out.
type RecoverRequest struct {
	SessionID string `json:"sessionId"`
	OrderID   string `json:"orderId,omitempty"`
}

// Completed says that the pledges of an order exist.
type Completed struct {
	Success   bool   `json:"success"`
	Recovered bool   `json:"recovered"` // this call made them
	Persisted bool   `json:"persisted"`
	OrderID   string `json:"orderId"`
}

// OpenRequest names a checkout that is under way. Token is Started.Token.
type OpenRequest struct {
	OrderID string `json:"orderId"`
	Token   string `json:"token"`
}

// Extended says how long a checkout's units are held now.
type Extended struct {
	OrderID   string    `json:"orderId"`
	HeldUntil time.Time `json:"heldUntil"`
}

// AbandonRequest gives a checkout up. Token is Started.Token.
type AbandonRequest struct {
	OrderID string `json:"orderId"`
	Token   string `json:"token"`
}

// Abandoned says how a checkout that was given up ended.
type Abandoned struct {
	Success bool `json:"success"`
	// Released counts the reservations that were given back.
	Released int `json:"released"`
	// Persisted is true when the card had been saved already: then the pledges stand.
	Persisted bool `json:"persisted"`
}

// Summary is a checkout as its page shows it.
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
	Skipped   string `json:"skipped,omitempty"` // why nothing was done
	Duplicate bool   `json:"duplicate,omitempty"`
	// EventID and Type are set once the signature holds, also with an error. They
	// are for whoever counts, and not for the sender.
	EventID string `json:"-"`
	Type    string `json:"-"`
}

// SkippedMode is why an event of the other mode is skipped.
const SkippedMode = "mode mismatch"

// Swept counts what became of holds that were due.
type Swept struct {
	Seen     int `json:"seen"`
	Booked   int `json:"booked"`   // their pledges exist
	Released int `json:"released"` // nobody can have them any more
	Left     int `json:"left"`     // not known yet; looked after again later
}
