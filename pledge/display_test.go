package pledge_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
)

func TestFilter(t *testing.T) {
	p := &pledge.Pledge{
		Status: pledge.PaymentFailed, Recovery: &pledge.Recovery{Lane: pledge.Dropped},
		BillingAddress: &pledge.Address{Country: "ES"},
		Lines:          []pledge.Line{{Kind: pledge.TierLine, ID: "disc"}, {Kind: pledge.CampaignAddOnLine, ID: "shirt"}},
	}
	for name, tt := range map[string]struct {
		filter pledge.Filter
		want   bool
	}{
		"none":            {pledge.Filter{}, true},
		"all":             {pledge.Filter{Status: "dropped", RewardID: "disc", Country: "ES"}, true},
		"stored status":   {pledge.Filter{Status: pledge.PaymentFailed}, false},
		"add-on":          {pledge.Filter{RewardID: "shirt"}, false},
		"another country": {pledge.Filter{RewardID: "disc", Country: "US"}, false},
		"country":         {pledge.Filter{Country: "ES"}, true},
		"to ship":         {pledge.Filter{ToShip: true}, false},
	} {
		if got := tt.filter.Matches(p); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	p.ShippingAddress = &pledge.Address{Country: "FR"}
	if got := p.Country(); got != "FR" {
		t.Errorf("with a shipping address: %q", got)
	}
	if got := (&pledge.Pledge{}).Country(); got != "" {
		t.Errorf("without an address: %q", got)
	}
}

// ToShip matches charged pledges with a parcel until all their parcels are sent.
func TestPledge_ToShip(t *testing.T) {
	disc := []pledge.Line{{Kind: pledge.TierLine, ID: "disc"}, {Kind: pledge.PlatformAddOnLine, ID: "mug"}}
	sent := func(by ...string) (parcels []pledge.Parcel) {
		for _, fulfiller := range by {
			parcels = append(parcels, pledge.Parcel{Fulfiller: fulfiller, Status: pledge.Sent})
		}
		return parcels
	}
	for name, tt := range map[string]struct {
		p    pledge.Pledge
		want bool
	}{
		"not charged": {pledge.Pledge{FulfillmentType: "physical", Lines: disc}, false},
		"digital":     {pledge.Pledge{Charged: true, FulfillmentType: "digital", Lines: disc}, false},
		"nothing":     {pledge.Pledge{Charged: true, FulfillmentType: "none"}, false},
		"to pack":     {pledge.Pledge{Charged: true, FulfillmentType: "physical", Lines: disc}, true},
		"one sent": {pledge.Pledge{Charged: true, FulfillmentType: "physical", Lines: disc,
			Parcels: sent(pledge.ByCampaign)}, true},
		"all sent": {pledge.Pledge{Charged: true, FulfillmentType: "physical", Lines: disc,
			Parcels: sent(pledge.ByCampaign, pledge.ByPlatform)}, false},
	} {
		if got := (pledge.Filter{ToShip: true}).Matches(&tt.p); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestDetailedStatus(t *testing.T) {
	open, lost, won := pledge.Dispute{ID: "a", Status: pledge.DisputeOpen}, pledge.Dispute{ID: "b", Status: pledge.DisputeLost},
		pledge.Dispute{ID: "c", Status: pledge.DisputeWon}
	part, rest := pledge.Refund{ID: "r1", Amount: 400, Status: pledge.RefundSucceeded},
		pledge.Refund{ID: "r2", Amount: 600, Status: pledge.RefundRepaid}
	came := pledge.Refund{ID: "r3", Amount: 1000, Status: pledge.RefundFailed}
	for name, tt := range map[string]struct {
		change func(*pledge.Pledge)
		want   pledge.Status
	}{
		"charged":              {func(*pledge.Pledge) {}, pledge.Charged},
		"part":                 {func(p *pledge.Pledge) { p.Refunds = []pledge.Refund{part} }, pledge.PartlyRefunded},
		"all":                  {func(p *pledge.Pledge) { p.Refunds = []pledge.Refund{part, rest} }, pledge.FullyRefunded},
		"all of another total": {func(p *pledge.Pledge) { p.Refunds, p.ChargedAmount = []pledge.Refund{part}, 400 }, pledge.FullyRefunded},
		"came back":            {func(p *pledge.Pledge) { p.Refunds = []pledge.Refund{came} }, pledge.Charged},
		"disputed after a refund": {func(p *pledge.Pledge) { p.Refunds, p.Disputes = []pledge.Refund{part}, []pledge.Dispute{won, open} },
			pledge.InDispute},
		"lost": {func(p *pledge.Pledge) { p.Disputes = []pledge.Dispute{lost} }, pledge.LostToDispute},
		"won":  {func(p *pledge.Pledge) { p.Disputes = []pledge.Dispute{won} }, pledge.Charged},
		"not charged": {func(p *pledge.Pledge) {
			p.Charged, p.Status, p.Recovery = false, pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.Dropped}
		}, "dropped"},
	} {
		p := &pledge.Pledge{Status: pledge.Charged, Charged: true, Totals: pledge.Totals{Amount: 1000}}
		tt.change(p)
		if got := p.DetailedStatus(); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
		for _, s := range []pledge.Status{p.DisplayStatus(), tt.want} {
			if !(pledge.Filter{Status: s}).Matches(p) {
				t.Errorf("%s: the filter %s does not match", name, s)
			}
		}
		if (pledge.Filter{Status: "other"}).Matches(p) {
			t.Errorf("%s: another status matches", name)
		}
	}
}
