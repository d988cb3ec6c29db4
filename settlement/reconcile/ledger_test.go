package reconcile_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// editObject changes the entries of the campaign's settlement object.
func (o *fixture) editObject(edit func([]kv.Entry) []kv.Entry) {
	object, snapshot := kv.Object{Class: state.ClassName, Name: "film"}, o.db.Snapshot()
	snapshot.Objects[object] = edit(snapshot.Objects[object])
	o.db.RestoreObject(object, snapshot)
}

// Reconciliation verifies the ledger: it finds a changed entry, a removed one, and a charge that is
// missing although its group has no other difference.
func TestLedger(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func([]kv.Entry) []kv.Entry
		want string // part of the message; "" if there is no break
	}{
		"untouched": {func(all []kv.Entry) []kv.Entry { return all }, ""},
		"changed amount": {func(all []kv.Entry) []kv.Entry {
			for i, e := range all {
				if e.Key == "ledger-entry/000000001" {
					all[i].Value = bytes.ReplaceAll(e.Value, []byte("000}"), []byte("001}"))
				}
			}
			return all
		}, "was changed"},
		"damaged head": {func(all []kv.Entry) []kv.Entry {
			for i, e := range all {
				if e.Key == "ledger" {
					all[i].Value = []byte("{")
				}
			}
			return all
		}, "is damaged"},
		"removed entry": {func(all []kv.Entry) (kept []kv.Entry) {
			for _, e := range all {
				if e.Key != "ledger-entry/000000001" {
					kept = append(kept, e)
				}
			}
			return kept
		}, "does not follow"},
		"no ledger, as in release 0.1.0": {func(all []kv.Entry) (kept []kv.Entry) {
			for _, e := range all {
				if !strings.HasPrefix(e.Key, "ledger") {
					kept = append(kept, e)
				}
			}
			return kept
		}, ""},
		"lost entries": {func(all []kv.Entry) (kept []kv.Entry) {
			for _, e := range all {
				if e.Key != "ledger" && !strings.HasPrefix(e.Key, "ledger-entry/") {
					kept = append(kept, e)
				}
			}
			return kept
		}, "but the charges in the ledger $0.00"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			o.pledge("ana", 1000, sim.CardOK)
			o.pledge("bob", 2000, sim.CardOK)
			o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
			_, err := o.settle.Settle(ctx, "film", false)
			o.ok(err)
			o.editObject(tc.edit)
			o.now = o.now.Add(3 * time.Hour)
			r := o.run(reconcile.MaxRetrievals)
			want := map[reconcile.Kind]int{}
			if tc.want != "" {
				want[reconcile.LedgerDiffers] = 1
			}
			if diff := gocmp.Diff(want, countByKind(r)); diff != "" {
				t.Fatalf("breaks (-want +got):\n%s%+v", diff, r.Breaks)
			}
			if tc.want != "" && !strings.Contains(r.Breaks[0].Message, tc.want) {
				t.Errorf("message: %s", r.Breaks[0].Message)
			}
		})
	}
}

// A refund that was made at the processor is recorded and no difference. Recorded refunds of another
// amount are one.
func TestRefunds(t *testing.T) {
	o := newFixture(t)
	id := o.pledge("ana", 3000, sim.CardOK).OrderID
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	_, err = o.sim.Refund(o.sim.Entries()[0].PaymentID, 1000)
	o.ok(err)
	for range 2 {
		o.now = o.now.Add(3 * time.Hour)
		if r := o.run(reconcile.MaxRetrievals); len(r.Breaks) != 0 {
			t.Fatalf("breaks: %+v", r.Breaks)
		}
	}
	p, err := o.settle.Orders.Pledge(ctx, id)
	if o.ok(err); p.Refunded() != 1000 {
		t.Errorf("refunds of the pledge: %+v", p.Refunds)
	}
	o.editObject(func(all []kv.Entry) []kv.Entry {
		for i, e := range all {
			if strings.HasPrefix(e.Key, "refund/") {
				all[i].Value = bytes.ReplaceAll(e.Value, []byte(`"amount":1000`), []byte(`"amount":900`))
			}
		}
		return all
	})
	o.now = o.now.Add(3 * time.Hour)
	r := o.run(reconcile.MaxRetrievals)
	if diff := gocmp.Diff(map[reconcile.Kind]int{reconcile.RefundDiffers: 1}, countByKind(r)); diff != "" ||
		r.Breaks[0].Booked != 900 || r.Breaks[0].Processor != 1000 {
		t.Errorf("breaks (-want +got):\n%s%+v", diff, r.Breaks)
	}
}
