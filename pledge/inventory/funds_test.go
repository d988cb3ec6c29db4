package inventory_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A pledge's amount moves from pledged and collectable to collected, and its net amount
// is available once Stripe has booked it.
func TestFunds(t *testing.T) {
	whole := func(change func(p *pledge.Pledge)) *pledge.Pledge {
		p := &pledge.Pledge{OrderID: "a", Email: "a@example.org", Status: pledge.Active,
			CustomerID: "cus", PaymentMethodID: "pm"}
		p.Amount, p.CampaignSubtotal = 2700, 2500
		change(p)
		return p
	}
	charged := func(p *pledge.Pledge) {
		p.Status, p.Charged, p.Financials = pledge.Charged, true,
			&pledge.Financials{Gross: 2700, Net: 2600, Source: "pending"}
	}
	s := newFixture()
	for i, tt := range []struct {
		name string
		p    *pledge.Pledge
		want inventory.Funds
	}{
		{"pledged", whole(func(*pledge.Pledge) {}), inventory.Funds{Pledged: 2700, Collectable: 2700}},
		{"without a card", whole(func(p *pledge.Pledge) { p.PaymentMethodID = "" }), inventory.Funds{Pledged: 2700}},
		{"without a customer", whole(func(p *pledge.Pledge) { p.CustomerID = "" }), inventory.Funds{Pledged: 2700}},
		{"refused", whole(func(p *pledge.Pledge) { p.Status = pledge.PaymentFailed }),
			inventory.Funds{Pledged: 2700, Collectable: 2700}},
		{"dropped", whole(func(p *pledge.Pledge) {
			p.Status, p.Recovery = pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.Dropped}
		}), inventory.Funds{Pledged: 2700}},
		{"charged", whole(charged), inventory.Funds{Pledged: 2700, Collectable: 2700, Collected: 2700}},
		{"booked", whole(func(p *pledge.Pledge) {
			charged(p)
			p.BalanceTransactionID, p.Financials = "txn", &pledge.Financials{Gross: 2700, Fee: 108, Net: 2592, Source: "actual"}
		}), inventory.Funds{Pledged: 2700, Collectable: 2700, Collected: 2700, Available: 2592}},
		{"cancelled", whole(func(p *pledge.Pledge) { p.Status = pledge.Cancelled }), inventory.Funds{}},
	} {
		tt.p.Revision = i + 1
		own, platform := inventory.AccountsOf(tt.p)
		s.book(t, own, "")
		totals, counting := s.snapshot(t, "film").Totals, 1
		if totals.Funds != tt.want || platform.Funds != (inventory.Funds{}) {
			t.Errorf("%s: %+v, want %+v", tt.name, totals.Funds, tt.want)
		}
		if tt.p.Status == pledge.Cancelled {
			counting = 0
		}
		if got := totals.Pledges(); got != counting {
			t.Errorf("%s: %d pledges counted, want %d", tt.name, got, counting)
		}
	}
}
