package tax_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/tax"
)

func TestQuestion_Sentences(t *testing.T) {
	for _, tt := range []struct {
		q    tax.Question
		want string
	}{
		{tax.Question{Field: "postalCode", Reason: tax.MissingField}, "Enter the postal code: the tax depends on it."},
		{tax.Question{Field: "line1", Reason: tax.MissingField}, "Enter the street address: the tax depends on it."},
		{tax.Question{Field: "county", Reason: tax.MissingField}, "Enter the county: the tax depends on it."},
		{tax.Question{Field: "state", Reason: tax.OtherState, PostalCode: "30301", States: []string{"GA"}},
			"The postal code 30301 is in GA. Correct the state or the postal code."},
		{tax.Question{Field: "state", Reason: tax.SeveralStates, PostalCode: "82082", States: []string{"WY", "CO", "NE"}},
			"The ZIP code 82082 is in WY and CO and NE. Choose your state."},
		{tax.ZIPQuestion("303"), "The ZIP code 303 is too short. Enter all five digits, including a leading 0."},
		{tax.ZIPQuestion("3O3O1"), "3O3O1 is not a valid postal code in this country. Check it and try again."},
		{tax.ZIPQuestion("3030112345"), "3030112345 is not a valid postal code in this country. Check it and try again."},
		{tax.ZIPQuestion(" - "), "Enter the postal code: the tax depends on it."},
	} {
		if got := tt.q.Sentence(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.q, got, tt.want)
		}
	}
}

func TestAsk_QuoteIsNotFinal(t *testing.T) {
	q := tax.Ask("test", tax.Question{Field: "state", Reason: tax.OtherState, PostalCode: "30301", States: []string{"GA"}})
	if q.Status != tax.NeedsInput || q.Provider != "test" || q.Question == nil ||
		q.Notice != q.Question.Sentence() || !cmp.Equal(q.Missing, []string{"state"}) {
		t.Errorf("%+v", q)
	}
	if q := tax.Ask("test", tax.Question{Field: "city", Reason: tax.MissingField}); q.Notice != "" {
		t.Errorf("a missing field has the notice %q", q.Notice)
	}
}
