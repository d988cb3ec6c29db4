package inventory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func (s *fixture) totals(t *testing.T) inventory.Totals {
	t.Helper()
	got, err := s.Totals(ctx, "film")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.snapshot(t, "film").Totals, got); diff != "" {
		t.Errorf("totals differ from the snapshot's (-snapshot +totals): %s", diff)
	}
	return got
}

// A day's total includes the pledges that were made on that day. A changed pledge stays in the
// total of its day, with the new amount, and a cancelled one is removed.
func TestTotals_Days(t *testing.T) {
	s := newFixture()
	account := func(id string, revision int, day string, counted money.Cents) inventory.Account {
		return inventory.Account{Pledge: id, Revision: revision, Email: id + "@example.org",
			Status: pledge.Active, Day: day, Counted: counted}
	}
	s.book(t, account("a", 1, "2026-12-02", 1000), "")
	s.book(t, account("b", 1, "2026-12-01", 500), "") // an earlier day after a change of the zone
	s.book(t, account("c", 1, "2026-12-02", 200), "")
	s.book(t, account("a", 2, "2026-12-05", 1500), "")
	cancelled := account("c", 2, "2026-12-05", 0)
	cancelled.Status = pledge.Cancelled
	s.book(t, cancelled, "")
	s.book(t, account("old", 1, "", 900), "")
	s.book(t, account("old", 2, "2026-12-01", 950), "")
	want := []inventory.DayTotal{{Day: "2026-12-01", Pledges: 1, Counted: 500},
		{Day: "2026-12-02", Pledges: 1, Counted: 1500}}
	if diff := cmp.Diff(want, s.totals(t).Days); diff != "" {
		t.Errorf("days (-want +got): %s", diff)
	}
	for i := range 20 {
		s.book(t, account(fmt.Sprint("d", i), 1, fmt.Sprintf("2027-01-%02d", i+1), 100), "")
	}
	s.book(t, account("a", 3, "", 1), "")
	got := s.totals(t).Days
	if len(got) != 14 || got[0].Day != "2027-01-07" ||
		got[13] != (inventory.DayTotal{Day: "2027-01-20", Pledges: 1, Counted: 100}) {
		t.Errorf("after many days: %+v", got)
	}
}

// A pledge with a declined charge is repairable until it is charged, dropped or cancelled.
func TestTotals_Repairable(t *testing.T) {
	s, until := newFixture(), start.Add(14*24*time.Hour)
	p := &pledge.Pledge{OrderID: "a", Email: "a@example.org", CustomerID: "cus",
		PaymentMethodID: "pm", Status: pledge.Active}
	p.Amount, p.CampaignSubtotal = 2700, 2500
	for _, tt := range []struct {
		name   string
		change func()
		want   inventory.Repairable
	}{
		{"active", func() {}, inventory.Repairable{}},
		{"declined", func() {
			p.Status, p.Recovery = pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.NewCard, Until: until}
		}, inventory.Repairable{Pledges: 1, Amount: 2700, Until: until}},
		{"declined again", func() { p.Amount = 2600 }, inventory.Repairable{Pledges: 1, Amount: 2600, Until: until}},
		{"charged", func() { p.Status, p.Charged = pledge.Charged, true }, inventory.Repairable{Until: until}},
		{"reversed", func() { p.Status, p.Charged = pledge.PaymentFailed, false },
			inventory.Repairable{Pledges: 1, Amount: 2600, Until: until}},
		{"dropped", func() { p.Recovery = &pledge.Recovery{Lane: pledge.Dropped, Until: until} },
			inventory.Repairable{Until: until}},
	} {
		tt.change()
		p.Revision++
		own, _ := inventory.AccountsOf(p)
		s.book(t, own, "")
		if diff := cmp.Diff(tt.want, s.totals(t).Repairable); diff != "" {
			t.Errorf("%s (-want +got): %s", tt.name, diff)
		}
	}
}

// The parcels of charged pledges are counted by status, including platform parcels.
func TestTotals_Parcels(t *testing.T) {
	s := newFixture()
	p := &pledge.Pledge{OrderID: "a", Email: "a@example.org", Status: pledge.Active, Lines: []pledge.Line{
		{Kind: pledge.TierLine, ID: "disc", Quantity: 1}, {Kind: pledge.PlatformAddOnLine, ID: "mug", Quantity: 1},
	}}
	parcel := func(fulfiller string, status pledge.ParcelStatus, tracking string) func() {
		return func() { p.SetParcel(pledge.Parcel{Fulfiller: fulfiller, Status: status, Tracking: tracking}) }
	}
	for _, tt := range []struct {
		name   string
		change func()
		want   inventory.Parcels
	}{
		{"active", func() {}, inventory.Parcels{}},
		{"charged", func() { p.Status, p.Charged = pledge.Charged, true }, inventory.Parcels{ToPack: 2, Pledges: 1}},
		{"packed", parcel(pledge.ByCampaign, pledge.Packed, ""), inventory.Parcels{ToPack: 1, Packed: 1, Pledges: 1}},
		{"sent", parcel(pledge.ByCampaign, pledge.Sent, "1Z"), inventory.Parcels{ToPack: 1, Sent: 1, Tracked: 1, Pledges: 1}},
		{"sent without a tracking number", parcel(pledge.ByPlatform, pledge.Sent, ""),
			inventory.Parcels{Sent: 2, Tracked: 1, Pledges: 1}},
		{"moved back", parcel(pledge.ByCampaign, pledge.ToPack, ""), inventory.Parcels{ToPack: 1, Sent: 1, Pledges: 1}},
		{"held", func() { p.Disputes = []pledge.Dispute{{Status: pledge.DisputeOpen, HoldsParcels: true}} },
			inventory.Parcels{Held: 1, Sent: 1, Pledges: 1}},
		{"held after a loss", func() { p.Disputes[0].Status = pledge.DisputeLost },
			inventory.Parcels{Lost: 1, Sent: 1, Pledges: 1}},
		{"released", func() { p.HoldChoice = pledge.ReleaseParcels }, inventory.Parcels{ToPack: 1, Sent: 1, Pledges: 1}},
		{"cancelled", func() { p.Status, p.Charged = pledge.Cancelled, false }, inventory.Parcels{}},
	} {
		tt.change()
		p.Revision++
		own, _ := inventory.AccountsOf(p)
		s.book(t, own, "")
		totals := s.totals(t)
		got, known := totals.KnownParcels()
		if diff := cmp.Diff(tt.want, got); diff != "" || !known {
			t.Errorf("%s: known %t (-want +got): %s", tt.name, known, diff)
		}
	}
	s.book(t, inventory.Account{Pledge: "old", Revision: 1, Email: "b@example.org", Status: pledge.Charged}, "")
	totals := s.totals(t)
	if got, known := totals.KnownParcels(); known {
		t.Errorf("with an account without parcel counts: %+v", got)
	}
}
