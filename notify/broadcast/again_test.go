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

type delivery func() (kv.Reply, error)

// wire is a Coordinator behind a network, which decides what becomes of a command.
type wire struct {
	kv.Coordinator
	via func(cmd kv.Envelope, deliver delivery) (kv.Reply, error)
}

func (w wire) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	return w.via(cmd, func() (kv.Reply, error) { return w.Coordinator.Do(ctx, to, cmd) })
}

// hold keeps the first command of a kind on its way, as if it were lost, and returns what
// delivers it after all.
func (w *world) hold(kind string) delivery {
	var held delivery
	w.Coordinator = wire{w.Coordinator, func(cmd kv.Envelope, deliver delivery) (kv.Reply, error) {
		if held == nil && cmd.Kind == kind {
			held = deliver
			return kv.Reply{}, errCut
		}
		return deliver()
	}}
	return func() (kv.Reply, error) { return held() }
}

// before runs once, right before the next command of a kind takes effect.
func (w *world) before(kind string, then func()) {
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == kind && !op.After {
			w.fail = nil
			then()
		}
		return nil
	}
}

// once tells whether so many people got one mail each.
func (w *world) once(t *testing.T, people int) {
	t.Helper()
	want := map[string]int{}
	for i := range people {
		want[fmt.Sprintf("p%d@example.org", i)] = 1
	}
	if diff := cmp.Diff(want, w.p.got); diff != "" {
		t.Errorf("who got how many (-want +got):\n%s", diff)
	}
}

// A command that arrives twice, at once or when all is over, mails nobody again and changes
// nothing of what is said of them.
func TestCommandsThatArriveAgain(t *testing.T) {
	w := newWorld(true)
	var sent []delivery
	w.Coordinator = wire{w.Coordinator, func(cmd kv.Envelope, deliver delivery) (kv.Reply, error) {
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
		t.Errorf("what is there (-before +after):\n%s", diff)
	}
	w.once(t, 25)
}

// Of two who launch at once one does, whose broadcast the other is given or told of. The
// frozen audience stays, and gets one mail each.
func TestLaunchedByTwoAtOnce(t *testing.T) {
	for _, tt := range []struct {
		at   string
		lost bool
	}{{"draft", false}, {"enlist", true}, {"add", true}, {"seal", true}} {
		t.Run(tt.at, func(t *testing.T) {
			w := newWorld(true)
			var sent memkv.Snapshot
			w.before(tt.at, func() {
				w.Audience = people(13)
				launch(t, w, "diary:1")
				w.run(t)
				sent = w.db.Snapshot()
			})
			b, err := w.Launch(ctx, message("diary:1"), "")
			if tt.lost && !fault.Is(err, fault.Conflict) || !tt.lost && (err != nil || b.Phase != broadcast.Done || b.Recipients != 13) {
				t.Errorf("the one who was later has %s for %d, %v", b.Phase, b.Recipients, err)
			}
			w.run(t)
			if diff := cmp.Diff(sent, w.db.Snapshot()); diff != "" {
				t.Errorf("what is there (-before +after):\n%s", diff)
			}
			w.once(t, 13)
		})
	}
}

// What is left of a launch that was given up arrives while the next one freezes an audience
// that is smaller by now: only who is frozen by this one gets the mail.
func TestAnEarlierLaunchArrivesLate(t *testing.T) {
	for _, tt := range []struct{ held, at string }{{"add", "add"}, {"add", "seal"}, {"seal", "add"}, {"seal", "seal"}} {
		t.Run(tt.held+" before "+tt.at, func(t *testing.T) {
			w := newWorld(true)
			late := w.hold(tt.held)
			if _, err := w.Launch(ctx, message("diary:1"), ""); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			w.before(tt.at, func() {
				if r, err := late(); err != nil || r.Refused == nil {
					t.Errorf("the late command is not refused: %v", err)
				}
			})
			w.Audience = people(13)
			launch(t, w, "diary:1")
			w.run(t)
			if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 13 {
				t.Errorf("the states are %v", s)
			}
			w.once(t, 13)
		})
	}
}

// Who has left the audience between a launch that was cut off and the one after gets no
// mail, and their address is nowhere.
func TestAudienceShrinksBetweenLaunches(t *testing.T) {
	for _, tt := range []struct {
		single        bool // each mail has a request of its own
		before, after int
	}{{false, 25, 13}, {false, 25, 20}, {false, 25, 0}, {true, 150, 5}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			w := newWorld(true)
			if tt.single {
				w.Sender = single{w.p}
			}
			w.Audience = people(tt.before)
			w.hold("seal")
			if _, err := w.Launch(ctx, message("diary:1"), ""); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			w.Audience = people(tt.after)
			launch(t, w, "diary:1")
			if all := fmt.Sprintf("%s", w.db.Snapshot().Objects); strings.Count(all, `"email":`) != tt.after {
				t.Errorf("%d addresses are there", strings.Count(all, `"email":`))
			}
			w.run(t)
			w.once(t, tt.after)
		})
	}
}

// single is a provider that takes one mail with a request.
type single struct{ notify.Sender }

// A broadcast that is paused while a request is about to leave sends none.
func TestPausedRightBeforeARequest(t *testing.T) {
	w := newWorld(false)
	b := launch(t, w, "diary:1")
	w.before("attempt", func() {
		if _, err := w.Pause(ctx, b.ID, "a typo"); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := w.Step(ctx); err != nil || len(w.p.got) > 0 {
		t.Errorf("%d got it, %v", len(w.p.got), err)
	}
	if _, err := w.Resume(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	w.once(t, 25)
}

// One of two workers sleeps between asking who wants no mail and sending. The other has
// made that attempt meanwhile, and somebody has unsubscribed since: what the first knows is
// too old to be sent.
func TestAnAttemptThatAnotherHasMade(t *testing.T) {
	w := newWorld(false)
	w.Audience, w.p.busy = people(10), 1
	silenced := quiet{}
	w.Suppressor = silenced
	other := &broadcast.Service{Coordinator: w.Coordinator, Audience: w.Audience, Sender: w.Sender, Pace: w.Pace, Suppressor: w.Suppressor,
		Now: w.Now, Nonce: func() string { return "other" }, From: w.From}
	launch(t, w, "diary:1")
	w.before("attempt", func() {
		if _, _, err := other.Step(ctx); err != nil {
			t.Error(err)
		}
		silenced["p3@example.org"] = true
		w.now = w.now.Add(2 * time.Hour)
	})
	w.run(t)
	if s := w.states(t, "diary:1"); s[broadcast.Accepted] != 9 || s[broadcast.Suppressed] != 1 || len(w.p.got) != 9 || w.p.got["p3@example.org"] > 0 {
		t.Errorf("%v, %d got it, %d of them who wants none", s, len(w.p.got), w.p.got["p3@example.org"])
	}
}

// What an attempt came to that was taken for crashed arrives while the next one is under
// way: the next one's answer counts.
func TestAnEarlierAnswerArrivesLate(t *testing.T) {
	refused := all(notify.Receipt{Outcome: notify.Refused})
	w, p := telling(refused)
	w.Audience = people(3)
	late := w.hold("tell")
	p.answers = append(p.answers, func(mails []notify.Mail) ([]notify.Receipt, error) {
		if _, err := late(); err != nil {
			t.Error(err)
		}
		return all(notify.Receipt{Outcome: notify.Accepted})(mails)
	})
	w.Sender = struct {
		*told
		memory
	}{p, memory{}}
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
