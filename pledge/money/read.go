package money

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// RatePlaces is the place behind the point of a fraction at which a rate that another
// program wrote is rounded. Published rates have six at most (8.2708 percent is
// 0.082708), and what a number of 32 bits adds to one below a half begins at the eighth
// (0.08375 becomes 0.083750002086163). So the seventh loses no rate and keeps no noise.
const RatePlaces = 7

// ReadRate reads a fraction from 0 to 1 as another program writes a number: with an
// exponent, or with the noise of a binary one. The text is read exactly, as a decimal,
// and rounded half up at RatePlaces.
func ReadRate(s string) (Rate, error) { return readRate(s, 0) }

// ReadPercent is ReadRate for a percentage from 0 to 100: "8.1875", "7.6250000001".
func ReadPercent(s string) (Rate, error) { return readRate(s, -2) }

func readRate(s string, shift int32) (Rate, error) {
	d, ok := number(s)
	d = d.Shift(shift)
	if ok {
		d = d.Round(RatePlaces)
	}
	if !ok || d.IsNegative() || d.GreaterThan(decimal.NewFromInt(1)) {
		return Rate{}, fault.New(fault.Invalid, "A rate is a number from nothing to the whole")
	}
	return Rate{d}, nil
}

// ReadDollars reads a price in dollars as another program writes a number, exactly, and
// rounds it half up to the cent: what is paid has no smaller part. It fails for less
// than nothing and for more than Max.
func ReadDollars(s string) (Cents, error) {
	d, ok := number(s)
	if !ok || d.IsNegative() || d.GreaterThan(decimal.New(int64(Max), -2)) {
		return 0, fault.New(fault.Invalid, "A price is a number of dollars from 0 to %s", Max)
	}
	return Cents(d.Shift(2).Round(0).IntPart()), nil
}

// Bounds of a number's text: beyond them it is nobody's rate or price, and costs memory.
const (
	longestNumber = 64
	farthest      = 40 // places, either way
)

// number reads a JSON number. What is not zero and lies beyond the bounds is none.
func number(s string) (decimal.Decimal, bool) {
	if len(s) > longestNumber || strings.Trim(s, "0123456789.eE+-") != "" {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(s)
	if err != nil || d.Exponent() > farthest || d.Exponent() < -longestNumber-farthest {
		return decimal.Decimal{}, false
	}
	return d, true
}
