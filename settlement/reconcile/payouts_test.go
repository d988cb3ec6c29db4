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
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// changePayout replaces a text in all mirrored payouts.
func (o *fixture) changePayout(from, to string) {
	object, snapshot := state.Platform{}.Object(), o.db.Snapshot()
	for i, e := range snapshot.Objects[object] {
		if strings.HasPrefix(e.Key, "payout/") {
			snapshot.Objects[object][i].Value = bytes.ReplaceAll(e.Value, []byte(from), []byte(to))
		}
	}
	o.db.RestoreObject(object, snapshot)
}

// Reconciliation compares the shares of payouts with the ledger, books those that a restore lost, and
// reports payouts that are not explained.
func TestPayouts(t *testing.T) {
	film := kv.Object{Class: state.ClassName, Name: "film"}
	for name, tc := range map[string]struct {
		before func(o *fixture)                        // before the import
		after  func(o *fixture, before memkv.Snapshot) // after it
		want   map[reconcile.Kind]int
	}{
		"as recorded": {},
		"failed":      {before: func(o *fixture) { o.ok(o.sim.FailPayout(o.newestPayout())) }},
		"entry lost": {after: func(o *fixture, before memkv.Snapshot) {
			o.db.RestoreObject(film, before)
		}},
		"other share": {after: func(o *fixture, _ memkv.Snapshot) {
			o.changePayout(`"amount":2397,"rowCount"`, `"amount":2396,"rowCount"`)
			o.changePayout(`"other":0`, `"other":1`)
		}, want: map[reconcile.Kind]int{reconcile.PayoutDiffers: 1}},
		"return is missing": {after: func(o *fixture, _ memkv.Snapshot) {
			o.changePayout(`"bookedAt"`, `"reversedAt":"2026-03-06T00:00:00Z","bookedAt"`)
		}, want: map[reconcile.Kind]int{reconcile.PayoutDiffers: 1}},
		"rows do not add up": {before: func(o *fixture) {
			o.conn.payouts = func(all []psp.Payout) { all[0].Amount++ }
		}, want: map[reconcile.Kind]int{reconcile.PayoutDiffers: 1}},
		"row unknown": {after: func(o *fixture, _ memkv.Snapshot) {
			o.changePayout(`"rowCount":1}`, `"rowCount":1,"unmatched":1,"examples":["txn_9"]}`)
		}, want: map[reconcile.Kind]int{reconcile.PayoutUnknown: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			o.pledge("ana", 2500, sim.CardOK)
			o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
			_, err := o.settle.Settle(ctx, "film", false)
			o.ok(err)
			o.now = o.now.Add(72 * time.Hour)
			_, err = o.settle.FillFinancials(ctx, "film", 10)
			o.ok(err)
			_, err = o.sim.AutomaticPayout()
			o.ok(err)
			o.now = o.now.Add(2 * time.Hour)
			if tc.before != nil {
				tc.before(o)
			}
			snapshot := o.db.Snapshot()
			_, err = o.settle.ImportPayouts(ctx)
			o.ok(err)
			if tc.after != nil {
				tc.after(o, snapshot)
			}
			r := o.run(0)
			if diff := gocmp.Diff(tc.want, countByKind(r), cmpopts.EquateEmpty()); diff != "" || r.ReconciledAt == nil {
				t.Errorf("breaks (-want +got):\n%s\n%+v", diff, r.Breaks)
			}
		})
	}
}

func (o *fixture) newestPayout() string {
	o.Helper()
	page, err := o.sim.Processor().Payouts(ctx, psp.PayoutQuery{Limit: 1})
	o.ok(err)
	return page.Payouts[0].ID
}
