package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

var zone = time.FixedZone("", -7*3600)

// report returns the report on a campaign whose whole index consists of the pledges.
func report(t interface{ Fatal(...any) }, all ...*pledge.Pledge) analytics.Report {
	s := analytics.Service{
		Zone: zone, Orders: func(context.Context, string) ([]string, error) { return nil, nil },
		Page:   func(context.Context, string, int, int) ([]*pledge.Pledge, int, error) { return all, 0, nil },
		Ledger: noReversals,
	}
	r, err := s.Report(context.Background(), "film", analytics.Period{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noReversals returns the head of a ledger without refunds and disputes.
func noReversals(context.Context, string) (ledger.Head, error) { return ledger.Head{}, nil }

// film returns a pledge of $50.00: a reward, an add-on of each kind, support, shipping, tax and
// tip.
func film(change func(*pledge.Pledge)) *pledge.Pledge {
	p := &pledge.Pledge{
		Status: pledge.Active, BookedAt: time.Date(2026, 12, 2, 6, 30, 0, 0, time.UTC),
		FulfillmentType: "physical", PreferredLang: "en",
		Totals: pledge.Totals{Subtotal: 4000, CampaignSubtotal: 3700, Shipping: 500, Tax: 300, TipAmount: 200, Amount: 5000},
		Lines: []pledge.Line{
			{Kind: pledge.TierLine, Amount: 2000}, {Kind: pledge.SupportLine, Amount: 600},
			{Kind: pledge.CustomLine, Amount: 400},
			{Kind: pledge.CampaignAddOnLine, Amount: 700}, {Kind: pledge.PlatformAddOnLine, Amount: 300},
			{Kind: pledge.ShippingLine, Amount: 500}, {Kind: pledge.TipLine, Amount: 200},
		},
		Attribution: pledge.Attribution{Referral: "ada", UTMSource: "news", UTMMedium: "mail",
			UTMCampaign: "launch", UTMContent: "top"},
	}
	if change != nil {
		change(p)
	}
	return p
}

func charge(fee money.Cents) func(*pledge.Pledge) {
	return func(p *pledge.Pledge) {
		p.Status, p.Charged = pledge.Charged, true
		p.Financials = &pledge.Financials{Gross: p.Amount, Source: "pending"}
		if fee > 0 {
			p.Financials = &pledge.Financials{Gross: p.Amount, Fee: fee, Net: p.Amount - fee, Source: "actual"}
		}
	}
}

// accepted returns a pledge of $50.00 for which operators accepted a payment of $25.00.
func accepted(fee money.Cents) func(*pledge.Pledge) {
	return func(p *pledge.Pledge) {
		charge(fee)(p)
		p.ChargedAmount = 2500
	}
}

// refunded returns a change that also refunds components of the pledge, and has a refund that failed.
func refunded(change func(*pledge.Pledge), c ledger.Components) func(*pledge.Pledge) {
	return func(p *pledge.Pledge) {
		change(p)
		p.Refunds = []pledge.Refund{{ID: "rf-1", Status: pledge.RefundFailed, Amount: 700, Tax: 50},
			{ID: "rf-2", Status: pledge.RefundSucceeded, Amount: c.Sum(), AddOns: c.AddOns, Shipping: c.Shipping,
				Tip: c.Tips, Tax: c.Tax}}
	}
}

// The processor's list price for $50 is $1.45 plus $0.30.
//
// Proves ANA-05, ANA-06, ANA-08.
func TestFees(t *testing.T) {
	for name, tc := range map[string]struct {
		pledges []*pledge.Pledge
		want    analytics.Figures
	}{
		"not charged": {[]*pledge.Pledge{film(nil)},
			analytics.Figures{Pledges: 1, Pledged: 3700, Total: 5000, ExpectedFees: 175, ExpectedNet: 4825}},
		"actual fee": {[]*pledge.Pledge{film(charge(201))}, analytics.Figures{
			Pledges: 1, Pledged: 3700, Total: 5000, Charged: 5000, Fees: 201, Net: 4799,
			Basis: analytics.Actual, ExpectedNet: 4799,
		}},
		"fee not booked yet": {[]*pledge.Pledge{film(charge(0))}, analytics.Figures{
			Pledges: 1, Pledged: 3700, Total: 5000, Charged: 5000, Fees: 175, Net: 4825,
			Basis: analytics.Estimated, ExpectedNet: 4825,
		}},
		"different amount": {[]*pledge.Pledge{film(accepted(100))}, analytics.Figures{
			Pledges: 1, Pledged: 3700, Total: 5000, Charged: 2500, Fees: 100, Net: 2400,
			Basis: analytics.Actual, ExpectedNet: 2400,
		}},
		"different amount, not booked": {[]*pledge.Pledge{film(accepted(0))}, analytics.Figures{
			Pledges: 1, Pledged: 3700, Total: 5000, Charged: 2500, Fees: 103, Net: 2397,
			Basis: analytics.Estimated, ExpectedNet: 2397,
		}},
		"refunded in part": {[]*pledge.Pledge{film(refunded(charge(201), ledger.Components{Pledges: 1000}))},
			analytics.Figures{Pledges: 1, Pledged: 3700, Total: 5000, Charged: 5000, Refunded: 1000, Fees: 201, Net: 3799,
				Basis: analytics.Actual, ExpectedNet: 3799}},
		"refunded": {[]*pledge.Pledge{film(refunded(charge(201), ledger.ComponentsOf(film(nil).Totals)))},
			analytics.Figures{Pledges: 1, Pledged: 3700, Total: 5000, Charged: 5000, Refunded: 5000, Fees: 201, Net: -201,
				Basis: analytics.Actual, ExpectedNet: -201}},
		"charged and not": {[]*pledge.Pledge{film(charge(201)), film(nil), film(charge(201))}, analytics.Figures{
			Pledges: 3, Pledged: 11100, Total: 15000, Charged: 10000, Fees: 402, Net: 9598,
			Basis: analytics.Actual, ExpectedFees: 175, ExpectedNet: 14423,
		}},
		"actual and estimated": {[]*pledge.Pledge{film(charge(201)), film(charge(0))}, analytics.Figures{
			Pledges: 2, Pledged: 7400, Total: 10000, Charged: 10000, Fees: 376, Net: 9624,
			Basis: analytics.Mixed, ExpectedNet: 9624,
		}},
		"rounded half up": {[]*pledge.Pledge{film(func(p *pledge.Pledge) { p.Amount = 50 })},
			analytics.Figures{Pledges: 1, Pledged: 3700, Total: 50, ExpectedFees: 31, ExpectedNet: 19}},
		"less than the fixed part": {[]*pledge.Pledge{film(func(p *pledge.Pledge) { p.Amount = 20 })},
			analytics.Figures{Pledges: 1, Pledged: 3700, Total: 20, ExpectedFees: 20}},
		"cancelled": {[]*pledge.Pledge{film(func(p *pledge.Pledge) { p.Status = pledge.Cancelled })},
			analytics.Figures{Pledges: 1}},
		"dropped": {[]*pledge.Pledge{film(func(p *pledge.Pledge) {
			p.Status, p.Recovery = pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.Dropped}
		})}, analytics.Figures{Pledges: 1, Pledged: 3700}},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(t, tc.pledges...)
			if diff := cmp.Diff(tc.want, r.Total.Figures); diff != "" {
				t.Error(diff)
			}
			for division, rows := range map[string][]analytics.Row{"languages": r.Languages,
				"days": r.Days, "referrals": r.Referrals} {
				if diff := cmp.Diff(tc.want, rows[0].Figures); diff != "" || len(rows) != 1 {
					t.Errorf("by %s: %s", division, diff)
				}
			}
		})
	}
}

// The fee is divided among the categories in proportion, to the cent.
//
// Proves ANA-07.
func TestCategories(t *testing.T) {
	got := map[string][3]money.Cents{}
	for _, row := range report(t, film(charge(201))).Categories {
		got[row.Name] = [3]money.Cents{row.Total, row.Fees, row.Net}
	}
	want := map[string][3]money.Cents{
		"rewards": {2000, 81, 1919}, "support": {1000, 40, 960}, "add_ons": {700, 28, 672},
		"platform_add_ons": {300, 12, 288},
		"shipping":         {500, 20, 480}, "tax": {300, 12, 288}, "tip": {200, 8, 192},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A refund lowers the categories that it was for. The part for rewards, support and the campaign's add-ons
// is divided among them in proportion.
func TestCategories_Refund(t *testing.T) {
	got := map[string]money.Cents{}
	for _, row := range report(t, film(refunded(charge(201),
		ledger.Components{Pledges: 1850, AddOns: 1, Shipping: 2, Tips: 3, Tax: 4}))).Categories {
		if got[row.Name] = row.Refunded; row.Net != row.Charged-row.Refunded-row.Fees {
			t.Errorf("%s: %+v", row.Name, row.Figures)
		}
	}
	want := map[string]money.Cents{"rewards": 1000, "support": 500, "add_ons": 350, "platform_add_ons": 1,
		"shipping": 2, "tip": 3, "tax": 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The totals of the ledger are in the first part of a report on the whole campaign, if a charge was
// refunded or disputed.
func TestReport_Ledger(t *testing.T) {
	reversed := ledger.Head{Balances: map[ledger.Account]money.Cents{ledger.Fees: 201},
		Clearing: map[ledger.Kind]money.Cents{ledger.Charge: 5000, ledger.Refund: -1000, ledger.Fee: -201}}
	failing := errors.New("storage unavailable")
	var head ledger.Head
	var failure error
	s := analytics.Service{Zone: zone, Orders: func(context.Context, string) ([]string, error) { return nil, nil },
		Page: func(context.Context, string, int, int) ([]*pledge.Pledge, int, error) {
			return []*pledge.Pledge{film(charge(201))}, 0, nil
		},
		Ledger: func(context.Context, string) (ledger.Head, error) { return head, failure }}
	period := analytics.Period{From: "2026-12-01", To: "2026-12-02"}
	want := &ledger.Sums{Collected: 5000, Refunded: 1000, Fees: 201, Net: 3799}
	for name, tt := range map[string]struct {
		head    ledger.Head
		failure error
		period  analytics.Period
		cursor  int
		want    *ledger.Sums
	}{
		"refund":       {reversed, nil, analytics.Period{}, 0, want},
		"no refund":    {ledger.Head{}, nil, analytics.Period{}, 0, nil},
		"period":       {reversed, failing, period, 0, nil},
		"another part": {reversed, failing, analytics.Period{}, 500, nil},
	} {
		head, failure = tt.head, tt.failure
		r, err := s.Report(t.Context(), "film", tt.period, tt.cursor, 500)
		if diff := cmp.Diff(tt.want, r.Ledger); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	failure = failing
	if _, err := s.Report(t.Context(), "film", analytics.Period{}, 0, 500); !errors.Is(err, failing) {
		t.Errorf("failing ledger: %v", err)
	}
}

// If a different amount was accepted, it is divided among the categories in proportion.
func TestCategories_AnotherAmount(t *testing.T) {
	got := map[string][2]money.Cents{}
	for _, row := range report(t, film(accepted(100))).Categories {
		got[row.Name] = [2]money.Cents{row.Total, row.Charged}
	}
	want := map[string][2]money.Cents{
		"rewards": {2000, 1000}, "support": {1000, 500}, "add_ons": {700, 350}, "platform_add_ons": {300, 150},
		"shipping": {500, 250}, "tax": {300, 150}, "tip": {200, 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBreakdowns(t *testing.T) {
	other := film(func(p *pledge.Pledge) {
		p.Attribution, p.FulfillmentType, p.PreferredLang = pledge.Attribution{}, "digital", "es"
		p.Lines[0].Name, p.BillingAddress = "Disc", &pledge.Address{Country: "ES"}
		p.Lines = append(p.Lines, pledge.Line{Kind: pledge.TierLine, Name: "Card", Amount: 1999})
		p.BookedAt, p.Amount = p.BookedAt.Add(time.Hour), 6000
	})
	r := report(t, film(nil), other, film(nil))
	for name, tc := range map[string]struct {
		rows  []analytics.Row
		names []string
	}{
		"referrals": {r.Referrals, []string{"ada", ""}}, "sources": {r.Sources, []string{"news", ""}},
		"mediums":   {r.Mediums, []string{"mail", ""}},
		"campaigns": {r.Campaigns, []string{"launch", ""}}, "contents": {r.Contents, []string{"top", ""}},
		"links":      {r.Links, []string{"ref=ada&utm_campaign=launch&utm_content=top&utm_medium=mail&utm_source=news", ""}},
		"fulfilment": {r.Fulfillment, []string{"physical", "digital"}}, "languages": {r.Languages, []string{"en", "es"}},
		"tiers": {r.Tiers, []string{"", "Disc"}}, "countries": {r.Countries, []string{"", "ES"}},
		"days": {r.Days, []string{"2026-12-01", "2026-12-02"}},
	} {
		var names []string
		for _, row := range tc.rows {
			names = append(names, row.Name)
		}
		if diff := cmp.Diff(tc.names, names); diff != "" || tc.rows[0].Total != 10000 ||
			tc.rows[0].Pledges != 2 || tc.rows[1].Total != 6000 {
			t.Errorf("%s: %+v %s", name, tc.rows, diff)
		}
	}
}

// Estimated fees are divided among the categories like actual ones, and marked as
// estimated.
//
// Proves ANA-08.
func TestCategories_EstimatedFee(t *testing.T) {
	got := map[string]analytics.Figures{}
	for _, row := range report(t, film(nil)).Categories {
		got[row.Name] = row.Figures
	}
	plan := func(total, fees money.Cents) analytics.Figures {
		return analytics.Figures{Pledges: 1, Total: total, ExpectedFees: fees, ExpectedNet: total - fees}
	}
	toward := func(total, fees money.Cents) analytics.Figures {
		f := plan(total, fees)
		f.Pledged = total
		return f
	}
	want := map[string]analytics.Figures{ // shares of 1.75; leftover cents go to the first
		"rewards": toward(2000, 70), "support": toward(1000, 35), "add_ons": toward(700, 25),
		"platform_add_ons": plan(300, 11),
		"shipping":         plan(500, 17), "tax": plan(300, 10), "tip": plan(200, 7),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every breakdown adds up to the total for any pledges.
func TestBreakdowns_AddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*pledge.Pledge
		for range rapid.IntRange(0, 12).Draw(t, "pledges") {
			all = append(all, drawPledge(t))
		}
		r := report(t, all...)
		if n := r.Active + r.Failed + r.Cancelled + r.Dropped + r.Charged; n != len(all) || r.Total.Pledges != n {
			t.Fatalf("counted %d of %d pledges", n, len(all))
		}
		var due money.Cents
		for _, p := range all {
			due -= p.Refunded()
			if p.Status != pledge.Cancelled && !p.Dropped() {
				due += p.PaidOrDue()
			}
		}
		if f := r.Total; f.ExpectedNet != due-f.Fees-f.ExpectedFees || f.Net != f.Charged-f.Refunded-f.Fees ||
			f.Net > f.Charged {
			t.Fatalf("due %s: %+v", due, r.Total)
		}
		for name, rows := range map[string][]analytics.Row{
			"categories": r.Categories, "referrals": r.Referrals, "sources": r.Sources,
			"mediums": r.Mediums, "campaigns": r.Campaigns,
			"contents": r.Contents, "links": r.Links, "fulfilment": r.Fulfillment, "languages": r.Languages,
			"tiers": r.Tiers, "countries": r.Countries, "days": r.Days,
		} {
			var sum analytics.Figures
			for _, row := range rows {
				sum.Pledged, sum.Total, sum.Charged = sum.Pledged+row.Pledged, sum.Total+row.Total, sum.Charged+row.Charged
				sum.Refunded, sum.Fees, sum.Net = sum.Refunded+row.Refunded, sum.Fees+row.Fees, sum.Net+row.Net
				sum.ExpectedFees, sum.ExpectedNet = sum.ExpectedFees+row.ExpectedFees, sum.ExpectedNet+row.ExpectedNet
			}
			if sum.Pledges, sum.Basis = r.Total.Pledges, r.Total.Basis; sum != r.Total.Figures {
				t.Fatalf("%s add up to %+v, want %+v", name, sum, r.Total)
			}
		}
	})
}

func drawPledge(t *rapid.T) *pledge.Pledge {
	cents := func(name string) money.Cents { return money.Cents(rapid.Int64Range(0, 90_000).Draw(t, name)) }
	kinds := []pledge.LineKind{pledge.TierLine, pledge.SupportLine, pledge.CustomLine,
		pledge.CampaignAddOnLine, pledge.PlatformAddOnLine}
	p := &pledge.Pledge{
		Status: rapid.SampledFrom([]pledge.Status{pledge.Active, pledge.PaymentFailed, pledge.Cancelled}).
			Draw(t, "status"),
		PreferredLang: rapid.SampledFrom([]string{"", "en", "es"}).Draw(t, "lang"),
		BookedAt:      time.Unix(rapid.Int64Range(0, 1e6).Draw(t, "at"), 0),
		Attribution: pledge.Attribution{Referral: rapid.StringN(0, 2, -1).Draw(t, "referral"),
			UTMSource: rapid.SampledFrom([]string{"", "news"}).Draw(t, "source")},
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "lines") {
		p.Lines = append(p.Lines, pledge.Line{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Name: rapid.SampledFrom([]string{"Disc", "Card"}).Draw(t, "name"), Amount: cents(fmt.Sprint("line", i))})
	}
	totals, err := pledge.CalculateTotals(p.Lines, cents("tax"), cents("shipping"),
		pledge.Tip{Percent: rapid.IntRange(0, 15).Draw(t, "tip")})
	if err != nil {
		t.Fatal(err)
	}
	p.Totals = totals
	if p.Amount > 0 && rapid.Bool().Draw(t, "charged") {
		charge(money.Cents(rapid.Int64Range(0, int64(p.Amount)).Draw(t, "fee")))(p)
		if rapid.Bool().Draw(t, "another amount") {
			p.ChargedAmount = money.Cents(rapid.Int64Range(1, 2*int64(p.Amount)).Draw(t, "paid"))
		}
		back := money.Cents(rapid.Int64Range(0, int64(p.Paid())).Draw(t, "refunded"))
		for _, part := range ledger.Divide(back, []ledger.PledgeComponents{
			{Components: ledger.ComponentsOf(p.Totals).Scale(p.Paid())}}) {
			refunded(func(*pledge.Pledge) {}, part.Components)(p)
		}
	}
	return p
}

// Proves ANA-03, ANA-04.
func TestReport_MissingIndex(t *testing.T) {
	s := analytics.Service{Zone: zone, Page: func(context.Context, string, int, int) ([]*pledge.Pledge, int, error) {
		return nil, 0, fault.New(fault.CampaignIndexRequired, "none")
	}}
	r, err := s.Report(t.Context(), "film", analytics.Period{}, 0, 100)
	if err != nil || !r.MissingIndex || r.CampaignSlug != "film" || r.Total.Figures != (analytics.Figures{}) ||
		len(r.Categories) != 7 || r.Days == nil {
		t.Errorf("%+v, %v", r, err)
	}
	away := errors.New("storage unavailable")
	s.Page = func(context.Context, string, int, int) ([]*pledge.Pledge, int, error) { return nil, 0, away }
	if _, err := s.Report(t.Context(), "film", analytics.Period{}, 0, 100); !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
}

func TestReport_CountsByStatus(t *testing.T) {
	r := report(t, film(nil), film(charge(9)), film(charge(0)),
		film(func(p *pledge.Pledge) { p.Status = pledge.Cancelled }),
		film(func(p *pledge.Pledge) { p.Status = pledge.PaymentFailed }),
		film(func(p *pledge.Pledge) {
			p.Status, p.Recovery = pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.Dropped}
		}))
	if got, want := [5]int{r.Active, r.Charged, r.Cancelled, r.Failed, r.Dropped}, [5]int{1, 2, 1, 1, 1}; got != want ||
		r.Total.Charged != 10000 || r.Total.Total != 20000 || r.Total.Pledged != 5*3700 {
		t.Errorf("%v, want %v; %+v", got, want, r.Total)
	}
}

// Progress excludes tax, shipping, tips and cancelled pledges. Dropped pledges stay
// counted, as in the campaign's totals.
func TestProgress(t *testing.T) {
	counts := func(after time.Duration, status pledge.Status) *pledge.Pledge {
		return film(func(p *pledge.Pledge) { p.BookedAt, p.Status, p.CampaignSubtotal = p.BookedAt.Add(after), status, 3700 })
	}
	const day = 24 * time.Hour
	dropped := counts(day, pledge.PaymentFailed)
	dropped.Recovery = &pledge.Recovery{Lane: pledge.Dropped}
	r := report(t, counts(0, pledge.Active), counts(0, pledge.Charged), dropped,
		counts(day, pledge.Cancelled), counts(2*day, pledge.Cancelled))
	want := []analytics.Progress{{"2026-12-01", 7400, 7400}, {"2026-12-02", 3700, 3700}, {"2026-12-03", 0, 0}}
	if diff := cmp.Diff(want, r.Progress); diff != "" {
		t.Error(diff)
	}
}

// A report on a period covers its days in the platform's time zone, and includes the figures of the
// same number of days before and the number of first pledges.
func TestReport_Period(t *testing.T) {
	at := func(id, email, when string, status pledge.Status) *pledge.Pledge {
		return film(func(p *pledge.Pledge) {
			p.OrderID, p.Email, p.Status = id, email, status
			p.BookedAt, _ = time.ParseInLocation("2006-01-02 15:04", when, zone)
		})
	}
	all := []*pledge.Pledge{
		at("a1", "ada@example.com", "2026-12-01 23:59", pledge.Active), // too early
		at("b1", "bo@example.com", "2026-12-02 00:00", pledge.Active),
		at("a2", "ada@example.com", "2026-12-03 23:59", pledge.Cancelled),
		at("b2", "bo@example.com", "2026-12-04 00:00", pledge.Active),
		at("c1", "cy@example.com", "2026-12-05 23:59", pledge.Active),
		at("d1", "di@example.com", "2026-12-06 00:00", pledge.Active), // too late
	}
	orders := map[string][]string{}
	for _, p := range all {
		orders[p.Email] = append(orders[p.Email], p.OrderID)
	}
	failing := errors.New("storage unavailable")
	s := analytics.Service{
		Zone: zone, Ledger: noReversals,
		Page: func(context.Context, string, int, int) ([]*pledge.Pledge, int, error) { return all, 0, nil },
		Orders: func(_ context.Context, email string) ([]string, error) {
			if orders[email] == nil {
				return nil, failing
			}
			return orders[email], nil
		},
	}
	period, err := analytics.ParsePeriod("2026-12-04", "2026-12-05")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Report(t.Context(), "film", period, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Pledges != 2 || r.Active != 2 || r.First != 1 || len(r.Days) != 2 || len(r.Progress) != 2 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]analytics.Progress{{"2026-12-04", 3700, 3700}, {"2026-12-05", 3700, 0}},
		r.Progress); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&analytics.Before{From: "2026-12-02", To: "2026-12-03", Pledges: 2, Pledged: 3700, First: 1},
		r.Before); diff != "" {
		t.Error(diff)
	}
	if whole, err := s.Report(t.Context(), "film", analytics.Period{}, 0, 100); err != nil ||
		whole.Before != nil || whole.First != 4 || whole.Total.Pledges != 6 {
		t.Errorf("%+v, %v", whole, err)
	}
	delete(orders, "cy@example.com")
	if _, err := s.Report(t.Context(), "film", period, 0, 100); !errors.Is(err, failing) {
		t.Errorf("%v", err)
	}
}

func TestParsePeriod(t *testing.T) {
	for _, invalid := range [][2]string{{"2026-12-04", ""}, {"", "2026-12-04"}, {"2026-12-05", "2026-12-04"},
		{"2026-2-1", "2026-12-04"}, {"2026-12-04", "soon"}, {"2000-01-01", "2026-12-04"}} {
		if p, err := analytics.ParsePeriod(invalid[0], invalid[1]); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v, %v", invalid, p, err)
		}
	}
	for _, valid := range [][2]string{{"", ""}, {"2026-12-04", "2026-12-04"}} {
		if p, err := analytics.ParsePeriod(valid[0], valid[1]); err != nil || p.From != valid[0] || p.To != valid[1] {
			t.Errorf("%q: %v, %v", valid, p, err)
		}
	}
}
