package usps_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/shipping"
)

// At its limits a parcel still ships in its class, and above them in the next one.
func TestRate_ClassLimits(t *testing.T) {
	for parcel, want := range map[string]string{
		"3.5 oz 11.5 6.125 0.25 bends": "USPS First-Class letter LETTERS",
		"3.6 oz 11.5 6.125 0.25 bends": "USPS First-Class large envelope FLATS",
		"1 oz 11.6 6.125 0.25 bends":   "USPS First-Class large envelope FLATS",
		"1 oz 11.5 6.2 0.25 bends":     "USPS First-Class large envelope FLATS",
		"1 oz 11.5 6.125 0.3 bends":    "USPS First-Class large envelope FLATS",
		"13 oz 15 12 0.75 bends":       "USPS First-Class large envelope FLATS",
		"13.1 oz 15 12 0.75 bends":     "USPS Ground Advantage MACHINABLE",
		"1 oz 15.1 12 0.75 bends":      "USPS Ground Advantage MACHINABLE",
		"1 oz 15 12.1 0.75 bends":      "USPS Ground Advantage MACHINABLE",
		"1 oz 15 12 0.8 bends":         "USPS Ground Advantage MACHINABLE",
		"1 oz 9 6 0.1":                 "USPS Ground Advantage MACHINABLE",
		"400 oz 22 18 15":              "USPS Ground Advantage MACHINABLE",
		"401 oz 22 18 15":              "USPS Ground Advantage NON_MACHINABLE",
		"400 oz 22.1 18 15":            "USPS Ground Advantage NON_MACHINABLE",
		"400 oz 22 18.1 15":            "USPS Ground Advantage NON_MACHINABLE",
		"400 oz 22 18 15.1":            "USPS Ground Advantage NON_MACHINABLE",
		"1120 oz 50 20 20":             "USPS Ground Advantage NON_MACHINABLE",
		"1120.1 oz 50 20 20":           "",
		"1 oz 50.1 20 20":              "",
		"1 oz 50 20.1 20":              "",
		"1 oz 50 20 20.1":              "",
	} {
		p := &fakeUSPS{}
		got, err := open(t, account(p, func() time.Time { return testTime })).Rate(t.Context(), shipment(parcel, "US 10001"))
		if want == "" {
			if !errors.Is(err, shipping.ErrNotCarried) || len(p.requests()) != 0 {
				t.Errorf("%s: %+v, %v, %+v", parcel, got, err, p.requests())
			}
			continue
		}
		cut := strings.LastIndex(want, " ")
		if err != nil || !strings.HasPrefix(got.Source, want[:cut]) ||
			!strings.Contains(p.requests()[0].body, `"processingCategory":"`+want[cut+1:]+`"`) {
			t.Errorf("%s: %+v, %v, %+v, want %s", parcel, got, err, p.requests(), want)
		}
	}
}

// respondsWith returns a fake that responds with the text at a path.
func respondsWith(path, text string) *fakeUSPS {
	return &fakeUSPS{answer: func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		_, _ = io.WriteString(w, text)
		return true
	}}
}

// Tokens without a lifetime are refused, and a token is renewed one minute before it
// expires.
func TestToken_Lifetime(t *testing.T) {
	for text, good := range map[string]bool{
		`{"access_token":"token-0","expires_in":600}`: true, `{"access_token":"token-0","expires_in":"1"}`: true,
		`{"access_token":"token-0","expires_in":0}`: false, `{"access_token":"token-0","expires_in":-1}`: false,
		`{"access_token":"token-0","expires_in":"soon"}`: false,
		`{"access_token":"token-0"}`:                     false, `{"access_token":"","expires_in":600}`: false,
		`{"access_token":7,"expires_in":600}`: false,
	} {
		p := respondsWith("/token", text)
		_, err := open(t, account(p, func() time.Time { return testTime })).Rate(t.Context(),
			shipment("17 oz 9 6 1", "US 10001"))
		if (err == nil) != good || (len(p.requests()) > 0) != good {
			t.Errorf("%s: %v, %+v", text, err, p.requests())
		}
	}
	p, now := &fakeUSPS{}, testTime
	c := open(t, account(p, func() time.Time { return now }))
	for i, tt := range []struct {
		after  time.Duration
		tokens int
	}{{0, 1}, {28738 * time.Second, 1}, {28739 * time.Second, 2}} { // of 28,799 seconds
		now = testTime.Add(tt.after)
		if _, err := c.Rate(t.Context(), shipment("17 oz 9 6 1", fmt.Sprintf("US 1000%d", i))); err != nil ||
			p.tokens != tt.tokens {
			t.Errorf("after %s: %d tokens, %v", tt.after, p.tokens, err)
		}
	}
}

// Prices are read in dollars, rounded to cents, from responses up to a maximum length.
func TestRate_PriceFormats(t *testing.T) {
	const most = 256 << 10
	price := func(s string) string { return `{"totalBasePrice":` + s + `}` }
	for name, tt := range map[string]struct {
		text string
		want int64
	}{
		"dollars":            {price("8"), 800},
		"dimes":              {price("8.2"), 820},
		"cents":              {price("8.02"), 802},
		"string":             {price(`"8.02"`), 802},
		"noise":              {price("8.0199999999999996"), 802},
		"exponent":           {price("802e-2"), 802},
		"half a cent":        {price("8.025"), 803},
		"one cent":           {price("0.01"), 1},
		"maximum":            {price("9999.99"), 999_999},
		"above the maximum":  {price("10000"), 0},
		"largest response":   {price("8.02") + strings.Repeat(" ", most-len(price("8.02"))), 802},
		"response too large": {price("8.02") + strings.Repeat(" ", most+1-len(price("8.02"))), 0},
	} {
		got, err := open(t, account(respondsWith("/search", tt.text), func() time.Time {
			return testTime
		})).Rate(t.Context(), shipment("17 oz 9 6 1", "US 10001"))
		if int64(got.Price) != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
