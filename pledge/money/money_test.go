package money_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Sum and Times agree with math/big and reject results outside the limits.
func TestSum_TimesAgainstBig(t *testing.T) {
	amount := rapid.OneOf(
		rapid.Int64Range(-int64(money.Max), int64(money.Max)),
		rapid.Int64(),
		rapid.SampledFrom([]int64{0, 1, -1, int64(money.Max), int64(money.Max) + 1, -int64(money.Max),
			math.MaxInt64, math.MinInt64}),
	)
	limit := big.NewInt(int64(money.Max))
	rapid.Check(t, func(t *rapid.T) {
		a, b, n := amount.Draw(t, "a"), amount.Draw(t, "b"), rapid.Int().Draw(t, "n")
		within := func(v *big.Int) bool { return v.CmpAbs(limit) <= 0 }
		same := func(what string, want *big.Int, ok bool, got money.Cents, err error) {
			if ok != (err == nil) || ok && got != money.Cents(want.Int64()) ||
				!ok && (!fault.Is(err, fault.Invalid) || got != 0) {
				t.Fatalf("%s: %d, %v; want %s within bounds: %t", what, got, err, want, ok)
			}
		}
		sum := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		got, err := money.Sum(money.Cents(a), money.Cents(b))
		same("sum", sum, within(sum) && within(big.NewInt(a)), got, err)
		product := new(big.Int).Mul(big.NewInt(a), big.NewInt(int64(n)))
		got, err = money.Cents(a).Times(n)
		same("product", product, within(product), got, err)
	})
}

// The limits are valid amounts; one cent more is not valid, even as an intermediate sum.
func TestBounds(t *testing.T) {
	for _, tc := range []struct {
		amounts []money.Cents
		want    money.Cents
		ok      bool
	}{
		{[]money.Cents{money.Max - 1, 1}, money.Max, true}, {[]money.Cents{1 - money.Max, -1}, -money.Max, true},
		{[]money.Cents{-money.Max, 2 * money.Max}, money.Max, true},
		{[]money.Cents{money.Max, 1}, 0, false}, {[]money.Cents{-money.Max, -1}, 0, false},
		{[]money.Cents{money.Max, 1, -1}, 0, false},
		{[]money.Cents{money.Max, math.MaxInt64}, 0, false}, {[]money.Cents{-money.Max, math.MinInt64}, 0, false},
	} {
		if got, err := money.Sum(tc.amounts...); got != tc.want || (err == nil) != tc.ok ||
			err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("sum of %d: %d, %v", tc.amounts, got, err)
		}
	}
	for quantity, ok := range map[int]bool{1_000_000: true, -1_000_000: true, 1_000_001: false,
		-1_000_001: false, math.MaxInt: false} {
		if got, err := money.Cents(100).Times(quantity); (err == nil) != ok || ok && got != money.Cents(100*quantity) {
			t.Errorf("%d dollars: %d, %v", quantity, got, err)
		}
	}
}

// A rate is applied exactly and rounded half up to the cent, away from zero.
func TestRate_AgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 12).Draw(t, "digits")
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		numerator := rapid.Int64Range(0, scale.Int64()).Draw(t, "numerator")
		text := new(big.Rat).SetFrac(big.NewInt(numerator), scale).FloatString(digits)
		r, err := money.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		c := rapid.Int64Range(-int64(money.Max), int64(money.Max)).Draw(t, "cents")
		// half up, away from zero: floor((2·|c|·n + d) / 2d)
		want := new(big.Int).Mul(new(big.Int).Abs(big.NewInt(c)), big.NewInt(2*numerator))
		want.Quo(want.Add(want, scale), new(big.Int).Mul(scale, big.NewInt(2)))
		if c < 0 {
			want.Neg(want)
		}
		if got := r.Of(money.Cents(c)); int64(got) != want.Int64() {
			t.Fatalf("%s of %d: got %d, want %s", text, c, got, want)
		}
	})
}

func TestRate_RoundsHalfCentsUp(t *testing.T) {
	for _, tc := range []struct {
		rate  string
		cents money.Cents
		want  money.Cents
	}{
		{"0.0725", 200, 15}, {"0.08625", 1200, 104}, // one cent low in binary floating point
		{"0.5", 1, 1}, {"0.5", -1, -1}, {"0.5", 3, 2}, {"0.49999", 1, 0}, {"1", money.Max, money.Max}, {"0", 5, 0},
	} {
		r, err := money.ParseRate(tc.rate)
		if got := r.Of(tc.cents); err != nil || got != tc.want {
			t.Errorf("%s of %d: got %d (%v), want %d", tc.rate, tc.cents, got, err, tc.want)
		}
	}
	if got := money.Percent(5).Of(1010); got != 51 { // 50.5
		t.Errorf("5 %% of 1010: %d", got)
	}
}

// Rates are parsed from plain fractions and percentages only.
func TestParseRate_ParsePercent(t *testing.T) {
	for s, want := range map[string]string{"0": "0", "1": "1", "0.07875": "0.07875",
		"0.123456789012": "0.123456789012", "1.000": "1"} {
		if r, err := money.ParseRate(s); err != nil || r.String() != want {
			t.Errorf("%q: %s, %v", s, r, err)
		}
	}
	for s, want := range map[string]string{"0": "0", "100": "1", "7.875": "0.07875",
		"1.0123456789": "0.010123456789", "100.0": "1"} {
		if r, err := money.ParsePercent(s); err != nil || r.String() != want {
			t.Errorf("%q percent: %s, %v", s, r, err)
		}
	}
	for _, s := range []string{"", "1.01", "-0.1", "+0.1", "1e-3", "7%", "0,07", ".", "0.0.1",
		" 0.1", "NaN", "0.1234567890123", "2"} {
		if r, err := money.ParseRate(s); !fault.Is(err, fault.Invalid) || !r.IsZero() {
			t.Errorf("%q: %s, %v", s, r, err)
		}
	}
	for _, s := range []string{"", "100.01", "-7", "+7", "7e0", "7%", "7,875", "0.12345678901", "1000"} {
		if r, err := money.ParsePercent(s); !fault.Is(err, fault.Invalid) || !r.IsZero() {
			t.Errorf("%q percent: %s, %v", s, r, err)
		}
	}
}

// A rate is encoded as an exact fraction and decoded only from one.
func TestRate_Text(t *testing.T) {
	var r money.Rate
	if err := json.Unmarshal([]byte(`"0.07875"`), &r); err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(r); err != nil || string(b) != `"0.07875"` {
		t.Errorf("encoded as %s, %v", b, err)
	}
	for _, s := range []string{`"7.875"`, `"much"`, `0.07875`} {
		if err := json.Unmarshal([]byte(s), &r); err == nil || r.String() != "0.07875" {
			t.Errorf("%s: decoded as %s, %v", s, r, err)
		}
	}
}

// Amounts are encoded and decoded as JSON integers; fractions, exponents and strings are
// rejected.
//
// Proves MON-12.
func TestCents_JSONIsStrict(t *testing.T) {
	for _, s := range []string{"0", "-1", "100000000", "9223372036854775807"} {
		var c money.Cents
		if err := json.Unmarshal([]byte(s), &c); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if b, err := json.Marshal(c); err != nil || string(b) != s {
			t.Errorf("%s: encoded as %s, %v", s, b, err)
		}
	}
	for _, s := range []string{"12.0", "12.5", "1e2", `"12"`, "null", "true", "[1]", "{}", "9223372036854775808"} {
		c := money.Cents(7)
		if err := json.Unmarshal([]byte(s), &c); !fault.Is(err, fault.Invalid) || c != 7 {
			t.Errorf("%s: %d, %v", s, c, err)
		}
	}
}

func TestString(t *testing.T) {
	for c, want := range map[money.Cents]string{
		0: "$0.00", 5: "$0.05", 123405: "$1,234.05", -10: "-$0.10", money.Max: "$1,000,000.00", 99999: "$999.99",
		math.MinInt64: "-$92,233,720,368,547,758.08",
	} {
		if got := c.String(); got != want {
			t.Errorf("%d: got %q, want %q", int64(c), got, want)
		}
	}
}

func TestDollars_Saturates(t *testing.T) {
	const most = math.MaxInt64 / 100
	for d, want := range map[int64]money.Cents{
		7: 700, -7: -700, most: most * 100, -most: -most * 100,
		most + 1: math.MaxInt64, -most - 1: math.MinInt64, math.MaxInt64: math.MaxInt64, math.MinInt64: math.MinInt64,
	} {
		if got := money.Dollars(d); got != want {
			t.Errorf("%d dollars: %d", d, got)
		}
	}
}

// Amounts are valid from zero to one million dollars.
//
// Proves MON-21.
func TestCheck(t *testing.T) {
	for c, ok := range map[money.Cents]bool{0: true, money.Max: true, money.Dollars(1_000_000): true,
		money.Dollars(1_000_000) + 1: false, -1: false} {
		if err := c.Check(); (err == nil) != ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", c, err)
		}
	}
}

func FuzzCentsJSON(f *testing.F) {
	for _, s := range []string{"1", "-0", "1.0", `"1"`, "null", "1e5", " 3 ", "00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, again money.Cents
		if json.Unmarshal(b, &c) != nil {
			return
		}
		out, err := json.Marshal(c)
		if err != nil || json.Unmarshal(out, &again) != nil || again != c {
			t.Errorf("%q decoded as %d, encoded as %s and decoded as %d", b, c, out, again)
		}
	})
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"0.07875", "1", "0", "1e-2", ".5", "5."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := money.ParseRate(s)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		again, err := money.ParseRate(r.String())
		if err != nil || again.String() != r.String() || r.Of(money.Max) < 0 || r.Of(money.Max) > money.Max {
			t.Errorf("%q: parsed %s, reparsed %s (%v)", s, r, again, err)
		}
	})
}

func ExampleRate_Of() {
	r, err := money.ParseRate("0.07875")
	fmt.Println(r.Of(money.Dollars(40)), err)
	// Output: $3.15 <nil>
}
