package notify_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

var errCrash = errors.New("cut off")

// Delivery is interrupted at each read and write, before and after it takes effect. The mail is
// never lost: after a retry it is delivered, all attempts use one key and one payload, and only an
// attempt whose result was not recorded is repeated.
func TestDrain_CrashAnywhere(t *testing.T) {
	for cut := 0; ; cut++ {
		p := newFixture()
		op := 0
		p.fail = func(memkv.Op) error {
			op++
			if op == cut+1 {
				return errCrash
			}
			return nil
		}
		crashed := false
		try := func(err error) bool {
			crashed = crashed || errors.Is(err, errCrash)
			return err == nil
		}
		if !try(p.Queue(ctx, message("confirmation:1"))) {
			p.queue(t, "confirmation:1")
		}
		if _, err := p.Drain(ctx, 10); !try(err) {
			p.now = p.now.Add(10 * time.Minute)
			p.drain(t, 10)
		}
		p.fail = nil
		if d := p.delivery(t, "confirmation:1"); d.Status != notify.Sent {
			t.Fatalf("cut at %d: %+v", cut, d)
		}
		if p.has(t, notify.OutboxKey(notify.Hash("confirmation:1"))) {
			p.now = p.now.Add(time.Hour)
			p.drain(t, 10)
		}
		if len(p.sent) > 2 || p.has(t, notify.OutboxKey(notify.Hash("confirmation:1"))) {
			t.Fatalf("cut at %d: %d attempts, or the mail is still queued", cut, len(p.sent))
		}
		for _, m := range p.sent {
			if m != p.sent[0] {
				t.Fatalf("cut at %d: another payload", cut)
			}
		}
		if !crashed {
			if cut < 10 {
				t.Fatalf("only %d points of interruption", cut)
			}
			return
		}
	}
}

// Between sending and recording the result, the mail counts as possibly sent. It is not sent
// again while the attempt may still be running.
func TestDrain_CrashAfterSending(t *testing.T) {
	p := newFixture()
	p.queue(t, "confirmation:1")
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		p.fail = func(memkv.Op) error { return errCrash }
		return notify.Receipt{Outcome: notify.Accepted}, nil
	}
	if _, err := p.Drain(ctx, 10); !errors.Is(err, errCrash) {
		t.Fatalf("got %v", err)
	}
	p.fail, p.reply = nil, nil
	p.now = start.Add(10*time.Minute - time.Second)
	if d := p.drain(t, 10); d.Waiting != 1 {
		t.Errorf("during the attempt: %+v", d)
	}
	p.now = start.Add(10 * time.Minute)
	if d := p.drain(t, 10); d.Sent != 1 {
		t.Errorf("after it: %+v", d)
	}
	if p.sent[0] != p.sent[1] {
		t.Error("the second attempt differs from the first")
	}
	if d := p.delivery(t, "confirmation:1"); !d.PossiblySent || d.Attempts != 2 {
		t.Errorf("delivery %+v", d)
	}
}

// unsubscriber is a reader who unsubscribes at some point. passed is true from the check that
// allows a mail until the mail is sent or the process dies.
type unsubscriber struct{ gone, passed bool }

func (*unsubscriber) Address(string) string { return "a reader" }

func (l *unsubscriber) Suppressed(context.Context, notify.Mail) (string, error) {
	if l.passed = !l.gone; l.gone {
		return "asked", nil
	}
	return "", nil
}

// rememberer is a fixture whose provider remembers keys.
type rememberer struct{ *fixture }

func (rememberer) Remembers() time.Duration { return 24 * time.Hour }

// A reader unsubscribes at each read or write of a reminder's delivery, and the delivery is
// interrupted at each of the other reads and writes. After the unsubscribe, a mail is sent only if
// it had already passed the check.
func TestDrain_UnsubscribeAnywhere(t *testing.T) {
	for at, over := 1, false; !over; at++ {
		for cut, crashed := 0, true; crashed; cut++ {
			p, who, op := newFixture(), &unsubscriber{}, 0
			p.Suppressor, p.Sender = who, rememberer{p}
			crashed = cut == 0
			p.fail = func(memkv.Op) error {
				op++
				who.gone = who.gone || op == at
				if op == cut {
					crashed, who.passed = true, false
					return errCrash
				}
				return nil
			}
			p.reply = func(notify.Mail) (notify.Receipt, error) {
				if !who.passed {
					t.Errorf("unsubscribed at %d, cut at %d: attempt %d without a check", at, cut, len(p.sent))
				}
				who.passed = false
				return notify.Receipt{Outcome: notify.Accepted}, nil
			}
			m := message("reminder:1")
			m.Kind = notify.AbandonedCart
			for p.Queue(ctx, m) != nil {
			}
			for range 3 {
				if _, err := p.Drain(ctx, 10); err != nil && !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				p.now = p.now.Add(10 * time.Minute)
			}
			p.fail = nil
			if d := p.delivery(t, "reminder:1"); d.Status == notify.Queued || len(p.sent) == 0 && d.Status == notify.Sent {
				t.Errorf("unsubscribed at %d, cut at %d: %+v", at, cut, d)
			}
			over = over || cut == 0 && !who.gone
		}
	}
}
