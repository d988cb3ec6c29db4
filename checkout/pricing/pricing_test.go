package pricing_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestPrice(t *testing.T) {
	pr := newPricer(t)
	for name, tt := range map[string]struct {
		cart   pricing.Cart
		totals []pledge.Totals
		wants  [][]inventory.Request // of each campaign, and of the platform for its pledge
	}{
		"limited tier": {
			pricing.Cart{Items: []pricing.Item{{ID: "film__seat", Quantity: new(2)}}},
			[]pledge.Totals{{Subtotal: 5000, CampaignSubtotal: 5000, Tax: 400, TipPercent: 5, TipAmount: 250,
				Amount: 5650}},
			[][]inventory.Request{{{Item: "tier/seat", Quantity: 2, Limit: 3, Name: "Seat",
				Field: "items[0].quantity"}}, nil},
		},
		"support without a tip": {
			pricing.Cart{Items: []pricing.Item{{ID: "film__support__lens", Amount: new(int64(20))}},
				CustomAmount: new(int64(5)), TipPercent: new(0)},
			[]pledge.Totals{{Subtotal: 2500, CampaignSubtotal: 2500, Tax: 200, Amount: 2700}},
			[][]inventory.Request{nil, nil},
		},
		"taxed shipping": {
			pricing.Cart{Items: []pricing.Item{{ID: "film__poster"}}, ShippingAddress: home(), TipPercent: new(0)},
			[]pledge.Totals{{Subtotal: 4000, CampaignSubtotal: 4000, Shipping: 300, Tax: 344, Amount: 4644}},
			[][]inventory.Request{{{Item: "tier/poster", Quantity: 1, Name: "Poster", Field: "items[0].quantity"}}, nil},
		},
		"two campaigns and an add-on of the platform": {
			pricing.Cart{CampaignSlug: "game",
				Items:      []pricing.Item{{ID: "film__thanks"}, {ID: "game__print"}, {ID: "addon__sticker"}},
				TipPercent: new(0)},
			[]pledge.Totals{{Subtotal: 500, CampaignSubtotal: 500, Tax: 40, Amount: 540},
				{Subtotal: 1400, CampaignSubtotal: 1000, Tax: 112, Amount: 1512}},
			[][]inventory.Request{
				{{Item: "tier/thanks", Quantity: 1, Name: "Thanks", Field: "items[0].quantity"}}, nil,
				{{Item: "tier/print", Quantity: 1, Name: "Print and play", Field: "items[1].quantity"}},
				{{Item: "add-on/sticker", Quantity: 1, Limit: 3, Name: "Sticker", Field: "items[2].quantity"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := price(t, pr, tt.cart)
			if err != nil {
				t.Fatal(err)
			}
			var totals []pledge.Totals
			var wants [][]inventory.Request
			var sum money.Cents
			for _, p := range d.Parts {
				totals, wants, sum = append(totals, p.Totals), append(wants, p.Own, p.Platform), sum+p.Totals.Amount
				c := p.Contribution(time.UTC)
				if c.CampaignSlug != p.Campaign.Slug || c.Totals != p.Totals || c.Goal != p.Campaign.Goal ||
					c.FulfillmentType != p.Delivery {
					t.Errorf("contribution %+v", c)
				}
				var explained money.Cents
				for _, e := range p.Explanation {
					explained += e.Cents
				}
				if explained != p.Totals.Amount {
					t.Errorf("explained amounts total %[2]s, want %[1]s", p.Totals.Amount, explained)
				}
			}
			if diff := cmp.Diff(tt.totals, totals); diff != "" || d.Amount != sum {
				t.Errorf("amount %s:\n%s", d.Amount, diff)
			}
			if diff := cmp.Diff(tt.wants, wants); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPrice_InvalidCarts(t *testing.T) {
	pr := newPricer(t)
	canada, antarctica := &pledge.Address{Country: "CA"}, &pledge.Address{Country: "AQ"}
	for name, tt := range map[string]struct {
		cart  pricing.Cart
		code  fault.Code
		field string
	}{
		"empty": {pricing.Cart{}, fault.Invalid, "items"},
		"invalid item": {pricing.Cart{Items: []pricing.Item{{ID: "film__seat__"}}},
			fault.Invalid, "items[0].id"},
		"unknown campaign": {pricing.Cart{Items: []pricing.Item{{ID: "play__seat"}}},
			fault.Invalid, "campaignSlug"},
		"unknown tier": {pricing.Cart{Items: []pricing.Item{{ID: "film__box"}}},
			fault.Invalid, "items[0].id"},
		"closed tier": {pricing.Cart{Items: []pricing.Item{{ID: "film__premiere"}}},
			fault.Invalid, "items[0].id"},
		"two units of a single-unit tier": {pricing.Cart{Items: []pricing.Item{{ID: "film__thanks", Quantity: new(2)}}},
			fault.Invalid, "items[0].quantity"},
		"two tiers of a single-tier campaign": {
			pricing.Cart{Items: []pricing.Item{{ID: "game__box"}, {ID: "game__print"}}}, fault.Invalid, "items[1].id"},
		"add-on of the platform": {pricing.Cart{Items: []pricing.Item{{ID: "addon__sticker"}}},
			fault.Invalid, "items"},
		"custom amount": {pricing.Cart{CampaignSlug: "film", CustomAmount: new(int64(1))},
			fault.Invalid, "customAmount"},
		"tip": {pricing.Cart{Items: []pricing.Item{{ID: "film__seat"}}, TipPercent: new(16)},
			fault.Invalid, "tipPercent"},
		"no shipping address": {pricing.Cart{Items: []pricing.Item{{ID: "film__poster"}}},
			fault.Invalid, "shippingAddress"},
		"no postal code": {pricing.Cart{Items: []pricing.Item{{ID: "film__seat"}},
			BillingAddress: canada}, fault.Conflict, "billingAddress.postalCode"},
		"no tax": {pricing.Cart{Items: []pricing.Item{{ID: "film__seat"}},
			BillingAddress: antarctica}, fault.Unavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := price(t, pr, tt.cart)
			if f := fault.Of(err); f == nil || f.Code != tt.code || f.Field != tt.field {
				t.Errorf("%v, want code %s and field %q", err, tt.code, tt.field)
			}
		})
	}
}

// Choose reads the amount pledged only for a tier with a threshold.
func TestChoose_Threshold(t *testing.T) {
	pr := newPricer(t)
	for item, tt := range map[string]struct {
		pledged money.Cents
		needed  bool
		open    bool
	}{
		"film__seat": {0, false, true}, "film__premiere": {4999, true, false}, "film__support__lens": {0, false, true},
	} {
		sel, err := pricing.Cart{Items: []pricing.Item{{ID: item, Amount: new(int64(5))}}}.Select()
		if err != nil {
			t.Fatal(err)
		}
		for _, pledged := range []money.Cents{tt.pledged, 5000} {
			_, err = pr.Choose(t.Context(), sel,
				func(_ context.Context, c *campaign.Campaign, picks []pricing.Pick) (money.Cents, error) {
					if got := pricing.NeedsPledged(c, picks); got != tt.needed {
						t.Errorf("%s: NeedsPledged is %t, want %t", item, got, tt.needed)
					}
					return pledged, nil
				})
			if open := tt.open || pledged >= 5000; (err == nil) != open {
				t.Errorf("%s with %s pledged: %v, want open: %t", item, pledged, err, open)
			}
		}
		broken := errors.New("no snapshot")
		if _, err := pr.Choose(t.Context(), sel, func(context.Context, *campaign.Campaign, []pricing.Pick) (money.Cents,
			error) {
			return 0, broken
		}); !errors.Is(err, broken) {
			t.Errorf("%s: %v, want the error of Pledged", item, err)
		}
	}
}

func TestOpenCampaign_StartAndDeadline(t *testing.T) {
	for at, want := range map[string]string{
		"2026-10-31T23:59:59Z": "Campaign is upcoming", "2026-11-01T00:00:00Z": "", "2026-12-01T23:59:59Z": "",
		"2026-12-02T00:00:00Z": "Campaign is ended",
	} {
		pr, got := newPricer(t), ""
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		pr.Now = func() time.Time { return now }
		if _, err := pr.OpenCampaign("film"); err != nil {
			got = fault.Of(err).Message
		}
		if got != want {
			t.Errorf("at %s: %q, want %q", at, got, want)
		}
	}
}

// An existing pledge's items keep their prices and stay available. Additional units have the
// current price.
func TestOffering_ForExistingPledge(t *testing.T) {
	pr := newPricer(t)
	c, err := pr.OpenCampaign("film")
	if err != nil {
		t.Fatal(err)
	}
	p := &pledge.Pledge{CampaignSlug: "film", Lines: []pledge.Line{
		{Kind: pledge.TierLine, ID: "seat", Name: "Seat", Quantity: 1, UnitPrice: 2000,
			Amount: 2000, Category: campaign.Digital},
		{Kind: pledge.TierLine, ID: "gone", Name: "Gone", Quantity: 1, UnitPrice: 700, Amount: 700},
	}}
	picks, err := pricing.Revise("film", p.Lines,
		&[]pricing.Item{{ID: "film__seat", Quantity: new(2)}, {ID: "film__gone"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := pricing.Offering{Campaign: c}
	choice, err := m.For(p).Choose(picks)
	if err != nil {
		t.Fatal(err)
	}
	want := []pledge.Line{
		{Kind: pledge.TierLine, ID: "seat", Name: "Seat", Quantity: 1, UnitPrice: 2000,
			Amount: 2000, Category: campaign.Digital},
		{Kind: pledge.TierLine, ID: "seat", Name: "Seat", Quantity: 1, UnitPrice: 2500,
			Amount: 2500, Category: campaign.Digital},
		{Kind: pledge.TierLine, ID: "gone", Name: "Gone", Quantity: 1, UnitPrice: 700, Amount: 700},
	}
	if diff := cmp.Diff(want, choice.Lines); diff != "" {
		t.Error(diff)
	}
	if _, err := m.Choose(picks); err == nil {
		t.Error("Choose accepted a discontinued item for a new pledge")
	}
	own, platform := m.Wants(p.Lines)
	if diff := cmp.Diff([]inventory.Request{
		{Item: "tier/seat", Quantity: 1, Limit: 3, Name: "Seat", Field: "items.quantity"},
		{Item: "tier/gone", Quantity: 1, Name: "Gone", Field: "items.quantity"},
	}, own); diff != "" || platform != nil {
		t.Errorf("%v %s", platform, diff)
	}
}

func TestRevise(t *testing.T) {
	lines := []pledge.Line{
		{Kind: pledge.TierLine, ID: "seat", Quantity: 2, UnitPrice: 2500, Amount: 5000},
		{Kind: pledge.CustomLine, Quantity: 1, UnitPrice: 1000, Amount: 1000},
	}
	for name, tt := range map[string]struct {
		items  *[]pricing.Item
		custom *int64
		same   bool
		field  string
	}{
		"no change": {same: true},
		"same items": {items: &[]pricing.Item{{ID: "film__custom-support", Amount: new(int64(10))},
			{ID: "film__seat", Quantity: new(2)}}, same: true},
		"same amount":            {custom: new(int64(10)), same: true},
		"another amount":         {custom: new(int64(11))},
		"no custom amount":       {custom: new(int64(0))},
		"fewer units":            {items: &[]pricing.Item{{ID: "film__seat"}}, custom: new(int64(10))},
		"no items":               {items: &[]pricing.Item{}, field: "items"},
		"another campaign":       {items: &[]pricing.Item{{ID: "game__box"}}, field: "items"},
		"items of two campaigns": {items: &[]pricing.Item{{ID: "film__seat"}, {ID: "game__box"}}, field: "items"},
		"amount out of bounds":   {custom: new(int64(-1)), field: "customAmount"},
	} {
		t.Run(name, func(t *testing.T) {
			picks, err := pricing.Revise("film", lines, tt.items, tt.custom)
			if tt.field != "" {
				if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tt.field {
					t.Errorf("%v, want field %s", err, tt.field)
				}
				return
			}
			if got := pricing.Same(picks, lines); err != nil || got != tt.same {
				t.Errorf("same: %t, %v; want %t", got, err, tt.same)
			}
		})
	}
	if _, err := pricing.Revise("film", lines[1:], nil, new(int64(0))); err == nil {
		t.Error("Revise accepted a pledge without items")
	}
}

// A preview of an incomplete address is provisional and names the missing fields.
func TestQuoteTax(t *testing.T) {
	pr := newPricer(t)
	cart := pricing.Cart{Items: []pricing.Item{{ID: "film__premiere"}}, TipPercent: new(10),
		BillingAddress: &pledge.Address{Country: "CA"}}
	q, err := pr.QuoteTax(t.Context(), pricing.TaxQuoteRequest{Cart: cart})
	if err != nil || !q.Provisional || !cmp.Equal(q.Missing, []string{"postalCode"}) || q.Amount != 11_000 {
		t.Errorf("%+v, %v", q, err)
	}
	subtotal := money.Cents(10_000)
	q, err = pr.QuoteTax(t.Context(), pricing.TaxQuoteRequest{Subtotal: &subtotal})
	if err != nil || q.Provisional || q.Tax != 800 || q.Tip != 500 || q.Amount != 11_300 || q.Shipping != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := pr.QuoteTax(t.Context(), pricing.TaxQuoteRequest{}); fault.Of(err) == nil ||
		fault.Of(err).Field != "subtotalCents" {
		t.Errorf("no cart and no subtotal: %v", err)
	}
}

// A tip in cents is split in proportion to the subtotals, and the remaining cent is added to the
// largest. Preview and price agree.
func TestPrice_OwnTip(t *testing.T) {
	for tip, want := range map[money.Cents][2]money.Cents{50: {20, 30}, 51: {20, 31},
		54: {22, 32}, 500_00: {200_00, 300_00}} {
		pr := newPricer(t)
		cart := pricing.Cart{
			Items: []pricing.Item{{ID: "film__poster"}, {ID: "game__box"}}, Tip: &tip, ShippingAddress: home(),
		}
		in := must(pr.Inputs(cart))(t)
		choices := must(pr.Choose(t.Context(), must(cart.Select())(t), nothingPledged))(t)
		d := must(pr.Price(t.Context(), choices, in))(t)
		q := must(pr.QuoteTax(t.Context(), pricing.TaxQuoteRequest{Cart: cart}))(t)
		got := [2]money.Cents{d.Parts[0].Totals.TipAmount, d.Parts[1].Totals.TipAmount}
		if got != want || q.Tip != tip || q.Amount != d.Amount || q.Campaigns[1].Tip != want[1] ||
			q.Campaigns[1].Amount != d.Parts[1].Totals.Amount {
			t.Errorf("%s: tips %v for subtotals %v, want %v; quote %+v", tip, got,
				[]money.Cents{d.Parts[0].Totals.Subtotal, d.Parts[1].Totals.Subtotal}, want, q)
		}
		if r := d.Parts[0].Explanation[len(d.Parts[0].Explanation)-1]; r.Rule != "chosen by the supporter" ||
			r.Cents != want[0] {
			t.Errorf("explanation %+v", r)
		}
	}
}

func TestTip_Limits(t *testing.T) {
	pr, defaultTip := newPricer(t), pledge.Tip{Percent: 5}
	cents := func(c money.Cents) *money.Cents { return &c }
	for name, c := range map[string]struct {
		percent *int
		cents   *money.Cents
		want    pledge.Tip
		field   string
	}{
		"none":               {nil, nil, defaultTip, ""},
		"no tip":             {new(0), nil, pledge.Tip{}, ""},
		"percent":            {new(15), nil, pledge.Tip{Percent: 15}, ""},
		"above the maximum":  {new(16), nil, pledge.Tip{}, "tipPercent"},
		"negative":           {new(-1), nil, pledge.Tip{}, "tipPercent"},
		"smallest amount":    {nil, cents(50), pledge.Tip{Amount: 50}, ""},
		"largest amount":     {new(0), cents(50_000), pledge.Tip{Amount: 50_000}, ""},
		"too small":          {nil, cents(49), pledge.Tip{}, "tipCents"},
		"too large":          {nil, cents(50_001), pledge.Tip{}, "tipCents"},
		"percent and amount": {new(5), cents(100), pledge.Tip{}, "tipCents"},
	} {
		got, err := pr.Tip(c.percent, c.cents, defaultTip)
		field := ""
		if err != nil {
			field = fault.Of(err).Field
		}
		if got != c.want || field != c.field {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestQuoteShipping(t *testing.T) {
	q, err := newPricer(t).QuoteShipping(t.Context(),
		pricing.Cart{Items: []pricing.Item{{ID: "film__poster"}}, ShippingAddress: home()})
	if err != nil || q.Shipping != 300 || len(q.Quotes) != 1 || q.Quotes[0].CampaignSlug != "film" ||
		q.Address.City != "Taos" {
		t.Errorf("%+v, %v", q, err)
	}
}

// A line is formatted as the ID of its cart item with the quantity or amount.
func TestFormatItem(t *testing.T) {
	for want, l := range map[string]pledge.Line{
		"film__seat*2":                   {Kind: pledge.TierLine, ID: "seat", Quantity: 2},
		"film__addon__mug__variant__s*1": {Kind: pledge.CampaignAddOnLine, ID: "mug", Variant: "s", Quantity: 1},
		"addon__sticker*3":               {Kind: pledge.PlatformAddOnLine, ID: "sticker", Quantity: 3},
		"film__support__lens=5":          {Kind: pledge.SupportLine, ID: "lens", Amount: 500},
		"film__custom-support=25":        {Kind: pledge.CustomLine, Amount: 2500},
		"":                               {Kind: pledge.ShippingLine, Amount: 300},
	} {
		if got := pricing.FormatItem("film", l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzCart_Select(f *testing.F) {
	for _, seed := range []string{
		`{"campaignSlug":"film","items":[{"id":"film__seat","quantity":2}]}`,
		`{"items":[{"id":"addon__shirt__variant__s"},{"id":"film__support__lens","amount":5}],"customAmount":3}`,
		`{"items":[{"id":"addon"},{"id":"film__custom-support","amount":9223372036854775807}]}`,
		`{"items":[{"id":"__"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var c pricing.Cart
		if json.Unmarshal(body, &c) != nil {
			return
		}
		d, err := price(t, newPricer(t), c)
		switch {
		case err == nil && (len(d.Parts) == 0 || d.Amount < money.MinCharge):
			t.Errorf("priced %+v", d)
		case err != nil && fault.Of(err) == nil:
			t.Errorf("not an error of package fault: %v", err)
		}
	})
}
