package usps_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/shippingtest"
	"github.com/pledgeworks/pledgeworks/shipping/usps"
)

func TestConformance(t *testing.T) {
	shippingtest.Run(t, shippingtest.Harness{
		Carrier: open(t, account(&fakeUSPS{}, func() time.Time { return testTime })),
		Carried: []shipping.Shipment{
			shipment("17 oz 9 6 1", "US 10001"), shipment("1 oz 9 6 0.1 bends", "US 10001"),
			shipment("33 oz 13 13 2 media", "PR 00901"),
			shipment("20 oz 12 9 3", "DE 10115"), shipment("80 oz 12 9 3", "HK"),
		},
		Refused: []shipping.Shipment{shipment("1121 oz 12 9 3", "US 10001"), shipment("17 oz 60 30 10", "DE 10115"),
			shipment("17 oz 9 6 1", "US 99999")},
	})
}

// Requests are exactly as expected.
func TestRate_Requests(t *testing.T) {
	const domestic, abroad, envelope = "/prices/v3/base-rates/search", "/international-prices/v3/base-rates/search",
		"/prices/v3/letter-rates/search"
	at := func(body string) string {
		return `{"originZIPCode":"87501",` + body + `,"priceType":"RETAIL","mailingDate":"2026-11-20"}`
	}
	for name, tt := range map[string]struct {
		shipment   shipping.Shipment
		path, body string
		cents      money.Cents
		source     string
	}{
		"parcel": {shipment("16.2 oz 9 6 1", "US 10001-1234"), domestic,
			at(`"destinationZIPCode":"10001","weight":1.0625,"length":9,"width":6,"height":1,` +
				`"mailClass":"USPS_GROUND_ADVANTAGE",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			1040, "USPS Ground Advantage from 87501, 17 oz, 2026-11-20"},
		"media": {shipment("33 oz 13 13 2 media", "PR 00901"), domestic,
			at(`"destinationZIPCode":"00901","weight":2.0625,"length":13,"width":13,"height":2,"mailClass":"MEDIA_MAIL",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			1050, "USPS Media Mail from 87501, 33 oz, 2026-11-20"},
		"tube": {shipment("11 oz 26 3 3.1", "US 10001"), domestic,
			at(`"destinationZIPCode":"10001","weight":0.6875,"length":26,"width":3,"height":3.1,` +
				`"mailClass":"USPS_GROUND_ADVANTAGE",` +
				`"processingCategory":"NON_MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			520, "USPS Ground Advantage from 87501, 11 oz, 2026-11-20"},
		"large": {shipment("40 oz 20 16.6 10", "US 10001"), domestic,
			at(`"destinationZIPCode":"10001","weight":2.5,"length":20,"width":16.6,"height":10,` +
				`"mailClass":"USPS_GROUND_ADVANTAGE",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"DR"`),
			1560, "USPS Ground Advantage from 87501, 320 oz by size, 2026-11-20"},
		"large media": {shipment("40 oz 20 16.6 10 media", "US 10001"), domestic,
			at(`"destinationZIPCode":"10001","weight":2.5,"length":20,"width":16.6,"height":10,"mailClass":"MEDIA_MAIL",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			1050, "USPS Media Mail from 87501, 40 oz, 2026-11-20"},
		"letter": {shipment("1.5 oz 9 6 0.1 bends", "US 10001"), envelope,
			`{"weight":1.5,"length":9,"height":6,"thickness":0.1,"processingCategory":"LETTERS","mailingDate":"2026-11-20"}`,
			160, "USPS First-Class letter, 1.5 oz, 2026-11-20"},
		"large envelope": {shipment("3.7 oz 10 7 0.2 bends media", "US 10001"), envelope,
			`{"weight":4,"length":10,"height":7,"thickness":0.2,"processingCategory":"FLATS","mailingDate":"2026-11-20"}`,
			220, "USPS First-Class large envelope, 4 oz, 2026-11-20"},
		"too thick for an envelope": {shipment("12 oz 10 7 0.8 bends media", "US 10001"), domestic,
			at(`"destinationZIPCode":"10001","weight":0.75,"length":10,"width":7,"height":0.8,"mailClass":"MEDIA_MAIL",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			350, "USPS Media Mail from 87501, 12 oz, 2026-11-20"},
		"letter with signature": {shipment("1 oz 9 6 0.1 bends signed", "US 10001"), domestic,
			at(`"destinationZIPCode":"10001","weight":0.0625,"length":9,"width":6,"height":0.1,` +
				`"mailClass":"USPS_GROUND_ADVANTAGE",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			520, "USPS Ground Advantage from 87501, 1 oz, 2026-11-20"},
		"abroad": {shipment("64 oz 12 9 3 media", "CA H2X 1Y4"), abroad,
			at(`"destinationCountryCode":"CA","foreignPostalCode":"H2X 1Y4","weight":4,"length":12,"width":9,"height":3,` +
				`"mailClass":"FIRST-CLASS_PACKAGE_INTERNATIONAL_SERVICE",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			5984, "USPS First-Class Package International from 87501, 64 oz, 2026-11-20"},
		"heavy abroad": {shipment("64.1 oz 12 9 3", "HK"), abroad,
			at(`"destinationCountryCode":"HK","weight":4.0625,"length":12,"width":9,"height":3,` +
				`"mailClass":"PRIORITY_MAIL_INTERNATIONAL",` +
				`"processingCategory":"MACHINABLE","destinationEntryFacilityType":"NONE","rateIndicator":"SP"`),
			14830, "USPS Priority Mail International from 87501, 65 oz, 2026-11-20"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fakeUSPS{}
			got, err := open(t, account(p, func() time.Time { return testTime })).Rate(t.Context(), tt.shipment)
			if diff := cmp.Diff(shipping.Rate{Price: tt.cents, Source: tt.source}, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
			if diff := cmp.Diff([]call{{"https://post.example" + tt.path, tt.body}}, p.requests(),
				cmp.AllowUnexported(call{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	p, o := &fakeUSPS{}, account(nil, nil)
	o.Transport, o.Commercial = p, true
	if _, err := open(t, o).Rate(t.Context(), shipment("16 oz 9 6 1", "US 10001")); err != nil ||
		!strings.Contains(p.requests()[0].body, `"priceType":"COMMERCIAL"`) {
		t.Errorf("%v, %+v", err, p.requests())
	}
}

// The mailing date is in the time zone of the origin.
func TestRate_MailingDate(t *testing.T) {
	evening := time.Date(2026, time.November, 21, 4, 30, 0, 0, time.UTC) // 20:30 on the 20th in Los Angeles
	for origin, want := range map[string]string{
		"90012": "2026-11-20", "87501": "2026-11-20", "10001": "2026-11-20", "96813": "2026-11-20",
		"96910": "2026-11-21", "00901": "2026-11-21",
		"37402": "2026-11-20", "38103": "2026-11-20", "99501": "2026-11-20",
	} {
		p := &fakeUSPS{}
		o := account(p, nil)
		o.OriginZIP = origin
		s := shipment("17 oz 9 6 1", "US 10001")
		s.At = evening
		if _, err := open(t, o).Rate(t.Context(), s); err != nil ||
			!strings.Contains(p.requests()[0].body, `"mailingDate":"`+want+`"`) {
			t.Errorf("from %s: %v, %+v", origin, err, p.requests())
		}
	}
	for _, origin := range []string{"", "8750", "87501-1234", "H2X 1Y4"} {
		o := account(nil, nil)
		o.OriginZIP = origin
		if _, err := usps.New(o); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
}

// The first class that accepts a parcel prices it; if none does, it is not carried.
func TestRate_NextClass(t *testing.T) {
	for name, tt := range map[string]struct {
		refused []string // classes
		code    string
		want    string // of the source
		err     error
		fails   bool // with another error
		calls   int
	}{
		"first class":  {nil, "", "USPS Media Mail", nil, false, 1},
		"second class": {[]string{"MEDIA_MAIL"}, "030020", "USPS Ground Advantage", nil, false, 2},
		"third class":  {[]string{"MEDIA_MAIL", "USPS_GROUND"}, "030008", "USPS Priority Mail", nil, false, 3},
		"none":         {[]string{"MAIL", "GROUND"}, "030001", "", shipping.ErrNotCarried, false, 3},
		"other error":  {[]string{"MEDIA_MAIL"}, "160211", "", nil, true, 2},
	} {
		p := &fakeUSPS{}
		p.answer = func(w http.ResponseWriter, r *http.Request) bool {
			body := p.requests()
			for _, class := range tt.refused {
				if len(body) > 0 && strings.Contains(body[len(body)-1].body, class) && !strings.HasSuffix(r.URL.Path, "/token") {
					refuse(w, http.StatusBadRequest, tt.code)
					return true
				}
			}
			return false
		}
		c := open(t, account(p, func() time.Time { return testTime }))
		for range 2 { // refusals are cached too
			got, err := c.Rate(t.Context(), shipment("33 oz 13 13 2 media", "US 10001"))
			if !strings.HasPrefix(got.Source, tt.want) || tt.fails != (err != nil && !errors.Is(err, shipping.ErrNotCarried)) ||
				!tt.fails && !errors.Is(err, tt.err) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		if n := len(p.requests()); n != tt.calls {
			t.Errorf("%s: %d calls, want %d", name, n, tt.calls)
		}
	}
}

// Tokens and quotes are reused, because the service allows only sixty requests per hour.
func TestRate_ReusesTokensAndQuotes(t *testing.T) {
	p, now := &fakeUSPS{}, testTime
	c := open(t, account(p, func() time.Time { return now }))
	ask := func(to string, total, tokens int) {
		t.Helper()
		if _, err := c.Rate(t.Context(), shipment("17 oz 9 6 1", to)); err != nil ||
			len(p.seen) != total || p.tokens != tokens {
			t.Errorf("to %s: %d calls, %d tokens, %v, want %d and %d", to, len(p.seen), p.tokens, err, total, tokens)
		}
	}
	ask("US 10001", 2, 1)
	ask("US 10001-9999", 2, 1) // the same ZIP code
	ask("US 10002", 3, 1)
	now = now.Add(9 * time.Minute)
	ask("US 10001", 3, 1)
	now = now.Add(2 * time.Minute)
	ask("US 10001", 4, 1)
	now = now.Add(8 * time.Hour) // the token has expired
	ask("US 10001", 6, 2)
	p.tokens = 7 // the token is revoked early
	ask("US 10002", 9, 8)

	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { _, _ = c.Rate(t.Context(), shipment("5 oz 9 6 1", "US 60601")) })
	}
	wg.Wait()
	if len(p.seen) > 12 { // concurrent requests are shared
		t.Errorf("%d calls", len(p.seen))
	}
}

// After "too many requests" the cooldown is the service's, after a failure the
// configured one. Cached quotes are still returned.
func TestRate_Cooldown(t *testing.T) {
	reply := func(status int, after string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(status)
			return true
		}
	}
	for name, tt := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request) bool
		cooldown time.Duration
		busy     bool
	}{
		"rate limited":                 {reply(429, ""), 30 * time.Minute, true},
		"rate limited, two minutes":    {reply(429, "120"), 2 * time.Minute, true},
		"rate limited, until a time":   {reply(429, "Fri, 20 Nov 2026 18:45:00 GMT"), 45 * time.Minute, true},
		"rate limited, invalid header": {reply(429, "soon"), 30 * time.Minute, true},
		"rate limited, very long":      {reply(429, "99999999999"), 24 * time.Hour, true},
		"down":                         {reply(503, ""), 5 * time.Minute, false},
		"down for an hour":             {reply(503, "3600"), time.Hour, false},
		"down for a second":            {reply(500, "1"), 5 * time.Minute, false},
		"forbidden":                    {reply(403, ""), 5 * time.Minute, false},
	} {
		p, now := &fakeUSPS{}, testTime
		c := open(t, account(p, func() time.Time { return now }))
		known, unknown := shipment("17 oz 9 6 1", "US 10001"), shipment("17 oz 9 6 1", "US 10002")
		if _, err := c.Rate(t.Context(), known); err != nil {
			t.Fatal(err)
		}
		p.answer = tt.answer
		if _, err := c.Rate(t.Context(), unknown); err == nil || errors.Is(err, shipping.ErrBusy) != tt.busy {
			t.Errorf("%s: %v", name, err)
		}
		p.answer = nil
		calls := len(p.seen)
		now = now.Add(tt.cooldown - time.Second)
		known.At, unknown.At = testTime, testTime
		if _, err := c.Rate(t.Context(), unknown); err == nil || errors.Is(err, shipping.ErrBusy) != tt.busy ||
			len(p.seen) != calls {
			t.Errorf("%s, just before its end: %v, %d calls", name, err, len(p.seen)-calls)
		}
		if tt.cooldown < 10*time.Minute {
			if _, err := c.Rate(t.Context(), known); err != nil {
				t.Errorf("%s, cached quote: %v", name, err)
			}
		}
		now = now.Add(2 * time.Second)
		if _, err := c.Rate(t.Context(), unknown); err != nil || len(p.seen) == calls {
			t.Errorf("%s, afterwards: %v, %d calls", name, err, len(p.seen)-calls)
		}
	}
}

// Any response yields an error without the address, or a plausible price.
func TestRate_InvalidResponses(t *testing.T) {
	text := func(s string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"empty":              text(""),
		"HTML page":          text("<html>maintenance</html>"),
		"no price":           text(`{"rates":[]}`),
		"null":               text("null"),
		"array":              text("[]"),
		"price of zero":      text(`{"totalBasePrice":0}`),
		"negative price":     text(`{"totalBasePrice":-5.2}`),
		"huge price":         text(`{"totalBasePrice":1e9}`),
		"fraction of a cent": text(`{"totalBasePrice":0.001}`),
		"endless price":      text(`{"totalBasePrice":1e999999999}`),
		"price as text":      text(`{"totalBasePrice":"free"}`),
		"not a number":       text(`{"totalBasePrice":NaN}`),
		"large response":     text(`{"totalBasePrice":5.2,"rates":"` + strings.Repeat("x", 1<<20) + `"}`),
		"another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		},
		"401 forever": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"418":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) },
	} {
		for _, at := range []string{"/token", "/search"} {
			p := &fakeUSPS{}
			p.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, at) {
					answer(w, r)
				}
				return strings.HasSuffix(r.URL.Path, at)
			}
			s := shipment("17 oz 9 6 1", "US 10001")
			s.To.Name, s.To.Line1 = "Ada", "1 Main St"
			got, err := open(t, account(p, func() time.Time { return testTime })).Rate(t.Context(), s)
			if err == nil || got != (shipping.Rate{}) || errors.Is(err, shipping.ErrNotCarried) {
				t.Errorf("%s at %s: %+v, %v", name, at, got, err)
			}
			for _, secret := range []string{"hush", "token-1", "Ada", "Main", "10001"} {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("%s at %s: %v", name, at, err)
				}
			}
			for _, c := range p.seen {
				if !strings.HasPrefix(c.path, "https://post.example/") || strings.Contains(c.body, "Ada") {
					t.Errorf("%s at %s: requested %+v", name, at, c)
				}
			}
			if len(p.seen) > 4 {
				t.Errorf("%s at %s: %d calls", name, at, len(p.seen))
			}
		}
	}
}

// A quote takes no longer than the timeout, whichever request is slow, and ends with
// the caller's context.
func TestRate_Timeout(t *testing.T) {
	for _, slow := range []string{"/token", "/search"} {
		synctest.Test(t, func(t *testing.T) {
			p := &fakeUSPS{}
			p.answer = func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, slow) {
					<-r.Context().Done()
				}
				return false
			}
			c := open(t, account(p, nil))
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if _, err := c.Rate(ctx, shipment("17 oz 9 6 1", "US 10001")); !errors.Is(err, context.DeadlineExceeded) ||
				time.Since(began) != 2*time.Second {
				t.Errorf("slow %s: %v after %s", slow, err, time.Since(began))
			}
			if _, err := c.Rate(t.Context(), shipment("17 oz 9 6 1", "US 10001")); err == nil ||
				time.Since(began) != 5*time.Second {
				t.Errorf("slow %s: %v after %s", slow, err, time.Since(began))
			}
			if _, err := c.Rate(t.Context(), shipment("17 oz 9 6 1", "US 10002")); err == nil ||
				time.Since(began) != 5*time.Second {
				t.Errorf("slow %s: called again, %v after %s", slow, err, time.Since(began))
			}
		})
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	for name, change := range map[string]func(*usps.Options){
		"base": func(o *usps.Options) { o.Base = "post" }, "timeout": func(o *usps.Options) { o.Timeout = 0 },
		"origin": func(o *usps.Options) { o.OriginZIP = "abcde" }, `"CA"`: func(o *usps.Options) { o.OriginCountry = "CA" },
	} {
		o := account(nil, nil)
		change(&o)
		if _, err := usps.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Any response yields an error or the price in the response.
func FuzzRate(f *testing.F) {
	for _, seed := range []string{`{"totalBasePrice":8.02}`, `{"totalBasePrice":"8.02"}`,
		`{"error":{"errors":[{"code":"030020"}]}}`, `{"totalBasePrice":1e3}`, ``} {
		f.Add(200, seed)
		f.Add(400, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		p := &fakeUSPS{}
		p.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/token") {
				return false
			}
			w.WriteHeader(200 + max(status, -status)%300)
			_, _ = io.WriteString(w, body)
			return true
		}
		got, err := open(t, account(p, func() time.Time { return testTime })).Rate(t.Context(),
			shipment("17 oz 9 6 1", "US 10001"))
		if err == nil && (got.Price <= 0 || got.Price >= 1_000_000 || got.Source == "") ||
			err != nil && got != (shipping.Rate{}) {
			t.Errorf("%d %q: %+v, %v", status, body, got, err)
		}
	})
}
