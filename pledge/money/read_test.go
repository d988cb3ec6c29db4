package money_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Numbers with exponents or floating-point noise are parsed as decimals and rounded to
// the seventh place or to the cent.
func TestReadRate_ReadPercentReadDollars(t *testing.T) {
	for s, want := range map[string]string{
		"0.08375": "0.08375", "0.083750002086163": "0.08375", "0.03999999910593": "0.04",
		"0.08249999999999999": "0.0825", "8.25e-2": "0.0825", "825E-4": "0.0825",
		"0": "0", "0e40": "0", "-0": "0", "-1e-17": "0", "1e-40": "0", "1e-104": "0", strings.Repeat("0", 64): "0",
		"0.14975": "0.14975", "0.1234567": "0.1234567", "0.12345665": "0.1234567", "0.12345664": "0.1234566", "1": "1",
	} {
		if r, err := money.ReadRate(s); err != nil || r.String() != want {
			t.Errorf("%s: got %s, %v; want %s", s, r, err, want)
		}
	}
	for s, want := range map[string]string{"8.1875": "0.081875", "7.6250": "0.07625", "7.625000000000001": "0.07625",
		"7.6249999": "0.07625", "8.2708": "0.082708", "1E1": "0.1", "100": "1"} {
		if r, err := money.ReadPercent(s); err != nil || r.String() != want {
			t.Errorf("%s percent: got %s, %v; want %s", s, r, err, want)
		}
	}
	for s, want := range map[string]money.Cents{"8.02": 802, "8.0199999999999996": 802, "8.2e0": 820,
		"802e-2": 802, "8.025": 803, "8.0249": 802, "0": 0, "1000000": money.Max} {
		if c, err := money.ReadDollars(s); err != nil || c != want {
			t.Errorf("%s dollars: got %s, %v; want %s", s, c, err, want)
		}
	}
	for _, s := range []string{"", "much", "NaN", "0x1", "1e", "-0.1", "1.1", "1e999999999", "1e-999999999",
		"0e99999999999", strings.Repeat("0", 65), " 0.1", "0,1", "1e41", "0e41", "1e-105"} {
		if r, err := money.ReadRate(s); !fault.Is(err, fault.Invalid) || !r.IsZero() {
			t.Errorf("%q: %s, %v", s, r, err)
		}
	}
	for _, s := range []string{"", "-0.01", "1000000.01", "1e7", "1e999999999", "8 dollars"} {
		if c, err := money.ReadDollars(s); !fault.Is(err, fault.Invalid) || c != 0 {
			t.Errorf("%q: %s, %v", s, c, err)
		}
	}
}

func FuzzReadRate(f *testing.F) {
	for _, s := range []string{"0.083750002086163", "8.25e-2", "-1e-17", "1e999999999", "0e-99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := money.ReadRate(s); err == nil {
			if again, err := money.ParseRate(r.String()); err != nil || again.String() != r.String() {
				t.Errorf("%q parsed as the invalid rate %s: %v", s, r, err)
			}
		}
		if c, err := money.ReadDollars(s); err == nil && c.Check() != nil {
			t.Errorf("%q: got %s", s, c)
		}
	})
}
