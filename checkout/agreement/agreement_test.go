package agreement_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func TestTerms_Permits(t *testing.T) {
	p := &pledge.Pledge{OrderID: "pw-1", Revision: 3, Status: pledge.Active}
	p.Amount = 5000
	cancelled := &pledge.Pledge{OrderID: "pw-1", Revision: 3, Status: pledge.Cancelled}
	for name, tc := range map[string]struct {
		terms agreement.Terms
		p     *pledge.Pledge
		want  bool
	}{
		"same revision and amount":     {agreement.Terms{Revision: 3, Amount: 5000}, p, true},
		"older revision, other amount": {agreement.Terms{Revision: 2, Amount: 9000}, p, false},
		"same revision, other amount":  {agreement.Terms{Revision: 3, Amount: 2000}, p, false},
		"newer revision, reduced":      {agreement.Terms{Revision: 4, Amount: 2000}, p, false},
		"newer revision, raised":       {agreement.Terms{Revision: 4, Amount: 9000}, p, false},
		"newer revision, same amount":  {agreement.Terms{Revision: 9, Amount: 5000}, p, true},
		"cancelled":                    {agreement.Terms{Revision: 4, Cancelled: true}, p, false},
		"cancelled, older revision":    {agreement.Terms{Revision: 2, Cancelled: true}, p, false},
		"cancelled here only":          {agreement.Terms{Revision: 3, Amount: 5000}, cancelled, false},
		"cancelled on both sides":      {agreement.Terms{Revision: 3, Cancelled: true}, cancelled, true},
	} {
		if got := tc.terms.Permits(tc.p); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestTermsOf(t *testing.T) {
	p := &pledge.Pledge{Revision: 2, Status: pledge.Active}
	p.Amount = 700
	if got := agreement.TermsOf(p); got != (agreement.Terms{Revision: 2, Amount: 700}) {
		t.Errorf("active: %+v", got)
	}
	p.Status = pledge.Cancelled
	if got := agreement.TermsOf(p); got != (agreement.Terms{Revision: 2, Cancelled: true}) {
		t.Errorf("cancelled: %+v", got)
	}
}

func TestKey_FitsStripe(t *testing.T) {
	a, b := agreement.Key("pw-00000000000000000000000001"), agreement.Key("pw-00000000000000000000000001-a-campaign-with-a-very-long-name")
	if a == b || len(a) > 40 || len(b) > 40 || !agreement.IsKey(a) || agreement.IsKey("orderId") {
		t.Errorf("%q, %q", a, b)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"r1 5000", "r2 cancelled", "r0 1", "r1 -1", "r1 05", "r1", "", "r1 5000 ", "r1 cancelledx", "rx 1", "r99999999999999999999 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		terms, ok := agreement.Parse(s)
		if ok && (terms.String() != s || terms.Revision < 1 || terms.Amount < 0) {
			t.Errorf("%q is read as %+v", s, terms)
		}
		if !ok && terms != (agreement.Terms{}) {
			t.Errorf("%q fails with %+v", s, terms)
		}
	})
}

func TestParse_ReadsWhatStringWrites(t *testing.T) {
	for _, want := range []agreement.Terms{{Revision: 1, Amount: 0}, {Revision: 7, Amount: 99_999_999}, {Revision: 2, Cancelled: true}} {
		if got, ok := agreement.Parse(want.String()); !ok || got != want {
			t.Errorf("%q: %+v, %t", want, got, ok)
		}
	}
}
