package notify_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

var errCrash = errors.New("cut off")

// Cutting the way of a mail at every read and write, before and after it takes
// effect, never loses the mail: repeated, it ends as delivered, every attempt
// went out under one key with one payload, and only an attempt whose end was
// not written is repeated.
func TestMailSurvivesEveryCrash(t *testing.T) {
	for cut := 0; ; cut++ {
		p := newPost()
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
			t.Fatalf("cut at %d: %d attempts, or it still waits", cut, len(p.sent))
		}
		for _, m := range p.sent {
			if m != p.sent[0] {
				t.Fatalf("cut at %d: another payload", cut)
			}
		}
		if !crashed {
			if cut < 10 {
				t.Fatalf("only %d places to cut", cut)
			}
			return
		}
	}
}

// Between a send and its note the mail counts as possibly sent: nobody sends it
// while the attempt may still run, and the trace tells of it.
func TestCrashAfterSending(t *testing.T) {
	p := newPost()
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
		t.Errorf("while the attempt may run: %+v", d)
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
