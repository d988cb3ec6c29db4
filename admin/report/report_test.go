package report_test

import (
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var at = time.Date(2026, 11, 2, 18, 30, 0, 0, time.FixedZone("MST", -7*3600))

func film() *campaign.Campaign { return &campaign.Campaign{Slug: "night-ferry", Title: "Night Ferry"} }

// newPledge returns a pledge with a line of every kind.
func newPledge(id string) *pledge.Pledge {
	p := &pledge.Pledge{
		OrderID: id, Email: "ada@example.org", Currency: "usd", BookedAt: at, Status: pledge.Active,
		FulfillmentType: "physical", ShippingOption: "standard",
		ShippingAddress: &pledge.Address{Name: "Ada Lovelace", Line1: "1 Shore Road", Line2: "Flat 2", City: "Taos",
			State: "NM", PostalCode: "87571", Country: "US"},
		Attribution: pledge.Attribution{Referral: "friend", UTMSource: "mail", UTMMedium: "letter",
			UTMCampaign: "autumn", UTMContent: "top"},
		Lines: []pledge.Line{
			{Kind: pledge.TierLine, Name: "Blu-ray", Quantity: 2, Amount: 100_000},
			{Kind: pledge.CampaignAddOnLine, Name: "T-shirt", VariantName: "M", Quantity: 1, Amount: 2500},
			{Kind: pledge.PlatformAddOnLine, Name: "Tote", Quantity: 3, Amount: 4500},
			{Kind: pledge.SupportLine, Name: "Sound mix", Quantity: 1, Amount: 2000},
			{Kind: pledge.CustomLine, Quantity: 1, Amount: 101},
		},
	}
	p.Totals = pledge.Totals{Subtotal: 109_101, Shipping: 300, Tax: 788, TipPercent: 5, TipAmount: 5455, Amount: 115_644}
	return p
}

func charge(p *pledge.Pledge) *pledge.Pledge {
	when := at.Add(time.Hour)
	p.Status, p.Charged, p.ChargedAt = pledge.Charged, true, &when
	return p
}

func drop(p *pledge.Pledge) *pledge.Pledge {
	p.Status, p.Recovery = pledge.PaymentFailed, &pledge.Recovery{Lane: pledge.Dropped}
	return p
}

func cancel(p *pledge.Pledge) *pledge.Pledge {
	p.Status = pledge.Cancelled
	return p
}

func pledgeSeq(all ...*pledge.Pledge) report.Pledges {
	return func(yield func(*pledge.Pledge, error) bool) {
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// The columns are stable, because other programs rely on them. The amounts are those of the
// pledge. The charged and the refunded amount have separate columns.
//
// Proves TAX-08.
func TestWritePledges(t *testing.T) {
	var file strings.Builder
	other := charge(newPledge("pw-5"))
	other.ChargedAmount = 50_000
	other.Refunds = []pledge.Refund{{ID: "rf-1", Amount: 1234, Status: pledge.RefundSucceeded},
		{ID: "rf-2", Amount: 50, Status: pledge.RefundFailed}}
	s, err := report.PledgeReport.WriteCSV(&file, pledgeSeq(newPledge("pw-1"), charge(newPledge("pw-2")),
		cancel(newPledge("pw-3")), drop(newPledge("pw-4")), other))
	if err != nil {
		t.Fatal(err)
	}
	rest := ",1156.44,USD,1091.01,3.00,7.88,5,54.55,2 × Blu-ray,T-shirt (M); 3 × Tote,Sound mix 20.00; 1.01,"
	want := "order_id,created_at,email,status,total,currency,subtotal,shipping,tax,tip_percent,tip,items,add_ons,support,charged_at,referral,utm_source,utm_medium,utm_campaign,utm_content,charged_total,refunded_total\n" +
		"pw-1,2026-11-03T01:30:00Z,ada@example.org,active" + rest + ",friend,mail,letter,autumn,top,,\n" +
		"pw-2,2026-11-03T01:30:00Z,ada@example.org,charged" + rest + "2026-11-03T02:30:00Z,friend,mail,letter,autumn,top,1156.44,\n" +
		"pw-3,2026-11-03T01:30:00Z,ada@example.org,cancelled" + rest + ",friend,mail,letter,autumn,top,,\n" +
		"pw-4,2026-11-03T01:30:00Z,ada@example.org,dropped" + rest + ",friend,mail,letter,autumn,top,,\n" +
		"pw-5,2026-11-03T01:30:00Z,ada@example.org,charged" + rest + "2026-11-03T02:30:00Z,friend,mail,letter,autumn,top,500.00,12.34\n"
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if want := (report.Summary{Rows: 5, Active: 3, Total: 281_288, Refunded: 1234}); s != want {
		t.Errorf("counted %+v", s)
	}
}

// The report contains charged pledges, with a row for each fulfiller.
func TestWriteFulfillment(t *testing.T) {
	digital := charge(newPledge("pw-2"))
	digital.ShippingAddress, digital.FulfillmentType, digital.ShippingOption = nil, "digital", ""
	digital.Lines = digital.Lines[:1]
	support := charge(newPledge("pw-3"))
	support.Lines = support.Lines[3:]
	packedAt := at
	half := charge(newPledge("pw-7"))
	half.ChargedAmount = 50_000
	half.ShippingAddress.Phone = "+1 (575) 555-0100"
	half.SetParcel(pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent, PackedAt: &packedAt,
		SentOn: "2026-11-04", Carrier: "UPS", Tracking: "=1Z"})
	var file strings.Builder
	s, err := report.FulfillmentReport.WriteCSV(&file, pledgeSeq(charge(newPledge("pw-1")), digital, support,
		newPledge("pw-4"), cancel(newPledge("pw-5")), drop(newPledge("pw-6")), half))
	if err != nil {
		t.Fatal(err)
	}
	const address = "Ada Lovelace,1 Shore Road,Flat 2,Taos,NM,87571,US,ada@example.org,standard,"
	want := "order_id,fulfiller,name,address1,address2,city,state,postal_code,country,email,shipping_option,items,add_ons,fulfillment_type,parcel,packed_at,sent_on,carrier,tracking_number,phone\n" +
		"pw-1,campaign," + address + "2 × Blu-ray,T-shirt (M),physical,to_pack,,,,,\n" +
		"pw-1,platform," + address + ",3 × Tote,physical,to_pack,,,,,\n" +
		"pw-2,campaign,,,,,,,,ada@example.org,,2 × Blu-ray,,digital,to_pack,,,,,\n" +
		"pw-7,campaign," + address + "2 × Blu-ray,T-shirt (M),physical,sent," +
		packedAt.UTC().Format(time.RFC3339) + ",2026-11-04,UPS,'=1Z,'+1 (575) 555-0100\n" +
		"pw-7,platform," + address + ",3 × Tote,physical,to_pack,,,,,'+1 (575) 555-0100\n"
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if want := (report.Summary{Rows: 5, Active: 4, Total: 3*115_644 + 50_000}); s != want {
		t.Errorf("counted %+v", s)
	}
	file.Reset()
	if _, err := report.LeftToSend.WriteCSV(&file, pledgeSeq(half)); err != nil ||
		strings.Count(file.String(), "pw-7") != 1 || !strings.Contains(file.String(), "pw-7,platform") {
		t.Errorf("left to send (%v):\n%s", err, file.String())
	}
}

// Parcels that a dispute holds are left out and counted, except those that were sent.
func TestWriteFulfillment_Held(t *testing.T) {
	held := func(id string, s pledge.DisputeStatus) *pledge.Pledge {
		p := charge(newPledge(id))
		p.Disputes = []pledge.Dispute{{ID: "du_1", Status: s, HoldsParcels: true}}
		return p
	}
	half, all, released := held("pw-3", pledge.DisputeOpen), held("pw-4", pledge.DisputeOpen), held("pw-5", pledge.DisputeOpen)
	half.SetParcel(pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent})
	for _, fulfiller := range all.Fulfillers() {
		all.SetParcel(pledge.Parcel{Fulfiller: fulfiller, Status: pledge.Sent})
	}
	released.HoldChoice = pledge.ReleaseParcels
	pledges := pledgeSeq(held("pw-1", pledge.DisputeOpen), held("pw-2", pledge.DisputeLost), half, all, released)
	for kind, want := range map[report.Kind]string{
		report.FulfillmentReport: "pw-3,campaign pw-4,campaign pw-4,platform pw-5,campaign pw-5,platform",
		report.LeftToSend:        "pw-5,campaign pw-5,platform",
	} {
		var file strings.Builder
		s, err := kind.WriteCSV(&file, pledges)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, line := range strings.Split(strings.TrimSpace(file.String()), "\n")[1:] {
			cells := strings.Split(line, ",")
			rows = append(rows, cells[0]+","+cells[1])
		}
		if diff := cmp.Diff(want, strings.Join(rows, " ")); diff != "" ||
			s.Held != (report.Held{Pledges: 3, Disputed: 3, Lost: 2}) {
			t.Errorf("%s: %+v (-want +got):\n%s", kind, s.Held, diff)
		}
	}
	var file strings.Builder
	if s, err := report.PledgeReport.WriteCSV(&file, pledges); err != nil || s.Rows != 5 || s.Held.Pledges != 0 {
		t.Errorf("pledge report: %+v, %v", s, err)
	}
	mail, err := report.Mails(notify.FulfillmentReport, film(), pledges, at, mailtext.Platform{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := mail("a@example.org"); err != nil || !strings.Contains(m.Text, "3 parcels are left out because their "+
		"payments are disputed. 2 parcels are left out because the disputes about their payments were lost.") {
		t.Errorf("%v: %s", err, m.Text)
	}
}

// No cell is evaluated as a formula, and no value extends beyond its cell.
func TestWriteCSV_EscapesFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-1": "'-1", "@sum": "'@sum", "\tx": "'\tx", "Ada": "Ada", "a=b": "a=b",
		"a,b": `"a,b"`, `say "hi"`: `"say ""hi"""`, "two\nlines": "\"two\nlines\"",
	} {
		p := charge(newPledge("pw-1"))
		p.ShippingAddress.Name = text
		var file strings.Builder
		if _, err := report.FulfillmentReport.WriteCSV(&file, pledgeSeq(p)); err != nil ||
			!strings.Contains(file.String(), "pw-1,campaign,"+want+",1 Shore Road") {
			t.Errorf("%q: %v\n%s", text, err, file.String())
		}
	}
}

func TestWriteCarrierCSV_CellsAreUnchanged(t *testing.T) {
	for text, want := range map[string]string{"-Ada": "-Ada", "@Ada's": "@Ada's", "+34 Ada": "+34 Ada", "＝Ada": "＝Ada", `=A "x"`: `"=A ""x"""`} {
		p := charge(newPledge("pw-1"))
		p.ShippingAddress.Name = text
		var carrier, sheet strings.Builder
		s, err := report.FulfillmentReport.WriteCarrierCSV(&carrier, pledgeSeq(p))
		if err != nil || !strings.Contains(carrier.String(), "pw-1,campaign,"+want+",1 Shore Road") {
			t.Errorf("%q: %v\n%s", text, err, carrier.String())
		}
		same, err := report.FulfillmentReport.WriteCSV(&sheet, pledgeSeq(p))
		if err != nil || same != s || sheet.String() == carrier.String() ||
			strings.Count(sheet.String(), "\n") != strings.Count(carrier.String(), "\n") {
			t.Errorf("%q for a spreadsheet: %v\n%s", text, err, sheet.String())
		}
	}
}

// An error of the sequence ends the report and is returned.
func TestWriteCSV_Error(t *testing.T) {
	broken := errors.New("no response")
	var walk report.Pledges = func(yield func(*pledge.Pledge, error) bool) {
		if yield(newPledge("pw-1"), nil) {
			yield(nil, broken)
		}
	}
	for name, write := range map[string]func(*strings.Builder) error{
		"pledges":     func(b *strings.Builder) error { _, err := report.PledgeReport.WriteCSV(b, walk); return err },
		"fulfillment": func(b *strings.Builder) error { _, err := report.FulfillmentReport.WriteCSV(b, walk); return err },
		"a mail": func(*strings.Builder) error {
			_, err := report.Mails(notify.PledgeReport, film(), walk, at, mailtext.Platform{})
			return err
		},
	} {
		if err := write(&strings.Builder{}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := report.Mails("other", film(), walk, at, mailtext.Platform{}); err == nil {
		t.Error("wrote an unknown report")
	}
}

// The mail has the report's totals and is separate for each reader. A file that is too large is
// omitted, and the mail explains how to get it.
func TestMails(t *testing.T) {
	word, err := report.Mails(notify.PledgeReport, film(), pledgeSeq(newPledge("pw-1"), newPledge("pw-2")), at,
		mailtext.Platform{Name: "Small Hours"})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, to := range []string{"a@example.org", "b@example.org"} {
		m, err := word(to)
		if err != nil {
			t.Fatal(err)
		}
		ids[m.Identity] = true
		if m.To != to || m.Kind != notify.RunnerReport || m.Subject != "Pledges to Night Ferry, November 2, 2026" ||
			!strings.Contains(m.Text, "2 pledges as of November 2, 2026: $2,312.88 in all.") {
			t.Errorf("the mail is %+v", m)
		}
		if m.Attachment.Name != "pledges-night-ferry-2026-11-02.csv" || strings.Count(m.Attachment.Text, "\n") != 3 {
			t.Errorf("the file is %+v", m.Attachment)
		}
	}
	if len(ids) != 2 {
		t.Errorf("identities: %v", ids)
	}
	back := charge(newPledge("pw-1"))
	back.Refunds = []pledge.Refund{{ID: "rf-1", Amount: 1234, Status: pledge.RefundSucceeded}}
	word, err = report.Mails(notify.FulfillmentReport, film(), pledgeSeq(back), at, mailtext.Platform{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := word("a@example.org"); err != nil ||
		!strings.Contains(m.Text, "$1,156.44 in all. $12.34 of it was refunded.") {
		t.Errorf("%v: %s", err, m.Text)
	}
	huge := newPledge("pw-1")
	huge.Lines[0].Name = strings.Repeat("x", notify.MaxAttachment)
	word, err = report.Mails(notify.FulfillmentReport, film(), pledgeSeq(charge(huge)), at, mailtext.Platform{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := word("a@example.org"); err != nil || m.Attachment.Name != "" ||
		!strings.Contains(m.Text, "pledged report fulfillment night-ferry") {
		t.Errorf("%v: %s", err, m.Text)
	}
}

// A report of 20,000 pledges uses no larger buffer than one of 200.
func TestWriteCSV_RowByRow(t *testing.T) {
	p := charge(newPledge("pw-1"))
	allocated := func(n int) int {
		var walk iter.Seq2[*pledge.Pledge, error] = func(yield func(*pledge.Pledge, error) bool) {
			for range n {
				if !yield(p, nil) {
					return
				}
			}
		}
		var most counter
		if _, err := report.PledgeReport.WriteCSV(&most, walk); err != nil {
			t.Fatal(err)
		}
		return most.longest
	}
	if few, many := allocated(200), allocated(20_000); many > 2*few+4096 {
		t.Errorf("largest writes: %d and %d bytes", few, many)
	}
}

// counter is a writer that records its largest write.
type counter struct{ longest int }

func (c *counter) Write(b []byte) (int, error) {
	c.longest = max(c.longest, len(b))
	return len(b), nil
}
