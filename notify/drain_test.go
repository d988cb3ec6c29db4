package notify_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// fullOutbox returns an outbox with the given number of mails and a Sender with a fixed reply.
func fullOutbox(t *testing.T, mails int, reply notify.Receipt) *fixture {
	t.Helper()
	p := newFixture()
	for i := range mails {
		p.queue(t, fmt.Sprintf("confirmation:%d", i))
	}
	p.reply = func(notify.Mail) (notify.Receipt, error) { return reply, nil }
	return p
}

// The limit of a drain applies to attempts, regardless of their outcome.
func TestDrain_LimitCountsAttempts(t *testing.T) {
	for _, outcome := range []notify.Outcome{notify.Accepted, notify.RetryLater, notify.Refused, ""} {
		p := fullOutbox(t, 5, notify.Receipt{Outcome: outcome})
		if d := p.drain(t, 2); d.Sent+d.Retrying+d.Failed != 2 || len(p.sent) != 2 {
			t.Errorf("%q: %+v, %d attempts", outcome, d, len(p.sent))
		}
	}
}

// A drain reads only mails that are due, even if many others are queued.
func TestDrain_ReadsOnlyDueMails(t *testing.T) {
	p := fullOutbox(t, 50, notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
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
		t.Errorf("before they are due: %+v", d)
	}
	p.fail, p.now = nil, p.now.Add(time.Millisecond)
	if d := p.drain(t, 100); d != (notify.Drained{Retrying: 50}) {
		t.Errorf("when due: %+v", d)
	}
}

func TestWaiting(t *testing.T) {
	p := fullOutbox(t, 5, notify.Receipt{Outcome: notify.Accepted})
	p.drain(t, 2)
	if n, err := p.Waiting(ctx); n != 3 || err != nil {
		t.Errorf("%d mails waiting, %v", n, err)
	}
	p.fail = func(memkv.Op) error { return errCrash }
	if n, err := p.Waiting(ctx); n != 0 || !errors.Is(err, errCrash) {
		t.Errorf("%d mails waiting, %v", n, err)
	}
}

// Waiting counts mails over several pages of the list.
func TestWaiting_SeveralPages(t *testing.T) {
	p := newFixture()
	var records []kv.Write
	for i := range kv.MaxPage + 5 {
		records = append(records, kv.Put(fmt.Sprintf("email-outbox:v1:%04d", i), []byte("{}")))
	}
	if err := p.Store.Apply(ctx, records); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Waiting(ctx); n != len(records) || err != nil {
		t.Errorf("%d of %d mails waiting, %v", n, len(records), err)
	}
}

// Invalid markers in the queue are removed and do not delay mails.
func TestDrain_InvalidMarkers(t *testing.T) {
	const due = "2026-03-01T12:00:00.000Z"
	for _, rest := range []string{"", "x", due[1:], due, "someday, when there is time for it:0000"} {
		p := newFixture()
		p.queue(t, "1")
		marker := "email-queue:v1:1:" + rest
		if err := p.Store.Apply(ctx, []kv.Write{kv.Put(marker, []byte("{}"))}); err != nil {
			t.Fatal(err)
		}
		p.now = start.Add(time.Hour)
		if d := p.drain(t, 10); d != (notify.Drained{Sent: 1}) || p.has(t, marker) {
			t.Errorf("%s: %+v, marker exists: %t", marker, d, p.has(t, marker))
		}
	}
}

// A reminder whose attempt was interrupted is retried only while the provider remembers its key,
// counted from the start of the attempt.
func TestDrain_InterruptedReminderRetriedWhileKeyKnown(t *testing.T) {
	for after, want := range map[time.Duration]notify.Drained{23 * time.Hour: {Sent: 1},
		23*time.Hour + time.Second: {Unclear: 1}} {
		p := newFixture()
		p.Sender = rememberer{p}
		p.queueKind(t, notify.AbandonedCart, "1")
		p.reply = func(notify.Mail) (notify.Receipt, error) {
			p.fail = func(memkv.Op) error { return errCrash }
			return notify.Receipt{Outcome: notify.Accepted}, nil
		}
		if _, err := p.Drain(ctx, 1); !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		p.fail, p.reply, p.now = nil, nil, start.Add(after)
		if d := p.drain(t, 1); d != want {
			t.Errorf("after %s: %+v", after, d)
		}
	}
}

// A mail that expires while the result of its attempt is unknown is not sent again, and its
// delivery record marks it as possibly sent.
func TestDrain_InterruptedMailExpires(t *testing.T) {
	p := newFixture()
	m := message("1")
	m.NotAfter = start.Add(time.Minute)
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		p.fail = func(memkv.Op) error { return errCrash }
		return notify.Receipt{Outcome: notify.Accepted}, nil
	}
	if _, err := p.Drain(ctx, 1); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	p.fail, p.reply = nil, nil
	for _, step := range []struct {
		after time.Duration
		want  notify.Drained
	}{{5 * time.Minute, notify.Drained{Waiting: 1}}, {10 * time.Minute, notify.Drained{Expired: 1}}} {
		p.now = start.Add(step.after)
		if d := p.drain(t, 1); d != step.want {
			t.Errorf("after %s: %+v", step.after, d)
		}
	}
	if d := p.delivery(t, "1"); d.Status != notify.Expired || !d.PossiblySent || len(p.sent) != 1 {
		t.Errorf("%d attempts, %+v", len(p.sent), d)
	}
}
