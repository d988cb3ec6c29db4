package reconcile_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// changeDispute replaces a text in a mirrored dispute.
func changeDispute(id, from, to string) func([]kv.Entry) []kv.Entry {
	return func(all []kv.Entry) []kv.Entry {
		for i, e := range all {
			if strings.HasPrefix(e.Key, "dispute/") && strings.Contains(string(e.Value), id) {
				all[i].Value = bytes.ReplaceAll(e.Value, []byte(from), []byte(to))
			}
		}
		return all
	}
}

// Reconciliation compares the mirrored disputes with the processor's and with the ledger, and imports those
// that are missing.
func TestDisputes(t *testing.T) {
	for name, tc := range map[string]struct {
		between func(o *fixture, open, lost, won string) // after the import
		want    map[reconcile.Kind]int
	}{
		"as recorded": {func(*fixture, string, string, string) {}, nil},
		"changed since the last lookup": {func(o *fixture, open, _, _ string) {
			o.ok(o.sim.CloseDispute(open, false))
		}, nil},
		"never imported": {func(o *fixture, _, _, won string) {
			o.openDispute(o.disputed(won))
		}, nil},
		"recorded status": {func(o *fixture, open, _, _ string) {
			fast := o.now.Add(20 * time.Minute).Format(time.RFC3339)
			o.editObject(changeDispute(open, `"needs_response"`, `"lost"`))
			o.editObject(changeDispute(open, `"askedAt":"`+o.now.Format(time.RFC3339), `"askedAt":"`+fast))
		}, map[reconcile.Kind]int{reconcile.DisputeDiffers: 1}},
		"unknown at the processor": {func(o *fixture, open, _, _ string) {
			o.conn.disputes = func(all []psp.Dispute) {
				for i := range all {
					all[i].ID = strings.ReplaceAll(all[i].ID, open, "du_other")
				}
			}
		}, map[reconcile.Kind]int{reconcile.DisputeDiffers: 1, reconcile.DisputedSum: 1}},
		"loss without an entry": {func(o *fixture, _, lost, _ string) {
			o.editObject(changeDispute(lost, `"loss":1000`, `"loss":900`))
		}, map[reconcile.Kind]int{reconcile.DisputedSum: 1}},
		"unknown movement": {func(o *fixture, _, _, _ string) {
			o.conn.disputes = func(all []psp.Dispute) {
				for i := range all {
					if all[i].Status == psp.DisputeStatusWon {
						all[i].Movements = append(all[i].Movements, psp.BalanceTransaction{ID: "txn_new", Category: "surcharge",
							Amount: -100, Net: -100, Currency: money.USD, CreatedAt: all[i].CreatedAt})
					}
				}
			}
		}, map[reconcile.Kind]int{reconcile.Unexplained: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			for _, supporter := range []string{"ana", "bob", "cleo"} {
				o.pledge(supporter, 1000, sim.CardOK)
			}
			o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
			_, err := o.settle.Settle(ctx, "film", false)
			o.ok(err)
			var ids []string
			for _, p := range o.allPledges() {
				ids = append(ids, o.openDispute(p.PaymentIntentID))
			}
			o.ok(o.sim.CloseDispute(ids[1], false))
			o.ok(o.sim.CloseDispute(ids[2], true))
			o.now = o.now.Add(3 * time.Hour)
			_, err = o.settle.ImportDisputes(ctx)
			o.ok(err)
			tc.between(o, ids[0], ids[1], ids[2])
			r := o.run(0)
			if diff := gocmp.Diff(tc.want, countByKind(r), cmpopts.EquateEmpty()); diff != "" || r.ReconciledAt == nil {
				t.Errorf("breaks (-want +got):\n%s\n%+v", diff, r.Breaks)
			}
		})
	}
}

// A dispute was won, but a week later its money is not back.
func TestDisputes_NotReturned(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 1000, sim.CardOK)
	o.pledge("bob", 1000, sim.CardOK)
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	p, err = o.rec.Orders.Pledge(ctx, p.OrderID)
	o.ok(err)
	o.ok(o.sim.CloseDispute(o.openDispute(p.PaymentIntentID), true))
	o.conn.disputes = func(all []psp.Dispute) {
		for i := range all {
			all[i].Movements = all[i].Movements[:1]
		}
	}
	_, err = o.settle.ImportDisputes(ctx)
	o.ok(err)
	for _, days := range []int{6, 8} {
		o.now = time.Date(2026, 3, 2+days, 3, 0, 0, 0, time.UTC)
		if n := countByKind(o.run(0))[reconcile.DisputeUnpaid]; (n == 1) != (days == 8) {
			t.Errorf("after %d days: %d breaks", days, n)
		}
	}
	o.conn.disputes = nil
	if r := o.run(0); r.OpenBreaks != 0 {
		t.Errorf("after the return: %+v", r.Breaks)
	}
}

func (o *fixture) openDispute(paymentID string) string {
	o.Helper()
	id, err := o.sim.OpenDispute(sim.NewDispute{PaymentID: paymentID})
	o.ok(err)
	return id
}

// disputed returns the payment of a dispute.
func (o *fixture) disputed(id string) string {
	o.Helper()
	d, err := o.settle.Dispute(ctx, "film", id)
	o.ok(err)
	return d.PaymentID
}
