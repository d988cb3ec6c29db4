package order

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Manifest is the canonical form of a checkout: the cart with the quoted prices, tax
// and shipping. It is frozen when the checkout starts, and pledges are created from it
// without another quote.
type Manifest struct {
	OrderID       string      `json:"orderId"`
	Email         string      `json:"email"`
	Currency      string      `json:"currency"`
	Nonce         string      `json:"checkoutNonce"` // makes the hash unique to this checkout
	BookedAt      time.Time   `json:"bookedAt"`
	Expires       time.Time   `json:"expires"` // when the Stripe session expires
	PreferredLang string      `json:"preferredLang"`
	TipPercent    int         `json:"tipPercent"` // percent
	Amount        money.Cents `json:"amount"`     // cents, of all campaigns

	Campaigns []Contribution `json:"campaigns"` // sorted by slug

	ShippingAddress *pledge.Address    `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address    `json:"billingAddress,omitempty"`
	ConsentVersion  string             `json:"consentVersion"`
	Attribution     pledge.Attribution `json:"attribution"`
	// AbandonedCartConsent is set if the supporter ticked the reminder box.
	AbandonedCartConsent bool `json:"abandonedCartConsent"`
	// Link is the pledge whose emailed link started the checkout; "" if none did. The new pledges
	// are joined, and so is that pledge if it is to one of the campaigns.
	Link string `json:"link,omitempty"`
	// Session is copied to pledge.Pledge.Session.
	Session string `json:"session,omitempty"`
}

// Contribution is the part of a manifest from which one pledge is created.
type Contribution struct {
	PledgeID         string              `json:"orderId"`
	CampaignSlug     string              `json:"campaignSlug"`
	CampaignRevision string              `json:"campaignRevision"`
	Lines            []pledge.Line       `json:"lines"`
	ShippingOption   string              `json:"shippingOption,omitempty"`
	FulfillmentType  string              `json:"fulfillmentType"` // physical, digital, none
	Totals           pledge.Totals       `json:"totals"`
	Explanation      []pledge.Derivation `json:"explanation"`
	// The campaign's deadline and its goal, in cents, as shown to the supporter.
	EndsAt time.Time   `json:"endsAt,omitzero"`
	Goal   money.Cents `json:"goal,omitempty"`
}

// Accepted is a manifest with the exact bytes that the supporter accepted, possibly written by
// another release.
type Accepted struct {
	OrderID string
	text    json.RawMessage
}

// ReadAccepted parses a manifest's JSON, with any spacing. It fails with code Invalid
// if it is not a manifest.
func ReadAccepted(text []byte) (Accepted, error) {
	var m Manifest
	var compact bytes.Buffer
	if err := errors.Join(json.Unmarshal(text, &m), json.Compact(&compact, text)); err != nil || m.OrderID == "" {
		return Accepted{}, fault.Wrap(err, fault.Invalid, "Not a valid order manifest").In("manifest")
	}
	return Accepted{OrderID: m.OrderID, text: compact.Bytes()}, nil
}

// Hash returns the hash that is stored in the Stripe session.
func (a Accepted) Hash() string { return hashOf(a.text) }

// hashOf returns the hexadecimal SHA-256 of an accepted manifest's JSON. It is calculated when the
// order is opened, and again when its pledges are created.
func hashOf(accepted []byte) string {
	sum := sha256.Sum256(accepted)
	return hex.EncodeToString(sum[:])
}

// Check returns an Invalid fault unless the manifest has campaigns and its totals are
// consistent and add up to Amount.
func (m Manifest) Check() error {
	if len(m.Campaigns) == 0 {
		return fault.New(fault.Invalid, "A checkout must have at least one campaign")
	}
	amounts := make([]money.Cents, 0, len(m.Campaigns))
	for _, c := range m.Campaigns {
		if err := checkTotals(c.Totals, c.Lines); err != nil {
			return err
		}
		amounts = append(amounts, c.Totals.Amount)
	}
	sum, err := money.Sum(amounts...)
	if err != nil {
		return err
	}
	if sum != m.Amount {
		return fault.New(fault.Invalid, "The total is not the sum of its campaigns")
	}
	return nil
}

// checkTotals checks that the totals are consistent and match the lines.
func checkTotals(t pledge.Totals, lines []pledge.Line) error {
	if err := t.Check(); err != nil {
		return err
	}
	again, err := pledge.CalculateTotals(lines, t.Tax, t.Shipping, t.Tip())
	if err != nil {
		return err
	}
	if again != t {
		return fault.New(fault.Invalid, "The totals do not match the lines")
	}
	return nil
}
