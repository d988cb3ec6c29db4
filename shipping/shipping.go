// Package shipping prices parcels.
//
// A [Policy] quotes one parcel: everything that one campaign, or the platform, ships to
// one supporter. [Rules] is the platform's policy. It packs the items with [Pack] and
// requests the price from a [Carrier] if one is configured; otherwise it uses a flat rate.
// Every [Quote] has the reason for its price.
//
// Package usps implements Carrier for the United States Postal Service. Every carrier
// must pass package shippingtest.
//
// Quote fails only if the request is not valid (code Invalid, with the field). If a carrier
// fails, the quote has reason Fallback and a [Cause].
package shipping

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Address is the destination of a parcel.
type Address = pledge.Address

// Policy quotes shipping.
type Policy interface {
	// Quote prices one parcel. It fails with code Invalid, and the field, if the request is not
	// valid, for example because the campaign does not offer the option. A failing carrier is
	// not an error.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Request describes one parcel: the items that a campaign ships to one supporter, or the
// platform's add-ons for them.
type Request struct {
	// Overrides are the campaign's shipping settings; the zero value inherits the
	// platform's.
	Overrides   campaign.Shipping
	Items       []Item
	Destination Address
	Option      string // "" means the default option
	At          time.Time
}

// Item is a number of units of one item. Digital items are not shipped.
type Item struct {
	Name     string
	Quantity int
	campaign.Delivery
}

// Quote is the price of one parcel. Reason is always set.
type Quote struct {
	Shipping money.Cents `json:"shippingCents"`
	Reason   Reason      `json:"reason"`
	// Fallback is the cause of a missing carrier price; it is set if Reason is Fallback.
	Fallback Cause `json:"fallback,omitempty"`
	// Missing lists the fields that the carrier requires and the address lacks. It is set if
	// Fallback is MissingDestination.
	Missing []string `json:"missing,omitempty"`
	Source  string   `json:"source"` // the setting that has the price, or the carrier's service
	Option  string   `json:"option,omitempty"`
	// Options are the options available for the destination, with their surcharges.
	Options []Option `json:"availableOptions"`
	// Parcel is the packed parcel; nil if no carrier's price was needed, or if an item has no
	// package.
	Parcel *Parcel `json:"parcel,omitempty"`
}

// Option is a shipping option.
type Option struct {
	ID        string      `json:"id"`
	Surcharge money.Cents `json:"surchargeCents"` // in addition to the standard price
}

// Reason identifies the rule that determined a price.
type Reason string

// Reasons for a price.
const (
	NothingToSend Reason = "nothing_to_send"
	Free          Reason = "free"
	CampaignFlat  Reason = "campaign_flat_rate"
	PlatformFlat  Reason = "platform_flat_rate" // no carrier is configured
	CarrierRate   Reason = "carrier_rate"
	Fallback      Reason = "fallback_flat_rate" // the carrier has no price
)

// Cause is the cause of a missing carrier price.
type Cause string

// Causes of a missing carrier price.
const (
	MissingPackage     Cause = "missing_package"     // an item has neither a preset nor a package
	MissingDestination Cause = "missing_destination" // see Quote.Missing
	NotCarried         Cause = "not_carried"         // too heavy, too large, or the carrier does not serve the destination
	CarrierBusy        Cause = "carrier_busy"        // rate limit
	CarrierDown        Cause = "carrier_down"        // no answer in time, or an invalid one
)
