package notify_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// crowd is a provider that takes requests at the same time.
type crowd struct {
	mu      sync.Mutex
	running int
	widest  int
	sent    map[string]int
	reply   func(total int) (notify.Receipt, error)
}

func (c *crowd) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	c.mu.Lock()
	c.running++
	c.widest = max(c.widest, c.running)
	c.sent[m.Key]++
	total := len(c.sent)
	c.mu.Unlock()
	time.Sleep(time.Millisecond)
	c.mu.Lock()
	c.running--
	c.mu.Unlock()
	if c.reply != nil {
		return c.reply(total)
	}
	return notify.Receipt{Outcome: notify.Accepted}, nil
}

func newCrowd(t *testing.T, mails int) (*fixture, *crowd) {
	t.Helper()
	p, c := newFixture(), &crowd{sent: map[string]int{}}
	p.Sender, p.Width, p.Pace = c, 8, &notify.Pace{Now: p.Now}
	for i := range mails {
		p.queue(t, fmt.Sprint(i))
	}
	return p, c
}

func TestDrain_Width(t *testing.T) {
	p, c := newCrowd(t, 300)
	if d := p.drain(t, 200); d != (notify.Drained{Sent: 200}) {
		t.Errorf("drained %+v, want 200 sent", d)
	}
	if d := p.drain(t, 200); d != (notify.Drained{Sent: 100}) {
		t.Errorf("then drained %+v, want 100 sent", d)
	}
	if c.widest < 2 || c.widest > 8 {
		t.Errorf("%d requests at the same time, want more than one and at most 8", c.widest)
	}
	for key, n := range c.sent {
		if n != 1 {
			t.Errorf("mail %s was sent %d times", key, n)
		}
	}
}

// A provider that refuses because of the rate gets fewer requests at the same time, and the refused
// mails are due again in its next window.
func TestDrain_WidthAfterRefusal(t *testing.T) {
	p, c := newCrowd(t, 100)
	c.reply = func(total int) (notify.Receipt, error) {
		if total > 40 {
			return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: 2 * time.Second, Quota: &notify.Quota{}}, nil
		}
		return notify.Receipt{Outcome: notify.Accepted}, nil
	}
	before := p.drain(t, 100)
	if before.Sent != 40 || before.Retrying < 1 || before.Retrying > 8 || before.Wait != 2*time.Second {
		t.Fatalf("drained %+v, want 40 sent, at most 8 refused, and a wait of two seconds", before)
	}
	if w := p.Pace.Width(64); w > 21 {
		t.Errorf("%d requests at the same time after 40 accepted ones and a refusal", w)
	}
	p.now, c.reply = p.now.Add(2*time.Second), nil
	if d := p.drain(t, 100); d != (notify.Drained{Sent: 60}) {
		t.Errorf("in the next window: %+v, want the other 60 sent", d)
	}
}

// If the Store fails, mails that are being sent are completed, and no other is begun.
func TestDrain_WidthStoreFails(t *testing.T) {
	p, c := newCrowd(t, 100)
	if d := p.drain(t, 20); d.Sent != 20 {
		t.Fatalf("drained %+v, want 20 sent", d)
	}
	down := errors.New("the disk is full")
	p.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut {
			return down
		}
		return nil
	}
	if _, err := p.Drain(ctx, 100); !errors.Is(err, down) {
		t.Fatalf("Drain returns %v, want %v", err, down)
	}
	if n := len(c.sent); n != 20 {
		t.Errorf("%d mails were sent without a record", n-20)
	}
	p.fail = nil
	if d := p.drain(t, 100); d.Sent != 80 {
		t.Errorf("afterwards: %+v, want 80 sent", d)
	}
}

// Outboxes that share a Store send the mails that are theirs.
func TestDrain_Mine(t *testing.T) {
	p, _ := newCrowd(t, 100)
	var sent [2]*crowd
	for i := range sent {
		sent[i] = &crowd{sent: map[string]int{}}
		o := &notify.Outbox{Store: p.Store, Sender: sent[i], Now: p.Now, Mine: func(key string) bool { return int(key[0])%2 == i }}
		if d, err := o.Drain(ctx, 1000); err != nil || d.Sent == 0 || d.Sent != len(sent[i].sent) {
			t.Errorf("outbox %d drained %+v, %v", i, d, err)
		}
	}
	if n := len(sent[0].sent) + len(sent[1].sent); n != 100 {
		t.Errorf("%d mails were sent, want 100", n)
	}
}

// A drain sleeps through short waits for the Pace, and ends at long ones.
func TestDrain_Sleeps(t *testing.T) {
	p := newFixture()
	p.Pace = &notify.Pace{Now: func() time.Time { return p.now }, Interval: 50 * time.Millisecond}
	var slept time.Duration
	p.Sleep = func(_ context.Context, d time.Duration) error {
		p.now, slept = p.now.Add(d), slept+d
		return nil
	}
	for i := range 20 {
		p.queue(t, fmt.Sprint(i))
	}
	if d := p.drain(t, 100); d != (notify.Drained{Sent: 20}) || slept != 19*50*time.Millisecond {
		t.Errorf("drained %+v in %s, want 20 sent in 950 ms", d, slept)
	}
	p.Pace.Interval, p.now = 3*time.Second, p.now.Add(time.Minute)
	p.queue(t, "20")
	p.queue(t, "21")
	if d := p.drain(t, 100); d != (notify.Drained{Sent: 1, Wait: 3 * time.Second}) {
		t.Errorf("drained %+v, want one sent and a wait of three seconds", d)
	}
	p.Sleep = func(context.Context, time.Duration) error { return context.Canceled }
	p.Pace.Interval, p.now = 100*time.Millisecond, p.now.Add(time.Minute)
	p.queue(t, "22")
	if _, err := p.Drain(ctx, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("Drain returns %v after an interrupted wait", err)
	}
}
