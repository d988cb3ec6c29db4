package httpapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// newEdgeWithParcels returns a settled campaign with the given number of orders, and an order for
// another campaign.
func newEdgeWithParcels(t *testing.T, orders int, o memory.Options) (e *edge, ids, tokens []string, other string) {
	t.Helper()
	e = newEdge(t, o)
	for n := range orders {
		s, token := e.pledge(fmt.Sprintf("s%d@example.com", n), gameCart(20/orders+1), cardOK)
		ids, tokens = append(ids, s.OrderID), append(tokens, token)
		e.Advance(2 * time.Second) // avoids the limit of checkouts
	}
	s, _ := e.pledge("film@example.com", filmCart(), cardOK)
	if err := e.Pass(t.Context(), 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	return e, ids, tokens, s.OrderID
}

func (b *browser) send(path string, body any) httpapi.Response {
	b.e.t.Helper()
	return b.ask("POST", path, body, "Origin", string(b.e.Config.Site.Base))
}

func (b *browser) mark(id string, notify bool, marks ...fulfilment.Mark) []fulfilment.Result {
	b.e.t.Helper()
	r := b.send("/admin/fulfilment/mark",
		httpapi.MarkRequest{CampaignSlug: game, ChangeID: id, Marks: marks, Notify: notify})
	b.e.wantStatus(r, 200)
	return decode[httpapi.MarkedParcels](b.e.t, r).Results
}

func outcomes(results []fulfilment.Result) (out []string) {
	for _, r := range results {
		line := string(r.Outcome)
		if r.Line > 0 {
			line = fmt.Sprintf("%d %s", r.Line, line)
		}
		if r.Problem != nil {
			line += " " + string(r.Problem.Code) + " " + r.Problem.Field
		}
		if r.Parcel != nil {
			line += " " + string(r.Parcel.Status)
		}
		out = append(out, line)
	}
	return out
}

// Parcels are marked by a list or a scanner, each with its own result. Users with the fulfilment
// permission see no amounts. Supporters see on their page what was shipped and how.
func TestFulfilment_MarkParcels(t *testing.T) {
	e, ids, tokens, other := newEdgeWithParcels(t, 3, memory.Options{})
	packer, manager := e.with("packer@example.org", access.Fulfilment),
		e.with("manager@example.org", access.Supporters, access.Fulfilment)
	got := packer.mark("list", false,
		fulfilment.Mark{OrderID: ids[0], Status: pledge.Packed}, fulfilment.Mark{OrderID: other, Status: pledge.Packed},
		fulfilment.Mark{OrderID: "x", Status: pledge.Packed}, fulfilment.Mark{OrderID: ids[1],
			Status: "lost"}, fulfilment.Mark{OrderID: ids[1], Status: pledge.Packed})
	want := []string{"marked packed", "refused not_found orderId", "refused invalid orderId",
		"refused invalid status to_pack", "marked packed"}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].Recipient != home.Name || len(got[0].Items) != 1 || got[0].Items[0].Quantity != 7 {
		t.Errorf("view with the fulfilment permission only = %+v", got[0])
	}
	scan := packer.mark("scan", true, fulfilment.Mark{OrderID: " " + strings.ToUpper(ids[0]) + "\r",
		Status: pledge.Sent, Carrier: "ups", Tracking: "1Z 999"})
	today := e.Now().In(e.Config.Site.Timezone.Location()).Format(time.DateOnly)
	if p := scan[0].Parcel; p == nil || p.SentOn != today || p.Link != "https://www.ups.com/track?tracknum=1Z999" {
		t.Errorf("scanned: %+v", scan)
	}
	if again := packer.mark("again", true, fulfilment.Mark{OrderID: ids[0],
		Status: pledge.Sent}); again[0].Outcome != fulfilment.Unchanged || again[0].Parcel.Tracking != "1Z 999" {
		t.Errorf("scanned again: %+v", again)
	}
	if back := packer.mark("packed", false,
		fulfilment.Mark{OrderID: ids[0], Status: pledge.Packed}); back[0].Outcome != fulfilment.Refused {
		t.Errorf("packed after sent = %+v", back)
	}
	view := decode[checkout.PledgeView](t, e.get("/pledge", "token="+tokens[0]))
	if len(view.Parcels) != 1 || view.Parcels[0].Status != pledge.Sent || view.Parcels[0].Carrier != "ups" {
		t.Errorf("supporter's view = %+v", view.Parcels)
	}
	if n := e.mailed(notify.ParcelSent); n != 1 {
		t.Errorf("%d parcel-sent mails", n)
	}
	known := decode[supporters.Timeline](t,
		manager.get("/admin/supporters/timeline", "campaignSlug="+game+"&orderId="+ids[0]))
	var told []string
	for _, ev := range known.Events {
		if ev.Source == "operator" {
			told = append(told, ev.Type+" by "+ev.By)
		}
	}
	if diff := cmp.Diff([]string{"parcel_packed by packer@example.org", "parcel_sent by packer@example.org"},
		told); diff != "" || known.Pledges[0].Parcels[0].Status != pledge.Sent {
		t.Errorf("%+v %s", known.Pledges[0].Parcels, diff)
	}
	report := "/admin/reports/" + game + "/fulfillment"
	if all, left := packer.get(report, ""),
		packer.get(report, "left=1"); strings.Count(string(all.Body), "@example.com") != 3 ||
		strings.Count(string(left.Body), "@example.com") != 2 || strings.Contains(string(left.Body), ids[0]) {
		t.Errorf("left to send: %s", left.Body)
	}
	e.wantField(packer.get(report, "left=2"), "left")
	if open := packer.mark("open", false, fulfilment.Mark{OrderID: ids[0],
		Status: pledge.ToPack}); open[0].Outcome != fulfilment.Marked || open[0].Parcel.Tracking != "" {
		t.Errorf("marked back: %+v", open)
	}
	for _, b := range []struct {
		id    string
		marks []fulfilment.Mark
		field string
	}{{"", []fulfilment.Mark{{}}, "changeId"}, {"x", nil, "marks"}, {"x", make([]fulfilment.Mark, 201), "marks"}} {
		e.wantField(packer.send("/admin/fulfilment/mark",
			httpapi.MarkRequest{CampaignSlug: game, ChangeID: b.id, Marks: b.marks}), b.field)
	}
	e.wantStatus(packer.send("/admin/fulfilment/mark",
		httpapi.MarkRequest{CampaignSlug: film, ChangeID: "x", Marks: []fulfilment.Mark{{}}}), 404)
}

// Only parcels of known carriers have a tracking link.
func TestFulfilment_TrackingLinks(t *testing.T) {
	e, ids, _, _ := newEdgeWithParcels(t, 1, memory.Options{})
	packer := e.with("packer@example.org", access.Fulfilment)
	for carrier, want := range map[string]string{
		"USPS Ground Advantage": "https://tools.usps.com/go/TrackConfirmAction?tLabels=A1%2F2",
		"UPS":                   "https://www.ups.com/track?tracknum=A1%2F2",
		"FedEx 2Day":            "https://www.fedex.com/fedextrack/?trknbr=A1%2F2",
		"DHL":                   "https://www.dhl.com/en/express/tracking.html?AWB=A1%2F2",
		"Canada Post":           "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor=A1%2F2",
		"Royal Mail":            "https://www.royalmail.com/track-your-item#/tracking-results/A1%2F2",
		"Australia Post":        "https://auspost.com.au/mypost/track/details/A1%2F2",
		"Upstate Couriers":      "", // not UPS
		"Correos":               "",
	} {
		packer.mark("back "+carrier, false, fulfilment.Mark{OrderID: ids[0], Status: pledge.ToPack})
		sent := packer.mark(carrier, false,
			fulfilment.Mark{OrderID: ids[0], Status: pledge.Sent, Carrier: carrier, Tracking: "A1 /2"})
		if p := sent[0].Parcel; p == nil || p.Carrier != carrier || p.Link != want {
			t.Errorf("%s: %+v", carrier, sent[0])
		}
	}
}

func (e *edge) mailed(kind notify.Kind) (n int) {
	e.t.Helper()
	mails, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, m := range mails {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

// A carrier's file is read by its column names. A dry run returns the result of each line and
// writes nothing. Invalid lines are reported with line number and field, while the others are
// applied. Applying the file again changes nothing.
func TestFulfilment_Import(t *testing.T) {
	e, ids, _, other := newEdgeWithParcels(t, 6, memory.Options{})
	b := e.with("packer@example.org", access.Fulfilment)
	file := "\ufeffN.º de pedido;Nº de seguimiento;Transportista;Fecha de envío;Peso\r\n" +
		ids[0] + ";9400 1;USPS;2020-01-31;1\r\n" +
		"\r\n" +
		ids[1] + ";9.4E+21;USPS;2020-01-31;1\r\n" +
		ids[2] + ";9400;USPS;02/03/2020;1\r\n" +
		ids[3] + ";\"9400;USPS;2020-01-31;1\r\n" +
		other + ";9400;USPS;2020-01-31;1\r\n" +
		ids[0] + ";9400 2;USPS;2020-01-31;1\r\n" +
		ids[4] + ";;;\r\n" +
		ids[4] + ";=\"0012\";DHL;31/01/2020\r\n" +
		ids[5] + ";9400;USPS;2999-01-01\r\n" +
		";9400;USPS;\r\n"
	want := []string{
		"2 marked sent", "4 refused invalid trackingNumber to_pack", "5 refused invalid sentOn to_pack",
		"6 refused invalid csv", "7 refused not_found orderId",
		"8 refused conflict order", "9 refused invalid trackingNumber", "10 marked sent",
		"11 refused invalid sentOn to_pack", "12 refused invalid orderId",
	}
	run := func(id string, dryRun bool) fulfilment.Imported {
		r := b.send("/admin/fulfilment/import",
			httpapi.ImportRequest{CampaignSlug: game, ChangeID: id, CSV: file, DryRun: dryRun})
		e.wantStatus(r, 200)
		return decode[fulfilment.Imported](t, r)
	}
	before := e.kept()
	dry := run("", true)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("dry run wrote: %s", diff)
	}
	if diff := cmp.Diff(want, outcomes(dry.Results)); diff != "" || dry.Marked != 2 || dry.Refused != 8 {
		t.Errorf("dry run = %+v %s", dry, diff)
	}
	if dry.Columns["order"] != "N.º de pedido" || dry.Columns["date"] != "Fecha de envío" {
		t.Errorf("the columns: %v", dry.Columns)
	}
	done := run("1", false)
	if diff := cmp.Diff(want, outcomes(done.Results)); diff != "" {
		t.Errorf("applied: %s", diff)
	}
	if p := done.Results[7].Parcel; p.Tracking != "0012" || p.SentOn != "2020-01-31" ||
		!strings.HasSuffix(p.Link, "=0012") {
		t.Errorf("%+v", p)
	}
	after := e.kept()
	for _, id := range []string{"1", "2"} {
		run(id, false)
	}
	if diff := cmp.Diff(without(after, "audit"), without(e.kept(), "audit")); diff != "" {
		t.Errorf("applied again: %s", diff)
	}
	for text, field := range map[string]string{"": "csv", "name,tracking\nx,y": "csv", "order,tracking": "csv",
		"\"order,track\nx": "csv", "order\n" + strings.Repeat("x\n", 2001): "csv"} {
		e.wantField(b.send("/admin/fulfilment/import", httpapi.ImportRequest{CampaignSlug: game, DryRun: true, CSV: text}),
			field)
	}
	e.wantField(b.send("/admin/fulfilment/import", httpapi.ImportRequest{CampaignSlug: game, CSV: file}), "changeId")
}

func TestFulfilment_ImportShipStation(t *testing.T) {
	e, ids, _, _ := newEdgeWithParcels(t, 4, memory.Options{})
	b := e.with("packer@example.org", access.Fulfilment)
	for name, tt := range map[string]struct {
		head, days, columns []string // of the four orders
		want                []string
	}{
		"orders": {
			head: []string{"Carrier - Service Selected", "Carrier - Carrier Selected", "Date - Order Date",
				"Date - Shipped Date", "Order - Number", "Shipment - Tracking Number"},
			days: []string{"4/2/2021 4:00:00 AM", "12/31/2020 11:59:59 PM", "1/1/2021 12:00 AM", ""},
			columns: []string{"Carrier - Carrier Selected", "Date - Shipped Date", "Order - Number",
				"Shipment - Tracking Number"},
			want: []string{"2021-04-02", "2020-12-31", "2021-01-01", "the day of the import"},
		},
		"shipments, day first": {
			head: []string{"Carrier - Service Selected", "Shipment - Carrier", "Date - Order Date",
				"Shipment - Ship Date", "Order - Number", "Shipment - Tracking Number"},
			days:    []string{"04/02/2021 4:00:00 AM", "31/12/2020 11:59 pm", "2021-01-01", "30/02/2021 1:00 AM"},
			columns: []string{"Shipment - Carrier", "Shipment - Ship Date", "Order - Number", "Shipment - Tracking Number"},
			want:    []string{"2021-02-04", "2020-12-31", "2021-01-01", "refused"},
		},
		"both orders at once": {
			head: []string{"Carrier - Service Selected", "carrier", "Date - Order Date",
				"Date - Shipped Date", "Order Number", "Tracking #"},
			days:    []string{"13/2/2021 4:00:00 AM", "2/13/2021 4:00:00 AM", "02/03/2021", "14/02/2021"},
			columns: []string{"carrier", "Date - Shipped Date", "Order Number", "Tracking #"},
			want:    []string{"2021-02-13", "refused", "refused", "2021-02-14"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := strings.Join(tt.head, ",") + "\r\n"
			for i, day := range tt.days {
				file += strings.Join([]string{"USPS Priority Mail", "ups", "1/1/2019 1:00:00 AM", day, ids[i], "1Z 99"}, ",") +
					"\r\n"
			}
			r := b.send("/admin/fulfilment/import", httpapi.ImportRequest{CampaignSlug: game, DryRun: true, CSV: file})
			e.wantStatus(r, 200)
			out := decode[fulfilment.Imported](t, r)
			if diff := cmp.Diff(tt.columns,
				[]string{out.Columns["carrier"], out.Columns["date"], out.Columns["order"], out.Columns["tracking"]}); diff != "" {
				t.Error(diff)
			}
			var got []string
			for _, r := range out.Results {
				switch {
				case r.Outcome == fulfilment.Refused && r.Problem.Field == "sentOn":
					got = append(got, "refused")
				case r.Parcel.Carrier != "ups":
					t.Errorf("carrier = %q", r.Parcel.Carrier)
				case tt.days[r.Line-2] == "":
					got = append(got, "the day of the import")
				default:
					got = append(got, r.Parcel.SentOn)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func without(kept map[string]string, prefix string) map[string]string {
	out := map[string]string{}
	for k, v := range kept {
		if !strings.Contains(k, prefix) {
			out[k] = v
		}
	}
	return out
}

// Notes are internal, addresses are changed with a reason, and links can be sent again. Each action
// is recorded with its operator, and the audit log contains no address.
func TestFulfilment_NotesAddressesAndLinks(t *testing.T) {
	e, ids, tokens, _ := newEdgeWithParcels(t, 1, memory.Options{})
	b := e.with("manager@example.org", access.Supporters, access.Fulfilment)
	note := func(id, text string) httpapi.Response {
		return b.send("/admin/supporters/note",
			httpapi.NoteRequest{CampaignSlug: game, OrderID: ids[0], Text: text, ChangeID: id})
	}
	for range 2 {
		e.wantStatus(note("1", "At home\r\non Fridays"), 200)
	}
	for _, text := range []string{"", "  ", strings.Repeat("x", 2001), "a\x00b", "a\u202eb"} {
		e.wantField(note("2", text), "text")
	}
	to := home
	to.Line1 = "2 Other Street"
	move := checkout.Readdressing{CampaignSlug: game, OrderID: ids[0], ShippingAddress: &to,
		Reason: "Moved house", ChangeID: "3"}
	r := b.send("/admin/supporters/address", move)
	e.wantStatus(r, 200)
	if got := decode[httpapi.Readdressed](t, r); got.Address != to {
		t.Errorf("moved: %+v", got)
	}
	abroad := to
	abroad.Country, abroad.State = "CA", "ON"
	move.ShippingAddress, move.ChangeID = &abroad, "4"
	e.wantField(b.send("/admin/supporters/address", move), "shippingAddress.country")
	e.wantStatus(b.send("/admin/supporters/links", httpapi.LinksAgainRequest{CampaignSlug: game, OrderID: ids[0]}), 200)
	if e.mailed(notify.LinksAgain) != 1 || e.mailed(notify.Readdressed) != 1 {
		t.Error("want one mail of each kind")
	}
	known := decode[supporters.Timeline](t, b.get("/admin/supporters/timeline", "campaignSlug="+game+"&orderId="+ids[0]))
	var told []string
	for _, ev := range known.Events {
		if ev.Source == "operator" {
			told = append(told, ev.Type+": "+ev.Text)
		}
		if ev.Type == pledge.AddressChanged && (ev.AddressBefore == nil || *ev.AddressBefore != home) {
			t.Errorf("before: %+v", ev.AddressBefore)
		}
	}
	if diff := cmp.Diff([]string{"note: At home\non Fridays", "address_changed: Moved house"}, told); diff != "" {
		t.Error(diff)
	}
	if view := e.get("/pledge", "token="+tokens[0]); strings.Contains(string(view.Body), "Fridays") ||
		!strings.Contains(string(view.Body), "2 Other Street") {
		t.Errorf("supporter's view = %s", view.Body)
	}
	for _, ev := range e.events("").Events {
		if s := fmt.Sprintf("%+v", ev); strings.Contains(s, "Street") || strings.Contains(s, "Fridays") {
			t.Errorf("the audit log: %s", s)
		}
	}
	fewer := e.with("fewer@example.org", access.Supporters)
	e.wantStatus(fewer.send("/admin/supporters/address", move), 403)
	if r := fewer.get("/admin/supporters/timeline",
		"campaignSlug="+game+"&orderId="+ids[0]); strings.Contains(string(r.Body), home.Line1) {
		t.Errorf("view without the address permission = %s", r.Body)
	}
}

// An interrupted mark request is completed when it is repeated.
func TestFulfilment_InterruptedMark(t *testing.T) {
	left := 0
	e, ids, _, _ := newEdgeWithParcels(t, 60, memory.Options{Fail: func(memkv.Op) error {
		if left--; left == 0 {
			return errCut
		}
		return nil
	}})
	b := e.with("packer@example.org", access.Fulfilment)
	for n, id := range ids {
		m := fulfilment.Mark{OrderID: id, Status: pledge.Sent}
		request := httpapi.MarkRequest{CampaignSlug: game, ChangeID: "1", Marks: []fulfilment.Mark{m}, Notify: true}
		left = n + 1
		first := b.send("/admin/fulfilment/mark", request)
		whole := left > 0
		left = 0
		again := b.mark("1", true, m)
		row := b.get("/admin/reports/"+game+"/fulfillment", "")
		if again[0].Outcome != fulfilment.Marked || strings.Count(string(row.Body), `"sent"`) != n+1 ||
			e.mailed(notify.ParcelSent) != n+1 {
			t.Fatalf("cut at %d: %+v %s", n, again, row.Body)
		}
		if whole {
			e.wantStatus(first, 200)
			return
		}
	}
	t.Error("more writes than orders")
}

var errCut = errors.New("cut")
