package notify_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// Setting the clock back does not lengthen a wait.
func TestPace_ClockSetBack(t *testing.T) {
	now := start.Add(28 * 24 * time.Hour)
	p := &notify.Pace{Now: func() time.Time { return now }, Interval: time.Minute}
	if wait := p.Take(); wait != 0 {
		t.Fatalf("the first request waits %s", wait)
	}
	now = start
	if wait := p.Take(); wait != time.Minute {
		t.Errorf("a request waits %s after the clock was set back, want a minute", wait)
	}
	now = start.Add(time.Hour)
	p.Adjust(notify.Receipt{Account: true, RetryAfter: 10 * time.Minute})
	now = start
	if wait := p.Take(); wait != 10*time.Minute {
		t.Errorf("a request waits %s after the provider asked for 10 minutes", wait)
	}
}

// The rate that the provider states is kept, and divided among the servers.
func TestPace_StatedRate(t *testing.T) {
	for name, c := range map[string]struct {
		limit, servers int
		window         time.Duration
		least, most    int // requests in ten windows
	}{
		"five a second":      {5, 1, time.Second, 40, 50},
		"many a second":      {500, 1, time.Second, 4900, 5000},
		"three servers":      {500, 3, time.Second, 1620, 1667},
		"fewer than servers": {2, 5, time.Second, 10, 11}, // each at least one
		"per minute":         {100, 1, time.Minute, 980, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			now := start
			p := &notify.Pace{Now: func() time.Time { return now }, Servers: func() int { return c.servers }}
			p.Adjust(notify.Receipt{Outcome: notify.Accepted, Quota: &notify.Quota{Limit: c.limit, Left: 1, Reset: c.window}})
			sent := 0
			for now.Before(start.Add(10 * c.window)) {
				if wait := p.Take(); wait > 0 {
					now = now.Add(wait)
				} else {
					sent++
				}
			}
			if sent < c.least || sent > c.most {
				t.Errorf("%d requests, want %d to %d", sent, c.least, c.most)
			}
		})
	}
}

// A quota for a day delays no request before it is used up.
func TestPace_DayQuota(t *testing.T) {
	now := start
	p := &notify.Pace{Now: func() time.Time { return now }}
	p.Adjust(notify.Receipt{Outcome: notify.Accepted, Quota: &notify.Quota{Limit: 100, Left: 99, Reset: 20 * time.Hour}})
	for i := range 99 {
		if wait := p.Take(); wait != 0 {
			t.Fatalf("request %d waits %s", i, wait)
		}
	}
	p.Adjust(notify.Receipt{Outcome: notify.Accepted, Quota: &notify.Quota{Limit: 100, Reset: 20 * time.Hour}})
	if wait := p.Take(); wait != 20*time.Hour {
		t.Errorf("after the last one a request waits %s", wait)
	}
}

func TestPace_Reserve(t *testing.T) {
	now := start
	p := &notify.Pace{Now: func() time.Time { return now }, Interval: 100 * time.Millisecond}
	for i, want := range []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond} {
		if wait, ok := p.Reserve(200 * time.Millisecond); !ok || wait != want {
			t.Errorf("request %d waits %s, %t, want %s", i, wait, ok, want)
		}
	}
	for range 2 { // nothing changes
		if wait, ok := p.Reserve(200 * time.Millisecond); ok || wait != 300*time.Millisecond {
			t.Errorf("the fourth request waits %s, %t", wait, ok)
		}
	}
	p.Adjust(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Minute, Quota: &notify.Quota{}})
	if wait, ok := p.Reserve(time.Hour); ok || wait != time.Minute || p.Blocked() != time.Minute {
		t.Errorf("after a refusal: %s, %t", wait, ok)
	}
}

// The number of requests at the same time follows the provider's answers.
func TestPace_Width(t *testing.T) {
	now := start
	p := &notify.Pace{Now: func() time.Time { return now }}
	accepted := func(n int) {
		for range n {
			p.Adjust(notify.Receipt{Outcome: notify.Accepted})
		}
	}
	refused := notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Second, Quota: &notify.Quota{}}
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"at first", func() {}, 1},
		{"one more for each accepted request", func() { accepted(15) }, 16},
		{"a mail that must wait", func() { p.Adjust(notify.Receipt{Outcome: notify.RetryLater}) }, 16},
		{"half after a refusal", func() { p.Adjust(refused) }, 8},
		{"once for the requests that were running", func() { p.Adjust(refused) }, 8},
		{"one more for each round", func() { accepted(9) }, 9},
		{"half without an answer", func() { now = now.Add(time.Second); p.Miss() }, 5},
		{"at most", func() { accepted(1_000_000) }, 64},
	} {
		if step.do(); p.Width(64) != step.want {
			t.Errorf("%s: %d, want %d", step.name, p.Width(64), step.want)
		}
	}
}
