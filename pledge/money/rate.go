package money

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Rate is an exact proportion, such as a tax rate of 0.07875. The zero Rate is 0.
type Rate struct{ d decimal.Decimal }

// RoundingRule names the one rounding of the service, as it is written into
// the explanation of an amount.
const RoundingRule = "half-up-cent"

// ParseRate reads a plain decimal fraction between 0 and 1, of at most twelve
// digits after the point: "0.07875".
func ParseRate(s string) (Rate, error) {
	d, ok := parse(s, 12, 1)
	if !ok {
		return Rate{}, fault.New(fault.Invalid, "A rate is a decimal fraction from 0 to 1, such as 0.07875")
	}
	return Rate{d}, nil
}

// ParsePercent reads a plain decimal percentage from 0 to 100, of at most ten digits
// after the point: "7.875".
func ParsePercent(s string) (Rate, error) {
	d, ok := parse(s, 10, 100)
	if !ok {
		return Rate{}, fault.New(fault.Invalid, "A percentage is a decimal number from 0 to 100, such as 7.875")
	}
	return Rate{d.Shift(-2)}, nil
}

// parse reads digits with a point or none, at most so many behind it and up to most.
func parse(s string, digits int32, most int64) (decimal.Decimal, bool) {
	d, err := decimal.NewFromString(s)
	plain := err == nil && strings.Trim(s, "0123456789.") == ""
	return d, plain && -d.Exponent() <= digits && !d.GreaterThan(decimal.NewFromInt(most))
}

// Plus returns the sum of two rates that apply to the same base.
func (r Rate) Plus(other Rate) Rate { return Rate{r.d.Add(other.d)} }

// Percent returns n percent as a rate.
func Percent(n int64) Rate { return Rate{decimal.New(n, -2)} }

// Of returns the proportion of an amount, rounded half up (away from zero) to
// the cent. It is the only place in the service where an amount is rounded.
func (r Rate) Of(c Cents) Cents {
	return Cents(decimal.NewFromInt(int64(c)).Mul(r.d).Round(0).IntPart())
}

// IsZero reports whether the rate is 0.
func (r Rate) IsZero() bool { return r.d.IsZero() }

// String is the exact fraction: "0.07875".
func (r Rate) String() string { return r.d.String() }

// MarshalText writes the exact fraction.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.d.String()), nil }

// UnmarshalText is ParseRate.
func (r *Rate) UnmarshalText(b []byte) error {
	v, err := ParseRate(string(b))
	if err != nil {
		return err
	}
	*r = v
	return nil
}
