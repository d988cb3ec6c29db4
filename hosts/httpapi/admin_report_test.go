package httpapi_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// rows returns all pages of a report.
func (b *browser) rows(path, query string, limit int) (all [][]string) {
	b.e.t.Helper()
	for cursor := 0; ; {
		r := b.get(path, fmt.Sprintf("%s&limit=%d&cursor=%d", query, limit, cursor))
		b.e.wantStatus(r, 200)
		page := decode[httpapi.Report](b.e.t, r)
		if all == nil {
			all = append(all, page.Columns)
		}
		for _, row := range page.Rows {
			for i, h := range page.Headings {
				if h.Key != page.Columns[i] || h.Kind != report.TimeCell || row[i] == "" {
					continue
				}
				at, err := time.Parse(time.RFC3339, row[i])
				if err != nil || !strings.HasSuffix(row[i], at.In(b.e.Config.Site.Timezone.Location()).Format("Z07:00")) {
					b.e.t.Errorf("%s is %s, which is not in the platform's zone: %v", h.Key, row[i], err)
				}
				row[i] = at.UTC().Format(time.RFC3339) // as in the file
			}
			all = append(all, row)
		}
		if page.Next == 0 {
			return all
		}
		cursor = page.Next
	}
}

// A page has headings in the requested language and the type of each column.
func TestReports_Headings(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", gameCart(1), cardOK)
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	for lang, want := range map[string][3]report.Heading{
		"en": {{Key: "order_id", Name: "Order", Kind: report.TextCell},
			{Key: "created_at", Name: "Pledged", Kind: report.TimeCell}, {Key: "total", Name: "Total", Kind: report.MoneyCell}},
		"es": {{Key: "order_id", Name: "Pedido", Kind: report.TextCell}, {Key: "created_at", Name: "Fecha de la aportación",
			Kind: report.TimeCell}, {Key: "total", Name: "Total", Kind: report.MoneyCell}},
	} {
		page := decode[httpapi.Report](t, b.get("/admin/reports/"+game+"/pledges", "lang="+lang))
		if len(page.Headings) != len(page.Columns) || page.Currency != "USD" || page.Timezone != "America/Denver" {
			t.Errorf("%+v", page)
		}
		if got := [3]report.Heading{page.Headings[0], page.Headings[1], page.Headings[4]}; got != want {
			t.Errorf("headings in %s: %+v, want %+v", lang, got, want)
		}
	}
	e.wantField(b.get("/admin/reports/"+game+"/fulfillment", "lang=fr"), "lang")
}

func (b *browser) get(path, query string) httpapi.Response {
	b.e.t.Helper()
	return b.e.get(path, query, b.headers()...)
}

// The pages and the file have the same rows in the same order with every page size, and requesting
// the file again returns the same bytes.
//
// Proves RPT-02, RPT-03.
func TestReports(t *testing.T) {
	e := newEdge(t, memory.Options{})
	var ids []string
	for n := range 7 {
		cart := gameCart(4)
		if n == 3 {
			cart.ShippingAddress.Name = "Ada"
		}
		s, token := e.pledge(fmt.Sprintf("s%d@example.com", n), cart, cardOK)
		if ids = append(ids, s.OrderID); n == 5 { // cancelled pledges are included
			e.wantStatus(e.post("/pledge/cancel", checkout.CancelRequest{Token: token}), 200)
		}
		e.Advance(2 * time.Second) // avoids the limit of checkouts
	}
	if err := e.Pass(t.Context(), 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	b.mark("sent", false, fulfilment.Mark{OrderID: ids[0], Status: pledge.Sent})
	for _, of := range []struct {
		kind, query, name string
		want              int
	}{{"pledges", "", "pledges", 8}, {"fulfillment", "", "fulfillment", 7}, {"fulfillment", "left=1", "left", 6}} {
		kind, path := of.kind, "/admin/reports/"+game+"/"+of.kind
		r := b.get(path+".csv", of.query)
		e.wantStatus(r, 200)
		file, err := csv.NewReader(bytes.NewReader(r.Body)).ReadAll()
		if err != nil || len(file) != of.want {
			t.Fatalf("%s %s: %d rows, %v", kind, of.query, len(file), err)
		}
		for _, limit := range []int{1, 2, 3, 7, 8, 250} {
			if diff := cmp.Diff(file, b.rows(path, of.query, limit)); diff != "" {
				t.Errorf("%s %s, page size %d: %s", kind, of.query, limit, diff)
			}
		}
		if book := b.get(path+".xlsx", ""); book.Status != 200 || book.Gather() != nil || !bytes.HasPrefix(book.Body,
			[]byte("PK")) || !strings.Contains(book.Header.Get("Content-Disposition"), game+"-"+kind+".xlsx") {
			t.Errorf("%s as a workbook: %d %v", kind, book.Status, book.Header)
		}
		if again := b.get(path+".csv", of.query); !bytes.Equal(again.Body, r.Body) ||
			!strings.Contains(r.Header.Get("Content-Disposition"), game+"-"+of.name+".csv") {
			t.Errorf("%s: file or name is not reproducible: %v", kind, r.Header)
		}
	}
	kinds := map[string]bool{}
	for _, r := range e.API.Routes() {
		if kind, is := strings.CutPrefix(r.Pattern, "/admin/reports/"); is {
			kinds[strings.TrimSuffix(strings.TrimSuffix(kind, ".csv"), ".xlsx")] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{":slug/pledges": true, ":slug/fulfillment": true}, kinds); diff != "" {
		t.Errorf("reports = %s", diff)
	}
	for query, field := range map[string]string{"limit=0": "limit", "limit=251": "limit",
		"limit=x": "limit", "cursor=-1": "cursor"} {
		e.wantField(b.get("/admin/reports/"+game+"/pledges", query), field)
	}
	e.wantStatus(b.get("/admin/reports/unknown/pledges", ""), 404)
	if empty := decode[httpapi.Report](t, b.get("/admin/reports/"+film+"/pledges", "")); !empty.MissingIndex ||
		len(empty.Rows) != 0 || len(empty.Columns) < 10 {
		t.Errorf("a campaign without pledges: %+v", empty)
	}
	e.wantStatus(b.get("/admin/reports/"+film+"/pledges.csv", ""), 409)
}

// The files have the rows of the pages with every filter. With a language they also have the same
// headings, statuses and times.
//
// Proves RPT-02.
func TestReports_Filters(t *testing.T) {
	e := newEdge(t, memory.Options{})
	abroad := home
	abroad.Country, abroad.State, abroad.PostalCode, abroad.City = "FR", "", "69002", "Lyon"
	for n := range 4 {
		cart := gameCart(7)
		if n == 2 {
			cart.ShippingAddress = &abroad
		}
		_, token := e.pledge(fmt.Sprintf("s%d@example.com", n), cart, cardOK)
		if n == 3 {
			e.wantStatus(e.post("/pledge/cancel", checkout.CancelRequest{Token: token}), 200)
		}
		e.Advance(2 * time.Second) // avoids the limit of checkouts
	}
	if err := e.Pass(t.Context(), 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	for _, tt := range []struct {
		kind, query string
		want        int
	}{
		{"pledges", "status=cancelled", 1}, {"pledges", "status=charged", 3},
		{"pledges", "rewardId=the-game&status=charged", 3},
		{"pledges", "rewardId=x", 0}, {"pledges", "country=FR", 4}, // the report has no countries
		{"fulfillment", "country=FR", 1}, {"fulfillment", "country=FR&left=1&rewardId=the-game", 1},
		{"fulfillment", "country=DE", 0},
	} {
		path := "/admin/reports/" + game + "/" + tt.kind
		pages := b.rows(path, tt.query, 2)
		file, err := csv.NewReader(bytes.NewReader(b.get(path+".csv", tt.query).Body)).ReadAll()
		if diff := cmp.Diff(pages, file); err != nil || diff != "" || len(file) != tt.want+1 {
			t.Errorf("%s %s: %d rows, %v %s", tt.kind, tt.query, len(file)-1, err, diff)
		}
		page := decode[httpapi.Report](t, b.get(path, tt.query+"&lang=es"))
		words, err := csv.NewReader(bytes.NewReader(b.get(path+".csv", tt.query+"&lang=es").Body)).ReadAll()
		if err != nil || len(words) != tt.want+1 {
			t.Fatalf("%s %s with a language: %d rows, %v", tt.kind, tt.query, len(words)-1, err)
		}
		for i, h := range page.Headings {
			if h.Kind == report.TimeCell {
				h.Name += " (America/Denver)"
			}
			if words[0][i] != h.Name {
				t.Errorf("heading of %s = %q, want %q", h.Key, words[0][i], h.Name)
			}
			for n, row := range page.Rows {
				if at, err := time.Parse(time.RFC3339, row[i]); h.Kind == report.TimeCell && err == nil &&
					words[n+1][i] != at.Format("2006-01-02 15:04") {
					t.Errorf("%s is %q, want %s", h.Key, words[n+1][i], at)
				}
			}
		}
	}
	for query, field := range map[string]string{"status=lost": "status", "lang=fr": "lang"} {
		e.wantField(b.get("/admin/reports/"+game+"/pledges.csv", query), field)
	}
	e.wantField(b.get("/admin/reports/"+game+"/fulfillment.xlsx", "country=XX"), "country")
	if book := b.get("/admin/reports/"+game+"/fulfillment.xlsx", "country=FR&lang=en"); book.Status != 200 ||
		book.Gather() != nil || !bytes.HasPrefix(book.Body, []byte("PK")) {
		t.Errorf("as a workbook: %d", book.Status)
	}
}

func TestReports_ForCarriers(t *testing.T) {
	e := newEdge(t, memory.Options{})
	cart, to := gameCart(21), home
	to.Line1 = "-7\tShore\u00a0Road\nrear"
	cart.ShippingAddress = &to
	e.pledge("ines@example.com", cart, cardOK)
	if err := e.Pass(t.Context(), 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	path := "/admin/reports/" + game + "/fulfillment.csv"
	for query, tt := range map[string]struct{ cell, name string }{
		"":                   {",'-7 Shore Road rear,", game + "-fulfillment.csv"},
		"for=carrier":        {",-7 Shore Road rear,", game + "-fulfillment-carrier.csv"},
		"for=carrier&left=1": {",-7 Shore Road rear,", game + "-left-carrier.csv"},
	} {
		r := b.get(path, query)
		if r.Status != 200 || !strings.Contains(string(r.Body), tt.cell) ||
			!strings.Contains(r.Header.Get("Content-Disposition"), `"`+tt.name+`"`) {
			t.Errorf("%q: %d %v\n%s", query, r.Status, r.Header, r.Body)
		}
	}
	e.wantField(b.get(path, "for=ups"), "for")
}

// Users with only the fulfilment permission see no amounts, users with only the money permission
// see no addresses, and both see only their own campaigns.
//
// Proves RPT-01.
func TestReports_Permissions(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s, _ := e.pledge("s@example.com", gameCart(1), cardOK)
	for n, tc := range []struct {
		may  []access.Permission
		want map[string]int
	}{
		{[]access.Permission{access.Fulfilment}, map[string]int{"pledges": 403, "fulfillment": 200}},
		{[]access.Permission{access.Content, access.Mails}, map[string]int{"pledges": 403, "fulfillment": 403}},
		{[]access.Permission{access.Supporters}, map[string]int{"pledges": 403, "fulfillment": 403}},
		{[]access.Permission{access.Money}, map[string]int{"pledges": 403, "fulfillment": 403}},
		{[]access.Permission{access.Money, access.Supporters}, map[string]int{"pledges": 200, "fulfillment": 403}},
	} {
		email := fmt.Sprintf("u%d@example.com", n)
		e.user(access.User{Email: email, Role: access.CampaignUser, Campaigns: []string{game}, Permissions: tc.may})
		b := e.browser()
		b.signIn(email)
		for kind, want := range tc.want {
			for _, path := range []string{kind, kind + ".csv", kind + ".xlsx"} {
				if r := b.get("/admin/reports/"+game+"/"+path, ""); r.Status != want {
					t.Errorf("%v and %s: %d %s", tc.may, path, r.Status, r.Body)
				}
				if r := b.get("/admin/reports/"+film+"/"+path, ""); r.Status != 404 && want == 200 {
					t.Errorf("permissions %v, %s of another campaign: status %d: %s", tc.may, path, r.Status, r.Body)
				}
			}
		}
		for slug, want := range map[string]int{game: 403, film: 404} {
			if slug == game && slices.Contains(tc.may, access.Supporters) {
				want = 200
			}
			for _, r := range []httpapi.Response{b.find(slug, "", ""),
				b.get("/admin/supporters/timeline", "campaignSlug="+slug+"&orderId="+s.Campaigns[0].OrderID)} {
				if r.Status != want && (want != 404 || r.Status != 403) {
					t.Errorf("permissions %v, supporters of %s: status %d: %s", tc.may, slug, r.Status, r.Body)
				}
			}
		}
		if slices.Contains(tc.may, access.Fulfilment) {
			columns := strings.Join(decode[httpapi.Report](t, b.get("/admin/reports/"+game+"/fulfillment", "")).Columns, " ")
			for _, sum := range []string{"total", "amount", "tax", "tip", "price"} {
				if strings.Contains(columns, sum) {
					t.Errorf("who packs sees %s", columns)
				}
			}
		}
	}
}

// Operators' reads write nothing, except observations of earlier changes.
//
// Proves CON-05, CON-06, CON-07, CON-09.
func TestReads_OperatorsWriteNothing(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_OPERATORS": ""}})
	e.pledge("s@example.com", gameCart(1), cardOK)
	e.user(access.User{Email: "second@example.com", Role: access.SuperAdmin})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	n := 0
	for _, r := range e.operatorRoutes() {
		if r.Method != "GET" || r.Pattern == "/admin/plan-usage" { // no provider configured
			continue
		}
		before := e.kept()
		got := b.call(r, game)
		if got.Status >= 500 || got.Status == 401 || got.Status == 403 {
			t.Errorf("%s: %d %s", r.Pattern, got.Status, got.Body)
		} else if got.Status == 200 {
			n++
		}
		if err := got.Gather(); err != nil {
			t.Errorf("%s: %v", r.Pattern, err)
		}
		if diff := cmp.Diff(before, e.kept()); diff != "" {
			t.Errorf("%s writes: %s", r.Pattern, diff)
		}
	}
	before := e.kept()
	found := []httpapi.Response{
		b.find(game, "s", ""),
		b.get("/admin/reports/"+film+"/pledges", ""), // without an index
		b.get("/admin/reports/"+game+"/pledges", "limit=1&cursor=1"),
		b.get("/admin/reports/"+game+"/fulfillment", "left=1"), b.get("/admin/reports/"+game+"/fulfillment.csv", "left=1"),
	}
	for _, filter := range []string{"campaignSlug=" + game, "q=x", "action=session.end",
		"adminEmail=ada@example.com", "from=2026-11-01&to=2026-11-30"} {
		found = append(found, b.get("/admin/audit", filter), b.get("/admin/audit.csv", filter))
	}
	for _, found := range found {
		if err := found.Gather(); err != nil {
			t.Errorf("%s: %v", found.Route, err)
		}
		if diff := cmp.Diff(before, e.kept()); found.Status != 200 || diff != "" {
			t.Errorf("%s, status %d, wrote: %s", found.Route, found.Status, diff)
		}
	}
	if n < 15 {
		t.Errorf("only %d routes returned 200", n)
	}
}

// A file that cannot be read completely causes an error instead of a truncated file.
func TestReports_UnreadableIndex(t *testing.T) {
	var fail error
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if fail != nil && strings.HasPrefix(op.Key, "pledge:") {
			return fail
		}
		return nil
	}})
	for n := range 3 {
		e.pledge(fmt.Sprintf("s%d@example.com", n), gameCart(1), cardOK)
	}
	r := e.API.Serve(t.Context(), httpapi.Request{
		Method: "GET", Path: "/admin/reports/" + game + "/pledges.csv", ClientIP: "192.0.2.1",
		Header: func(name string) string { return map[string]string{"Authorization": e.admin()[1]}[name] },
	})
	if r.Status != 200 || r.Stream == nil {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	fail = errors.New("storage unavailable")
	if err := r.Gather(); err == nil {
		t.Errorf("file ends with %q", r.Body)
	}
}
