package edac_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/flat"
	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
	"github.com/pledgeworks/pledgeworks/tax/nmgrt/edac"
)

const (
	plaza     = "87501 Santa Fe, 120 S Plaza Street"
	published = `{"results":[{"success":true,"tax_rate":"8.1875","location_code":"01-123","county":"Santa Fe","source":"TRD"}]}`
)

var autumn = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func percent(t testing.TB, s string) money.Rate {
	t.Helper()
	r, err := money.ParsePercent(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func provider(t testing.TB, s nmgrt.Service) *nmgrt.Provider {
	t.Helper()
	return &nmgrt.Provider{Outside: flat.Provider{Rate: percent(t, "1")}, Flat: percent(t, "7.875"), Service: s}
}

// address reads "87501 Santa Fe, 120 S Plaza Street": ZIP code, city and line 1.
func address(s string) pledge.Address {
	place, street, _ := strings.Cut(s, ", ")
	zip, city, _ := strings.Cut(place, " ")
	return pledge.Address{Country: "US", State: "NM", PostalCode: zip, City: city, Line1: street}
}

func cart() []pledge.Line {
	return []pledge.Line{
		{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}, {Kind: pledge.CampaignAddOnLine, Category: campaign.Digital, Amount: 5_000},
		{Kind: pledge.ShippingLine, Category: campaign.Physical, Amount: 1_000}, {Kind: pledge.TipLine, Amount: 700}, {Kind: pledge.CustomLine, Amount: 900},
	}
}

func ask(t testing.TB, p tax.Provider, to pledge.Address) tax.Quote {
	t.Helper()
	q, err := p.Quote(t.Context(), tax.Request{Destination: to, At: autumn, Lines: cart()})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// peer is the state's service as a handler in process.
type peer struct {
	answer http.HandlerFunc
	seen   []*http.Request
}

func (p *peer) RoundTrip(r *http.Request) (*http.Response, error) {
	p.seen = append(p.seen, r)
	w := httptest.NewRecorder()
	p.answer(w, r)
	return w.Result(), nil
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func service(t *testing.T, transport http.RoundTripper, now func() time.Time) *edac.Service {
	t.Helper()
	s, err := edac.New("https://service.example/", transport, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Proves TAX-17, TAX-18.
func TestTheServiceKnowsThePlace(t *testing.T) {
	p, now := &peer{answer: says(200, strings.ReplaceAll(published, "8.1875", "8.4375"))}, autumn
	prov := provider(t, service(t, p, func() time.Time { return now }))
	q := ask(t, prov, address(plaza))
	if q.Status != tax.Quoted || q.Tax != 1350 || q.Jurisdiction != "NM 01-123" || q.Notice != "" || q.AsOf != "2026-11-20" || !strings.Contains(q.Source, "TRD") {
		t.Errorf("%+v", q)
	}
	r := p.seen[0]
	want := "https://service.example/api/by_address?city=Santa+Fe&pre_direction=S&street_name=Plaza&street_number=120&street_suffix=Street&zipcode=87501"
	if r.Method != "GET" || r.URL.String() != want || r.Header.Get("Authorization") != "" {
		t.Errorf("asked %s %s", r.Method, r.URL)
	}
	ask(t, prov, address(plaza))
	if len(p.seen) != 1 {
		t.Errorf("the same address is asked about %d times", len(p.seen))
	}
	now = now.Add(11 * time.Minute)
	ask(t, prov, address(plaza))
	if len(p.seen) != 2 {
		t.Error("an answer is kept for ever")
	}
	for _, partly := range []string{"87501 Santa Fe", "87501 Santa Fe, Plaza Street", "87501 Santa Fe, PO Box 7"} {
		ask(t, prov, address(partly))
	}
	ask(t, prov, address("10001 New York, 1 Main Street"))
	if len(p.seen) != 2 {
		t.Error("it is asked about an address that is not whole, or not New Mexico's")
	}
}

// Whatever it answers, a checkout has an answer, and says whose it is.
func TestTheServiceMisbehaves(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		notice string
	}{
		"unknown":           {says(200, `{"results":[{"success":false}]}`), "it does not know the address"},
		"nothing":           {says(200, `{"results":[]}`), "it does not know the address"},
		"a page":            {says(200, "<html>"), "its answer cannot be read"},
		"cut":               {says(200, published[:40]), "its answer cannot be read"},
		"a number":          {says(200, strings.Replace(published, `"8.1875"`, "8.1875", 1)), "its answer cannot be read"},
		"negative":          {says(200, strings.Replace(published, "8.1875", "-1", 1)), "its answer cannot be read"},
		"zero":              {says(200, strings.Replace(published, "8.1875", "0", 1)), "its answer cannot be read"},
		"a hundredfold":     {says(200, strings.Replace(published, "8.1875", "81.875", 1)), "its answer cannot be read"},
		"exponent":          {says(200, strings.Replace(published, "8.1875", "8e0", 1)), "its answer cannot be read"},
		"no code":           {says(200, strings.Replace(published, "01-123", "<b>", 1)), "its answer cannot be read"},
		"endless":           {says(200, `{"results":[`+strings.Repeat(" ", 300<<10)+`]}`), "its answer cannot be read"},
		"an error":          {says(500, published), "it refuses to answer"},
		"too many requests": {says(429, published), "it refuses to answer"},
		"gone":              {says(404, published), "it refuses to answer"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}, "it refuses to answer"},
	} {
		p := &peer{answer: tt.answer}
		q := ask(t, provider(t, service(t, p, func() time.Time { return autumn })), address(plaza))
		want := tax.Quote{Status: tax.FallbackUsed, Tax: 1310, Jurisdiction: "NM 01-123 Santa Fe"}
		if got := (tax.Quote{Status: q.Status, Tax: q.Tax, Jurisdiction: q.Jurisdiction}); !cmp.Equal(want, got) || !strings.Contains(q.Notice, tt.notice) {
			t.Errorf("%s: %+v, %q", name, got, q.Notice)
		}
		for _, r := range p.seen {
			if r.URL.Host != "service.example" {
				t.Errorf("%s: a redirect is followed to %s", name, r.URL.Host)
			}
		}
		if len(p.seen) > 2 {
			t.Errorf("%s: asked %d times", name, len(p.seen))
		}
	}
}

// stuck never answers.
type stuck struct{ seen int }

func (s *stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	s.seen++
	<-r.Context().Done()
	return nil, errors.Join(r.Context().Err())
}

// One that hangs holds a checkout for no longer than it is said to, and soon not at
// all; it is tried again after a while.
func TestTheServiceHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := &stuck{}
		prov := provider(t, service(t, hung, time.Now))
		for i := range 5 {
			began := time.Now()
			q := ask(t, prov, address(plaza))
			if took := time.Since(began); took > edac.Timeout || q.Status != tax.FallbackUsed || !strings.Contains(q.Notice, "cannot be reached in time") {
				t.Errorf("question %d took %s: %s", i+1, took, q.Notice)
			}
		}
		asked, began := hung.seen, time.Now()
		if q := ask(t, prov, address(plaza)); hung.seen != asked || time.Since(began) != 0 || !strings.Contains(q.Notice, "left alone for a while") {
			t.Errorf("it is asked once more: %s", q.Notice)
		}
		time.Sleep(2 * time.Minute)
		if ask(t, prov, address(plaza)); hung.seen == asked {
			t.Error("it is left alone for ever")
		}
	})
}

func TestAddressesOfServices(t *testing.T) {
	for _, bad := range []string{"", "service", "://", "/api"} {
		if _, err := edac.New(bad, nil, time.Now); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(published)
	f.Add(`{"results":[{"success":true,"tax_rate":"9e9","location_code":"01-123"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		p := &peer{answer: says(200, body)}
		q := ask(t, provider(t, service(t, p, func() time.Time { return autumn })), address(plaza))
		if !q.Status.Final() || q.Tax < 0 || q.Tax > q.Base/5+1 {
			t.Errorf("%q is answered with %+v", body, q)
		}
	})
}
