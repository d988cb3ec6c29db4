package pledge_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func line(kind pledge.LineKind, amount money.Cents) pledge.Line {
	return pledge.Line{Kind: kind, Quantity: 1, UnitPrice: amount, Amount: amount}
}

// The amount to charge is the sum of the parts, and only platform add-ons do not count
// toward the campaign.
//
// Proves MON-13, MON-25, MON-26, MON-27, PLG-10.
func TestCalculateTotals(t *testing.T) {
	got, err := pledge.CalculateTotals([]pledge.Line{
		line(pledge.TierLine, 1), line(pledge.SupportLine, 20), line(pledge.CustomLine, 300),
		line(pledge.CampaignAddOnLine, 4000), line(pledge.PlatformAddOnLine, 50_000),
	}, 4277, 725, pledge.Tip{Percent: 5})
	want := pledge.Totals{
		Subtotal: 54_321, CampaignSubtotal: 4321, Tax: 4277, Shipping: 725,
		TipPercent: 5, TipAmount: 2716, // exactly 2716.05
		Amount: 62_039,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Half a cent of tip is rounded up, whether the whole cents are even or odd.
func TestCalculateTotals_TipRoundsHalfCentsUp(t *testing.T) {
	for subtotal, want := range map[money.Cents]money.Cents{9: 0, 10: 1, 29: 1, 30: 2, 49: 2,
		50: 3, 1010: 51, 1030: 52, 99_999_950 / 5: 1_000_000} {
		got, err := pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, subtotal)}, 0, 0, pledge.Tip{Percent: 5})
		if err != nil || got.TipAmount != want || got.Amount != subtotal+want {
			t.Errorf("5 %% of %s: %+v, %v; want a tip of %s", subtotal, got, err, want)
		}
	}
}

// The tip is rounded to the cent, and the rounded tip is part of the sum.
//
// Proves MON-18.
func TestCalculateTotals_AgainstBig(t *testing.T) {
	kinds := []pledge.LineKind{pledge.TierLine, pledge.SupportLine, pledge.CustomLine,
		pledge.CampaignAddOnLine, pledge.PlatformAddOnLine}
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SliceOfN(rapid.Int64Range(0, 3_000_000), 0, 20).Draw(t, "amounts")
		tax, shipping := rapid.Int64Range(0, 5_000_000).Draw(t, "tax"), rapid.Int64Range(0, 100_000).Draw(t, "shipping")
		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		var lines []pledge.Line
		subtotal, counted := new(big.Int), new(big.Int)
		for i, a := range amounts {
			kind := kinds[i%len(kinds)]
			lines = append(lines, line(kind, money.Cents(a)))
			subtotal.Add(subtotal, big.NewInt(a))
			if kind != pledge.PlatformAddOnLine {
				counted.Add(counted, big.NewInt(a))
			}
		}
		tip := new(big.Int).Mul(subtotal, big.NewInt(2*int64(percent)))
		tip.Quo(tip.Add(tip, big.NewInt(100)), big.NewInt(200))
		amount := new(big.Int).Add(subtotal, tip)
		amount.Add(amount, big.NewInt(tax+shipping))
		got, err := pledge.CalculateTotals(lines, money.Cents(tax), money.Cents(shipping), pledge.Tip{Percent: percent})
		if amount.Cmp(big.NewInt(int64(money.Max))) > 0 {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%s exceeds the limit: %v", amount, err)
			}
			return
		}
		want := pledge.Totals{
			Subtotal: money.Cents(subtotal.Int64()), CampaignSubtotal: money.Cents(counted.Int64()), Tax: money.Cents(tax),
			Shipping: money.Cents(shipping), TipPercent: percent, TipAmount: money.Cents(tip.Int64()),
			Amount: money.Cents(amount.Int64()),
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" || got.Check() != nil {
			t.Fatal(err, diff, got.Check())
		}
	})
}

// CalculateTotals rejects negative parts, and parts and totals above money.Max.
//
// Proves MON-21.
func TestCalculateTotals_Refuses(t *testing.T) {
	one := []pledge.Line{line(pledge.TierLine, 100)}
	for name, run := range map[string]func() (pledge.Totals, error){
		"negative line": func() (pledge.Totals,
			error) {
			return pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, -1)}, 0, 0, pledge.Tip{})
		},
		"line above Max": func() (pledge.Totals, error) {
			return pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, money.Max+1)}, 0, 0, pledge.Tip{})
		},
		"negative tax":      func() (pledge.Totals, error) { return pledge.CalculateTotals(one, -1, 0, pledge.Tip{}) },
		"negative shipping": func() (pledge.Totals, error) { return pledge.CalculateTotals(one, 0, -1, pledge.Tip{}) },
		"negative tip":      func() (pledge.Totals, error) { return pledge.CalculateTotals(one, 0, 0, pledge.Tip{Percent: -5}) },
		"subtotal above Max": func() (pledge.Totals, error) {
			return pledge.CalculateTotals(append(one, line(pledge.TierLine, money.Max)), 0, 0, pledge.Tip{})
		},
		"sum above Max": func() (pledge.Totals, error) { return pledge.CalculateTotals(one, money.Max, 0, pledge.Tip{}) },
	} {
		if got, err := run(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, money.Max)}, 0, 0, pledge.Tip{}); err != nil ||
		got.Amount != money.Max {
		t.Errorf("exactly Max: %+v, %v", got, err)
	}
}

func TestTotalsCheck(t *testing.T) {
	good := pledge.Totals{Subtotal: 100, Tax: 8, Shipping: 3, TipPercent: 5, TipAmount: 5,
		Amount: 116, CampaignSubtotal: 60}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*pledge.Totals){
		"one cent less":                    func(t *pledge.Totals) { t.Amount-- },
		"another tax":                      func(t *pledge.Totals) { t.Tax++ },
		"campaign subtotal above subtotal": func(t *pledge.Totals) { t.CampaignSubtotal = 101 },
		"negative part with correct sum":   func(t *pledge.Totals) { t.Tax, t.Shipping = -8, 19 },
		"negative campaign subtotal":       func(t *pledge.Totals) { t.CampaignSubtotal = -1 },
	} {
		bad := good
		change(&bad)
		if err := bad.Check(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestItem(t *testing.T) {
	for want, l := range map[string]pledge.Line{
		"tier/early-bird": {Kind: pledge.TierLine, ID: "early-bird"},
		"add-on/shirt/m":  {Kind: pledge.CampaignAddOnLine, ID: "shirt", Variant: "m"},
		"add-on/mug":      {Kind: pledge.PlatformAddOnLine, ID: "mug"},
		"":                {Kind: pledge.SupportLine, ID: "sound"},
	} {
		if got := l.Item(); got != want {
			t.Errorf("%+v is %q, want %q", l, got, want)
		}
	}
}

func ExampleCalculateTotals() {
	totals, err := pledge.CalculateTotals([]pledge.Line{{Kind: pledge.TierLine, Quantity: 1, UnitPrice: 4000, Amount: 4000}},
		315, 300, pledge.Tip{Percent: 5})
	fmt.Println(totals.Amount, totals.TipAmount, err)
	// Output: $48.15 $2.00 <nil>
}

// A tip that was entered as an amount does not depend on the subtotal and can be read from the
// totals.
func TestCalculateTotals_TipAmount(t *testing.T) {
	for _, subtotal := range []money.Cents{1, 4000, 123_456} {
		got, err := pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, subtotal)}, 10, 20, pledge.Tip{Amount: 75})
		if err != nil || got.TipAmount != 75 || got.TipPercent != 0 || got.Amount != subtotal+105 ||
			got.Tip() != (pledge.Tip{Amount: 75}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	got, err := pledge.CalculateTotals([]pledge.Line{line(pledge.TierLine, 4000)}, 0, 0, pledge.Tip{Percent: 5})
	if err != nil || got.Tip() != (pledge.Tip{Percent: 5}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := pledge.CalculateTotals(nil, 0, 0, pledge.Tip{Amount: -1}); err == nil {
		t.Error("a negative tip")
	}
}
