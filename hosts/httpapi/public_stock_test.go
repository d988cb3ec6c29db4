package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// The stored stock is for display only. Even if the record is wrong, exactly the available units
// can be pledged, and the next booking corrects the record.
//
// Proves INV-03.
func TestStock_StoredRecordIsNotAuthoritative(t *testing.T) {
	const tier, limit = "night-on-board", 4
	e := newEdge(t, memory.Options{})
	cart := checkout.Cart{CampaignSlug: film, Items: []checkout.Item{{ID: film + "__" + tier}}}
	say := func(claimed int) {
		t.Helper()
		lie := projection.Stock{CampaignSlug: film,
			Tiers: map[string]projection.Unit{tier: {Limit: limit, Claimed: claimed, Remaining: limit - claimed}}}
		if err := kv.Save(t.Context(), e.Services.Stores.Pledges, pledge.InventoryKey(film), lie); err != nil {
			t.Fatal(err)
		}
	}
	for n := range limit {
		say(limit)
		e.pledge(fmt.Sprintf("fan%d@example.com", n), cart, cardOK)
		e.Advance(2 * time.Second) // avoids the limit of checkouts
		s, ok, err := kv.Read[projection.Stock](t.Context(), e.Services.Stores.Pledges, pledge.InventoryKey(film))
		if err != nil || !ok || s.Tiers[tier].Claimed != n+1 || s.Tiers[tier].Remaining != limit-n-1 {
			t.Errorf("after %d pledges the record is %+v, %v", n+1, s.Tiers[tier], err)
		}
	}
	say(0)
	r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "late@example.com"})
	if f := e.wantFailure(r, 409, "A night on board is sold out"); f.Remaining == nil || *f.Remaining != 0 {
		t.Errorf("rejected with %+v", f)
	}
}
