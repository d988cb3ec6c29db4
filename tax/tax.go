// Package tax defines the interface of tax providers.
//
// # Quotes
//
// A [Provider] quotes the tax on a [Request]: lines, a destination and a date. A
// quote's [Status] reports whether it is final. Providers never guess: if the destination
// is incomplete or contradictory, the quote has status NeedsInput and a [Question] for
// the supporter; if a source fails, the status is FallbackUsed or Unavailable.
//
// Providers calculate on [Bases], split several taxes on one base with [Split], and
// round once.
//
// # Implementations
//
// Packages flat (one rate), offline (built-in rules), nmgrt (New Mexico) and local
// (address lookup) implement Provider. Package live implements [Lookup] with external
// services. Every provider must pass package taxtest.
//
// # Errors
//
// An error of Quote means that the request is malformed (code Invalid, with the field).
// All other problems are part of the quote.
package tax

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Provider quotes tax. Implementations are safe for concurrent use.
type Provider interface {
	// Quote returns the tax on lines shipped to one destination at one date. An error means
	// that the request is malformed (code Invalid); if a source fails, the quote has status
	// Unavailable or FallbackUsed.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Address is the destination. The alias lets providers avoid importing package pledge.
type Address = pledge.Address

// Request is what to tax. Lines have a kind and a category; shipping is a line of its
// kind, and tips are never part of the base.
type Request struct {
	Destination Address
	At          time.Time
	Lines       []pledge.Line
}

// Status is whether a quote is final.
type Status string

// Statuses. Only the tax of Quoted and FallbackUsed is final.
const (
	Quoted       Status = "quoted"
	NeedsInput   Status = "needs_input" // Missing has the fields
	Unavailable  Status = "provider_unavailable"
	FallbackUsed Status = "fallback_used"
)

// Final reports whether the tax may be charged.
func (s Status) Final() bool { return s == Quoted || s == FallbackUsed }

// Quote is a provider's answer. The parts of Breakdown add up to Tax.
type Quote struct {
	Status        Status      `json:"status"`
	Missing       []string    `json:"missing,omitempty"`  // fields of the destination
	Question      *Question   `json:"question,omitempty"` // about the first missing field
	Tax           money.Cents `json:"taxCents"`
	Base          money.Cents `json:"taxableCents"` // the taxed amount, including shipping if it was taxed
	ShippingTaxed bool        `json:"shippingTaxed"`
	Jurisdiction  string      `json:"jurisdiction,omitempty"`
	Breakdown     []Part      `json:"breakdown"`
	Provider      string      `json:"provider"`
	Source        string      `json:"source"`           // of the rate
	AsOf          string      `json:"asOf,omitempty"`   // date of the source, YYYY-MM-DD
	Notice        string      `json:"notice,omitempty"` // why a fallback was used
}

// Part is one tax of a quote.
type Part struct {
	Label string      `json:"label"`
	Rate  money.Rate  `json:"rate"`
	Base  money.Cents `json:"taxableCents"`
	Tax   money.Cents `json:"taxCents"`
}
