package tax

import (
	"cmp"
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Lookup knows the rates of an address, from somebody who is asked each time.
type Lookup interface {
	// Rates answers within a time that the implementation states. The text of an
	// error says why there is no answer, and names nothing of the address; it is a
	// Missing where more of the address would bring one.
	Rates(ctx context.Context, to Address) (Local, error)
}

// Missing is an error: the parts of an address that a Lookup has to know, none where it
// knows no way to ask. Such an address is asked about again once it is whole.
type Missing []string

// Error says that the address is not whole.
func (m Missing) Error() string { return "the address is not whole: " + strings.Join(m, ", ") }

// Local is what a Lookup knows of an address. The rates apply to the same base.
type Local struct {
	Place    string // "NM 01-123"
	Rates    []LocalRate
	Shipping bool // is taxed
	Source   string
}

// LocalRate is one jurisdiction's rate.
type LocalRate struct {
	Label string
	Rate  money.Rate
}

// Rate is the sum of the rates.
func (l Local) Rate() money.Rate {
	sum := money.Rate{}
	for _, r := range l.Rates {
		sum = sum.Plus(r.Rate)
	}
	return sum
}

// Split tells what each of several rates on one base comes to. Their sum is rounded
// once, and the parts sum to it: each is within a cent of its own rate.
func Split(rates []LocalRate, base money.Cents) (whole money.Cents, parts []Part) {
	whole = Local{Rates: rates}.Rate().Of(base)
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
