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

// Manifest is the canonical form of a checkout: what was asked for, at the
// prices, tax and shipping that were quoted for it. It is frozen when the
// checkout starts; pledges are made from it and nothing is quoted again.
type Manifest struct {
	OrderID       string      `json:"orderId"`
	Email         string      `json:"email"`
	Currency      string      `json:"currency"`
	Nonce         string      `json:"checkoutNonce"` // makes the hash this checkout's own
	BookedAt      time.Time   `json:"bookedAt"`
	Expires       time.Time   `json:"expires"` // of the processor's session
	PreferredLang string      `json:"preferredLang"`
	TipPercent    int         `json:"tipPercent"` // percent
	Amount        money.Cents `json:"amount"`     // cents, over all campaigns

	Campaigns []Contribution `json:"campaigns"` // in the order of their slugs

	ShippingAddress *pledge.Address    `json:"shippingAddress,omitempty"`
	BillingAddress  *pledge.Address    `json:"billingAddress,omitempty"`
	ConsentVersion  string             `json:"consentVersion"`
	Attribution     pledge.Attribution `json:"attribution"`
	// AbandonedCartConsent is true when the supporter ticked the reminder box.
	AbandonedCartConsent bool `json:"abandonedCartConsent"`
	// Link is the pledge whose mailed link the checkout was started from: what it makes is
	// joined, and that pledge too where it is to one of the campaigns. "" proves nothing.
	Link string `json:"link,omitempty"`
	// Session becomes pledge.Pledge.Session.
	Session string `json:"session,omitempty"`
}

// Contribution is the part of a manifest that becomes one pledge.
type Contribution struct {
	PledgeID         string              `json:"orderId"`
	CampaignSlug     string              `json:"campaignSlug"`
	CampaignRevision string              `json:"campaignRevision"`
	Lines            []pledge.Line       `json:"lines"`
	ShippingOption   string              `json:"shippingOption,omitempty"`
	FulfillmentType  string              `json:"fulfillmentType"` // physical, digital, none
	Totals           pledge.Totals       `json:"totals"`
	Explanation      []pledge.Derivation `json:"explanation"`
	// The campaign's deadline and goal, in cents, as the supporter saw them.
	EndsAt time.Time   `json:"endsAt,omitzero"`
	Goal   money.Cents `json:"goal,omitempty"`
}

// Accepted is a manifest as its supporter accepted it, also where another release wrote it.
type Accepted struct {
	OrderID string
	text    json.RawMessage
}

// ReadAccepted reads a manifest's JSON, however it is spaced. It fails with code Invalid
// when it is none.
func ReadAccepted(text []byte) (Accepted, error) {
	var m Manifest
	var compact bytes.Buffer
	if err := errors.Join(json.Unmarshal(text, &m), json.Compact(&compact, text)); err != nil || m.OrderID == "" {
		return Accepted{}, fault.Wrap(err, fault.Invalid, "It is no manifest of an order").In("manifest")
	}
	return Accepted{OrderID: m.OrderID, text: compact.Bytes()}, nil
}

// Hash is what the processor's session carries of it.
func (a Accepted) Hash() string { return hashOf(a.text) }

// hashOf is the SHA-256, in hexadecimal, of a manifest's JSON as its order was opened
// with. The order keeps these bytes, and they are hashed again before pledges are made.
func hashOf(accepted []byte) string {
	sum := sha256.Sum256(accepted)
	return hex.EncodeToString(sum[:])
}

// Check reports whether the manifest can become pledges: it has campaigns, and
// every total holds together and adds up to Amount.
func (m Manifest) Check() error {
	if len(m.Campaigns) == 0 {
		return fault.New(fault.Invalid, "A checkout has at least one campaign")
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

// checkTotals reports whether the totals hold together and are those of the lines.
func checkTotals(t pledge.Totals, lines []pledge.Line) error {
	if err := t.Check(); err != nil {
		return err
	}
	again, err := pledge.Add(lines, t.Tax, t.Shipping, t.TipPercent)
	if err != nil {
		return err
	}
	if again != t {
		return fault.New(fault.Invalid, "The totals are not those of the lines")
	}
	return nil
}
