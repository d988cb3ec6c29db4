package checkout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Missing customers are found on every page of a campaign's pledges, a bounded part
// in a call, however many are missing.
//
// Proves REC-01.
func TestBackfillGoesThroughAllPages(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 510 {
		s := w.pledge(request(fmt.Sprintf("fan%d@example.org", i), one("film__thanks")))
		ids = append(ids, s.Campaigns[0].OrderID)
	}
	for _, tt := range []struct {
		name string
		lost []string
	}{
		{"on both sides of a page's end", []string{ids[0], ids[499], ids[500], ids[509]}},
		{"more than one call reads", append(slices.Clone(ids[:60]), ids[509])},
	} {
		for _, id := range tt.lost {
			w.loseCustomer(id)
		}
		processed, calls := 0, 0
		for remaining := true; remaining && calls < 10; calls++ {
			out := must[checkout.Backfilled](t)(w.svc.BackfillCustomers(w.ctx, "film"))
			if out.Processed > 50 || out.Failed > 0 {
				t.Errorf("%s, call %d: %+v", tt.name, calls+1, out)
			}
			processed, remaining = processed+out.Processed, out.Remaining
		}
		if processed != len(tt.lost) || calls != 2 {
			t.Errorf("%s: %d of %d are found in %d calls", tt.name, processed, len(tt.lost), calls)
		}
		for _, id := range tt.lost {
			p := w.read(id)
			stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
			if err != nil || p.CustomerID == "" || p.PaymentMethodID == "" || stored.CustomerID != p.CustomerID {
				t.Errorf("%s: %s has the customer %q, and its record %q, %v", tt.name, id, p.CustomerID, stored.CustomerID, err)
			}
		}
	}
}

// loseCustomer leaves a pledge as an old record may be: without its customer.
func (w *world) loseCustomer(id string) {
	w.t.Helper()
	session := fmt.Sprintf("cs_lost_%d", w.clock().Unix())
	if err := w.svc.Orders.StartCard(w.ctx, id, session); err != nil {
		w.t.Fatal(err)
	}
	w.advance(time.Second)
	p := must[*pledge.Pledge](w.t)(w.svc.Orders.ReplaceCard(w.ctx, id, session, order.Card{PaymentMethodID: "pm_lost", SavedAt: w.clock()}))
	p = must[*pledge.Pledge](w.t)(w.svc.Projector.Book(w.ctx, p, ""))
	if p.CustomerID != "" {
		w.t.Fatal("the customer is still there")
	}
}
