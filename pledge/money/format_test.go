package money_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The scripts' tests (hosts/site/scripts/tests/moneyforms.ts) read the same file.
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
