package audit_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var moved = audit.Act{Action: "supporter.address", CampaignSlug: "film", OrderID: "pw-1", Reason: "Moved house"}

// crash begins an action whose process dies before it has ended.
func (o *fixture) crash(act audit.Act) (id string) {
	o.t.Helper()
	err := o.DoResumable(ctx, act, json.RawMessage(`{"to":"2 Other Street"}`), func(of string) error {
		id, o.cut = of, func(memkv.Op) error { return errors.New("simulated crash") }
		return nil
	})
	if o.cut = nil; err != nil {
		o.t.Fatal(err)
	}
	return id
}

func (o *fixture) interrupted() (ids []string) {
	o.t.Helper()
	all, err := o.Interrupted(ctx)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// An interrupted action is returned after ResumeAfter, unless an operator has since performed an
// action of the same kind on the same order.
func TestInterrupted_ExcludesSuperseded(t *testing.T) {
	o := newFixture(t)
	first := o.crash(moved)
	o.now = o.now.Add(time.Minute)
	second := o.crash(audit.Act{Action: "pledge.cancel", CampaignSlug: "film", OrderID: "pw-1"})
	if o.now = o.now.Add(audit.ResumeAfter - time.Minute - time.Second); len(o.interrupted()) != 0 {
		t.Error("an action that may still be running was returned")
	}
	o.now = o.now.Add(time.Hour)
	if diff := cmp.Diff([]string{first, second}, o.interrupted()); diff != "" {
		t.Errorf("interrupted actions (-want +got):\n%s", diff)
	}
	for _, later := range []struct {
		act  audit.Act
		left int
	}{
		{audit.Act{Action: "supporter.note", CampaignSlug: "film", OrderID: "pw-2"}, 2},
		{audit.Act{Action: "supporter.note", CampaignSlug: "game", OrderID: "pw-1"}, 2},
		{audit.Act{Action: "fulfilment.mark", CampaignSlug: "film", OrderID: "pw-1"}, 2},
		{audit.Act{Action: "supporter.note", CampaignSlug: "film", OrderID: "pw-1"}, 1},
	} {
		if err := o.Do(ctx, later.act, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := o.interrupted(); len(got) != later.left {
			t.Errorf("after %+v: %v interrupted, want %d", later.act, got, later.left)
		}
	}
}

// Regardless of its result, a resumed action has at most one event, and its request is deleted.
func TestResume_Results(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status audit.Status // "" if it stays interrupted
	}{
		"done":    {nil, audit.Done},
		"refused": {fault.New(fault.Conflict, "no"), audit.Unknown},
		"failed":  {fault.New(fault.Unavailable, "later"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			o.crash(moved)
			o.now = o.now.Add(audit.ResumeAfter)
			all, err := o.Interrupted(ctx)
			if err != nil || len(all) != 1 || string(all[0].Request) != `{"to":"2 Other Street"}` || all[0].Act.Reason != "" {
				t.Fatalf("cut off: %+v, %v", all, err)
			}
			if err := o.Resume(ctx, all[0], moved, func() error { return tc.err }); (err != nil) != (tc.status == "") {
				t.Fatal(err)
			}
			page, err := o.Search(ctx, audit.Filter{}, 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			if tc.status == "" {
				if len(page.Events) != 0 || len(o.interrupted()) != 1 {
					t.Errorf("recorded: %+v", page.Events)
				}
				return
			}
			reason := map[audit.Status]string{audit.Done: "Moved house"}[tc.status]
			if len(page.Events) != 1 || page.Events[0].Status != tc.status || page.Events[0].Reason != reason ||
				len(o.interrupted()) != 0 {
				t.Errorf("recorded as %+v", page.Events)
			}
			for _, e := range o.db.Snapshot().Objects[object] {
				if strings.Contains(string(e.Value), "Other Street") {
					t.Errorf("%s still contains the request", e.Key)
				}
			}
		})
	}
}
