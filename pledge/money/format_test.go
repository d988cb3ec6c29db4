package money_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The tests of the site's scripts (hosts/site/scripts/tests/moneyforms.ts) use the same file.
func TestFormat_SharedForms(t *testing.T) {
	text, err := os.ReadFile("testdata/forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Cents  money.Cents
		En, Es [3]string // price, amount, total
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for lang, want := range map[string][3]string{"en": r.En, "es": r.Es, "es-MX": r.Es, "fr": r.En} {
			if got := [3]string{r.Cents.Price(lang), r.Cents.Amount(lang), r.Cents.Total(lang)}; got != want {
				t.Errorf("%d cents in %s: %q, want %q", int64(r.Cents), lang, got, want)
			}
		}
	}
}

func TestRate_Percent(t *testing.T) {
	for text, want := range map[string][2]string{
		"0.07875": {"7.875%", "7,875\u00a0%"}, "0.2": {"20%", "20\u00a0%"}, "0": {"0%", "0\u00a0%"},
	} {
		r, err := money.ReadRate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{r.Percent("en"), r.Percent("es")}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
