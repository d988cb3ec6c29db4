package broadcast_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// draftsFixture holds drafts in memory, with a settable clock.
type draftsFixture struct {
	*broadcast.Drafts
	t   *testing.T
	db  *memkv.DB
	now time.Time
	on  broadcast.Surface
	cut func(memkv.Op) error
}

func newDraftsFixture(t *testing.T) *draftsFixture {
	d := &draftsFixture{t: t, on: broadcast.Marketing, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return d.now }
	d.db = memkv.New(memkv.Options{Now: clock, Classes: []*kv.Class{broadcast.Class()}, Fail: func(op memkv.Op) error {
		if d.cut == nil {
			return nil
		}
		return d.cut(op)
	}})
	d.Drafts = &broadcast.Drafts{Store: d.db.Store(""), Coordinator: d.db.Coordinator(), Now: clock}
	return d
}

func (d *draftsFixture) save(revision, body string) broadcast.Draft {
	d.t.Helper()
	got, err := d.Save(ctx, "film", d.on, revision, broadcast.Words{Body: body}, broadcast.Segment{})
	if err != nil {
		d.t.Fatal(err)
	}
	return got
}

func (d *draftsFixture) load() broadcast.Draft {
	d.t.Helper()
	got, err := d.Load(ctx, "film", d.on)
	if err != nil {
		d.t.Fatal(err)
	}
	return got
}

// Each campaign has one draft per surface. Saving requires its newest revision, so that text
// that another operator saved in the meantime is not overwritten.
//
// Proves DRF-01, DRF-03, DRF-04, KVR-26.
func TestDrafts(t *testing.T) {
	t.Run("marketing", func(t *testing.T) { draftsOn(t, broadcast.Marketing, broadcast.Blasts) })
	t.Run("blast", func(t *testing.T) { draftsOn(t, broadcast.Blasts, broadcast.Marketing) })
}

func draftsOn(t *testing.T, on, other broadcast.Surface) {
	d := newDraftsFixture(t)
	d.on = on
	if got := d.load(); !cmp.Equal(got, broadcast.Draft{}) {
		t.Errorf("before the first save: %+v", got)
	}
	first := d.save("", "one")
	second := d.save(first.Revision, "two")
	if first.Revision == "" || second.Revision == first.Revision {
		t.Errorf("revisions %q and %q", first.Revision, second.Revision)
	}
	for _, stale := range []string{"", first.Revision, "r9"} {
		if _, err := d.Save(ctx, "film", on, stale, broadcast.Words{Body: "mine"}, broadcast.Segment{}); !fault.Is(err,
			fault.Conflict) || fault.Of(err).Field != "revision" {
			t.Errorf("save with stale revision %q: %v", stale, err)
		}
		if err := d.Clear(ctx, "film", on, stale); !fault.Is(err, fault.Conflict) {
			t.Errorf("clear with stale revision %q: %v", stale, err)
		}
	}
	if diff := cmp.Diff(second, d.load()); diff != "" || second.Body != "two" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	copied, there, err := kv.Read[broadcast.Draft](ctx, d.Store, "admin-marketing-draft:film:"+string(on))
	if diff := cmp.Diff(second, copied); diff != "" || !there || err != nil {
		t.Errorf("the copy (%v, -saved +copied):\n%s", err, diff)
	}
	for _, beside := range []struct {
		campaign string
		s        broadcast.Surface
	}{{"film", other}, {"game", on}} {
		if got, err := d.Load(ctx, beside.campaign, beside.s); err != nil || !cmp.Equal(got, broadcast.Draft{}) {
			t.Errorf("%v has %+v, %v", beside, got, err)
		}
	}
	for range 2 {
		if err := d.Clear(ctx, "film", on, second.Revision); err != nil {
			t.Fatal(err)
		}
	}
	if _, there, _ := kv.Read[broadcast.Draft](ctx, d.Store, "admin-marketing-draft:film:"+string(on)); there ||
		!cmp.Equal(d.load(), broadcast.Draft{}) {
		t.Error("a cleared draft still exists")
	}
	if third := d.save("", "one"); third.Revision == first.Revision || third.Revision == second.Revision {
		t.Errorf("revision %s is used twice", third.Revision)
	}
}

// Proves DRF-02, KVR-27: a draft expires seven days after it was last saved.
func TestDrafts_ExpireAfterAWeek(t *testing.T) {
	d := newDraftsFixture(t)
	first := d.save("", "one")
	d.now = d.now.Add(6 * 24 * time.Hour)
	second := d.save(first.Revision, "two")
	d.now = d.now.Add(7*24*time.Hour - time.Second)
	const key = "admin-marketing-draft:film:marketing"
	copied, _, err := kv.Read[broadcast.Draft](ctx, d.Store, key)
	if d.load().Body != "two" || copied.Body != "two" || err != nil {
		t.Errorf("a second before expiry: %+v, copy: %+v, %v", d.load(), copied, err)
	}
	d.now = d.now.Add(time.Second)
	_, there, err := kv.Read[broadcast.Draft](ctx, d.Store, key)
	if got := d.load(); !cmp.Equal(got, broadcast.Draft{}) || there || err != nil {
		t.Errorf("a week later: %+v, copy: %t, %v", got, there, err)
	}
	if _, err := d.Save(ctx, "film", broadcast.Marketing, second.Revision, broadcast.Words{Body: "late"},
		broadcast.Segment{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("save with an expired revision: %v", err)
	}
	d.save("", "anew")
}

// Proves DRF-05, DRF-06: neither loads nor rejected changes write anything.
func TestDrafts_LoadWritesNothing(t *testing.T) {
	d := newDraftsFixture(t)
	before := d.db.Snapshot()
	d.load()
	if diff := cmp.Diff(before, d.db.Snapshot()); diff != "" {
		t.Errorf("loading a missing draft writes:\n%s", diff)
	}
	first := d.save("", "one")
	first = d.save(first.Revision, strings.Repeat("x", 40_000))
	before = d.db.Snapshot()
	d.load()
	for field, w := range map[string]broadcast.Words{
		"subject": {Subject: strings.Repeat("x", 40_001)}, "body": {Body: strings.Repeat("x", 40_001)},
		"ctaLabel": {Label: strings.Repeat("x", 40_001)}, "ctaUrl": {URL: strings.Repeat("x", 40_001)},
	} {
		if _, err := d.Save(ctx, "film", broadcast.Marketing, first.Revision, w, broadcast.Segment{}); !fault.Is(err,
			fault.Invalid) || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := d.Save(ctx, "film", "other", first.Revision, broadcast.Words{}, broadcast.Segment{}); !fault.Is(err,
		fault.Invalid) || fault.Of(err).Field != "surface" {
		t.Errorf("an unknown surface: %v", err)
	}
	if _, err := d.Load(ctx, "film", "other"); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown surface: %v", err)
	}
	_, _ = d.Save(ctx, "film", broadcast.Marketing, "stale", broadcast.Words{Body: "mine"}, broadcast.Segment{})
	if diff := cmp.Diff(before, d.db.Snapshot()); diff != "" {
		t.Errorf("unexpected writes:\n%s", diff)
	}
}

// Of several concurrent saves over one revision exactly one succeeds.
func TestDrafts_ConcurrentSaves(t *testing.T) {
	d := newDraftsFixture(t)
	first := d.save("", "one")
	var saved atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := d.Save(ctx, "film", broadcast.Marketing, first.Revision,
				broadcast.Words{Body: fmt.Sprint(i)}, broadcast.Segment{})
			if err == nil {
				saved.Add(1)
			} else if !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if saved.Load() != 1 {
		t.Errorf("%d saves over one revision", saved.Load())
	}
}

// A save that is interrupted at any point and repeated is applied once, including the copy.
func TestDrafts_CrashAnywhere(t *testing.T) {
	for cut := 1; ; cut++ {
		d := newDraftsFixture(t)
		first := d.save("", "one")
		n := 0
		d.cut = func(memkv.Op) error {
			if n++; n == cut {
				return errors.New("cut off")
			}
			return nil
		}
		_, err := d.Save(ctx, "film", broadcast.Marketing, first.Revision, broadcast.Words{Body: "two"}, broadcast.Segment{})
		d.cut = nil
		again := d.save(first.Revision, "two")
		copied, _, _ := kv.Read[broadcast.Draft](ctx, d.Store, broadcast.DraftKey("film", broadcast.Marketing))
		if again.Body != "two" || again.Revision != "r2" || copied.Revision != "r2" {
			t.Errorf("cut at %d: %+v, copied %+v", cut, again, copied)
		}
		if err == nil {
			if cut < 4 {
				t.Errorf("only %d points of interruption", cut)
			}
			return
		}
	}
}

// The audience is part of the draft: saving a different one with the same texts is a change.
func TestDrafts_Audience(t *testing.T) {
	d := newDraftsFixture(t)
	words, spanish := broadcast.Words{Body: "one"}, broadcast.Segment{Languages: []string{"es"}}
	first, err := d.Save(ctx, "film", d.on, "", words, broadcast.Segment{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one is a repeat
		second, err := d.Save(ctx, "film", d.on, first.Revision, words, spanish)
		if err != nil || second.Revision == first.Revision {
			t.Fatalf("saved %+v, %v", second, err)
		}
		if diff := cmp.Diff(second, d.load()); diff != "" || !cmp.Equal(second.Audience, spanish) {
			t.Errorf("(-saved +loaded):\n%s", diff)
		}
	}
	if _, err := d.Save(ctx, "film", d.on, first.Revision, words, broadcast.Segment{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a stale audience is saved: %v", err)
	}
	long := broadcast.Segment{Rewards: []string{strings.Repeat("a", 10_001)}}
	if _, err := d.Save(ctx, "film", d.on, d.load().Revision, words, long); !fault.Is(err, fault.Invalid) ||
		fault.Of(err).Field != "audience" {
		t.Errorf("a long audience: %v", err)
	}
}
