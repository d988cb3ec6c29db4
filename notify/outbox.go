package notify

import (
	"context"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Outbox keeps mails until they are delivered. All fields are required. It is
// safe for concurrent use; several may work on one Store.
type Outbox struct {
	Store  kv.Store // the primary namespace
	Sender Sender
	Now    func() time.Time
	From   string // the sender of every mail; control characters are dropped
	// ReplyTo is where answers go, "" where they go to From.
	ReplyTo string

	draining sync.Mutex
}

// Queue makes a mail durable. Once it has returned nil the mail is sent by
// Drain, or its delivery record says why not. Queuing an identity again
// changes nothing, also when its mail is long delivered. It fails with code
// Invalid, and the field's name, when the message could not be sent.
func (o *Outbox) Queue(ctx context.Context, m Message) error {
	writes, err := o.Writes(ctx, m)
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, writes)
}

// Writes returns what Queue would write, for a caller who has more to write at
// the same moment; nothing, when the mail is queued or delivered already.
func (o *Outbox) Writes(ctx context.Context, m Message) ([]kv.Write, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	hash, now := Hash(m.Identity), o.Now().UTC()
	d, traced, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(hash))
	if err != nil || traced && d.Status != Queued {
		return nil, err
	}
	if traced {
		if _, waiting, err := kv.Read[pending](ctx, o.Store, OutboxKey(hash)); err != nil || waiting {
			return nil, err
		}
	}
	mail := Mail{Key: hash, Kind: m.Kind, From: plain(o.From), ReplyTo: plain(o.ReplyTo), To: m.To, Lang: m.Lang, Subject: m.Subject, Text: m.Text,
		HTML: m.HTML, Stream: m.Kind.Stream(), Campaign: m.Campaign, Unsubscribe: m.Unsubscribe}
	return pending{Mail: mail, QueuedAt: now, DueAt: now}.writes()
}

// writes puts the mail before its trace: a trace without a mail would stop a
// repeat from queuing it.
func (p pending) writes() ([]kv.Write, error) {
	mail, err := kv.Record(OutboxKey(p.Mail.Key), p, p.QueuedAt.Add(OutboxLife))
	if err != nil {
		return nil, err
	}
	d, err := p.delivery(Queued)
	if err != nil {
		return nil, err
	}
	trace, err := kv.Record(DeliveryKey(p.Mail.Key), d, d.QueuedAt.Add(DeliveryLife))
	if err != nil {
		return nil, err
	}
	return []kv.Write{mail, trace}, nil
}

// Delivery returns what became of the mail with the identity. It fails with
// code NotFound when none was queued in the last 400 days.
func (o *Outbox) Delivery(ctx context.Context, identity string) (Delivery, error) {
	d, ok, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(Hash(identity)))
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "No such mail")
	}
	return d, err
}
