package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// A campaign ends with its last day in the platform's time zone, and the charges follow. An
// upcoming campaign starts with its first day in that zone.
//
// Proves STG-05, STG-09.
func TestTimezone_CampaignDays(t *testing.T) {
	ends := map[string]time.Time{ // of November 21, 2026
		"Pacific/Auckland": time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC),
		"America/Denver":   time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC),
		"":                 time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC),
	}
	for zone, end := range ends {
		t.Run(zone, func(t *testing.T) {
			e := newEdge(t, memory.Options{Env: map[string]string{"PLATFORM_TIMEZONE": zone}})
			for i := range 9 {
				e.pledge(fmt.Sprintf("s%d@example.com", i), gameCart(3), cardOK)
			}
			due := func() bool {
				slugs, err := e.Services.Settlement.DueCampaigns(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return slices.Contains(slugs, game)
			}
			start := func() int {
				return e.post("/checkout-intent/start", checkout.StartRequest{Cart: gameCart(1), Email: "late@example.com"}).Status
			}
			settle := func() int { return e.post("/admin/settle/"+game, nil, e.settler()...).Status }
			e.Advance(end.Add(-time.Second).Sub(e.Now()))
			if s := settle(); s != 409 {
				t.Errorf("settling in the last second: status %d", s)
			}
			if s := start(); s != 200 || due() {
				t.Errorf("checkout in the last second: status %d, charges due: %v", s, due())
			}
			e.Advance(time.Second)
			if s := start(); s != 400 || due() {
				t.Errorf("checkout after the end: status %d, charges due: %v", s, due())
			}
			e.Advance(2 * time.Hour)
			if !due() {
				t.Error("no charge due two hours after the end")
			}
			if s := settle(); s != 200 {
				t.Errorf("settling two hours after the end: status %d", s)
			}
			begin := func() int {
				c := checkout.Cart{CampaignSlug: upcoming, Items: []checkout.Item{{ID: upcoming + "__download"}}}
				return e.post("/checkout-intent/start", checkout.StartRequest{Cart: c, Email: "early@example.com"}).Status
			}
			e.Advance(end.Add(9*24*time.Hour - time.Second).Sub(e.Now())) // to the end of November
			if s := begin(); s != 400 {
				t.Errorf("checkout a second before the first day: status %d", s)
			}
			e.Advance(time.Second)
			if s := begin(); s != 200 {
				t.Errorf("checkout on the first day: status %d", s)
			}
		})
	}
}
