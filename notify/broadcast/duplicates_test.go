package broadcast_test

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
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// delivery delivers a delayed command.
type delivery func() (kv.Reply, error)

// delayingCoordinator is a Coordinator behind a simulated network, which can intercept commands.
type delayingCoordinator struct {
	kv.Coordinator
	via func(cmd kv.Envelope, deliver delivery) (kv.Reply, error)
}

func (w delayingCoordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	return w.via(cmd, func() (kv.Reply, error) { return w.Coordinator.Do(ctx, to, cmd) })
}

// delayCommand delays the first command of a kind as if it were lost, and returns a function
// that delivers it later.
func (w *fixture) delayCommand(kind string) delivery {
	var held delivery
	w.Coordinator = delayingCoordinator{w.Coordinator, func(cmd kv.Envelope, deliver delivery) (kv.Reply, error) {
		if held == nil && cmd.Kind == kind {
			held = deliver
			return kv.Reply{}, errCut
		}
		return deliver()
	}}
	return func() (kv.Reply, error) { return held() }
}

// beforeCommand runs a function once, just before the next command of a kind takes effect.
func (w *fixture) beforeCommand(kind string, then func()) {
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == kind && !op.After {
			w.fail = nil
			then()
		}
		return nil
	}
}

// expectOneMailEach checks that the given number of recipients got exactly one mail each.
func (w *fixture) expectOneMailEach(t *testing.T, people int) {
	t.Helper()
	want := map[string]int{}
	for i := range people {
		want[fmt.Sprintf("p%d@example.org", i)] = 1
	}
	if diff := cmp.Diff(want, w.p.got); diff != "" {
		t.Errorf("mails by recipient (-want +got):\n%s", diff)
	}
}

// A command that arrives twice, immediately or after the broadcast is done, sends no mails and
// changes no states.
func TestCommands_Duplicates(t *testing.T) {
	w := newFixture(true)
	var sent []delivery
	w.Coordinator = delayingCoordinator{w.Coordinator, func(cmd kv.Envelope, deliver delivery) (kv.Reply, error) {
		if cmd.ID != "" {
			sent = append(sent, deliver)
			if _, err := deliver(); err != nil {
				return kv.Reply{}, err
			}
		}
		return deliver()
	}}
	launch(t, w, "diary:1")
	w.run(t)
	over := w.db.Snapshot()
	for _, again := range sent {
		if _, err := again(); err != nil {
			t.Fatal(err)
		}
	}
	w.run(t)
	if diff := cmp.Diff(over, w.db.Snapshot()); diff != "" {
		t.Errorf("the database (-before +after):\n%s", diff)
	}
	w.expectOneMailEach(t, 25)
}

// Of two concurrent launches, one succeeds, and the other returns the same broadcast or a Conflict.
// The audience that was frozen first is kept, and its members get one mail each.
func TestLaunch_Concurrent(t *testing.T) {
	for _, tt := range []struct {
		at   string
		lost bool
	}{{"draft", false}, {"enlist", true}, {"add", true}, {"seal", true}} {
		t.Run(tt.at, func(t *testing.T) {
			w := newFixture(true)
			var sent memkv.Snapshot
			w.beforeCommand(tt.at, func() {
				w.Audience = audienceSize(13)
				launch(t, w, "diary:1")
				w.run(t)
				sent = w.db.Snapshot()
			})
			b, err := w.Launch(ctx, message("diary:1"), "")
			if tt.lost && !fault.Is(err, fault.Conflict) ||
				!tt.lost && (err != nil || b.Phase != broadcast.Done || b.Recipients != 13) {
				t.Errorf("second launch: %s for %d, %v", b.Phase, b.Recipients, err)
			}
			w.run(t)
			if diff := cmp.Diff(sent, w.db.Snapshot()); diff != "" {
				t.Errorf("the database (-before +after):\n%s", diff)
			}
			w.expectOneMailEach(t, 13)
		})
	}
}

// If a delayed command of an abandoned launch arrives while the next launch freezes a smaller
// audience, only the members of the second launch get the mail.
func TestLaunch_DelayedCommandOfEarlierLaunch(t *testing.T) {
	for _, tt := range []struct{ held, at string }{{"add", "add"}, {"add", "seal"}, {"seal", "add"}, {"seal", "seal"}} {
		t.Run(tt.held+" before "+tt.at, func(t *testing.T) {
			w := newFixture(true)
			late := w.delayCommand(tt.held)
			if _, err := w.Launch(ctx, message("diary:1"), ""); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			w.beforeCommand(tt.at, func() {
				if r, err := late(); err != nil || r.Refused == nil {
					t.Errorf("delayed command: %v", err)
				}
			})
			w.Audience = audienceSize(13)
			launch(t, w, "diary:1")
			w.run(t)
			if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 13 {
				t.Errorf("the states are %v", s)
			}
			w.expectOneMailEach(t, 13)
		})
	}
}

// A member who left the audience between an interrupted launch and the next one gets no mail,
// and their address is not stored.
func TestLaunch_AudienceShrinks(t *testing.T) {
	for _, tt := range []struct {
		single        bool // one request per mail
		before, after int
	}{{false, 25, 13}, {false, 25, 20}, {false, 25, 0}, {true, 150, 5}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			w := newFixture(true)
			if tt.single {
				w.Sender = singleMailProvider{w.p}
			}
			w.Audience = audienceSize(tt.before)
			w.delayCommand("seal")
			if _, err := w.Launch(ctx, message("diary:1"), ""); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			w.Audience = audienceSize(tt.after)
			launch(t, w, "diary:1")
			if all := fmt.Sprintf("%s", w.db.Snapshot().Objects); strings.Count(all, `"email":`) != tt.after {
				t.Errorf("%d addresses are stored", strings.Count(all, `"email":`))
			}
			w.run(t)
			w.expectOneMailEach(t, tt.after)
		})
	}
}

// singleMailProvider is a provider without batches.
type singleMailProvider struct{ notify.Sender }

// A broadcast that is paused just before a request sends nothing.
func TestStep_PausedJustBeforeRequest(t *testing.T) {
	w := newFixture(false)
	b := launch(t, w, "diary:1")
	w.beforeCommand("attempt", func() {
		if _, err := w.Pause(ctx, b.ID, "a typo"); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := w.Step(ctx); err != nil || len(w.p.got) > 0 {
		t.Errorf("%d recipients, %v", len(w.p.got), err)
	}
	if _, err := w.Resume(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	w.expectOneMailEach(t, 25)
}

// One of two workers is suspended between checking the suppressions and sending. Meanwhile the
// other has made the attempt and a member has unsubscribed: the first worker's check is
// outdated, and it must not send.
func TestStep_OutdatedAttempt(t *testing.T) {
	w := newFixture(false)
	w.Audience, w.p.busy = audienceSize(10), 1
	silenced := suppressedSet{}
	w.Suppressor = silenced
	other := &broadcast.Service{Coordinator: w.Coordinator, Audience: w.Audience, Sender: w.Sender,
		Pace: w.Pace, Suppressor: w.Suppressor,
		Now: w.Now, Nonce: func() string { return "other" }, From: w.From}
	launch(t, w, "diary:1")
	w.beforeCommand("attempt", func() {
		if _, _, err := other.Step(ctx); err != nil {
			t.Error(err)
		}
		silenced["p3@example.org"] = true
		w.now = w.now.Add(2 * time.Hour)
	})
	w.run(t)
	if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 9 || s[broadcast.Suppressed] != 1 ||
		len(w.p.got) != 9 || w.p.got["p3@example.org"] > 0 {
		t.Errorf("%v, %d recipients, %d mails to the unsubscribed member", s, len(w.p.got), w.p.got["p3@example.org"])
	}
}

// If the result of an attempt that was considered crashed arrives during the next attempt, the next
// attempt's result is recorded.
func TestStep_DelayedResultOfEarlierAttempt(t *testing.T) {
	refused := all(notify.Receipt{Outcome: notify.Refused})
	w, p := newScriptedFixture(refused)
	w.Audience = audienceSize(3)
	late := w.delayCommand("tell")
	p.answers = append(p.answers, func(mails []notify.Mail) ([]notify.Receipt, error) {
		if _, err := late(); err != nil {
			t.Error(err)
		}
		return all(notify.Receipt{Outcome: notify.Accepted})(mails)
	})
	w.Sender = struct {
		*scriptedProvider
		rememberer
	}{p, rememberer{}}
	w.launch(t)
	if _, _, err := w.Step(ctx); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	w.run(t)
	if s := w.states(t, "one"); s[broadcast.Accepted] != 3 {
		t.Errorf("%v", s)
	}
}
