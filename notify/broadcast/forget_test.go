package broadcast_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

const month = 30 * 24 * time.Hour

// addresses counts the addresses that are left in a broadcast.
func (w *fixture) addresses(t *testing.T, identity string) (n int) {
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

// forget calls Forget and returns how many commands it used.
func (w *fixture) forget(t *testing.T, commands int) (n int) {
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

// Forget uses at most the given number of commands and continues next time where it ended:
// first in one broadcast with many chunks, then in many broadcasts. Completed broadcasts use
// no more commands.
func TestForget_ContinuesWhereItEnded(t *testing.T) {
	w := newFixture(true)
	w.Sender, w.Audience = singleMailProvider{w.p}, audienceSize(120)
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
		t.Errorf("%d commands used, %d addresses left", took, n)
	}
	w.Audience = audienceSize(2)
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
			t.Errorf("with %d commands: %d used, %d addresses left; want %d and %d", step.commands,
				took, left, step.takes, step.left)
		}
	}
}

// A broadcast that ended less than thirty days ago uses no commands.
func TestForget_NotBefore30Days(t *testing.T) {
	w := newFixture(true)
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
			t.Errorf("%s before 30 days: %d commands, %d addresses left", early, took, n)
		}
	}
}

// The object's clock decides whether thirty days have passed: a caller whose clock is ahead
// removes no address.
func TestForget_CallersClockIsAhead(t *testing.T) {
	w := newFixture(true)
	launch(t, w, "diary:1")
	w.run(t)
	w.Now = func() time.Time { return w.now.Add(month + time.Hour) }
	w.forget(t, 10)
	if n := w.addresses(t, "diary:1"); n != 25 {
		t.Errorf("%d addresses are left", n)
	}
}
