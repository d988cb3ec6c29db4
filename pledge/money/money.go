// Package money holds the service's one kind of amount: whole US cents, with
// checked arithmetic and a single rounding rule.
package money

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Cents is an amount of US dollars in whole cents.
type Cents int64

// Max is the ceiling of every canonical amount: one million dollars.
const Max Cents = 100_000_000

// The smallest and the largest amount of one card payment in US dollars, as Stripe
// documents them: the minimum is $0.50, and an amount has at most eight digits
// (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). MaxCharge is a
// cent below Max.
const (
	MinCharge Cents = 50
	MaxCharge Cents = 99_999_999
)

// USD is the only currency, as it is written in records and sent to the processor.
const USD = "usd"

// Dollars returns a whole number of dollars as cents. It is for amounts known
// to be within Max; a larger one saturates.
func Dollars(d int64) Cents {
	if d > math.MaxInt64/100 {
		return math.MaxInt64
	}
	if d < math.MinInt64/100 {
		return math.MinInt64
	}
	return Cents(d * 100)
}

// Sum adds amounts. It fails with code Invalid when the sum, or one on the way to
// it, is not between -Max and Max.
func Sum(amounts ...Cents) (Cents, error) {
	var total Cents
	for _, a := range amounts {
		total += a // a sum that overflows is out of bounds as well: total is small
		if total > Max || total < -Max {
			return 0, tooLarge()
		}
	}
	return total, nil
}

// Times multiplies a unit price by a quantity, within the same bounds as Sum.
func (c Cents) Times(quantity int) (Cents, error) {
	p := new(big.Int).Mul(big.NewInt(int64(c)), big.NewInt(int64(quantity)))
	if !p.IsInt64() || p.Int64() > int64(Max) || p.Int64() < -int64(Max) {
		return 0, tooLarge()
	}
	return Cents(p.Int64()), nil
}

// Check reports whether c is an amount a supporter may owe: zero to Max.
func (c Cents) Check() error {
	if c < 0 {
		return fault.New(fault.Invalid, "An amount cannot be negative")
	}
	if c > Max {
		return tooLarge()
	}
	return nil
}

// String formats c as dollars with exact cents: "$1,234.05", "-$0.10".
func (c Cents) String() string {
	sign, v := "", new(big.Int).Abs(big.NewInt(int64(c)))
	if c < 0 {
		sign = "-"
	}
	dollars, cents := new(big.Int).QuoRem(v, big.NewInt(100), new(big.Int))
	digits := dollars.String()
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return fmt.Sprintf("%s$%s.%02d", sign, digits, cents.Int64())
}

// UnmarshalJSON accepts a JSON integer and nothing else: 12.0, "12" and null
// are not amounts.
func (c *Cents) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return notCents()
	}
	*c = Cents(v)
	return nil
}

func tooLarge() error {
	return fault.New(fault.Invalid, "An amount is above the limit of %s", Max)
}

func notCents() error { return fault.New(fault.Invalid, "An amount is a whole number of cents") }
