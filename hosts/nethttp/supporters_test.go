package nethttp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// A supporter is found on a running server without personal data in the URL, and no response may be
// cached.
func TestSupporters_Wire(t *testing.T) {
	h := newHost(t)
	one := 1
	for n := range 3 {
		_, err := h.Pledge(t.Context(), checkout.StartRequest{
			Email: fmt.Sprintf("s%d@example.com", n),
			Cart: checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game", Quantity: &one}},
				ShippingAddress: &pledge.Address{Name: "Zoë", Line1: "1 Shore Road", City: "Taos",
					State: "NM", PostalCode: "87571", Country: "US"}},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(nethttp.Handler(h.API, nethttp.Options{}))
	defer server.Close()
	for body, want := range map[string]int{`"q":"zoe"`: 3, `"q":"s1@"`: 1, `"q":"eve"`: 0} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/admin/supporters",
			strings.NewReader(`{"campaignSlug":"`+game+`",`+body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+h.Config.Secrets.Admin.Reveal())
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var got supporters.Found
		if err != nil || json.Unmarshal(b, &got) != nil || resp.StatusCode != 200 || len(got.Supporters) != want ||
			!strings.Contains(resp.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: %d %s %v", body, resp.StatusCode, b, err)
		}
	}
}
