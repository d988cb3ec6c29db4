package notify_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
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

// A drain that begins in the middle goes on from the beginning, once.
func TestDrainGoesAround(t *testing.T) {
	p := full(t, 5, notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
	if d := p.drain(t, 2); d != (notify.Drained{Retrying: 2}) {
		t.Errorf("the first two: %+v", d)
	}
	if d := p.drain(t, 10); d != (notify.Drained{Retrying: 3, Waiting: 5}) {
		t.Errorf("the rest, and all of them again: %+v", d)
	}
	if d := p.drain(t, 10); d != (notify.Drained{Waiting: 5}) {
		t.Errorf("all of them: %+v", d)
	}
}

// A Store that no longer knows where the last drain stopped begins anew; one that
// refuses the beginning has failed.
func TestLostCursor(t *testing.T) {
	p := full(t, 5, notify.Receipt{Outcome: notify.Accepted})
	p.drain(t, 2)
	refusals := 1
	p.fail = func(op memkv.Op) error {
		if op.Kind != memkv.OpList || refusals == 0 {
			return nil
		}
		refusals--
		return fault.New(fault.Invalid, "no such cursor")
	}
	if d := p.drain(t, 10); d.Sent != 3 {
		t.Errorf("with a lost cursor: %+v", d)
	}
	refusals = 2
	if d, err := p.Drain(ctx, 10); !fault.Is(err, fault.Invalid) {
		t.Errorf("without one: %+v, %v", d, err)
	}
}

// Where nothing is due nothing is written.
func TestIdleDrainWritesNothing(t *testing.T) {
	p := full(t, 3, notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
	p.drain(t, 10)
	p.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete {
			t.Errorf("%s %s", op.Kind, op.Key)
		}
		return nil
	}
	if d := p.drain(t, 10); d != (notify.Drained{Waiting: 3}) {
		t.Errorf("drained %+v", d)
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
