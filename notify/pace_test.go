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
