package live_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/live"
)

var testTime = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// Responses as published by the services.
const (
	edacAnswer = `{"results":[{"success":true,"tax_rate":"8.1875","location_code":"01-123",
		"county":"Santa Fe","source":"TRD"}]}`
	zipAnswer = `{"metadata":{"version":"v60","response":{"code":100,"name":"RESPONSE_CODE_SUCCESS",
			"message":"Successful API Request."}},
		"baseRates":[{"rate":0.0625,"jurType":"US_STATE_SALES_TAX","jurName":"TX"},
			{"rate":0.01,"jurType":"US_CITY_SALES_TAX","jurName":"AUSTIN"},
			{"rate":0,"jurType":"US_COUNTY_SALES_TAX","jurName":"TRAVIS"},
			{"rate":0.01,"jurType":"US_SPECIAL_SALES_TAX","jurName":"CAP METRO"}],
		"service":{"adjustmentType":"SERVICE_TAXABLE","taxable":"N"},
		"shipping":{"adjustmentType":"FREIGHT_TAXABLE","taxable":"Y","description":"Freight Taxable"},
		"taxSummaries":[{"rate":0.0825,"taxType":"USE_TAX"},
			{"rate":0.0825,"taxType":"SALES_TAX","displayRates":[{"name":"Total Rate","rate":0.0825}]}],
		"addressDetail":{"normalizedAddress":"1 Main St, Austin, TX 78701",
			"incorporated":"true","geoLat":30.2,"geoLng":-97.7}}`
)

var (
	plaza = tax.Address{Country: "US", State: "NM", PostalCode: "87501-1234", City: "Santa Fe",
		Line1: "120 S Plaza Street"}
	austin = tax.Address{Country: "US", State: "TX", PostalCode: "78701", City: "Austin", Line1: "1 Main St"}
)

// server is a service implemented by an in-process handler.
type server struct {
	answer http.HandlerFunc
	seen   []*http.Request
}

func (p *server) RoundTrip(r *http.Request) (*http.Response, error) {
	p.seen = append(p.seen, r)
	w := httptest.NewRecorder()
	p.answer(w, r)
	return w.Result(), nil
}

func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// service is one of the lookups with its test data.
type service struct {
	open   func(live.Options) (tax.Lookup, error)
	good   string
	to     tax.Address
	wanted string // the expected request
}

var services = map[string]service{
	"edac": {
		open: func(o live.Options) (tax.Lookup, error) { return live.NewEDAC(o) }, good: edacAnswer, to: plaza,
		wanted: "https://service.example/api/by_address?city=Santa+Fe&pre_direction=S&street_name=Plaza" +
			"&street_number=120&street_suffix=Street&zipcode=87501",
	},
	"ziptax": {
		open: func(o live.Options) (tax.Lookup, error) { return live.NewZIPTax(o) }, good: zipAnswer, to: austin,
		wanted: "https://service.example/request/v60?address=1+Main+St%2C+Austin%2C+TX+78701" +
			"&addressDetailExtended=true&countryCode=USA&format=json",
	},
}

func (s service) lookup(t testing.TB, transport http.RoundTripper, now func() time.Time) tax.Lookup {
	t.Helper()
	l, err := s.open(live.Options{Base: "https://service.example/", Key: "secret", Transport: transport, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func rate(t testing.TB, s string) money.Rate {
	t.Helper()
	r, err := money.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var sameRate = cmp.Comparer(func(a, b money.Rate) bool { return a.String() == b.String() })

// Each lookup sends exactly the expected request, decodes the response and caches it.
func TestRates_Responses(t *testing.T) {
	want := map[string]tax.LocalRates{
		"edac": {Place: "NM 01-123", Shipping: true, Source: "address service of New Mexico, TRD",
			Rates: []tax.LocalRate{{Label: "NM gross receipts tax", Rate: rate(t, "0.081875")}}},
		"ziptax": {Place: "TX, AUSTIN, CAP METRO", Shipping: true, Source: "ZIP.TAX", Rates: []tax.LocalRate{
			{Label: "TX sales tax", Rate: rate(t, "0.0625")}, {Label: "AUSTIN sales tax", Rate: rate(t, "0.01")},
			{Label: "CAP METRO sales tax", Rate: rate(t, "0.01")}}},
	}
	for name, s := range services {
		p, now := &server{answer: reply(200, s.good)}, testTime
		l := s.lookup(t, p, func() time.Time { return now })
		got, err := l.Rates(t.Context(), s.to)
		if diff := cmp.Diff(want[name], got, sameRate); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		r := p.seen[0]
		if r.Method != "GET" || r.URL.String() != s.wanted {
			t.Errorf("%s asked %s %s", name, r.Method, r.URL)
		}
		if key := r.Header.Get("X-Api-Key"); key != map[string]string{"edac": "", "ziptax": "secret"}[name] {
			t.Errorf("%s sends the key %q", name, key)
		}
		if _, err := l.Rates(t.Context(), s.to); err != nil || len(p.seen) != 1 {
			t.Errorf("%s asks %d times for one address, %v", name, len(p.seen), err)
		}
		now = now.Add(11 * time.Minute)
		if _, err := l.Rates(t.Context(), s.to); err != nil || len(p.seen) != 2 {
			t.Errorf("%s caches an answer forever, %v", name, err)
		}
	}
}

// Incomplete addresses are not sent, and the error names the missing parts.
func TestRates_IncompleteAddresses(t *testing.T) {
	type part struct {
		to      tax.Address
		missing tax.MissingError
	}
	for name, tt := range map[string][]part{
		"edac": {
			{tax.Address{}, tax.MissingError{"line1", "city", "postalCode"}},
			{tax.Address{Country: "US", PostalCode: "87501", City: "Santa Fe", Line1: " "}, tax.MissingError{"line1"}},
			{tax.Address{Country: "US", PostalCode: "87501", City: "Santa Fe", Line1: "PO Box 7"}, tax.MissingError{}},
			{tax.Address{Country: "US", PostalCode: "8750", City: "Santa Fe", Line1: "1 Main St"},
				tax.MissingError{"postalCode"}},
			{tax.Address{Country: "US", PostalCode: "87501", Line1: "1 Main St"}, tax.MissingError{"city"}},
		},
		"ziptax": {
			{tax.Address{}, tax.MissingError{"postalCode"}},
			{tax.Address{Country: "US"}, tax.MissingError{"postalCode"}},
			{tax.Address{Country: "DE", PostalCode: "10115"}, tax.MissingError{"postalCode"}},
			{tax.Address{Country: "US", PostalCode: "7870"}, tax.MissingError{"postalCode"}},
			{tax.Address{Country: "CA"}, tax.MissingError{"postalCode"}},
		},
	} {
		p := &server{answer: reply(200, services[name].good)}
		for _, c := range tt {
			_, err := services[name].lookup(t, p, nil).Rates(t.Context(), c.to)
			missing := tax.MissingError{}
			if !errors.As(err, &missing) || !slices.Equal(missing, c.missing) {
				t.Errorf("%s, %+v: %v, want %q missing", name, c.to, err, c.missing)
			}
		}
		if len(p.seen) != 0 {
			t.Errorf("%s sent a request", name)
		}
	}
	hundred := strings.Repeat("Long Street ", 8)[:93] // followed by ", 78701"
	for to, want := range map[tax.Address]string{
		{Country: "US", PostalCode: "78701", Line1: hundred}: "address=" +
			strings.ReplaceAll(hundred, " ", "+") + "%2C+78701&addressDetailExtended=true&countryCode=USA&format=json",
		{Country: "US", PostalCode: "78701",
			Line1: hundred + "t"}: "format=json&postalcode=78701",
		{Country: "US",
			PostalCode: "78701-1234"}: "format=json&postalcode=78701",
		{Country: "US",
			PostalCode: "787011234"}: "format=json&postalcode=78701",
		{Country: "CA",
			PostalCode: "H2X 1Y4"}: "address=H2X+1Y4&addressDetailExtended=true&countryCode=CAN&format=json",
		{Country: "CA", PostalCode: "H2X 1Y4", City: "Montréal", Line1: strings.Repeat("Rue Longue ",
			12)}: "address=Montr%C3%A9al%2C+H2X+1Y4&addressDetailExtended=true&countryCode=CAN&format=json",
		{Country: "US", PostalCode: "78701",
			Line1: strings.Repeat("Long Street ", 12)}: "format=json&postalcode=78701",
	} {
		p := &server{answer: reply(200, zipAnswer)}
		if strings.Contains(want, "postalcode") {
			p.answer = reply(200, onePlace)
		}
		if _, err := services["ziptax"].lookup(t, p, nil).Rates(t.Context(), to); err != nil ||
			p.seen[0].URL.RawQuery != want {
			t.Errorf("%+v: requested %s, %v", to, p.seen[0].URL.RawQuery, err)
		}
	}
}

// EDAC requests have the street split into its parts.
func TestEDAC_Streets(t *testing.T) {
	for line, want := range map[string]string{
		"120 S Plaza Street": "pre_direction=S&street_name=Plaza&street_number=120&street_suffix=Street",
		"7a ne Main St.":     "pre_direction=NE&street_name=Main&street_number=7a&street_suffix=St",
		"7 Calle Lopez":      "street_name=Calle+Lopez&street_number=7",
		"7 Calle Lopez Road": "street_name=Calle+Lopez&street_number=7&street_suffix=Road",
		"7 N":                "street_name=N&street_number=7",
		"7 N Street":         "pre_direction=N&street_name=Street&street_number=7",
		"7 Way":              "street_name=Way&street_number=7",
	} {
		p, to := &server{answer: reply(200, edacAnswer)}, plaza
		to.Line1 = line
		if _, err := services["edac"].lookup(t, p, nil).Rates(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		query := p.seen[0].URL.Query()
		query.Del("city")
		query.Del("zipcode")
		if got := query.Encode(); got != want {
			t.Errorf("%q is requested as %s, want %s", line, got, want)
		}
	}
}

// The highest rate is 25 percent and the largest response is accepted. Texts from a
// service are shortened and cleaned.
func TestRates_Limits(t *testing.T) {
	const most = 256 << 10
	for name, tt := range map[string]struct {
		body  string
		taken bool
	}{
		"25 percent":         {strings.Replace(edacAnswer, "8.1875", "25", 1), true},
		"above 25 percent":   {strings.Replace(edacAnswer, "8.1875", "25.0001", 1), false},
		"largest response":   {edacAnswer + strings.Repeat(" ", most-len(edacAnswer)), true},
		"response too large": {edacAnswer + strings.Repeat(" ", most+1-len(edacAnswer)), false},
		"long source":        {strings.Replace(edacAnswer, "TRD", `A\u0007\u00e9~ `+strings.Repeat("x", 100), 1), true},
	} {
		got, err := services["edac"].lookup(t, &server{answer: reply(200, tt.body)}, nil).Rates(t.Context(), plaza)
		if (err == nil) != tt.taken {
			t.Errorf("%s: %v", name, err)
		}
		if want := "address service of New Mexico, A~ " + strings.Repeat("x", 77); name == "long source" &&
			got.Source != want {
			t.Errorf("%q, want %q", got.Source, want)
		}
	}
}

// A service that answers, even with an unknown address, is not disabled.
func TestRates_UnknownAddressesAreNotFailures(t *testing.T) {
	for name, s := range services {
		for _, body := range []string{s.good, `{"results":[]}`} {
			p, now := &server{answer: reply(200, body)}, testTime
			l := s.lookup(t, p, func() time.Time { return now })
			for range 10 {
				_, _ = l.Rates(t.Context(), s.to)
				now = now.Add(time.Hour)
			}
			if len(p.seen) != 10 {
				t.Errorf("%s is called %d times of ten, answering %s", name, len(p.seen), body)
			}
		}
	}
}

// Any response yields an error or a plausible answer.
func TestRates_InvalidResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		service string
		answer  http.HandlerFunc
		why     string
	}{
		"edac unknown":      {"edac", reply(200, `{"results":[{"success":false}]}`), "address not found"},
		"edac no results":   {"edac", reply(200, `{"results":[]}`), "address not found"},
		"edac negative":     {"edac", reply(200, strings.Replace(edacAnswer, "8.1875", "-1", 1)), "invalid response"},
		"edac zero":         {"edac", reply(200, strings.Replace(edacAnswer, "8.1875", "0", 1)), "invalid response"},
		"edac tenfold":      {"edac", reply(200, strings.Replace(edacAnswer, "8.1875", "81.875", 1)), "invalid response"},
		"edac endless rate": {"edac", reply(200, strings.Replace(edacAnswer, "8.1875", "8e999999999", 1)), "invalid response"},
		"edac no code":      {"edac", reply(200, strings.Replace(edacAnswer, "01-123", "<b>", 1)), "invalid response"},
		"ziptax code 104":   {"ziptax", reply(200, strings.Replace(zipAnswer, `"code":100`, `"code":104`, 1)), "(code 104)"},
		"ziptax no code":    {"ziptax", reply(200, `{}`), "(code 0)"},
		"ziptax no summary": {"ziptax", reply(200, strings.Replace(zipAnswer, `"SALES_TAX"`, `"OTHER"`, 1)),
			"invalid response"},
		"ziptax in percent": {"ziptax", reply(200, strings.ReplaceAll(zipAnswer, "0.0825", "8.25")), "invalid response"},
		"ziptax too much":   {"ziptax", reply(200, strings.ReplaceAll(zipAnswer, "0.0825", "0.825")), "invalid response"},
		"ziptax negative":   {"ziptax", reply(200, strings.ReplaceAll(zipAnswer, "0.0825", "-0.0825")), "invalid response"},
		"ziptax endless": {"ziptax", reply(200, strings.ReplaceAll(zipAnswer, "0.0825", "1e-999999999")),
			"invalid response"},
		"ziptax text":    {"ziptax", reply(200, strings.ReplaceAll(zipAnswer, "0.0825", `"much"`)), "invalid response"},
		"edac endless":   {"edac", reply(200, strings.Repeat(" ", 300<<10)+edacAnswer), "invalid response"},
		"ziptax refused": {"ziptax", reply(401, `{}`), "request refused"},
		"edac redirects": {"edac", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}, "request refused"},
		"edac HTML page":       {"edac", reply(200, "<html>"), "invalid response"},
		"ziptax HTML page":     {"ziptax", reply(200, "<html>"), "invalid response"},
		"ziptax truncated":     {"ziptax", reply(200, zipAnswer[:300]), "invalid response"},
		"edac down":            {"edac", reply(500, edacAnswer), "request refused"},
		"ziptax too many":      {"ziptax", reply(429, zipAnswer), "request refused"},
		"ziptax other version": {"ziptax", reply(404, zipAnswer), "request refused"},
	} {
		p := &server{answer: tt.answer}
		s := services[tt.service]
		got, err := s.lookup(t, p, nil).Rates(t.Context(), s.to)
		if err == nil || !strings.Contains(err.Error(), tt.why) || len(got.Rates) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		for _, r := range p.seen {
			if r.URL.Host != "service.example" || len(p.seen) > 2 {
				t.Errorf("%s: request %s of %d", name, r.URL, len(p.seen))
			}
		}
	}
}

// The published partial rates do not always add up to the whole rate, which is charged.
func TestZIPTax_PartsDoNotAddUp(t *testing.T) {
	p := &server{answer: reply(200, strings.Replace(zipAnswer, `"rate":0.0625`, `"rate":0.06`, 1))}
	got, err := services["ziptax"].lookup(t, p, nil).Rates(t.Context(), austin)
	if err != nil || len(got.Rates) != 1 || got.Rate().String() != "0.0825" {
		t.Errorf("%+v, %v", got, err)
	}
}

// hangingServer never answers.
type hangingServer struct{ seen int }

func (s *hangingServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.seen++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A service that hangs delays a checkout by at most Timeout, then is not called for a
// while and then tried again.
func TestRates_HangingService(t *testing.T) {
	for name, s := range services {
		synctest.Test(t, func(t *testing.T) {
			hung := &hangingServer{}
			l := s.lookup(t, hung, nil)
			for i := range 5 {
				began := time.Now()
				_, err := l.Rates(t.Context(), s.to)
				if took := time.Since(began); took > live.Timeout || err == nil ||
					!strings.Contains(err.Error(), "not reachable in time") {
					t.Errorf("%s, lookup %d took %s: %v", name, i+1, took, err)
				}
			}
			asked, began := hung.seen, time.Now()
			if _, err := l.Rates(t.Context(), s.to); hung.seen != asked || time.Since(began) != 0 ||
				!strings.Contains(err.Error(), "not called for a while") {
				t.Errorf("%s is called once more: %v", name, err)
			}
			time.Sleep(2 * time.Minute)
			if _, err := l.Rates(t.Context(), s.to); err == nil || hung.seen == asked {
				t.Errorf("%s is never called again", name)
			}
		})
	}
}

// A failed request is retried once after a short wait.
func TestRates_RetriesOnce(t *testing.T) {
	for name, s := range services {
		synctest.Test(t, func(t *testing.T) {
			var asked []time.Time
			p := &server{answer: func(w http.ResponseWriter, r *http.Request) {
				if asked = append(asked, time.Now()); len(asked) == 1 {
					reply(502, "")(w, r)
					return
				}
				reply(200, s.good)(w, r)
			}}
			if _, err := s.lookup(t, p, nil).Rates(t.Context(), s.to); err != nil || len(asked) != 2 ||
				!asked[1].After(asked[0]) {
				t.Errorf("%s is called at %v, %v", name, asked, err)
			}
		})
	}
}

// Canceled lookups do not count as failures.
func TestRates_CanceledLookups(t *testing.T) {
	for name, s := range services {
		hung := &hangingServer{}
		l := s.lookup(t, hung, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			if _, err := l.Rates(ctx, s.to); err == nil || !strings.Contains(err.Error(), "request canceled") {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestNew_InvalidBase(t *testing.T) {
	for name, s := range services {
		for _, bad := range []string{"", "service", "://", "/api"} {
			if _, err := s.open(live.Options{Base: bad}); err == nil {
				t.Errorf("%s: %q is accepted", name, bad)
			}
		}
	}
}

func FuzzRates(f *testing.F) {
	f.Add(edacAnswer)
	f.Add(zipAnswer)
	f.Add(`{"results":[{"success":true,"tax_rate":"9e9","location_code":"01-123"}]}`)
	f.Add(onePlace)
	most := money.Percent(25).Of(money.Max)
	asked := maps.Clone(services)
	alone := asked["ziptax"]
	alone.to.Line1 = ""
	asked["a ZIP code alone"] = alone
	f.Fuzz(func(t *testing.T, body string) {
		for name, s := range asked {
			got, err := s.lookup(t, &server{answer: reply(200, body)}, nil).Rates(t.Context(), s.to)
			if due := got.Rate().Of(money.Max); err == nil && (due < 0 || due > most) {
				t.Errorf("%s accepts %q for %+v", name, body, got)
			}
		}
	})
}
