package tax_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

func TestBases(t *testing.T) {
	r := tax.Request{Lines: []pledge.Line{
		{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 1}, {Kind: pledge.SupportLine, Amount: 20},
		{Kind: pledge.CustomLine, Amount: 300},
		{Kind: pledge.CampaignAddOnLine, Category: campaign.Physical, Amount: 4000},
		{Kind: pledge.PlatformAddOnLine, Category: campaign.Digital, Amount: 50_000},
		{Kind: pledge.ShippingLine, Amount: 7}, {Kind: pledge.ShippingLine, Amount: 60},
		{Kind: pledge.TipLine, Amount: 900_000},
	}}
	b, err := r.Bases()
	if want := (tax.Bases{Physical: 4001, Digital: 50_000, Gifts: 320, Shipping: 67}); b != want ||
		b.Goods() != 54_321 || err != nil {
		t.Errorf("got %+v, %v, want %+v", b, err, want)
	}
}

func TestBases_NamesTheLine(t *testing.T) {
	for _, tc := range []struct {
		line  pledge.Line
		field string
	}{
		{pledge.Line{Kind: pledge.TipLine, Amount: -1}, "lines[1].amount"},
		{pledge.Line{Kind: pledge.ShippingLine, Amount: money.Max + 1}, "lines[1].amount"},
		{pledge.Line{Kind: "gift", Amount: 1}, "lines[1].kind"},
		// together with the first, above the limit
		{pledge.Line{Kind: pledge.TierLine, Amount: money.Max}, "lines[1].amount"},
	} {
		r := tax.Request{Lines: []pledge.Line{{Kind: pledge.TierLine, Amount: 100}, tc.line}}
		_, err := r.Bases()
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tc.field {
			t.Errorf("%+v: %v, want Invalid in %s", tc.line, err, tc.field)
		}
	}
}

func TestStatus_Final(t *testing.T) {
	for status, want := range map[tax.Status]bool{
		tax.Quoted: true, tax.FallbackUsed: true, tax.NeedsInput: false, tax.Unavailable: false, "": false,
	} {
		if status.Final() != want {
			t.Errorf("%q: final %t", status, !want)
		}
	}
}
