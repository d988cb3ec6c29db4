package pledge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Marked allows the status changes in the table and reports whether anything changed.
func TestMarked(t *testing.T) {
	then := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	now := then.Add(time.Hour)
	packed := pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Packed, PackedAt: &then}
	sent := packed
	sent.Status, sent.SentOn, sent.Carrier, sent.Tracking, sent.Link = pledge.Sent, "2026-12-01",
		"UPS", "1Z", "https://example.org/1Z"
	mark := func(s pledge.ParcelStatus, rest ...string) pledge.Mark {
		m := pledge.Mark{Fulfiller: pledge.ByCampaign, Status: s}
		if s == pledge.Sent {
			m.SentOn = "2026-12-01"
		}
		for i, into := range []*string{&m.Carrier, &m.Tracking, &m.Link, &m.SentOn} {
			if i < len(rest) {
				*into = rest[i]
			}
		}
		return m
	}
	open := pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.ToPack}
	at := func(p pledge.Parcel, change func(*pledge.Parcel)) pledge.Parcel {
		change(&p)
		return p
	}
	for name, tt := range map[string]struct {
		was     *pledge.Parcel
		mark    pledge.Mark
		want    pledge.Parcel
		changed bool
		code    fault.Code
	}{
		"packed": {nil, mark(pledge.Packed),
			at(packed, func(p *pledge.Parcel) { p.PackedAt = &now }), true, ""},
		"packed twice":      {&packed, mark(pledge.Packed), packed, false, ""},
		"packed after sent": {&sent, mark(pledge.Packed), sent, false, fault.Conflict},
		"sent":              {&packed, mark(pledge.Sent, "UPS", "1Z", "https://example.org/1Z"), sent, true, ""},
		"sent without tracking": {nil, mark(pledge.Sent),
			pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent, PackedAt: &now, SentOn: "2026-12-01"}, true, ""},
		"sent twice": {&sent, mark(pledge.Sent), sent, false, ""},
		"sent on another day": {&sent, mark(pledge.Sent, "", "", "", "2026-12-02"),
			at(sent, func(p *pledge.Parcel) { p.SentOn = "2026-12-02" }), true, ""},
		"another tracking number": {&sent, mark(pledge.Sent, "", "2Z"),
			at(sent, func(p *pledge.Parcel) { p.Tracking, p.Link = "2Z", "" }), true, ""},
		"another carrier": {&sent, mark(pledge.Sent, "Snail"),
			at(sent, func(p *pledge.Parcel) { p.Carrier = "Snail" }), true, ""},
		"back":                    {&sent, mark(pledge.ToPack), open, true, ""},
		"reopened without change": {nil, mark(pledge.ToPack), open, false, ""},
		"unknown status":          {&packed, mark("lost"), packed, false, fault.Invalid},
		"nobody's": {nil, pledge.Mark{Fulfiller: pledge.ByPlatform, Status: pledge.Packed},
			pledge.Parcel{Fulfiller: pledge.ByPlatform, Status: pledge.ToPack}, false, fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := pledge.Pledge{Charged: true, Lines: []pledge.Line{{Kind: pledge.TierLine}, {Kind: pledge.SupportLine}}}
			if tt.was != nil {
				p.SetParcel(*tt.was)
			}
			got, changed, err := p.Marked(tt.mark, now)
			if diff := cmp.Diff(tt.want, got); diff != "" || changed != tt.changed || fault.CodeOf(err) != tt.code {
				t.Errorf("changed %t, %v: %s", changed, err, diff)
			}
		})
	}
	if _, _, err := (&pledge.Pledge{Lines: []pledge.Line{{Kind: pledge.TierLine}}}).Marked(mark(pledge.Packed),
		now); !fault.Is(err, fault.Conflict) {
		t.Errorf("Marked before the charge: %v", err)
	}
}

// Items that were refunded are not shipped. A refund that came back does not count.
func TestParcels_Refunded(t *testing.T) {
	for name, tt := range map[string]struct {
		refunds []pledge.Refund
		packed  bool
		want    []string
	}{
		"nothing":             {nil, false, []string{pledge.ByCampaign, pledge.ByPlatform}},
		"one of two items":    {[]pledge.Refund{{Amount: 2000, Tax: 100}}, false, []string{pledge.ByCampaign, pledge.ByPlatform}},
		"the platform's item": {[]pledge.Refund{{Amount: 1050, AddOns: 1000, Tax: 50}}, false, []string{pledge.ByCampaign}},
		"the reward in parts": {[]pledge.Refund{{ID: "a", Amount: 3000}, {ID: "b", Amount: 1000}}, false, []string{pledge.ByPlatform}},
		"everything":          {[]pledge.Refund{{Amount: 6000, AddOns: 1000, Shipping: 500, Tip: 200, Tax: 300}}, false, nil},
		"everything, but packed": {[]pledge.Refund{{Amount: 6000, AddOns: 1000, Shipping: 500, Tip: 200, Tax: 300}}, true,
			[]string{pledge.ByCampaign}},
		"it came back": {[]pledge.Refund{{Amount: 6000, AddOns: 1000, Status: pledge.RefundFailed}}, false,
			[]string{pledge.ByCampaign, pledge.ByPlatform}},
	} {
		p := pledge.Pledge{Charged: true, FulfillmentType: "physical", Lines: []pledge.Line{
			{Kind: pledge.TierLine, Amount: 4000}, {Kind: pledge.PlatformAddOnLine, Amount: 1000}}}
		p.Totals = pledge.Totals{Subtotal: 5000, CampaignSubtotal: 4000, Shipping: 500, TipAmount: 200, Tax: 300, Amount: 6000}
		for _, r := range tt.refunds {
			if r.Status == "" {
				r.Status = pledge.RefundSucceeded
			}
			p.SetRefund(r)
		}
		if tt.packed {
			p.SetParcel(pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Packed})
		}
		if diff := cmp.Diff(tt.want, p.Fulfillers()); diff != "" || p.ToShip() != (len(tt.want) > 0) {
			t.Errorf("%s: to ship: %t (-want +got):\n%s", name, p.ToShip(), diff)
		}
	}
}

// Each fulfiller of a pledge ships its own parcel.
func TestParcels(t *testing.T) {
	for name, tt := range map[string]struct {
		kinds []pledge.LineKind
		want  []string
	}{
		"reward":          {[]pledge.LineKind{pledge.TierLine}, []string{pledge.ByCampaign}},
		"add-on":          {[]pledge.LineKind{pledge.CampaignAddOnLine}, []string{pledge.ByCampaign}},
		"platform add-on": {[]pledge.LineKind{pledge.PlatformAddOnLine, pledge.SupportLine}, []string{pledge.ByPlatform}},
		"both": {[]pledge.LineKind{pledge.PlatformAddOnLine, pledge.TierLine},
			[]string{pledge.ByCampaign, pledge.ByPlatform}},
		"support only": {[]pledge.LineKind{pledge.SupportLine, pledge.CustomLine}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var p pledge.Pledge
			for _, k := range tt.kinds {
				p.Lines = append(p.Lines, pledge.Line{Kind: k})
			}
			if diff := cmp.Diff(tt.want, p.Fulfillers()); diff != "" {
				t.Error(diff)
			}
			for _, f := range tt.want {
				if p.AllSent() {
					t.Errorf("AllSent is true before %s has sent", f)
				}
				p.SetParcel(pledge.Parcel{Fulfiller: f, Status: pledge.Packed})
				p.SetParcel(pledge.Parcel{Fulfiller: f, Status: pledge.Sent})
			}
			if !p.AllSent() || len(p.Parcels) != len(tt.want) {
				t.Errorf("after the last parcel: %+v", p.Parcels)
			}
		})
	}
	for status, want := range map[pledge.ParcelStatus]string{pledge.Packed: "parcel_packed",
		pledge.Sent: "parcel_sent", pledge.ToPack: "parcel_reopened"} {
		if got := status.Event(); got != want {
			t.Errorf("event of %s: %s", status, got)
		}
	}
}
