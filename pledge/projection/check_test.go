package projection_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// inSync checks whether Check reports the campaign as in sync.
func (w *fixture) inSync(want bool) {
	w.t.Helper()
	if d, err := w.p.Check(context.Background(), "film"); err != nil || d.InSync != want {
		w.t.Errorf("in sync: %t, %v, %+v", d.InSync, err, d.Differences)
	}
}

// Numbers that are outdated at every check because new pledges keep arriving do not count as
// drifted.
func TestCheck_UpdatesInProgressAreNotDrift(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	w.bookPledge("a@example.org", tier("seat", 2500, 1))
	checks := 0
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpGet && op.Key == pledge.StatsKey("film") {
			checks++ // another server wrote slightly older numbers
			return kv.Save(ctx, w.p.Store, op.Key, map[string]int{"version": -checks})
		}
		return nil
	}
	w.inSync(true)
	if checks < 2 {
		t.Errorf("checked %d times", checks)
	}
	checks = 0
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpGet && op.Key == pledge.StatsKey("film") && !op.After {
			checks++
		}
		return nil
	}
	w.inSync(false) // the record no longer changes
	if checks > 5 {
		t.Errorf("checked an unchanging record %d times", checks)
	}
	w.fail = nil
	n, err := w.p.RepairNumbers(ctx, "film")
	if err != nil || n != 1 {
		t.Errorf("repaired %d, %v", n, err)
	}
	w.inSync(true)
}

// Repair rewrites drifted records only.
//
// Proves PUB-10.
func TestRepair_RewritesOnlyDriftedRecords(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	for i := range pledge.IndexSegment + 1 {
		w.bookPledge(fmt.Sprintf("a%d@example.org", i), tier("seat", 2500, 1))
	}
	w.must(w.p.Store.Apply(ctx, []kv.Write{
		kv.Put(pledge.IndexKey("film", 1), []byte("[]")), kv.Put(pledge.StatsKey("film"), []byte(`{"version":1}`)),
	}))
	w.must(kv.Save(ctx, w.p.Store, pledge.InventoryKey("film"), time.Time{}))
	w.inSync(false)
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "pledge:") {
			t.Errorf("%s was written without drift", op.Key)
		}
		return nil
	}
	if n, err := w.p.Repair(ctx, "film"); err != nil || n != 3 {
		t.Errorf("repaired %d, %v", n, err)
	}
	w.inSync(true)
	if n, err := w.p.Repair(ctx, "film"); err != nil || n != 0 {
		t.Errorf("second call repaired %d, %v", n, err)
	}
}

// A hold on an unlimited item changes no public number and is not drift.
func TestCheck_HoldOnUnlimitedItem(t *testing.T) {
	for object, item := range map[string]string{"film": "tier/standing", inventory.Platform: "add-on/badge"} {
		w := newFixture(t)
		w.bookPledge("a@example.org", tier("seat", 2500, 1), sticker(1))
		w.hold(object, item, 1)
		w.inSync(true)
	}
}

// A different updatedAt or a record written between two checks is not drift.
func TestCheck_ConcurrentWrites(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	w.bookPledge("a@example.org", tier("seat", 2500, 1))
	votes := vote.Client{Coordinator: w.db.Coordinator()}
	answer := func(nonce, option string) {
		t.Helper()
		_, err := votes.Cast(ctx, "film", "a@example.org", "ending", option, nonce)
		w.must(err)
		w.must(w.p.WriteResults(ctx, "film", "ending"))
	}
	answer("n1", "Sunrise")
	w.now = noon.Add(time.Hour)
	w.inSync(true)
	for key, meanwhile := range map[string]func(){
		pledge.IndexKey("film", 0):        func() { w.bookPledge("b@example.org", tier("seat", 2500, 1)) },
		pledge.StatsKey("film"):           func() { w.bookPledge("c@example.org", tier("seat", 2500, 1)) },
		pledge.AddOnsSoldKey:              func() { w.bookPledge("d@example.org", tier("seat", 2500, 1), sticker(1)) },
		vote.ResultsKey("film", "ending"): func() { answer("n2", "Sunset") },
	} {
		done := false
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpGet && op.Key == key && !done {
				done = true
				meanwhile()
			}
			return nil
		}
		w.inSync(true)
		if !done {
			t.Errorf("%s was not checked", key)
		}
	}
}

// All methods return read and write errors of the Store and of objects.
func TestProjector_ReturnsStoreErrors(t *testing.T) {
	ctx := context.Background()
	for kind, calls := range map[memkv.OpKind][]func(*projection.Projector) error{
		memkv.OpGet: {
			func(p *projection.Projector) error { _, err := p.Check(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.CheckAll(ctx); return err },
			func(p *projection.Projector) error { _, err := p.Repair(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.Rebuild(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.RebuildAll(ctx); return err },
			func(p *projection.Projector) error { _, err := p.Sweep(ctx, "film", 0, 10); return err },
			func(p *projection.Projector) error { _, err := p.Live(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.Stock(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.AddOns(ctx); return err },
		},
		memkv.OpQuery: {
			func(p *projection.Projector) error { _, err := p.Check(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.CheckNumbers(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.Rebuild(ctx, "film"); return err },
			func(p *projection.Projector) error { _, err := p.Sweep(ctx, "film", 0, 10); return err },
			func(p *projection.Projector) error { return p.Refresh(ctx, "film") },
			func(p *projection.Projector) error { return p.WriteResults(ctx, "film", "ending") },
		},
		memkv.OpPut: {
			func(p *projection.Projector) error { _, err := p.Rebuild(ctx, "film"); return err },
			func(p *projection.Projector) error { return p.Refresh(ctx, "film") },
			func(p *projection.Projector) error { return p.WriteResults(ctx, "film", "ending") },
		},
	} {
		for i, call := range calls {
			w := newFixture(t)
			w.deleteRecords()
			for n := 0; ; n++ { // fail the operations of the kind after the first n operations
				seen := 0
				w.fail = func(op memkv.Op) error {
					if seen++; op.Kind == kind && seen > n {
						return errCut
					}
					return nil
				}
				if err := call(w.p); errors.Is(err, errCut) {
					continue
				} else if w.must(err); n == 0 {
					t.Errorf("call %d has no %s", i, kind)
				}
				break
			}
		}
	}
}

// deleteRecords books a pledge, votes on two decisions, and then deletes all records from the
// stores.
func (w *fixture) deleteRecords() {
	w.t.Helper()
	ctx := context.Background()
	w.bookPledge("a@example.org", tier("seat", 2500, 1), sticker(1))
	votes := vote.Client{Coordinator: w.db.Coordinator()}
	for _, decision := range []string{"ending", "poster"} {
		_, err := votes.Cast(ctx, "film", "a@example.org", decision, "Sunrise", decision)
		w.must(err)
	}
	for ns, entries := range w.db.Snapshot().Stores {
		for _, e := range entries {
			w.must(w.db.Store(ns).Apply(ctx, []kv.Write{kv.Delete(e.Key)}))
		}
	}
}

// Missing records are drift, with a null Actual.
func TestCheck_MissingRecords(t *testing.T) {
	w := newFixture(t)
	w.deleteRecords()
	d, err := w.p.Check(context.Background(), "film")
	w.must(err)
	missing := map[string]string{}
	for _, r := range d.Differences {
		missing[r.Key] = string(r.Actual)
	}
	want := map[string]string{
		"campaign-pledges:film": "null", "stats:film": "null", "tier-inventory:film": "null",
		"add-on-inventory-sold:v1": "null",
		"results:film:ending":      "null", "results:film:poster": "null",
	}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Error(diff)
	}
	if r, err := w.p.Rebuild(context.Background(), "film"); err != nil || r.Records != len(want) {
		t.Errorf("rebuilt %+v, %v; want %d records", r, err, len(want))
	}
	w.inSync(true)
}

// Rebuild restores all records from the objects, regardless of their content.
//
// Proves INV-11, PUB-10, KVR-05, KVR-06, KVR-07.
func TestRebuild_EndsDrift(t *testing.T) {
	w := newFixture(t)
	w.p.SegmentSize = 2
	ctx := context.Background()
	for i := range 3 {
		w.bookPledge(fmt.Sprintf("s%d@example.org", i), tier("seat", 2500, 1), sticker(1+i))
	}
	votes := vote.Client{Coordinator: w.db.Coordinator()}
	_, err := votes.Cast(ctx, "film", "s1@example.org", "ending", "Sunrise", "n1")
	w.must(err)
	w.must(w.p.WriteResults(ctx, "film", "ending"))
	_, err = w.p.Search().Update(ctx, "film", 10)
	w.must(err)
	before := w.db.Snapshot().Stores
	for key, wrong := range map[string]string{
		"stats:film":               `{"campaignSlug":"film","pledgedAmount":900000,"pledgeCount":90,"tierCounts":{"seat":9},"version":90}`,
		"tier-inventory:film":      `{"campaignSlug":"film","tiers":{"seat":{"name":"Seat","limit":10,"claimed":10}},"version":90}`,
		"campaign-pledges:film":    `["pw-00000000000000000000000099"]`,
		"add-on-inventory-sold:v1": `{"units":{"sticker":50},"reserved":{"sticker":1},"version":90}`,
	} {
		w.must(w.p.Store.Apply(ctx, []kv.Write{kv.Put(key, []byte(wrong))}))
		d, err := w.p.Check(ctx, "film")
		w.must(err)
		if d.InSync || len(d.Differences) != 1 || d.Differences[0].Key != key {
			t.Fatalf("wrong %s: %+v", key, d)
		}
		if _, err := w.p.Rebuild(ctx, "film"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, w.db.Snapshot().Stores); diff != "" {
			t.Errorf("rebuilt after a wrong %s: %s", key, diff)
		}
	}
	for ns, entries := range w.db.Snapshot().Stores {
		for _, e := range entries {
			store := w.db.Store(ns)
			w.must(store.Apply(ctx, []kv.Write{kv.Delete(e.Key)}))
		}
	}
	if d, err := w.p.Check(ctx, "film"); err != nil || d.InSync {
		t.Fatalf("empty store in sync: %+v, %v", d, err)
	}
	r, err := w.p.Rebuild(ctx, "film")
	w.must(err)
	if r.Pledges != 3 || r.Added != 0 {
		t.Errorf("rebuilt %+v, want 3 pledges, all listed before", r)
	}
	if diff := cmp.Diff(before, w.db.Snapshot().Stores); diff != "" {
		t.Errorf("rebuilt from an empty store: %s", diff)
	}
}

// A campaign object that was restored from an older backup lacks later pledges and changes.
// Rebuild adds both from the orders.
func TestRebuild_RestoredCampaignObject(t *testing.T) {
	w := newFixture(t)
	ctx := context.Background()
	changed := w.bookPledge("a@example.org", tier("seat", 2500, 2))
	w.bookPledge("b@example.org", tier("seat", 2500, 1))
	backup := w.db.Snapshot()
	w.bookPledge("c@example.org", tier("seat", 2500, 1), sticker(2))
	w.bookPledge("c@example.org", tier("seat", 2500, 3))
	p, err := w.p.Orders.Cancel(ctx, changed.OrderID, "once", noon.Add(time.Hour))
	w.must(err)
	w.book(p)
	elsewhere := &pledge.Pledge{OrderID: "pw-elsewhere", CampaignSlug: "rehearsal"}
	w.must(kv.Save(ctx, w.p.Store, pledge.Key("pw-elsewhere"), elsewhere))
	lost := fmt.Sprintf("pw-%026d", 99)
	w.must(kv.Save(ctx, w.p.Store, pledge.Key(lost), &pledge.Pledge{OrderID: lost, CampaignSlug: "film"}))
	want, err := w.p.Inventory.Snapshot(ctx, "film")
	w.must(err)

	w.db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: "film"}, backup)
	r, err := w.p.Rebuild(ctx, "film")
	w.must(err)
	if r.Pledges != 4 || r.Added != 2 {
		t.Errorf("rebuilt %+v, want 4 pledges, 2 of them added", r)
	}
	got, err := w.p.Inventory.Snapshot(ctx, "film")
	w.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("campaign (-want +got):\n%s", diff)
	}
	if d, err := w.p.Check(ctx, "film"); err != nil || !d.InSync {
		t.Errorf("%+v, %v", d, err)
	}
	if again, err := w.p.Rebuild(ctx, "film"); err != nil || again.Pledges != 4 || again.Added != 0 {
		t.Errorf("second rebuild: %+v, %v", again, err)
	}

	w.db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: "film"}, backup)
	w.must(w.p.Store.Apply(ctx, []kv.Write{kv.Put(pledge.Key("broken"), []byte("{"))}))
	if r, err := w.p.Rebuild(ctx, "film"); err == nil || !strings.Contains(err.Error(), "pledge:broken") || r.Added != 2 {
		t.Errorf("with an undecodable record: %+v, %v", r, err)
	}
	if d, err := w.p.Check(ctx, "film"); err != nil || !d.InSync {
		t.Errorf("with an undecodable record: %+v, %v", d, err)
	}
}

func TestCheck_CampaignWithoutPledges(t *testing.T) {
	w := newFixture(t)
	if d, err := w.p.Check(context.Background(), "film"); err != nil || !d.InSync {
		t.Errorf("%+v, %v", d, err)
	}
	if r, err := w.p.Rebuild(context.Background(), "film"); err != nil || r.Records != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	w.bookPledge("a@example.org", tier("seat", 2500, 1), sticker(2))
	w.must(w.p.Store.Apply(context.Background(), []kv.Write{kv.Delete(pledge.AddOnsSoldKey)}))
	if r, err := w.p.Rebuild(context.Background(), "rehearsal"); err != nil || r.Records != 1 {
		t.Errorf("missing add-on numbers: %+v, %v", r, err)
	}
	w.addOns(`"shirt/s":{"name":"Shirt, S","limit":4,"claimed":0,"reserved":0,"remaining":4},` +
		`"sticker":{"name":"Sticker","limit":50,"claimed":2,"reserved":0,"remaining":48}`)
}
