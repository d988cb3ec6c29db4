package app

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// The carrier is created from the settings and called over a real connection.
//
// Proves SHP-03.
func TestCarrier_FromSettings(t *testing.T) {
	var asked []string
	post := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+string(body))
		if strings.HasSuffix(r.URL.Path, "/token") {
			_, _ = io.WriteString(w, `{"access_token":"good","expires_in":"28799"}`)
			return
		}
		_, _ = io.WriteString(w, `{"totalBasePrice":6.15}`)
	}))
	defer post.Close()
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{
		"DATA_DIR": t.TempDir(), "CARRIER_ENABLED": "true", "CARRIER_CLIENT_ID": "shop", "CARRIER_CLIENT_SECRET": "hush",
		"CARRIER_API_BASE": post.URL, "CARRIER_PRICE_TYPE": "commercial", "SHIPPING_ORIGIN_ZIP": "87501",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Config: cfg, Content: os.DirFS("../../../examples/site"), Now: fixed, Log: slog.New(slog.DiscardHandler)}
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	q, err := a.Services.Checkout.QuoteShipping(t.Context(), checkout.Cart{
		CampaignSlug: "night-ferry", Items: []checkout.Item{{ID: "night-ferry__bluray"}},
		ShippingAddress: &pledge.Address{Country: "US", PostalCode: "10001"},
	})
	if err != nil || q.Shipping != 615 || q.Quotes[0].Reason != shipping.CarrierRate {
		t.Errorf("%+v, %v", q, err)
	}
	if len(asked) != 2 || !strings.Contains(asked[0], `"client_secret":"hush"`) ||
		!strings.Contains(asked[1], "COMMERCIAL") || !strings.Contains(asked[1], `"originZIPCode":"87501"`) {
		t.Errorf("asked %q", asked)
	}
	o.Config.Shipping.OriginCountry, o.Config.Server.DataDir = "CA", t.TempDir()
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "CARRIER_ENABLED") {
		t.Errorf("USPS accepted an origin in Canada: %v", err)
	}
}
