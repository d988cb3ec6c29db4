package campaign

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Category says whether a thing has to be sent.
type Category string

// The categories. Where a file states none, a thing is Digital.
const (
	Physical Category = "physical"
	Digital  Category = "digital"
)

// Delivery is how a thing reaches its supporter. A physical thing has a
// shipping preset's name, a package, or neither, in which case the fallback
// rate applies; a digital one has none.
type Delivery struct {
	Category       Category `json:"category"`
	ShippingPreset string   `json:"shippingPreset,omitempty"`
	Package        *Package `json:"package,omitempty"`
	// ShipsTo are the countries that it is sent to, by two letters; empty is everywhere.
	ShipsTo []string `json:"shipsTo,omitempty"`
}

// Reaches reports whether it is sent to a country.
func (d Delivery) Reaches(country string) bool {
	return d.Category != Physical || len(d.ShipsTo) == 0 || slices.Contains(d.ShipsTo, country)
}

// Package is one unit's weight in ounces and size in inches, exact.
type Package struct {
	Weight      decimal.Decimal `json:"weightOz"`
	Packaging   decimal.Decimal `json:"packagingWeightOz"` // once per parcel
	Length      decimal.Decimal `json:"lengthIn"`
	Width       decimal.Decimal `json:"widthIn"`
	Height      decimal.Decimal `json:"heightIn"`
	StackHeight decimal.Decimal `json:"stackHeightIn"`   // what each further unit adds
	Rigid       bool            `json:"rigid,omitempty"` // it does not bend, so it never travels as an envelope
}

// Tier is a reward.
type Tier struct {
	// ID is the file's own, or derived from the name.
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Price       money.Cents `json:"price"` // cents
	Image       string      `json:"image,omitempty"`
	Description string      `json:"description,omitempty"` // rich text
	Delivery
	// Limit is the tier's total availability in units; 0 is without limit.
	Limit int `json:"limitTotal,omitempty"`
	// Stackable says that a supporter may take more than one unit.
	Stackable bool `json:"stackable"`
	// RequiresThreshold opens the tier once this much is pledged, in cents; 0 is open.
	RequiresThreshold money.Cents `json:"requiresThreshold,omitempty"`
	// EstimatedDelivery is the month in which it is expected, such as "2027-05"; "" is none.
	EstimatedDelivery string `json:"estimatedDelivery,omitempty"`
}

// Open reports whether the pledged amount unlocks the tier.
func (t Tier) Open(pledged money.Cents) bool { return pledged >= t.RequiresThreshold }

// SupportItem is a need of its own that supporters give any whole-dollar amount to.
type SupportItem struct {
	ID     string      `json:"id"` // the file's own, or derived from the label
	Label  string      `json:"label"`
	Need   string      `json:"need,omitempty"`   // plain text: what it is for
	Target money.Cents `json:"target,omitempty"` // cents; 0 where none is stated
	Delivery
}

// AddOn is a product beside the tiers, of one campaign or of the platform.
type AddOn struct {
	ID          string      `json:"id"` // the file's own, or derived from the name
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"` // rich text
	Image       string      `json:"image,omitempty"`
	Price       money.Cents `json:"price"` // cents
	Delivery
	// Inventory is how many units there are; nil is without limit, 0 is sold out.
	// It is nil where there are variants, which state their own.
	Inventory     *int      `json:"inventory"`
	SourceURL     string    `json:"sourceUrl,omitempty"`
	VariantOption string    `json:"variantOptionName,omitempty"` // what the variants differ in: "Size"
	Variants      []Variant `json:"variants,omitempty"`
}

// Variant is one make of an add-on.
type Variant struct {
	ID    string `json:"id"` // the file's own, or derived from the label
	Label string `json:"label"`
	// Price is the variant's own in cents; nil inherits the add-on's, 0 is free.
	Price     *money.Cents `json:"price,omitempty"`
	Inventory *int         `json:"inventory"` // nil is without limit, 0 is sold out
}

// Offer is an add-on in one of its variants, at its price.
type Offer struct {
	AddOn       string // the add-on's ID
	Variant     string // the variant's ID, "" where the add-on has none
	Name        string
	VariantName string
	UnitPrice   money.Cents // cents, 0 to money.Max
	Inventory   *int        // units; nil is without limit, 0 is sold out
	Delivery
}

// Shipping is what a campaign sets of its own about shipping. The zero value
// inherits everything from the platform.
type Shipping struct {
	// FallbackFlatRate, where it is set, is the price of a parcel in cents.
	FallbackFlatRate *money.Cents `json:"fallbackFlatRate,omitempty"`
	// Free is nil to inherit the platform's choice.
	Free *bool `json:"free,omitempty"`
	// Options are what a supporter may choose beside standard shipping.
	Options []string `json:"options,omitempty"`
}

// The shipping options that a campaign may offer.
const (
	StandardShipping  = "standard"
	SignatureRequired = "signature_required"
	AdultSignature    = "adult_signature_required"
)
