package compose_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// machine is a server whose clock can be wrong, with a processor whose time is right.
type machine struct {
	*memory.Host
	psp.Processor
	s      *compose.Services
	off    time.Duration // of the machine's clock
	silent bool          // the processor does not answer
	asks   int
	log    bytes.Buffer
}

// newMachine returns a server that shares a host's storage under its own node name.
func newMachine(t *testing.T, h *memory.Host, node string) *machine {
	t.Helper()
	m := &machine{Host: h, Processor: h.Services.Deps.Processor}
	d := h.Services.Deps
	d.Log = slog.New(slog.NewTextHandler(&m.log, nil))
	d.Processor, d.Now, d.Node, d.Incarnation = m, m.Now, node, node+"1"
	d.Clock = compose.NewClock(m.Now, d.Log)
	var err error
	if m.s, err = compose.New(d); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) Now() time.Time { return m.Host.Now().Add(m.off) }

func (m *machine) Account(context.Context) (psp.Account, error) {
	m.asks++
	if m.silent {
		return psp.Account{}, fault.New(fault.Unavailable, "The processor does not answer")
	}
	return psp.Account{ID: "acct_simulated", At: m.Host.Now()}, nil
}

// ran records an hourly run that ended the given time ago by the right clock.
func (m *machine) ran(t *testing.T, ago time.Duration) {
	t.Helper()
	if err := kv.Save(t.Context(), m.DB.Store("PLEDGES"), "cron:lastRun", m.Host.Now().Add(-ago).UTC()); err != nil {
		t.Fatal(err)
	}
}

// wantClock checks the clock and expects an error message with the given prefix, or no error if
// want is "".
func (m *machine) wantClock(t *testing.T, name, want string) {
	t.Helper()
	err := m.s.Clock.Check(t.Context())
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v, want no error", name, err)
	case want == "":
	case !errors.Is(err, compose.ErrClock) || !fault.Is(err, fault.Unavailable) ||
		!strings.HasPrefix(fault.Of(err).Message, want):
		t.Errorf("%s: %v, want %q", name, err, want)
	}
	if m.s.Clock.IsRight() != (want == "") {
		t.Errorf("%s: IsRight is %t", name, m.s.Clock.IsRight())
	}
}

func TestClock_ProcessorAnswers(t *testing.T) {
	h := newHost(t, memory.Options{})
	for _, tt := range []struct {
		off  time.Duration
		want string
	}{
		{0, ""},
		{15 * time.Minute, ""},
		{-15 * time.Minute, ""},
		{15*time.Minute + time.Second, "This server's clock is 15 minutes ahead of the payment processor's."},
		{-15*time.Minute - time.Second, "This server's clock is 15 minutes behind the payment processor's."},
		{90 * time.Minute, "This server's clock is 90 minutes ahead"},
		{2 * time.Hour, "This server's clock is 2 hours ahead"},
		{47 * time.Hour, "This server's clock is 47 hours ahead"},
		{-48 * time.Hour, "This server's clock is 2 days behind"},
		{40 * 24 * time.Hour,
			"This server's clock is 40 days ahead of the payment processor's. Changes are rejected until the clock is corrected"},
	} {
		m := newMachine(t, h, "here")
		m.off = tt.off
		m.wantClock(t, tt.off.String(), tt.want)
	}
}

func TestClock_ProcessorSilent(t *testing.T) {
	for _, tt := range []struct {
		name  string
		off   time.Duration
		known bool
		ago   time.Duration // of the last hourly run
		want  string
	}{
		{"new database", 40 * 24 * time.Hour, false, 0, ""},
		{"ran lately", 0, true, time.Hour, ""},
		{"ran a day ago", 0, true, 24 * time.Hour, ""},
		{"ran more than a day ago", 0, true, 24*time.Hour + time.Second,
			"This server's clock is 24 hours ahead of the last hourly run, and the payment processor does not answer."},
		{"clock ahead", 40 * 24 * time.Hour, true, time.Hour, "This server's clock is 40 days ahead of the last hourly run"},
		{"clock behind", -40 * 24 * time.Hour, true, time.Hour, "This server's clock is 40 days behind the last hourly run"},
		{"clock a little behind", -75 * time.Minute, true, time.Hour, ""},
		{"clock too far behind", -75*time.Minute - time.Second, true, time.Hour,
			"This server's clock is 15 minutes behind the last hourly run"},
	} {
		m := newMachine(t, newHost(t, memory.Options{}), "here")
		m.off, m.silent = tt.off, true
		if tt.known {
			m.ran(t, tt.ago)
		}
		m.wantClock(t, tt.name, tt.want)
	}
}

// No hourly run has completed, and the database was first used with the processor some time ago.
func TestClock_ProcessorSilentBeforeFirstRun(t *testing.T) {
	m := newMachine(t, newHost(t, memory.Options{}), "here")
	if _, err := m.s.Settlement.Bind(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.off, m.silent = 9*24*time.Hour, true
	m.wantClock(t, "ahead", "This server's clock is 9 days ahead of the last hourly run")
}

// A clock that differed from the processor's counts as wrong for an hour after the processor stops
// answering, unless the clock is set.
func TestClock_StaysWrongWhileProcessorSilent(t *testing.T) {
	h := newHost(t, memory.Options{})
	m := newMachine(t, h, "here")
	m.ran(t, 0)
	const wrong = "This server's clock is 6 hours ahead of the payment processor's."
	m.off = 6 * time.Hour
	m.wantClock(t, "at first", wrong)
	m.silent = true
	for range 59 {
		h.Advance(time.Minute)
		m.wantClock(t, "within an hour", wrong)
	}
	h.Advance(time.Minute)
	m.wantClock(t, "after an hour", "")

	m.silent = false
	h.Advance(time.Hour)
	m.wantClock(t, "with an answer", wrong)
	m.silent, m.off = true, 0
	m.wantClock(t, "when it is set", "")
}

func TestClock_StorageSilentToo(t *testing.T) {
	var down error
	h := newHost(t, memory.Options{Fail: func(memkv.Op) error { return down }})
	m := newMachine(t, h, "here")
	m.silent, down = true, fault.New(fault.Unavailable, "the database took too long")
	m.wantClock(t, "without storage", "This server's clock cannot be checked: the database took too long")
}

// The clock is compared with the processor's rarely, and immediately after it was set.
func TestClock_CheckInterval(t *testing.T) {
	h := newHost(t, memory.Options{})
	m := newMachine(t, h, "here")
	for _, step := range []struct {
		name  string
		after time.Duration
		set   time.Duration // by how much the clock is set
		want  string
		asks  int
	}{
		{"first", 0, 0, "", 1},
		{"soon after", 5*time.Minute - 1, 0, "", 1},
		{"five minutes later", 1, 0, "", 2},
		{"a little forward", 0, time.Minute, "", 2},
		{"far forward", 0, time.Hour, "This server's clock is 61 minutes ahead", 3},
		{"soon after it was wrong", 14 * time.Second, 0, "This server's clock is 61 minutes ahead", 3},
		{"fifteen seconds later", time.Second, 0, "This server's clock is 61 minutes ahead", 4},
		{"far back", 0, -3 * time.Hour, "This server's clock is 119 minutes behind", 5},
		{"right again", 0, 119 * time.Minute, "", 6},
	} {
		h.Advance(step.after)
		m.off += step.set
		m.wantClock(t, step.name, step.want)
		if m.asks != step.asks {
			t.Errorf("%s: asked %d times, want %d", step.name, m.asks, step.asks)
		}
	}
	for range 24 { // two minutes
		if _, err := m.s.Heartbeat(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.Advance(compose.HeartbeatInterval)
	}
	if m.asks != 7 {
		t.Errorf("heartbeats for two minutes: asked %d times in all, want 7", m.asks)
	}
	log := m.log.String()
	if wrong, right := strings.Count(log, "clock is wrong, refusing all changes"),
		strings.Count(log, "clock is right again"); wrong != 1 || right != 1 {
		t.Errorf("log contains %d wrong and %d right clocks, want one of each:\n%s", wrong, right, log)
	}
}

// A monotonic reading does not change when the clock is set, so the Clock must ignore it.
func TestClock_IgnoresMonotonicReadings(t *testing.T) {
	now := time.Now()
	set := setForward(now, time.Hour)
	if set.Sub(now) != 0 || set.Round(0).Sub(now.Round(0)) != time.Hour {
		t.Skip("the layout of time.Time has changed in this release of Go")
	}
	h := newHost(t, memory.Options{Start: now.Round(0)})
	d := h.Services.Deps
	at := now
	d.Processor, d.Clock = &machine{Host: h, Processor: d.Processor},
		compose.NewClock(func() time.Time { return at }, d.Log)
	if _, err := compose.New(d); err != nil {
		t.Fatal(err)
	}
	if err := d.Clock.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	at = set
	if err := d.Clock.Check(t.Context()); !errors.Is(err, compose.ErrClock) {
		t.Errorf("after the clock was set: %v", err)
	}
}

// setForward returns the result of time.Now right after the clock was set forward. The seconds are
// in bits 30 to 62 of the first field.
func setForward(t time.Time, by time.Duration) time.Time {
	fields := (*struct{ wall uint64 })(unsafe.Pointer(&t))
	fields.wall += uint64(by.Seconds()) << 30
	return t
}

func TestClock_ConcurrentChecksShareOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, memory.Options{})
		d := h.Services.Deps
		slow := &slowProcessor{Processor: d.Processor, at: h.Now()}
		d.Processor, d.Clock = slow, compose.NewClock(h.Now, d.Log)
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := s.Clock.Check(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if slow.asks != 1 {
			t.Errorf("asked %d times, want 1", slow.asks)
		}
	})
}

type slowProcessor struct {
	psp.Processor
	at   time.Time
	asks int
}

func (p *slowProcessor) Account(context.Context) (psp.Account, error) {
	p.asks++
	time.Sleep(time.Second)
	return psp.Account{ID: "acct_simulated", At: p.at}, nil
}

// With a wrong clock, reads still work and every kind of change is rejected.
func TestClock_RefusesChanges(t *testing.T) {
	h := newHost(t, memory.Options{})
	m := newMachine(t, h, "here")
	ctx := t.Context()
	if err := kv.Save(ctx, m.s.Stores.Votes, "k", 1); err != nil {
		t.Fatal(err)
	}
	before := h.DB.Snapshot()
	m.off = time.Hour
	for name, change := range map[string]func() error{
		"pledges": func() error { return kv.Save(ctx, m.s.Stores.Pledges, "k", 2) },
		"votes":   func() error { return kv.Save(ctx, m.s.Stores.Votes, "k", 2) },
		"increment": func() error {
			_, _, err := kv.Increment(ctx, m.s.Stores.Pledges, m.Now(), "n", 9, m.Now().Add(time.Hour))
			return err
		},
		"command": func() error { return m.s.Settlement.Wake(ctx, game) },
		"cron":    func() error { _, err := m.s.Cron(ctx); return err },
		"minute":  func() error { return m.s.Minute(ctx) },
		"mails":   func() error { _, err := m.s.SendMails(ctx, 1); return err },
		"ready":   func() error { return m.s.Ready(ctx) },
	} {
		if err := change(); !errors.Is(err, compose.ErrClock) || !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v, want ErrClock", name, err)
		}
	}
	if leads, err := m.s.Heartbeat(ctx); leads || err != nil {
		t.Errorf("it leads: %t, %v", leads, err)
	}
	if err := m.s.Leave(ctx); err != nil {
		t.Error(err)
	}
	if n, _, err := kv.Read[int](ctx, m.s.Stores.Votes, "k"); n != 1 || err != nil {
		t.Errorf("a read: %d, %v", n, err)
	}
	if _, err := (inventory.Client{Coordinator: m.s.Coordinator}).Snapshot(ctx, game); err != nil {
		t.Errorf("a query: %v", err)
	}
	if diff := cmp.Diff(before, h.DB.Snapshot()); diff != "" {
		t.Errorf("rejected changes had an effect (-before +after):\n%s", diff)
	}
	m.off = 0
	if _, err := m.s.Cron(ctx); err != nil {
		t.Errorf("after the clock was corrected: %v", err)
	}
}

// If the leader's clock becomes wrong, another server becomes the leader. The first one becomes a
// member again when its clock is right.
func TestClock_LeaderWithWrongClockIsReplaced(t *testing.T) {
	h := newHost(t, memory.Options{})
	charges := &budget{wants: pace.Parts{psp.OpCharge: pace.Whole}}
	h.Services.Budget = charges
	a := newMachine(t, h, "a")
	h.Services.Budget = nil
	b := newMachine(t, h, "b")
	leads := func(m *machine) bool {
		t.Helper()
		is, err := m.s.Heartbeat(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	for range 3 {
		if !leads(a) || leads(b) {
			t.Fatal("the first server is not the leader")
		}
	}
	a.off = 40 * 24 * time.Hour
	rounds := 0
	for ; rounds < 10 && !leads(b); rounds++ {
		if leads(a) {
			t.Error("a server with a wrong clock is the leader")
		}
	}
	if rounds > 4 {
		t.Errorf("the other server is not the leader after %d heartbeats", rounds)
	}
	if leads(a); len(charges.has) != 0 {
		t.Errorf("the first server still has shares %v of the processor's limits", charges.has)
	}
	a.off = 0
	h.Advance(time.Minute)
	for range 3 {
		if leads(a) || !leads(b) {
			t.Error("the leader changed when the clock was right again")
		}
	}
	if err := b.s.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !leads(a) {
		t.Error("the first server is not a member again")
	}
}
