package notify_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// full is an outbox with so many mails that a Sender answers so.
func full(t *testing.T, mails int, reply notify.Receipt) *post {
	t.Helper()
	p := newPost()
	for i := range mails {
		p.queue(t, fmt.Sprintf("confirmation:%d", i))
	}
	p.reply = func(notify.Mail) (notify.Receipt, error) { return reply, nil }
	return p
}

// Whatever becomes of them, a drain tries so many mails and no more.
func TestEveryAttemptCounts(t *testing.T) {
	for _, outcome := range []notify.Outcome{notify.Accepted, notify.RetryLater, notify.Refused, ""} {
		p := full(t, 5, notify.Receipt{Outcome: outcome})
		if d := p.drain(t, 2); d.Sent+d.Retrying+d.Failed != 2 || len(p.sent) != 2 {
			t.Errorf("%q: %+v, %d attempts", outcome, d, len(p.sent))
		}
	}
}

// What is not due is not looked at, however much there is of it.
func TestDrainLooksAtWhatIsDue(t *testing.T) {
	p := full(t, 50, notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
	if d := p.drain(t, 100); d != (notify.Drained{Retrying: 50}) {
		t.Fatalf("all of them: %+v", d)
	}
	p.fail = func(op memkv.Op) error {
		if op.Kind != memkv.OpList {
			t.Errorf("%s %s", op.Kind, op.Key)
		}
		return nil
	}
	p.now = p.now.Add(time.Hour - time.Millisecond)
	if d := p.drain(t, 100); d != (notify.Drained{}) {
		t.Errorf("before their time: %+v", d)
	}
	p.fail, p.now = nil, p.now.Add(time.Millisecond)
	if d := p.drain(t, 100); d != (notify.Drained{Retrying: 50}) {
		t.Errorf("in their time: %+v", d)
	}
}

func TestWaiting(t *testing.T) {
	p := full(t, 5, notify.Receipt{Outcome: notify.Accepted})
	p.drain(t, 2)
	if n, err := p.Waiting(ctx); n != 3 || err != nil {
		t.Errorf("%d mails wait, %v", n, err)
	}
	p.fail = func(memkv.Op) error { return errCrash }
	if n, err := p.Waiting(ctx); n != 0 || !errors.Is(err, errCrash) {
		t.Errorf("%d mails wait, %v", n, err)
	}
}
