package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// A campaign's last day ends with the platform's day, followed by the charges, and an upcoming
// campaign's first day starts with it.
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
				t.Errorf("in its last second settling is answered %d", s)
			}
			if s := start(); s != 200 || due() {
				t.Errorf("in its last second a checkout is answered %d, and charges are due: %v", s, due())
			}
			e.Advance(time.Second)
			if s := start(); s != 400 || due() {
				t.Errorf("when it has ended a checkout is answered %d, and charges are due: %v", s, due())
			}
			e.Advance(2 * time.Hour)
			if !due() {
				t.Error("two hours later no charge is due")
			}
			if s := settle(); s != 200 {
				t.Errorf("two hours later settling is answered %d", s)
			}
			begin := func() int {
				c := checkout.Cart{CampaignSlug: upcoming, Items: []checkout.Item{{ID: upcoming + "__download"}}}
				return e.post("/checkout-intent/start", checkout.StartRequest{Cart: c, Email: "early@example.com"}).Status
			}
			e.Advance(end.Add(9*24*time.Hour - time.Second).Sub(e.Now())) // to the end of November
			if s := begin(); s != 400 {
				t.Errorf("a second before its first day a checkout is answered %d", s)
			}
			e.Advance(time.Second)
			if s := begin(); s != 200 {
				t.Errorf("on its first day a checkout is answered %d", s)
			}
		})
	}
}
