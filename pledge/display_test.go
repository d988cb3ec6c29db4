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
