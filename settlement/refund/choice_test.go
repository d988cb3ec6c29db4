package refund_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// boxSet is a pledge of two boxes and a platform add-on, with shipping, tip and tax.
func boxSet(t *testing.T) *pledge.Pledge {
	t.Helper()
	p := &pledge.Pledge{OrderID: "pw-1", Lines: []pledge.Line{
		{Kind: pledge.TierLine, ID: "box", Name: "Box", Quantity: 2, UnitPrice: 2500, Amount: 5000},
		{Kind: pledge.PlatformAddOnLine, ID: "shirt", Name: "Shirt", Quantity: 1, UnitPrice: 1000, Amount: 1000}}}
	var err error
	if p.Totals, err = pledge.CalculateTotals(p.Lines, 600, 900, pledge.Tip{Amount: 300}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChoice(t *testing.T) {
	all := ledger.Components{Pledges: 5000, AddOns: 1000, Shipping: 900, Tips: 300, Tax: 600}
	for name, tc := range map[string]struct {
		choice    refund.Choice
		remaining ledger.Components
		want      ledger.Components
		code      fault.Code
		field     string
	}{
		"everything without the tip": {refund.Choice{All: true}, all,
			ledger.Components{Pledges: 5000, AddOns: 1000, Shipping: 900, Tax: 600}, "", ""},
		"everything": {refund.Choice{All: true, Tip: true}, all, all, "", ""},
		"what remains": {refund.Choice{All: true}, ledger.Components{Pledges: 1, Tips: 300},
			ledger.Components{Pledges: 1}, "", ""},
		"one box with its tax": {refund.Choice{Units: []refund.Units{{0, 1}}}, all,
			ledger.Components{Pledges: 2500, Tax: 250}, "", ""},
		"a box and the shirt with shipping": {refund.Choice{Units: []refund.Units{{0, 1}, {1, 1}}, Shipping: true}, all,
			ledger.Components{Pledges: 2500, AddOns: 1000, Shipping: 900, Tax: 350}, "", ""},
		"the last box takes the rest of the tax": {refund.Choice{Units: []refund.Units{{0, 1}}, Tip: true},
			ledger.Components{Pledges: 2500, Tips: 300, Tax: 251}, ledger.Components{Pledges: 2500, Tips: 300, Tax: 251}, "", ""},
		"an amount": {refund.Choice{Amount: 750}, all,
			ledger.Components{Pledges: 500, AddOns: 100, Shipping: 90, Tax: 60}, "", ""},
		"more than remains":      {refund.Choice{Amount: 7501}, all, ledger.Components{}, fault.Conflict, "amount"},
		"a box that is refunded": {refund.Choice{Units: []refund.Units{{0, 2}}}, ledger.Components{Pledges: 2500}, ledger.Components{}, fault.Conflict, "units"},
		"nothing remains":        {refund.Choice{All: true}, ledger.Components{Tips: 300}, ledger.Components{}, fault.Conflict, ""},
		"no choice":              {refund.Choice{}, all, ledger.Components{}, fault.Invalid, "choice"},
		"two choices":            {refund.Choice{All: true, Amount: 1}, all, ledger.Components{}, fault.Invalid, "choice"},
		"a negative amount":      {refund.Choice{Amount: -1}, all, ledger.Components{}, fault.Invalid, "amount"},
		"an unknown line":        {refund.Choice{Units: []refund.Units{{2, 1}}}, all, ledger.Components{}, fault.Invalid, "units"},
		"a line twice":           {refund.Choice{Units: []refund.Units{{0, 1}, {0, 1}}}, all, ledger.Components{}, fault.Invalid, "units"},
		"three of two":           {refund.Choice{Units: []refund.Units{{0, 3}}}, all, ledger.Components{}, fault.Invalid, "units"},
		"none of two":            {refund.Choice{Units: []refund.Units{{0, 0}}}, all, ledger.Components{}, fault.Invalid, "units"},
	} {
		got, err := tc.choice.Of(boxSet(t), tc.remaining)
		if tc.code != "" {
			if !fault.Is(err, tc.code) || fault.Of(err).Field != tc.field {
				t.Errorf("%s: %v, want %s in %q", name, err, tc.code, tc.field)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
