package broadcast_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var (
	ctx    = context.Background()
	errCut = errors.New("cut off")
)

// audienceSize is an audience of the given size, in which each member has two pledges.
type audienceSize int

func (n audienceSize) Supporters(context.Context, string) iter.Seq2[broadcast.Supporter, error] {
	return func(yield func(broadcast.Supporter, error) bool) {
		for i := range 2 * int(n) {
			lang := []string{"en", "es"}[i/int(n)]
			if !yield(broadcast.Supporter{Email: fmt.Sprintf("p%d@example.org", i%int(n)), Lang: lang}, nil) {
				return
			}
		}
	}
}

// provider counts the mails of each recipient. It can be set to forget keys.
type provider struct {
	forgets bool
	keys    map[string]int // by request key: number of mails accepted
	got     map[string]int
	poison  string
	busy    int // number of requests to answer with RetryLater
}

func (p *provider) MaxBatch() int { return 10 }

func (p *provider) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	rs, err := p.SendBatch(ctx, m.Key, []notify.Mail{m})
	return rs[0], err
}

func (p *provider) SendBatch(_ context.Context, key string, mails []notify.Mail) ([]notify.Receipt, error) {
	rs := make([]notify.Receipt, len(mails))
	if p.busy > 0 {
		p.busy--
		for i := range rs {
			rs[i] = notify.Receipt{Outcome: notify.RetryLater}
		}
		return rs, nil
	}
	for i, m := range mails {
		if m.To == p.poison {
			return []notify.Receipt{{Outcome: notify.Divide, Reason: "a bad address"}}, nil
		}
		rs[i] = notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}
	}
	if n, known := p.keys[key]; known && !p.forgets {
		if n != len(mails) {
			return all(notify.Receipt{Outcome: notify.KeyReused})(mails)
		}
		return rs, nil
	}
	for _, m := range mails {
		p.got[m.To]++
	}
	p.keys[key] = len(mails)
	return rs, nil
}

type rememberingProvider struct{ *provider }

func (rememberingProvider) Remembers() time.Duration { return 24 * time.Hour }

type fixture struct {
	*broadcast.Service
	db   *memkv.DB
	p    *provider
	now  time.Time
	fail func(memkv.Op) error
}

func newFixture(forgets bool) *fixture {
	w := &fixture{p: &provider{forgets: forgets, keys: map[string]int{}, got: map[string]int{}},
		now: time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)}
	now := func() time.Time { return w.now }
	db := memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{broadcast.Class()}, Fail: func(op memkv.Op) error {
		if w.fail == nil {
			return nil
		}
		return w.fail(op)
	}})
	n := 0
	w.db = db
	w.Service = &broadcast.Service{Coordinator: db.Coordinator(), Audience: audienceSize(25),
		Sender: rememberingProvider{w.p}, Pace: &notify.Pace{Now: now},
		Now: now, Nonce: func() string { n++; return strconv.Itoa(n) }, From: "updates@example.org"}
	if forgets {
		w.Sender = w.p
	}
	return w
}

func message(identity string) broadcast.Message {
	return broadcast.Message{Kind: notify.DiaryEntry, Identity: identity, Campaign: "film", Lang: "en",
		Letters: map[string]broadcast.Letter{"en": {Subject: "News", Text: "Hello\n"}}}
}

// run calls Step until the broadcasts are done, and resumes interrupted attempts after the
// lease.
func (w *fixture) run(t *testing.T) {
	t.Helper()
	for range 200 {
		_, more, err := w.Step(ctx)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		if err == nil && !more {
			return
		}
		w.now = w.now.Add(time.Minute)
	}
	t.Fatal("the broadcasts did not finish")
}

func (w *fixture) states(t *testing.T, identity string) map[broadcast.State]int {
	t.Helper()
	states := map[broadcast.State]int{}
	for m, err := range w.Members(ctx, broadcast.ID(identity)) {
		if err != nil {
			t.Fatal(err)
		}
		states[m.State]++
	}
	return states
}

// A broadcast is interrupted at each command, before and after it takes effect. No member gets two
// mails. If the provider remembers keys, all members get one; otherwise, at most one chunk is
// Ambiguous.
func TestStep_CrashAnywhere(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		for cut, crashed := 1, true; crashed; cut++ {
			w, op := newFixture(forgets), 0
			crashed = false
			w.fail = func(memkv.Op) error {
				if op++; op == cut {
					crashed = true
					return errCut
				}
				return nil
			}
			if _, err := w.Launch(ctx, message("diary:1"), ""); err != nil {
				if _, err := w.Launch(ctx, message("diary:1"), ""); err != nil {
					t.Fatal(err)
				}
			}
			w.run(t)
			w.fail = nil
			states := w.states(t, "diary:1")
			doubt := states[broadcast.Ambiguous]
			if states[broadcast.Accepted]+doubt != 25 || doubt > 10 || !forgets && (doubt > 0 || len(w.p.got) != 25) {
				t.Fatalf("forgets %t, cut at %d: %v, %d recipients", forgets, cut, states, len(w.p.got))
			}
			for to, n := range w.p.got {
				if n != 1 {
					t.Fatalf("forgets %t, cut at %d: %s got %d mails", forgets, cut, to, n)
				}
			}
			if cut > 1000 || !crashed && cut < 10 {
				t.Fatalf("%d places to cut", cut)
			}
		}
	}
}

func TestStep_InvalidAddress(t *testing.T) {
	for i := range 25 {
		w := newFixture(false)
		w.p.poison = fmt.Sprintf("p%d@example.org", i)
		launch(t, w, "diary:1")
		w.run(t)
		if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 24 || s[broadcast.Refused] != 1 || len(w.p.got) != 24 {
			t.Errorf("%s: %v, %d recipients", w.p.poison, s, len(w.p.got))
		}
	}
}

type addressList []string

func (s addressList) Supporters(context.Context, string) iter.Seq2[broadcast.Supporter, error] {
	return func(yield func(broadcast.Supporter, error) bool) {
		for _, email := range s {
			if !yield(broadcast.Supporter{Email: email}, nil) {
				return
			}
		}
	}
}

func TestLaunch_AddressSpellings(t *testing.T) {
	w := newFixture(false)
	w.Audience = addressList{"zoe@übung.example", "ana@example.org", "zoe@xn--bung-zra.example"}
	launch(t, w, "diary:film:1")
	w.run(t)
	want := map[string]int{"zoe@xn--bung-zra.example": 1, "ana@example.org": 1}
	if diff := cmp.Diff(want, w.p.got); diff != "" {
		t.Error(diff)
	}
}

func TestLaunch_Twice(t *testing.T) {
	w := newFixture(true)
	launch(t, w, "diary:1")
	w.run(t)
	launch(t, w, "diary:1")
	w.run(t)
	for to, n := range w.p.got {
		if n != 1 {
			t.Errorf("%s got %d mails", to, n)
		}
	}
}

func TestStep_PausedAndTooOld(t *testing.T) {
	w := newFixture(false)
	id := launch(t, w, "diary:1").ID
	if _, err := w.Pause(ctx, id, "a typo"); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	if len(w.p.got) != 0 {
		t.Errorf("%d recipients while paused", len(w.p.got))
	}
	if _, err := w.Resume(ctx, id); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Step(ctx); err != nil || len(w.p.got) != 10 {
		t.Errorf("resumed: %d recipients, %v", len(w.p.got), err)
	}
	w.now = w.now.Add(broadcast.MaxAge)
	w.run(t)
	if b, err := w.Get(ctx, id); err != nil || b.Phase != broadcast.Stopped || b.Reason == "" || len(w.p.got) != 10 {
		t.Errorf("too old: %s %q, %d recipients, %v", b.Phase, b.Reason, len(w.p.got), err)
	}
	if _, err := w.Resume(ctx, id); !fault.Is(err, fault.Conflict) {
		t.Errorf("resumed after its end: %v", err)
	}
}

// Two broadcasts take turns.
func TestStep_BroadcastsTakeTurns(t *testing.T) {
	w := newFixture(false)
	a, b := launch(t, w, "diary:1"), launch(t, w, "diary:2")
	for range 2 {
		if _, _, err := w.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{a.ID, b.ID} {
		n := 0
		for m, err := range w.Members(ctx, id) {
			if err != nil {
				t.Fatal(err)
			}
			if m.State == broadcast.Accepted {
				n++
			}
		}
		if n != 10 {
			t.Errorf("%d recipients", n)
		}
	}
}

// A preview writes nothing, and a launch fails if its hash is outdated.
func TestPreview(t *testing.T) {
	w := newFixture(false)
	w.fail = func(op memkv.Op) error { t.Errorf("%s", op.Kind); return nil }
	p, err := w.Preview(ctx, message("blast:1"))
	w.fail = nil
	if err != nil || p.Recipients != 25 {
		t.Fatalf("%+v, %v", p, err)
	}
	w.Audience = audienceSize(26)
	if _, err := w.Launch(ctx, message("blast:1"), p.Hash); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed audience: %v", err)
	}
	w.Audience = audienceSize(25)
	if _, err := w.Launch(ctx, message("blast:1"), p.Hash); err != nil {
		t.Error(err)
	}
}

// An event resolves an Ambiguous member.
func TestNote_ResolvesAmbiguousMember(t *testing.T) {
	w := newFixture(true)
	launch(t, w, "diary:1")
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "tell" {
			w.fail = nil
			return errCut
		}
		return nil
	}
	w.run(t)
	if s := w.states(t, "diary:1"); s[broadcast.Ambiguous] != 10 {
		t.Fatalf("%v", s)
	}
	key := "b_" + broadcast.ID("diary:1") + "_0_"
	for i, kind := range []notify.EventKind{notify.Delivered, notify.Delayed} {
		if who, ok, err := w.Note(ctx, notify.Event{ID: string(kind), Key: key + strconv.Itoa(i), Kind: kind}); err != nil ||
			!ok || who.Campaign != "film" {
			t.Errorf("%+v %t %v", who, ok, err)
		}
		if s := w.states(t, "diary:1"); s[broadcast.Ambiguous] != 9-i {
			t.Errorf("%s: %v", kind, s)
		}
	}
	if _, ok, err := w.Note(ctx, notify.Event{ID: "e2", Key: "b_x_0_-1", Kind: notify.Delivered}); ok || err != nil {
		t.Errorf("unknown key: %t %v", ok, err)
	}
}

// Mails that may have been accepted are retried as one request under the same key, even if an event
// confirms one of them and the provider then asks for a retry. Under new keys, they would be
// duplicates.
func TestStep_UnresolvedUnitStaysTogether(t *testing.T) {
	w := newFixture(false)
	launch(t, w, "diary:1")
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "tell" {
			w.fail = nil
			return errCut
		}
		return nil
	}
	if _, _, err := w.Step(ctx); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if _, ok, err := w.Note(ctx,
		notify.Event{ID: "e1", Key: "b_" + broadcast.ID("diary:1") + "_0_3", Kind: notify.Delivered}); err != nil || !ok {
		t.Fatalf("%t %v", ok, err)
	}
	w.now = w.now.Add(time.Hour)
	w.p.busy = 3
	w.run(t)
	for who, n := range w.p.got {
		if n != 1 {
			t.Errorf("%s got %d mails", who, n)
		}
	}
	if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 25 {
		t.Errorf("%v", s)
	}
}

func launch(t *testing.T, w *fixture, identity string) broadcast.Broadcast {
	t.Helper()
	b, err := w.Launch(ctx, message(identity), "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}
