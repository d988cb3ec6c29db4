// Package shipping prices what has to be sent. A Policy answers for one parcel:
// Rules is the platform's, which packs what was chosen by its presets, asks a
// Carrier where there is one, and falls back to a flat rate where it has no price,
// always with the reason. Carriers hang below in packages of their own.
package shipping

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Address is where a parcel goes.
type Address = pledge.Address

// Policy quotes shipping.
type Policy interface {
	// Quote answers for one parcel. An error means that the request is malformed
	// (code Invalid, with its field), such as an option that the campaign does not
	// offer; a carrier that fails is none.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Request is one parcel: what one campaign sends one supporter, or what the
// platform sends of its own add-ons.
type Request struct {
	// Overrides are the campaign's own shipping settings; the zero value
	// inherits the platform's.
	Overrides   campaign.Shipping
	Items       []Item
	Destination Address
	Option      string // "" is the usual one
	At          time.Time
}

// Item is one thing that was chosen, in some number. Digital ones are not sent.
type Item struct {
	Name     string
	Quantity int
	campaign.Delivery
}

// Quote is the price of one parcel. Reason says where it comes from, always.
type Quote struct {
	Shipping money.Cents `json:"shippingCents"`
	Reason   Reason      `json:"reason"`
	// Fallback is why no carrier was asked or none answered, with Reason Fallback.
	Fallback Cause `json:"fallback,omitempty"`
	// Missing are the parts of the address that it takes to ask the carrier.
	Missing []string `json:"missing,omitempty"`
	Source  string   `json:"source"` // the setting the price stands in, or the carrier's service
	Option  string   `json:"option,omitempty"`
	// Options are those that may be chosen to this destination, and what each adds.
	Options []Option `json:"availableOptions"`
	// Parcel is what a carrier was asked about.
	Parcel *Parcel `json:"parcel,omitempty"`
}

// Option is a way of delivery.
type Option struct {
	ID        string      `json:"id"`
	Surcharge money.Cents `json:"surchargeCents"` // on top of the standard one
}

// Reason says how a price came about.
type Reason string

// The reasons.
const (
	NothingToSend Reason = "nothing_to_send"
	Free          Reason = "free"
	CampaignFlat  Reason = "campaign_flat_rate"
	PlatformFlat  Reason = "platform_flat_rate" // there is no carrier
	CarrierRate   Reason = "carrier_rate"
	Fallback      Reason = "fallback_flat_rate" // there is a carrier, and it has no price
)

// Cause says why a carrier has no price.
type Cause string

// The causes.
const (
	MissingPackage     Cause = "missing_package"     // neither a preset nor a package is stated
	MissingDestination Cause = "missing_destination" // Quote.Missing says what
	NotCarried         Cause = "not_carried"         // too heavy, too large, or nobody goes there
	CarrierBusy        Cause = "carrier_busy"        // it was asked too often
	CarrierDown        Cause = "carrier_down"        // no answer in time, or none that can be used
)
