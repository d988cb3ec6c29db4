package settlement

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// The processor rejected a request, so there is no payment, and then the campaign's object
// alone is restored to before the charge. The pledge must still be charged or dropped.
func TestImport_ForgottenRejection(t *testing.T) {
	for card, charged := range map[string]bool{sim.CardOK: true, sim.CardChargeDeclined: false} {
		t.Run(card, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("bob", "film", 2500, sim.CardOK)
			id := w.pledge("ana", "film", 700, card)
			w.deadline()
			before := w.db.Snapshot()
			w.svc.Processor = refusingCustomers{w.conn, map[string]bool{w.pledgeByID(id).CustomerID: true}}
			for range 3 { // the rejection is booked later
				w.settle("film", false)
				w.now = w.now.Add(time.Hour)
			}
			if p := w.pledgeByID(id); p.Status != pledge.PaymentFailed {
				t.Fatalf("the pledge is %s", p.Status)
			}
			w.sendMails()
			w.restoreSettlement(before)
			for range 20 * 24 {
				w.settle("film", false)
				w.now = w.now.Add(time.Hour)
				w.sendMails()
			}
			if p := w.pledgeByID(id); p.Charged != charged || p.Dropped() == charged {
				t.Errorf("the pledge is %s, dropped: %t", p.Status, p.Dropped())
			}
		})
	}
}
