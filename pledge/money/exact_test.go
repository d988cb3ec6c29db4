package money_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/seed"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// exactProportion calculates a proportion of a non-negative amount with exact fractions, rounded
// once, half up.
func exactProportion(c money.Cents, rate string) money.Cents {
	exact, _ := new(big.Rat).SetString(rate)
	exact.Mul(exact, new(big.Rat).SetInt64(int64(c)))
	exact.Add(exact, big.NewRat(1, 2))
	return money.Cents(new(big.Int).Quo(exact.Num(), exact.Denom()).Int64())
}

// floatProportion calculates a proportion in binary floating point.
func floatProportion(c money.Cents, rate string) money.Cents {
	f, _ := strconv.ParseFloat(rate, 64)
	return money.Cents(math.Round(float64(c) * f))
}

// randomRate returns a random rate below 1 with 1 to 12 decimal places.
func randomRate(r *rand.Rand) string {
	digits := 1 + r.IntN(12)
	return fmt.Sprintf("0.%0*d", digits, r.Int64N(int64(math.Pow10(digits))))
}

// A proportion of an amount equals the result with exact fractions, even for inputs for which
// floating point is a cent off.
//
// Proves MON-17.
func TestRate_AgainstExactFractionsAndFloats(t *testing.T) {
	r, off := seed.Rand(t), 0
	for range 200_000 {
		c, text := money.Cents(r.Int64N(int64(math.Pow10(1+r.IntN(10))))), randomRate(r)
		rate, err := money.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		want := exactProportion(c, text)
		if got := rate.Of(c); got != want {
			t.Fatalf("%s of %d: got %d, want %d", text, c, got, want)
		}
		if floatProportion(c, text) != want {
			off++
		}
	}
	if off == 0 {
		t.Error("floating point rounded all inputs correctly")
	}
	t.Logf("floating point is a cent off for %d of 200000 inputs", off)
}

// Two rates on one base are added, and the tax is rounded once. Floating point, or rounding each
// tax separately, would give a different amount.
//
// Proves MON-17.
func TestPlus_RoundsOnce(t *testing.T) {
	r, twice := seed.Rand(t), 0
	for range 50_000 {
		c, a, b := money.Cents(r.Int64N(10_000_000)), randomRate(r), randomRate(r)
		first, _ := money.ParseRate(a)
		second, _ := money.ParseRate(b)
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		want := exactProportion(c, x.Add(x, y).RatString())
		if got := first.Plus(second).Of(c); got != want {
			t.Fatalf("%s and %s of %d: got %d, want %d", a, b, c, got, want)
		}
		if first.Of(c)+second.Of(c) != want {
			twice++
		}
	}
	if twice == 0 {
		t.Error("no input differs between rounding once and twice")
	}
}
