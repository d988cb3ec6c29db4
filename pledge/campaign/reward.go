package campaign

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Category specifies whether an item is shipped.
type Category string

// Categories of items. The default is Digital.
const (
	Physical Category = "physical"
	Digital  Category = "digital"
)

// Delivery specifies how an item is delivered. A physical item has a shipping preset or a package;
// if it has neither, its shipping costs the fallback rate. A digital item has neither.
type Delivery struct {
	Category       Category `json:"category"`
	ShippingPreset string   `json:"shippingPreset,omitempty"`
	Package        *Package `json:"package,omitempty"`
	// ShipsTo are the two-letter codes of the countries that the item ships to; empty means
	// everywhere.
	ShipsTo []string `json:"shipsTo,omitempty"`
}

// Reaches reports whether the item can be delivered to a country.
func (d Delivery) Reaches(country string) bool {
	return d.Category != Physical || len(d.ShipsTo) == 0 || slices.Contains(d.ShipsTo, country)
}

// Package is one unit's exact weight in ounces and size in inches.
type Package struct {
	Weight      decimal.Decimal `json:"weightOz"`
	Packaging   decimal.Decimal `json:"packagingWeightOz"` // per parcel
	Length      decimal.Decimal `json:"lengthIn"`
	Width       decimal.Decimal `json:"widthIn"`
	Height      decimal.Decimal `json:"heightIn"`
	StackHeight decimal.Decimal `json:"stackHeightIn"`   // added by each additional unit
	Rigid       bool            `json:"rigid,omitempty"` // never shipped as an envelope
}

// Tier is a reward.
type Tier struct {
	// ID is from the file, or derived from the name.
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Price       money.Cents `json:"price"` // cents
	Image       string      `json:"image,omitempty"`
	Description string      `json:"description,omitempty"` // rich text
	// Includes lists what a supporter gets, one short text for each part.
	Includes []string `json:"includes,omitempty"`
	Delivery
	// Limit is the total number of units; 0 means unlimited.
	Limit int `json:"limitTotal,omitempty"`
	// Stackable allows more than one unit per pledge.
	Stackable bool `json:"stackable"`
	// RequiresThreshold locks the tier until this much is pledged, in cents; 0 means
	// unlocked.
	RequiresThreshold money.Cents `json:"requiresThreshold,omitempty"`
	// EstimatedDelivery is a month such as "2027-05", or "".
	EstimatedDelivery string `json:"estimatedDelivery,omitempty"`
}

// Open reports whether the pledged amount unlocks the tier.
func (t Tier) Open(pledged money.Cents) bool { return pledged >= t.RequiresThreshold }

// SupportItem is a need that supporters can contribute to with any whole-dollar amount.
type SupportItem struct {
	ID     string      `json:"id"` // from the file, or derived from the label
	Label  string      `json:"label"`
	Need   string      `json:"need,omitempty"`   // plain text: the purpose
	Target money.Cents `json:"target,omitempty"` // cents; 0 if not specified
	Delivery
}

// AddOn is a product offered in addition to the tiers, by a campaign or by the
// platform.
type AddOn struct {
	ID          string      `json:"id"` // from the file, or derived from the name
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"` // rich text
	Image       string      `json:"image,omitempty"`
	Price       money.Cents `json:"price"` // cents
	Delivery
	// Inventory is the number of units; nil means unlimited and 0 sold out. It is nil if
	// there are variants, which have their own.
	Inventory     *int      `json:"inventory"`
	SourceURL     string    `json:"sourceUrl,omitempty"`
	VariantOption string    `json:"variantOptionName,omitempty"` // the property in which variants differ, such as "Size"
	Variants      []Variant `json:"variants,omitempty"`
}

// Variant is a variant of an add-on.
type Variant struct {
	ID    string `json:"id"` // from the file, or derived from the label
	Label string `json:"label"`
	// Price is the variant's price in cents; nil means the add-on's price, 0 means free.
	Price     *money.Cents `json:"price,omitempty"`
	Inventory *int         `json:"inventory"` // nil means unlimited, 0 means sold out
}

// Offer is an add-on, in one of its variants if it has any, with the current price.
type Offer struct {
	AddOn       string // the add-on's ID
	Variant     string // the variant's ID, "" if the add-on has none
	Name        string
	VariantName string
	UnitPrice   money.Cents // cents, 0 to money.Max
	Inventory   *int        // units; nil means unlimited, 0 sold out
	Delivery
}

// Shipping has a campaign's shipping settings. The zero value inherits all of them from
// the platform.
type Shipping struct {
	// FallbackFlatRate is the price of a parcel in cents; nil inherits the platform's.
	FallbackFlatRate *money.Cents `json:"fallbackFlatRate,omitempty"`
	// Free reports whether shipping is free; nil inherits the platform's setting.
	Free *bool `json:"free,omitempty"`
	// Options are offered in addition to standard shipping.
	Options []string `json:"options,omitempty"`
	// ShipDisputed reports whether the parcels of disputed pledges are shipped. Otherwise they are held.
	ShipDisputed bool `json:"shipDisputed,omitempty"`
}

// Shipping options that a campaign can offer.
const (
	StandardShipping  = "standard"
	SignatureRequired = "signature_required"
	AdultSignature    = "adult_signature_required"
)
