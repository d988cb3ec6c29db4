package tax_test

import (
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// The sum is rounded once, and each part is within a cent of its rate. A part with rate
// zero is zero.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		var rates []tax.LocalRate
		for range 1 + rng.IntN(6) {
			r, err := money.ParsePercent(decimal.New(rng.Int64N(90_000)>>rng.IntN(20), -4).String())
			if err != nil {
				t.Fatal(err)
			}
			rates = append(rates, tax.LocalRate{Label: "a place", Rate: r})
		}
		base := money.Cents(rng.IntN(100_000) >> rng.IntN(17))
		whole, parts := tax.Split(rates, base)
		var sum money.Cents
		for i, p := range parts {
			if off := p.Tax - rates[i].Rate.Of(base); off < -1 || off > 1 || p.Tax < 0 ||
				p.Base != base || p.Rate.IsZero() && p.Tax != 0 {
				t.Fatalf("%v of %s: %+v is %d off", rates, base, p, off)
			}
			sum += p.Tax
		}
		if sum != whole || whole != (tax.LocalRates{Rates: rates}).Rate().Of(base) {
			t.Fatalf("%v of %s: %s in parts, %s as a whole", rates, base, sum, whole)
		}
	}
	if whole, parts := tax.Split(nil, 100); whole != 0 || len(parts) != 0 {
		t.Errorf("rate zero: %s in %v", whole, parts)
	}
}
