// Package tax is the contract with a source of tax: what is asked, and every
// answer that has to be told apart. A provisional answer is an answer: a
// provider that lacks a postal code says so and never guesses.
//
// Providers hang below it; flat applies one configured rate.
package tax

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Provider quotes tax.
type Provider interface {
	// Quote answers for one parcel of lines to one destination at one date. An
	// error means that the request itself is malformed (code Invalid); a source
	// that fails is a Quote with status Unavailable or FallbackUsed.
	Quote(ctx context.Context, r Request) (Quote, error)
}

// Address is where something goes; the name lets providers do without the package
// of pledges.
type Address = pledge.Address

// Request is what is to be taxed. Lines carry their kind and whether they are
// physical or digital; shipping is a line of its kind, a tip is never part of
// the base.
type Request struct {
	Destination Address
	At          time.Time
	Lines       []pledge.Line
}

// Status tells what an answer is worth.
type Status string

// The statuses. Tax is final with Quoted and FallbackUsed only.
const (
	Quoted       Status = "quoted"
	NeedsInput   Status = "needs_input" // Missing names the fields
	Unavailable  Status = "provider_unavailable"
	FallbackUsed Status = "fallback_used"
)

// Final reports whether the tax may be charged.
func (s Status) Final() bool { return s == Quoted || s == FallbackUsed }

// Quote is a provider's answer. The parts of Breakdown sum to Tax.
type Quote struct {
	Status        Status      `json:"status"`
	Missing       []string    `json:"missing,omitempty"`  // fields of the destination
	Question      *Question   `json:"question,omitempty"` // about the first of them
	Tax           money.Cents `json:"taxCents"`
	Base          money.Cents `json:"taxableCents"` // what was taxed, shipping included where it was
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
