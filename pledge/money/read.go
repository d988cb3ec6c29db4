package money

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// RatePlaces is the number of decimal places to which rates from other programs are rounded.
// Published rates have at most six (8.2708 percent is 0.082708), and the error of a 32-bit float
// below a half begins at the eighth (0.08375 becomes 0.083750002086163). So seven places preserve
// every rate and remove the noise.
const RatePlaces = 7

// ReadRate parses a fraction from 0 to 1 from another program, possibly with an exponent or
// floating-point noise. It parses the text exactly, as a decimal, and rounds it half up to
// RatePlaces. It fails with code Invalid.
func ReadRate(s string) (Rate, error) { return readRate(s, 0) }

// ReadPercent is like [ReadRate], but parses a percentage from 0 to 100: "8.1875", "7.6250000001".
func ReadPercent(s string) (Rate, error) { return readRate(s, -2) }

func readRate(s string, shift int32) (Rate, error) {
	d, ok := parseNumber(s)
	d = d.Shift(shift)
	if ok {
		d = d.Round(RatePlaces)
	}
	if !ok || d.IsNegative() || d.GreaterThan(decimal.NewFromInt(1)) {
		return Rate{}, fault.New(fault.Invalid, "A rate must be a number from 0 to 1")
	}
	return Rate{d}, nil
}

// ReadDollars parses a dollar price from another program, exactly, and rounds it half up to the
// cent. It fails with code Invalid unless s is a number from 0 to Max.
func ReadDollars(s string) (Cents, error) {
	d, ok := parseNumber(s)
	if !ok || d.IsNegative() || d.GreaterThan(decimal.New(int64(Max), -2)) {
		return 0, fault.New(fault.Invalid, "A price must be a number of dollars from 0 to %s", Max)
	}
	return Cents(d.Shift(2).Round(0).IntPart()), nil
}

// Limits of a number's text. No rate or price needs more, and larger exponents cost
// memory.
const (
	maxNumberText = 64 // bytes
	maxExponent   = 40 // decimal
)

// parseNumber parses a decimal number within the limits.
func parseNumber(s string) (decimal.Decimal, bool) {
	if len(s) > maxNumberText || strings.Trim(s, "0123456789.eE+-") != "" {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(s)
	if err != nil || d.Exponent() > maxExponent || d.Exponent() < -maxNumberText-maxExponent {
		return decimal.Decimal{}, false
	}
	return d, true
}
