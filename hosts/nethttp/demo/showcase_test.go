package demo_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// openShowcase opens a demo with campaigns in every state and pledges, as `pledged demo` does.
func openShowcase(t *testing.T) *demo.Demo {
	t.Helper()
	d := openUnseeded(t)
	if err := d.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func openUnseeded(t *testing.T) *demo.Demo {
	t.Helper()
	o := demo.Options{Dir: filepath.Join(t.TempDir(), "demo"), Content: os.DirFS("../../../examples/site"),
		Address: "127.0.0.1:8787", Log: slog.New(slog.DiscardHandler), Bar: true}
	if err := o.CopyContent(); err != nil {
		t.Fatal(err)
	}
	d, err := demo.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.App.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// asAdmin requests a path with the admin secret.
func asAdmin(d *demo.Demo, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Authorization", "Bearer "+d.App.Config.Secrets.Admin.Reveal())
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

// The demo has a settled campaign with two declined cards, one that missed its goal and is closed,
// an archived one whose pledges are charged, and pledges on many days by many people from many
// countries.
func TestSeed_EveryState(t *testing.T) {
	d := openShowcase(t)
	settled := statuses(t, d, "ninety-windows")
	if settled[pledge.PaymentFailed] != 2 || settled[pledge.Charged] < 15 || settled[pledge.Active] != 0 {
		t.Errorf("statuses of the settled campaign = %v", settled)
	}
	if closed, err := d.App.Services.Settlement.Closed(t.Context(), "paper-orchard"); err != nil || !closed {
		t.Errorf("campaign that missed its goal is closed: %t, %v", closed, err)
	}
	archived, err := d.App.Catalogue().Campaign("tin-roof-songs")
	if err != nil || !archived.Archived() {
		t.Errorf("no campaign is archived: %v, %v", archived, err)
	}
	if charged := statuses(t, d, "tin-roof-songs"); charged[pledge.Charged] < 10 ||
		charged[pledge.Active]+charged[pledge.PaymentFailed] != 0 {
		t.Errorf("statuses of the archived campaign = %v", charged)
	}
	var figures struct {
		Days []struct{ Key string }
	}
	w := asAdmin(d, "/admin/analytics/night-ferry")
	if err := json.Unmarshal(w.Body.Bytes(), &figures); err != nil || len(figures.Days) < 10 {
		t.Errorf("film has pledges on %d days, %v: status %d %.300s", len(figures.Days), err, w.Code, w.Body)
	}
	rows, err := csv.NewReader(strings.NewReader(asAdmin(d, "/admin/reports/ninety-windows/pledges.csv").Body.String())).
		ReadAll()
	if err != nil || len(rows) < 20 {
		t.Fatalf("%d rows of pledges, %v", len(rows), err)
	}
	subtotal, tax, email := slices.Index(rows[0], "subtotal"), slices.Index(rows[0], "tax"), slices.Index(rows[0], "email")
	taxes, people := map[string]bool{}, map[string]bool{}
	for _, row := range rows[1:] {
		people[row[email]] = true
		if row[subtotal] == "55.00" {
			taxes[row[tax]] = true
		}
	}
	if len(taxes) < 4 {
		t.Errorf("taxes of a book = %v", taxes)
	}
	if len(people) < 15 {
		t.Errorf("%d people made %d pledges", len(people), len(rows)-1)
	}
	if off := d.Clock.Now().Sub(demo.Start); off < 0 || off.Minutes() > 2 {
		t.Errorf("clock is %s after its start", off)
	}
}

// Tax depends on the reward's destination: on the town in New Mexico, on the country in Europe. It
// is not collected elsewhere. No rate is an estimate.
func TestShowcase_TaxByDestination(t *testing.T) {
	d := openUnseeded(t)
	for _, tt := range []struct {
		to, label string
		tax       int64 // on $100.00
	}{
		{`"line1":"1 Gold Ave","city":"Albuquerque","state":"NM","postalCode":"87102","country":"US"`,
			"NM gross receipts tax", 763},
		{`"line1":"1 Gold Ave","city":"Santa Fe","state":"NM","postalCode":"87501","country":"US"`,
			"NM gross receipts tax", 819},
		{`"line1":"1 Lovejoy St","city":"Portland","state":"OR","postalCode":"97210","country":"US"`, "", 0},
		{`"line1":"PSC 1 Box 1","city":"APO","state":"AE","postalCode":"09012","country":"US"`, "", 0},
		{`"line1":"Weg 1","city":"Berlin","postalCode":"12047","country":"DE"`, "DE VAT", 1900},
		{`"line1":"1 Rue","city":"Montréal","state":"QC","postalCode":"H2W 2M4","country":"CA"`, "QC GST", 500},
	} {
		r := httptest.NewRequest("POST", "/tax/quote",
			strings.NewReader(`{"subtotalCents":10000,"shippingAddress":{`+tt.to+`}}`))
		r.Header.Set("Origin", d.Base)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		var q struct {
			Provisional bool
			Tax         int64 `json:"taxCents"`
			Campaigns   []struct {
				Quote struct {
					Notice    string
					Breakdown []struct{ Label string }
				} `json:"taxDetails"`
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &q); err != nil || len(q.Campaigns) != 1 {
			t.Fatalf("%d %s, %v", w.Code, w.Body, err)
		}
		got, label := q.Campaigns[0].Quote, ""
		if len(got.Breakdown) > 0 {
			label = got.Breakdown[0].Label
		}
		if q.Tax != tt.tax || q.Provisional || label != tt.label || (q.Tax == 0) != (got.Notice != "") {
			t.Errorf("%s: %d, %s", tt.to, w.Code, w.Body)
		}
	}
}

// Moving the clock on the demo's page does the work of the skipped time and keeps the operator
// signed in.
func TestClock_RunsScheduledWork(t *testing.T) {
	d := openShowcase(t)
	cookie := ""
	ask := func(method, target, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		if set := w.Header().Get("Set-Cookie"); set != "" {
			cookie, _, _ = strings.Cut(set, ";")
		}
		return w
	}
	if w := ask("GET", "/demo/dashboard", ""); w.Code != 303 || w.Header().Get("Location") != "/admin/" || cookie == "" {
		t.Fatalf("signing in: status %d %v", w.Code, w.Header())
	}
	for _, days := range []string{"36h", "744h"} {
		if w := ask("POST", "/demo/clock", `{"advance":"`+days+`","run":true}`); w.Code != 200 {
			t.Fatalf("moving the clock: status %d: %s", w.Code, w.Body)
		}
		if w := ask("GET", "/admin/session", ""); w.Code != 200 || !strings.Contains(w.Body.String(), demo.Operator) {
			t.Errorf("operator is signed out after %s: status %d: %s", days, w.Code, w.Body)
		}
		if w := ask("GET", "/admin/health", ""); w.Code != 200 || strings.Contains(w.Body.String(), `"cron.late"`) ||
			strings.Contains(w.Body.String(), `"cron.dead"`) {
			t.Errorf("false alarm after %s: status %d: %s", days, w.Code, w.Body)
		}
	}
	if after := statuses(t, d, "tidepool-traders"); after[pledge.Active] != 0 || after[pledge.Charged] < 10 {
		t.Errorf("statuses of the funded campaign = %v", after)
	}
	for _, slug := range []string{"tidepool-traders", "ninety-windows"} {
		page, err := d.App.Services.Settlement.Failures(t.Context(), slug, "")
		if err != nil || statuses(t, d, slug)[pledge.PaymentFailed] != 2 || len(page.Failures) > 0 {
			t.Errorf("%s: pledges not paid in time were not dropped: %+v, %v", slug, page.Failures, err)
		}
	}
	if closed, err := d.App.Services.Settlement.Closed(t.Context(), "night-ferry"); err != nil || !closed {
		t.Errorf("campaign that missed its goal is closed: %t, %v", closed, err)
	}
	mails, err := d.App.Mails.Mails()
	if err != nil || !slices.ContainsFunc(mails, func(m app.Mail) bool {
		return strings.Contains(m.Text, "Night Ferry") && strings.Contains(m.Subject, "goal") && m.SentAt.After(demo.Start)
	}) {
		t.Errorf("none of %d emails is about the missed goal, %v", len(mails), err)
	}
}
