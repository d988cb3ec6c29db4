package agreement_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
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
		"only the pledge cancelled":    {agreement.Terms{Revision: 3, Amount: 5000}, cancelled, false},
		"both cancelled":               {agreement.Terms{Revision: 3, Cancelled: true}, cancelled, true},
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
	a, b := agreement.Key("pw-00000000000000000000000001"),
		agreement.Key("pw-00000000000000000000000001-a-campaign-with-a-very-long-name")
	if a == b || len(a) > 40 || len(b) > 40 || !agreement.IsKey(a) || agreement.IsKey("orderId") {
		t.Errorf("%q, %q", a, b)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"r1 5000", "r2 cancelled", "r0 1", "r1 -1", "r1 05", "r1", "",
		"r1 5000 ", "r1 cancelledx", "rx 1", "r99999999999999999999 1"} {
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

func TestParse_RoundTrip(t *testing.T) {
	for _, want := range []agreement.Terms{{Revision: 1, Amount: 0}, {Revision: 7, Amount: 99_999_999},
		{Revision: 2, Cancelled: true}} {
		if got, ok := agreement.Parse(want.String()); !ok || got != want {
			t.Errorf("%q: %+v, %t", want, got, ok)
		}
	}
}

// customers records customer updates and returns err for them.
type customers struct {
	sent []string
	err  error
}

func (c *customers) UpdateCustomer(_ context.Context, id, key string, metadata map[string]string) error {
	for k, v := range metadata {
		c.sent = append(c.sent, fmt.Sprint(id, " ", key, " ", k == agreement.Key("pw-1"), " ", v))
	}
	return c.err
}

func TestRecord(t *testing.T) {
	gone, down := fault.New(fault.NotFound, "no such customer"), fault.New(fault.Unavailable, "no response")
	for name, tc := range map[string]struct {
		history  []string
		customer string
		err      error
		want     []string
		wantCode fault.Code
	}{
		"unchanged": {[]string{"created", "joined", "card_updated"}, "cus_1", nil, nil, ""},
		"changed":   {[]string{"created", "modified"}, "cus_1", nil, []string{"cus_1 terms:pw-1:2:n true r2 700"}, ""},
		"changed, joined": {[]string{"created", "modified", "joined"}, "cus_1", nil,
			[]string{"cus_1 terms:pw-1:3:n true r3 700"}, ""},
		"cancelled": {[]string{"created", "cancelled"}, "cus_1", nil,
			[]string{"cus_1 terms:pw-1:2:n true r2 cancelled"}, ""},
		"without customer": {[]string{"created", "modified"}, "", nil, nil, ""},
		"deleted customer": {[]string{"created", "modified"}, "cus_1", gone,
			[]string{"cus_1 terms:pw-1:2:n true r2 700"}, ""},
		"no response": {[]string{"created", "modified"}, "cus_1", down,
			[]string{"cus_1 terms:pw-1:2:n true r2 700"}, fault.Unavailable},
	} {
		p := &pledge.Pledge{OrderID: "pw-1", CustomerID: tc.customer, Revision: len(tc.history), Status: pledge.Active}
		p.Amount = 700
		for _, e := range tc.history {
			p.History = append(p.History, pledge.Entry{Type: e})
			if e == "cancelled" {
				p.Status = pledge.Cancelled
			}
		}
		c := &customers{err: tc.err}
		err := agreement.Record(context.Background(), c, p, "n")
		if fault.CodeOf(err) != tc.wantCode || !slices.Equal(c.sent, tc.want) {
			t.Errorf("%s: %v, sent %q", name, err, c.sent)
		}
	}
}
