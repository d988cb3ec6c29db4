package broadcast_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

const month = 30 * 24 * time.Hour

// addresses counts those that are left in a broadcast.
func (w *world) addresses(t *testing.T, identity string) (n int) {
	t.Helper()
	for m, err := range w.Members(ctx, broadcast.ID(identity)) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Email != "" {
			n++
		}
	}
	return n
}

// forget returns how many commands to broadcasts it took.
func (w *world) forget(t *testing.T, commands int) (n int) {
	t.Helper()
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "forget" && !op.After {
			n++
		}
		return nil
	}
	defer func() { w.fail = nil }()
	if err := w.Forget(ctx, commands); err != nil {
		t.Fatal(err)
	}
	return n
}

// No more is forgotten at once than there are commands for, and what is left the next time:
// first in a broadcast of many parts, then in many broadcasts. What is forgotten takes no
// command any more.
func TestForgetGoesOnWhereItCameTo(t *testing.T) {
	w := newWorld(true)
	w.Sender, w.Audience = single{w.p}, people(120)
	launch(t, w, "long")
	w.run(t)
	w.now = w.now.Add(month + time.Minute)
	for _, want := range []int{70, 20, 0, 0} {
		w.forget(t, 1)
		if n := w.addresses(t, "long"); n != want {
			t.Errorf("%d addresses are left, want %d", n, want)
		}
	}
	launch(t, w, "long too")
	w.run(t)
	w.now = w.now.Add(month + time.Minute)
	if took, n := w.forget(t, 10), w.addresses(t, "long too"); took != 3 || n != 0 {
		t.Errorf("at once: %d commands are taken, %d addresses are left", took, n)
	}
	w.Audience = people(2)
	for i := range 3 {
		launch(t, w, fmt.Sprint("short:", i))
	}
	w.run(t)
	w.now = w.now.Add(month + time.Minute)
	for _, step := range []struct{ commands, takes, left int }{{0, 0, 6}, {2, 2, 2}, {10, 1, 0}, {10, 0, 0}} {
		took, left := w.forget(t, step.commands), 0
		for i := range 3 {
			left += w.addresses(t, fmt.Sprint("short:", i))
		}
		if took != step.takes || left != step.left {
			t.Errorf("with %d commands: %d are taken, %d addresses are left; want %d and %d", step.commands, took, left, step.takes, step.left)
		}
	}
}

// A broadcast that ended less than thirty days ago takes no command from those whose time
// has come.
func TestForgetLeavesWhatEndedLater(t *testing.T) {
	w := newWorld(true)
	w.now = w.now.Add(500 * time.Millisecond)
	b := launch(t, w, "diary:1")
	w.run(t)
	b, err := w.Get(ctx, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, early := range []time.Duration{month, time.Second, 200 * time.Millisecond} {
		w.now = b.EndedAt.Add(month - early)
		if took, n := w.forget(t, 10), w.addresses(t, "diary:1"); took != 0 || n != 25 {
			t.Errorf("%s before its time: %d commands, %d addresses are left", early, took, n)
		}
	}
}

// Whether it is time is up to the clock that ended the broadcast: a caller whose clock is
// ahead takes no address.
func TestForgetByACallerWhoseClockIsAhead(t *testing.T) {
	w := newWorld(true)
	launch(t, w, "diary:1")
	w.run(t)
	w.Now = func() time.Time { return w.now.Add(month + time.Hour) }
	w.forget(t, 10)
	if n := w.addresses(t, "diary:1"); n != 25 {
		t.Errorf("%d addresses are left", n)
	}
}
