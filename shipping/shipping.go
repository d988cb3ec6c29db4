// Package shipping prices what has to be sent. A Policy answers for one parcel;
// carriers hang below it in packages of their own.
package shipping

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Policy quotes shipping.
type Policy interface {
	// Quote answers for one parcel. An error means that the request is malformed
	// (code Invalid), such as an option that the campaign does not offer.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Request is one parcel: what one campaign sends one supporter, or what the
// platform sends of its own add-ons.
type Request struct {
	// Overrides are the campaign's own shipping settings; the zero value
	// inherits the platform's.
	Overrides   campaign.Shipping
	Lines       []pledge.Line
	Destination pledge.Address
	Option      string // "" is the standard one
	At          time.Time
}

// Quote is the price of one parcel. Reason says where it comes from, always.
type Quote struct {
	Shipping money.Cents `json:"shippingCents"`
	Reason   Reason      `json:"reason"`
	Source   string      `json:"source"` // the setting the price stands in
	Option   string      `json:"option,omitempty"`
}

// Reason says how a price came about.
type Reason string

// The reasons.
const (
	NothingToSend Reason = "nothing_to_send"
	Free          Reason = "free"
	CampaignFlat  Reason = "campaign_flat_rate"
	PlatformFlat  Reason = "platform_flat_rate"
)
