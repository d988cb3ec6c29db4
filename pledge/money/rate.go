package money

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Rate is an exact proportion, such as a tax rate of 0.07875. The zero Rate is 0.
type Rate struct{ d decimal.Decimal }

// RoundingRule names the rounding rule in the explanation of an amount.
const RoundingRule = "half-up-cent"

// ParseRate parses a plain decimal fraction between 0 and 1, with at most twelve
// decimal places: "0.07875".
func ParseRate(s string) (Rate, error) {
	d, ok := parse(s, 12, 1)
	if !ok {
		return Rate{}, fault.New(fault.Invalid, "A rate must be a decimal fraction from 0 to 1, such as 0.07875")
	}
	return Rate{d}, nil
}

// ParsePercent parses a plain decimal percentage from 0 to 100, with at most ten
// decimal places: "7.875".
func ParsePercent(s string) (Rate, error) {
	d, ok := parse(s, 10, 100)
	if !ok {
		return Rate{}, fault.New(fault.Invalid, "A percentage must be a decimal number from 0 to 100, such as 7.875")
	}
	return Rate{d.Shift(-2)}, nil
}

// parse parses a plain decimal number up to most, with at most the given number of
// decimal places.
func parse(s string, digits int32, most int64) (decimal.Decimal, bool) {
	d, err := decimal.NewFromString(s)
	plain := err == nil && strings.Trim(s, "0123456789.") == ""
	return d, plain && -d.Exponent() <= digits && !d.GreaterThan(decimal.NewFromInt(most))
}

// Plus returns the sum of two rates on the same base.
func (r Rate) Plus(other Rate) Rate { return Rate{r.d.Add(other.d)} }

// Percent returns n percent as a rate.
func Percent(n int64) Rate { return Rate{decimal.New(n, -2)} }

// Of returns the proportion of an amount, rounded to the cent, half away from zero. It rounds every
// calculated amount of the service.
func (r Rate) Of(c Cents) Cents {
	return Cents(decimal.NewFromInt(int64(c)).Mul(r.d).Round(0).IntPart())
}

// IsZero reports whether the rate is 0.
func (r Rate) IsZero() bool { return r.d.IsZero() }

// String returns the exact fraction: "0.07875".
func (r Rate) String() string { return r.d.String() }

// MarshalText returns the exact fraction.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.d.String()), nil }

// UnmarshalText decodes with ParseRate.
func (r *Rate) UnmarshalText(b []byte) error {
	v, err := ParseRate(string(b))
	if err != nil {
		return err
	}
	*r = v
	return nil
}
