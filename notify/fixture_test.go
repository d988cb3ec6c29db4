package notify_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fixture is an outbox with a settable clock, a store that can fail and a sender with
// configurable replies.
type fixture struct {
	*notify.Outbox
	now   time.Time
	fail  func(memkv.Op) error
	reply func(notify.Mail) (notify.Receipt, error)
	sent  []notify.Mail // all attempts
}

func newFixture() *fixture {
	p := &fixture{now: start}
	clock := func() time.Time { return p.now }
	db := memkv.New(memkv.Options{Now: clock, Fail: func(op memkv.Op) error {
		if p.fail == nil {
			return nil
		}
		return p.fail(op)
	}})
	p.Outbox = &notify.Outbox{Store: db.Store("PLEDGES"), Sender: p, Now: clock, From: "Pledges <pledges@example.org>"}
	return p
}

func (p *fixture) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	p.sent = append(p.sent, m)
	if p.reply == nil {
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: "provider-1"}, nil
	}
	return p.reply(m)
}

func message(identity string) notify.Message {
	return notify.Message{
		Kind: notify.Confirmation, Identity: identity, To: "ada@example.org",
		Lang: "en", Subject: "Hello", Text: "Dear Ada\n",
	}
}

func (p *fixture) queue(t *testing.T, identity string) {
	t.Helper()
	if err := p.Queue(ctx, message(identity)); err != nil {
		t.Fatal(err)
	}
}

func (p *fixture) drain(t *testing.T, limit int) notify.Drained {
	t.Helper()
	d, err := p.Drain(ctx, limit)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (p *fixture) has(t *testing.T, key string) bool {
	t.Helper()
	_, err := p.Store.Get(ctx, key)
	if err != nil && !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func (p *fixture) delivery(t *testing.T, identity string) notify.Delivery {
	t.Helper()
	d, err := p.Delivery(ctx, identity)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
