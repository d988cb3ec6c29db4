package usps_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/usps"
)

var testTime = time.Date(2026, time.November, 20, 18, 0, 0, 0, time.UTC)

// fakeUSPS simulates the service in process: it answers like the published examples, with
// invented prices.
type fakeUSPS struct {
	mu     sync.Mutex
	tokens int // issued tokens; only the last one is valid
	seen   []call
	// answer, if set, handles the request before the simulation.
	answer func(w http.ResponseWriter, r *http.Request) bool
}

type call struct{ path, body string }

func (p *fakeUSPS) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.seen = append(p.seen, call{r.URL.String(), string(body)})
	answer := p.answer
	p.mu.Unlock()
	if answer == nil || !answer(w, r) {
		p.serve(w, r, body)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func (p *fakeUSPS) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/oauth2/v3/token" {
		p.issue(w, body)
		return
	}
	p.mu.Lock()
	good := fmt.Sprintf("Bearer token-%d", p.tokens)
	p.mu.Unlock()
	if r.Header.Get("Authorization") != good {
		refuse(w, http.StatusUnauthorized, "401")
		return
	}
	p.price(w, r.URL.Path, body)
}

func (p *fakeUSPS) issue(w http.ResponseWriter, body []byte) {
	var in map[string]string
	if err := json.Unmarshal(body, &in); err != nil || in["client_id"] != "shop" ||
		in["client_secret"] != "hush" || in["grant_type"] != "client_credentials" {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	p.mu.Lock()
	p.tokens++
	n := p.tokens
	p.mu.Unlock()
	_, _ = fmt.Fprintf(w,
		`{"access_token":"token-%d","token_type":"Bearer","issued_at":"1795197600000","expires_in":"28799",`+
			`"status":"approved","scope":"prices"}`, n)
}

// perPound holds invented prices by mail class, in cents per started pound. An envelope costs one
// dollar, and thirty cents per started ounce.
var perPound = map[string]int64{
	"MEDIA_MAIL": 350, "USPS_GROUND_ADVANTAGE": 520, "PRIORITY_MAIL": 900,
	"FIRST-CLASS_PACKAGE_INTERNATIONAL_SERVICE": 1496, "PRIORITY_MAIL_INTERNATIONAL": 2966,
}

func (p *fakeUSPS) price(w http.ResponseWriter, path string, body []byte) {
	var in struct {
		Weight                                          decimal.Decimal
		Length, Width, Height, Thickness                decimal.Decimal
		MailClass, ProcessingCategory, RateIndicator    string
		OriginZIPCode, DestinationZIPCode, PriceType    string
		DestinationCountryCode, MailingDate             string
		DestinationEntryFacilityType, ForeignPostalCode string
	}
	if err := json.Unmarshal(body, &in); err != nil {
		refuse(w, http.StatusBadRequest, "400")
		return
	}
	base, parcel := perPound[in.MailClass]
	switch {
	case in.MailingDate < "2026-11-20":
		refuse(w, http.StatusBadRequest, "160211")
	case path == "/prices/v3/letter-rates/search":
		answer(w, in.Weight.Ceil().IntPart()*30+100, in.ProcessingCategory)
	case !parcel || in.DestinationEntryFacilityType != "NONE" || in.RateIndicator == "" ||
		in.PriceType == "" || in.OriginZIPCode == "":
		refuse(w, http.StatusBadRequest, "400")
	case in.DestinationZIPCode == "99999":
		refuse(w, http.StatusBadRequest, "030001")
	case in.Weight.GreaterThan(decimal.NewFromInt(70)):
		refuse(w, http.StatusBadRequest, "030004")
	case in.MailClass == "FIRST-CLASS_PACKAGE_INTERNATIONAL_SERVICE" && in.DestinationCountryCode == "BR":
		refuse(w, http.StatusBadRequest, "030020")
	default:
		answer(w, base*in.Weight.Ceil().IntPart(), in.MailClass)
	}
}

func answer(w io.Writer, cents int64, class string) {
	_, _ = fmt.Fprintf(w, `{"totalBasePrice":%[1]s,"rates":[{"SKU":"DUXP0XXXXR01010","description":"%[2]s",
		"priceType":"RETAIL","price":%[1]s,"weight":1,"dimWeight":0,"fees":[],"startDate":"2026-07-12",
		"endDate":"","warnings":[],"mailClass":"%[2]s","zone":"04"}]}`,
		decimal.New(cents, -2), class)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w,
		`{"apiVersion":"/prices/v3","error":{"code":"%d","message":"no",`+
			`"errors":[{"status":"%[1]d","code":"%s","title":"no","detail":"no"}]}}`, status, code)
}

// requests returns the requests for prices.
func (p *fakeUSPS) requests() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []call
	for _, c := range p.seen {
		if !strings.HasSuffix(c.path, "/token") {
			out = append(out, c)
		}
	}
	return out
}

// account returns the options used in the tests.
func account(transport http.RoundTripper, now func() time.Time) usps.Options {
	return usps.Options{
		Base: "https://post.example/", ClientID: "shop", ClientSecret: "hush", OriginCountry: "US",
		OriginZIP: "87501", Timeout: 5 * time.Second,
		QuoteTTL: 10 * time.Minute, FailureCooldown: 5 * time.Minute, RateLimitCooldown: 30 * time.Minute,
		Transport: transport, Now: now,
	}
}

func open(t testing.TB, o usps.Options) *usps.Carrier {
	t.Helper()
	c, err := usps.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// shipment returns a shipment of a parcel, "17 oz 9 6 1", to a destination, "US 10001".
func shipment(parcel, to string) shipping.Shipment {
	p, place := strings.Fields(parcel), strings.SplitN(to, " ", 2)
	s := shipping.Shipment{At: testTime, To: shipping.Address{Country: place[0]}, Parcel: shipping.Parcel{
		Weight: dec(p[0]), Length: dec(p[2]), Width: dec(p[3]), Height: dec(p[4])}}
	if len(place) > 1 {
		s.To.PostalCode = place[1]
	}
	for _, word := range p[5:] {
		s.Parcel.Media = s.Parcel.Media || word == "media"
		s.Parcel.Flexible = s.Parcel.Flexible || word == "bends"
		s.Signed = s.Signed || word == "signed"
	}
	return s
}
