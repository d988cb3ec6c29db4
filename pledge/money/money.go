// Package money provides amounts in whole US cents, with checked arithmetic and one rounding
// rule: half up to the cent. [Rate.Of] rounds calculated amounts, and [ReadDollars] rounds prices
// from other programs.
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

// Max is the upper limit of every amount: one million dollars.
const Max Cents = 100_000_000

// The smallest and largest amount of one card payment in US dollars, as documented by
// Stripe: at least $0.50 and at most eight digits
// (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). MaxCharge is
// one cent below Max.
const (
	MinCharge Cents = 50
	MaxCharge Cents = 99_999_999
)

// USD is the only currency, as stored in records and sent to Stripe.
const USD = "usd"

// Dollars converts whole dollars to cents. It is for amounts known to be within Max;
// larger ones saturate.
func Dollars(d int64) Cents {
	if d > math.MaxInt64/100 {
		return math.MaxInt64
	}
	if d < math.MinInt64/100 {
		return math.MinInt64
	}
	return Cents(d * 100)
}

// Sum adds amounts. It fails with code Invalid if the sum or an intermediate sum is not
// between -Max and Max.
func Sum(amounts ...Cents) (Cents, error) {
	var total Cents
	for _, a := range amounts {
		total += a // cannot overflow undetected: total was within Max before
		if total > Max || total < -Max {
			return 0, tooLarge()
		}
	}
	return total, nil
}

// Times multiplies a unit price by a quantity, with the same limits as Sum.
func (c Cents) Times(quantity int) (Cents, error) {
	p := new(big.Int).Mul(big.NewInt(int64(c)), big.NewInt(int64(quantity)))
	if !p.IsInt64() || p.Int64() > int64(Max) || p.Int64() < -int64(Max) {
		return 0, tooLarge()
	}
	return Cents(p.Int64()), nil
}

// Check returns an Invalid fault unless c is between zero and Max.
func (c Cents) Check() error {
	if c < 0 {
		return fault.New(fault.Invalid, "An amount cannot be negative")
	}
	if c > Max {
		return tooLarge()
	}
	return nil
}

// String formats c as dollars and cents: "$1,234.05", "-$0.10".
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

// UnmarshalJSON accepts only a JSON integer: 12.0, "12" and null are rejected.
func (c *Cents) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return notCents()
	}
	*c = Cents(v)
	return nil
}

func tooLarge() error {
	return fault.New(fault.Invalid, "The amount exceeds the limit of %s", Max)
}

func notCents() error { return fault.New(fault.Invalid, "An amount must be a whole number of cents") }
