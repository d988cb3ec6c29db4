package audit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An action is recorded as an event with its result. A rejected action has changed nothing and
// leaves no event. The copy is stored under the key in the specification.
//
// Proves AUD-09, KVR-30.
func TestDo_RecordsEvents(t *testing.T) {
	o := newFixture(t)
	o.do(stop, nil)
	o.do(stop, fault.New(fault.Conflict, "not now"))
	o.do(stop, errors.New("a bug"))
	o.now = o.now.Add(7 * time.Hour) // past lostAfter: rejected actions are not recorded as lost
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	o.now = o.now.Add(-7 * time.Hour)
	got := o.all(audit.Filter{})
	want := []audit.Event{
		{Number: 2, At: o.now, Act: stop, Status: audit.Failed, Code: "internal", Before: got[1].Hash, Hash: got[0].Hash},
		{Number: 1, At: o.now, Act: stop, Status: audit.Done, Hash: got[1].Hash},
	}
	want[0].Reason = "" // rejected input is not recorded
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	kept, ok, err := kv.Read[audit.Event](ctx, o.Store, "admin-audit:2026-11-01:settlement.stop:000000001")
	if err != nil || !ok || kept.Hash != got[1].Hash {
		t.Errorf("the copy is %+v, %t, %v", kept, ok, err)
	}
	if !strings.Contains(o.logged.String(), "hash="+got[0].Hash) {
		t.Errorf("the log does not contain the chain's head: %s", &o.logged)
	}
}

// A nested action, one whose context was canceled, and one that failed because the database was
// unavailable each get their own event, and existing copies are not rewritten.
func TestDo_Results(t *testing.T) {
	o := newFixture(t)
	o.ok(o.Do(ctx, audit.Act{Action: "outer"}, func() error { o.do(audit.Act{Action: "inner"}, nil); return nil }))
	gone, leave := context.WithCancel(ctx)
	o.ok(o.Do(gone, audit.Act{Action: "gone"}, func() error { leave(); return nil }))
	copies := 0
	o.cut = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && !op.After && strings.HasPrefix(op.Write.Key, "admin-audit:") {
			copies++
		}
		return nil
	}
	o.do(audit.Act{Action: "unavailable"}, fault.New(fault.Unavailable, "no answer"))
	var got []string
	for _, e := range o.all(audit.Filter{}) {
		got = append(got, e.Action+" "+string(e.Status)+e.Code)
	}
	if want := []string{"unavailable failedunavailable", "gone done", "outer done",
		"inner done"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q", got)
	}
	if copies != 1 {
		t.Errorf("%d copies were written for one event", copies)
	}
}

// Neither rejected input nor values that are not identifiers are recorded.
func TestDo_KeepsOnlyIdentifiers(t *testing.T) {
	o := newFixture(t)
	o.do(audit.Act{Action: "x", CampaignSlug: "<b>", OrderID: "pw-1", Reason: strings.Repeat("é", 400),
		ChangedFields: []string{"ok", "no good"}}, nil)
	got := o.all(audit.Filter{})[0]
	if got.CampaignSlug != "" || got.OrderID != "pw-1" || len(got.Reason) > 500 ||
		!strings.HasPrefix(strings.Repeat("é", 400), got.Reason) || !slices.Equal(got.ChangedFields, []string{"ok"}) {
		t.Errorf("kept %+v", got.Act)
	}
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprint("f", i))
	}
	o.do(audit.Act{Action: "x", OrderID: strings.Repeat("x", 101), ChangedFields: many}, nil)
	if got := o.all(audit.Filter{})[0]; got.OrderID != "" || len(got.ChangedFields) != 50 {
		t.Errorf("kept %+v", got.Act)
	}
}

// After a crash between any two effects: an action that was run has its event, at once or
// after lostAfter; one that did not begin has none; and the chain is intact.
func TestDo_Crash(t *testing.T) {
	for at := 0; ; at++ {
		o := newFixture(t)
		o.do(stop, nil)
		n, cut := 0, errors.New("simulated crash")
		o.cut = func(memkv.Op) error {
			if n++; n > at {
				return cut
			}
			return nil
		}
		acted := false
		_ = o.Do(ctx, audit.Act{Action: "mail.stop"}, func() error { acted = true; return nil })
		whole := n <= at
		o.cut = nil
		o.now = o.now.Add(7 * time.Hour)
		if err := o.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		events := o.all(audit.Filter{Action: "mail.stop"})
		if acted && len(events) != 1 {
			t.Errorf("crash at effect %d: an action has %d events", at, len(events))
		}
		for _, e := range events {
			if !acted && e.Status != audit.Unknown {
				t.Errorf("crash at effect %d: an action that did not begin has status %s", at, e.Status)
			}
			if _, ok, err := kv.Read[audit.Event](ctx, o.Store, e.Key()); err != nil || !ok {
				t.Errorf("crash at effect %d: the copy is missing, %v", at, err)
			}
		}
		if v := o.verify(audit.Head{}); v.Broken != "" {
			t.Errorf("crash at effect %d: %s", at, v.Broken)
		}
		if whole {
			if at < 5 {
				t.Errorf("only %d effects", at)
			}
			return
		}
	}
}

func TestDo_NotRunIfNotRecorded(t *testing.T) {
	o := newFixture(t)
	o.cut = func(memkv.Op) error { return errors.New("database unavailable") }
	if err := o.Do(ctx, stop, func() error { t.Error("the action was run"); return nil }); err == nil {
		t.Error("no error")
	}
}

// Verify detects every kind of forgery.
func TestVerify_FindsForgeries(t *testing.T) {
	made := func(t *testing.T, later time.Duration) (*fixture, audit.Head) {
		o := newFixture(t)
		o.now = o.now.Add(later)
		for i := range 250 { // more than one batch
			o.do(audit.Act{Action: fmt.Sprintf("act-%d", i), CampaignSlug: "film"}, nil)
		}
		noted := o.verify(audit.Head{})
		if noted.Broken != "" || noted.Events != 250 || noted.Head.Number != 250 {
			t.Fatalf("the chain is %+v", noted)
		}
		return o, noted.Head
	}
	signed := func(o *fixture, n int) []byte { // the event with a matching hash
		var l struct {
			Event json.RawMessage `json:"event"`
			Hash  string          `json:"hash"`
		}
		o.ok(json.Unmarshal(o.storedRecord(linkKey(n)), &l))
		l.Event = bytes.Replace(l.Event, []byte("film"), []byte("farm"), 1)
		l.Hash = fmt.Sprintf("%x", sha256.Sum256(l.Event))
		b, err := json.Marshal(l)
		o.ok(err)
		return b
	}
	altered := func(o *fixture, n int) []byte {
		return bytes.Replace(o.storedRecord(linkKey(n)), []byte("film"), []byte("farm"), 1)
	}
	found := map[string]string{
		"altered": "event 120 was altered", "signed": "event 121 does not follow event 120",
		"signed last": "event 250 does not match the chain's recorded head",
		"removed":     "event 120 is missing", "first": "event 1 is missing",
		"last":    "the chain ends with event 249, expected 250",
		"cut off": "the chain ends with event 248, expected 250", "exchanged": "event 7 is missing",
		"unread": "the event after 29 cannot be decoded",
	}
	for name, forge := range map[string]func(o *fixture){
		"signed":      func(o *fixture) { o.forge(linkKey(120), signed(o, 120)) },
		"signed last": func(o *fixture) { o.forge(linkKey(250), signed(o, 250)) },
		"altered":     func(o *fixture) { o.forge(linkKey(120), altered(o, 120)) },
		"removed":     func(o *fixture) { o.forge(linkKey(120), nil) },
		"first":       func(o *fixture) { o.forge(linkKey(1), nil) },
		"last":        func(o *fixture) { o.forge(linkKey(250), nil) },
		"cut off":     func(o *fixture) { o.forge(linkKey(249), nil); o.forge(linkKey(250), nil) },
		"exchanged": func(o *fixture) {
			a, b := o.storedRecord(linkKey(7)), o.storedRecord(linkKey(8))
			o.forge(linkKey(7), b)
			o.forge(linkKey(8), a)
		},
		"inserted": func(o *fixture) { o.forge(linkKey(251), altered(o, 250)) },
		"unread":   func(o *fixture) { o.forge(linkKey(30), []byte(`{"event":7,"hash":""}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := made(t, 0)
			forge(o)
			if v := o.verify(audit.Head{}); v.Broken != found[name] {
				t.Errorf("found %+v, want %q", v, found[name])
			}
			if name == "inserted" { // after the end, so the next event overwrites it
				o.do(stop, nil)
				if v := o.verify(audit.Head{}); v.Broken != "" || v.Events != 251 {
					t.Errorf("%+v", v)
				}
			}
		})
	}
	t.Run("replaced chain", func(t *testing.T) {
		_, noted := made(t, 0)
		o, _ := made(t, time.Second)
		o.do(stop, nil)
		if v := o.verify(noted); v.Broken == "" {
			t.Errorf("a replaced chain passed with the earlier head: %+v", v)
		}
		if v := o.verify(audit.Head{Number: 250, Hash: strings.Repeat("0", 64)}); v.Broken == "" {
			t.Error("accepted a different head")
		}
		if v := o.verify(audit.Head{Number: 999, Hash: noted.Hash}); v.Broken == "" {
			t.Error("accepted a chain shorter than the given head")
		}
		if v := o.verify(o.headAt(250)); v.Broken != "" {
			t.Errorf("an earlier head of the chain: %s", v.Broken)
		}
	})
}

// Events that are added during Verify are not reported.
func TestVerify_ConcurrentEvents(t *testing.T) {
	o := newFixture(t)
	for range 3 {
		o.do(stop, nil)
	}
	added := false
	o.cut = func(op memkv.Op) error {
		if op.Kind == memkv.OpQuery && op.Command.Kind == "audit-links" && !added {
			added = true
			o.do(stop, nil)
		}
		return nil
	}
	if v := o.verify(audit.Head{}); v.Broken != "" || v.Events != 3 || !added {
		t.Errorf("%+v, added: %t", v, added)
	}
}

// After 400 days an event and its copy are deleted, and the rest of the chain verifies.
func TestRetention(t *testing.T) {
	o := newFixture(t)
	begun := o.now
	for range 130 {
		o.do(stop, nil)
		o.now = o.now.Add(24 * time.Hour)
	}
	o.now = begun.Add(audit.Life + 119*24*time.Hour + time.Hour)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	events := o.all(audit.Filter{})
	if len(events) != 10 || events[9].Number != 121 {
		t.Fatalf("%d events are left", len(events))
	}
	v := o.verify(audit.Head{})
	if v.Broken != "" || v.Events != 10 || v.Dropped.Number != 120 || v.Dropped.Hash != events[9].Before {
		t.Errorf("the remaining chain: %+v", v)
	}
	for noted, whole := range map[audit.Head]bool{
		{Number: 50, Hash: "gone"}: true, v.Dropped: true, {Number: 120, Hash: "other"}: false,
		o.headAt(125): true, {Number: 125, Hash: "other"}: false,
	} {
		if v := o.verify(noted); v.Broken == "" != whole {
			t.Errorf("with head %+v: %+v", noted, v)
		}
	}
	if got := o.all(audit.Filter{To: events[4].At}); len(got) != 5 || got[0].Number != 125 {
		t.Errorf("search returned %d deleted events", len(got))
	}
	page, err := o.Store.List(ctx, kv.Query{Prefix: "admin-audit:", Limit: 1000, KeysOnly: true})
	if err != nil || len(page.Entries) != 10 {
		t.Errorf("%d copies are left, %v", len(page.Entries), err)
	}
}

// Every filter selects exactly its events, for any page size, even if clocks go backwards.
//
// Proves AUD-01, AUD-02, AUD-03, AUD-04, AUD-05.
func TestSearch_Filters(t *testing.T) {
	o, r := newFixture(t), mathrand.New(mathrand.NewPCG(1, 2))
	o.do(audit.Act{Action: "first", OrderID: "pw-first"}, nil)
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 1500 { // more than one search reads
		o.now = o.now.Add(time.Duration(r.IntN(120)-20) * time.Minute)
		o.do(audit.Act{
			Action: pick("mail.stop", "pledge.cancel"), AdminEmail: pick("", "ada@example.org", "ada@example.org.uk"),
			CampaignSlug: pick("", "film", "film-2"), OrderID: pick("", "pw-1", "pw-2"), Reason: pick("", "A Doubt", "none"),
		}, nil)
	}
	every := o.all(audit.Filter{})
	if len(every) != 1501 || !slices.IsSortedFunc(every, func(a, b audit.Event) int { return b.Number - a.Number }) ||
		!slices.IsSortedFunc(every, func(a, b audit.Event) int { return b.At.Compare(a.At) }) {
		t.Fatalf("%d events", len(every))
	}
	day := func(n int) time.Time { return time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		filter audit.Filter
		takes  func(e audit.Event) bool
	}{
		"action": {audit.Filter{Action: "mail.stop"}, func(e audit.Event) bool { return e.Action == "mail.stop" }},
		"email": {audit.Filter{AdminEmail: "ADA@example.org"},
			func(e audit.Event) bool { return e.AdminEmail == "ada@example.org" }},
		"campaign": {audit.Filter{CampaignSlug: "film"}, func(e audit.Event) bool { return e.CampaignSlug == "film" }},
		"from":     {audit.Filter{From: day(20)}, func(e audit.Event) bool { return !e.At.Before(day(20)) }},
		"to":       {audit.Filter{To: day(9)}, func(e audit.Event) bool { return e.At.Before(day(9)) }},
		"days": {audit.Filter{From: day(9), To: day(10)},
			func(e audit.Event) bool { return !e.At.Before(day(9)) && e.At.Before(day(10)) }},
		"text":  {audit.Filter{Text: "a doubt"}, func(e audit.Event) bool { return e.Reason == "A Doubt" }},
		"order": {audit.Filter{Text: "PW-2"}, func(e audit.Event) bool { return e.OrderID == "pw-2" }},
		"first": {audit.Filter{Text: "pw-first"}, func(e audit.Event) bool { return e.Number == 1 }},
		"two": {audit.Filter{Action: "mail.stop", CampaignSlug: "film-2"},
			func(e audit.Event) bool { return e.Action == "mail.stop" && e.CampaignSlug == "film-2" }},
		"nobody": {audit.Filter{AdminEmail: "bob@example.org"}, func(audit.Event) bool { return false }},
	} {
		var want []audit.Event
		for _, e := range every {
			if c.takes(e) {
				want = append(want, e)
			}
		}
		if diff := cmp.Diff(want, o.all(c.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSearch_InvalidLimits(t *testing.T) {
	o := newFixture(t)
	for field, ask := range map[string]func() error{
		"limit":  func() error { _, err := o.Search(ctx, audit.Filter{}, 0, audit.MaxPage+1); return err },
		"cursor": func() error { _, err := o.Search(ctx, audit.Filter{}, -1, 1); return err },
	} {
		if err := ask(); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	o.do(stop, nil)
	if page, err := o.Search(ctx, audit.Filter{}, 1<<50, 10); err != nil || len(page.Events) != 1 || page.Next != 0 {
		t.Errorf("after the end: %+v, %v", page, err)
	}
}

// Proves AUD-08.
func TestWriteCSV_EscapesFormulas(t *testing.T) {
	for _, begins := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} {
		cell := begins + "1, \"two\"\n-3"
		var b bytes.Buffer
		e := audit.Event{
			Number: 1, Status: audit.Status(cell), Code: cell, Hash: cell,
			Act: audit.Act{Action: cell, AdminEmail: cell, AdminRole: cell, CampaignSlug: cell, OrderID: cell,
				Source: cell, ChangedFields: []string{cell}, Reason: cell, Target: cell},
		}
		if err := audit.WriteCSV(&b, func(yield func(audit.Event, error) bool) { yield(e, nil) }); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != len(rows[0]) {
			t.Fatalf("%v, %v", rows, err)
		}
		for i, got := range rows[1][2:] { // after the number and the time
			if want := "'" + cell; got != want {
				t.Errorf("%s is %q, want %q", rows[0][i+2], got, want)
			}
		}
	}
}
