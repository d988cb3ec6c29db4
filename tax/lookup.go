package tax

import (
	"cmp"
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Lookup returns the tax rates of an address from an external service.
type Lookup interface {
	// Rates returns the rates within a time that the implementation specifies. It fails with a
	// MissingError if more of the address is needed. The text of an error is the reason and does
	// not contain the address.
	Rates(ctx context.Context, to Address) (LocalRates, error)
}

// MissingError lists the fields that a Lookup needs and the address lacks. It is empty if the
// Lookup cannot name them.
type MissingError []string

// Error implements error.
func (m MissingError) Error() string { return "incomplete address: " + strings.Join(m, ", ") }

// LocalRates is the result of a Lookup. All rates apply to the same base.
type LocalRates struct {
	Place    string // such as "NM 01-123"
	Rates    []LocalRate
	Shipping bool // whether shipping is taxed
	Source   string
}

// LocalRate is one jurisdiction's rate.
type LocalRate struct {
	Label string
	Rate  money.Rate
}

// Rate returns the sum of the jurisdictions' rates.
func (l LocalRates) Rate() money.Rate {
	sum := money.Rate{}
	for _, r := range l.Rates {
		sum = sum.Plus(r.Rate)
	}
	return sum
}

// Split calculates several taxes on one base. It returns their sum, which is rounded once, and the
// parts, which add up to the sum: each is within a cent of the tax at its own rate.
func Split(rates []LocalRate, base money.Cents) (whole money.Cents, parts []Part) {
	whole = LocalRates{Rates: rates}.Rate().Of(base)
	parts = make([]Part, 0, len(rates))
	left := whole
	for _, r := range rates {
		parts = append(parts, Part{Label: r.Label, Rate: r.Rate, Base: base, Tax: r.Rate.Of(base)})
		left -= r.Rate.Of(base)
	}
	for i := range parts {
		step := money.Cents(cmp.Compare(left, 0))
		if parts[i].Tax+step >= 0 && !parts[i].Rate.IsZero() {
			parts[i].Tax += step
			left -= step
		}
	}
	return whole, parts
}
