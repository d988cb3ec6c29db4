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
// Quote fails only if the request is malformed (code Invalid, with the field). The quote's status
// reports all other problems.
package tax

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Provider quotes tax. Implementations are safe for concurrent use.
type Provider interface {
	// Quote returns the tax on lines shipped to one destination at one date. It fails with code
	// Invalid, and the field, if the request is malformed. If a source fails, the quote has
	// status Unavailable or FallbackUsed.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Address is the destination. The alias lets providers avoid importing package pledge.
type Address = pledge.Address

// Request describes what to tax. Lines have a kind and a category. Shipping is a line of kind
// pledge.ShippingLine. Tips are never part of the base.
type Request struct {
	Destination Address
	At          time.Time
	Lines       []pledge.Line
}

// Status describes whether a quote is final and, if it is not, why.
type Status string

// The statuses. Only the tax of Quoted and FallbackUsed is final.
const (
	Quoted       Status = "quoted"
	NeedsInput   Status = "needs_input"          // Quote.Missing has the fields
	Unavailable  Status = "provider_unavailable" // a source failed, and there is no fallback
	FallbackUsed Status = "fallback_used"        // an estimate, explained in Quote.Notice
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
	Notice        string      `json:"notice,omitempty"` // remarks, such as why a fallback was used
}

// Part is one tax of a quote.
type Part struct {
	Label string      `json:"label"`
	Rate  money.Rate  `json:"rate"`
	Base  money.Cents `json:"taxableCents"`
	Tax   money.Cents `json:"taxCents"`
}
