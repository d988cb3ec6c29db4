package notify

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Outbox stores mails until they are delivered. Store, Sender, Now and From are required. It
// is safe for concurrent use, and several Outboxes may share one Store.
type Outbox struct {
	Store  kv.Store // the primary namespace
	Sender Sender
	Now    func() time.Time
	From   string // sender of transactional mails; control characters are dropped
	// ReplyTo is the reply address; "" for From.
	ReplyTo string
	// News is the sender of reminders and updates; "" for From.
	News string
	// Render renders the HTML of a message from its draft, see Message.RenderedFrom. If it is
	// nil, messages are stored with their HTML, and those with a stored draft are not sent.
	Render func(draft json.RawMessage) (html string, err error)
	// Pace limits the request rate; nil for no limit. All users of the same provider account
	// share one Pace.
	Pace *Pace
	// Width is how many mails Drain sends at the same time, as far as the Pace allows; below 2 for
	// one after the other.
	Width int
	// Sleep waits for the given time, or fails when ctx is done. If it is nil, each wait for the Pace
	// ends Drain.
	Sleep func(ctx context.Context, d time.Duration) error
	// Mine reports whether this Outbox sends the mail with the given key, for a Store that several
	// Outboxes drain at the same time; nil sends all. Without it, or while two Outboxes claim the same
	// mail, only a provider that recognizes repeated keys prevents duplicates.
	Mine func(key string) bool
	// Suppressor decides which addresses get no more mails; nil suppresses none.
	Suppressor Suppressor
	// Verifier checks mails with a claim before they are sent; nil sends them unchecked.
	Verifier Verifier

	drainMu  sync.Mutex
	recordMu sync.Mutex // guards each update of a delivery record, from its read to its write
}

// Switch returns the Switch that stops and resumes mails.
func (o *Outbox) Switch() Switch { return Switch{o.Store, o.Now} }

// Queue stores a mail durably. Once it has returned nil, Drain sends the mail, or its delivery
// record contains the reason why not. Queueing an identity again changes nothing, even long after
// the mail was delivered. It fails with code Invalid, and the field's name, for a message that
// could not be sent.
func (o *Outbox) Queue(ctx context.Context, m Message) error {
	writes, err := o.Writes(ctx, m)
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, writes)
}

// Writes returns the writes of Queue, for callers that apply them together with their own. It
// returns none if the mail is already queued or delivered.
func (o *Outbox) Writes(ctx context.Context, m Message) ([]kv.Write, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	hash, now := Hash(m.Identity), o.Now().UTC()
	d, found, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(hash))
	if err != nil || found && d.Status != Queued {
		return nil, err
	}
	if found {
		if _, waiting, err := kv.Read[pending](ctx, o.Store, OutboxKey(hash)); err != nil || waiting {
			return nil, err
		}
	}
	mail := Mail{Key: hash, Kind: m.Kind, From: PlainLine(o.sender(m.Kind.Stream())), ReplyTo: PlainLine(o.ReplyTo),
		To: pledge.DeliveryEmail(m.To), Lang: m.Lang, Subject: m.Subject, Text: m.Text,
		HTML: m.HTML, Stream: m.Kind.Stream(), Campaign: m.Campaign, Unsubscribe: m.Unsubscribe, Attachment: m.Attachment}
	p := pending{Mail: mail, QueuedAt: now, DueAt: now, Claim: m.Claim}
	if o.Render != nil && m.unchanged() {
		p.Draft, p.Mail.HTML = json.RawMessage(m.draft), ""
	}
	if !m.NotAfter.IsZero() {
		p.NotAfter = &m.NotAfter
	}
	return o.writes(p)
}

func (o *Outbox) sender(s Stream) string {
	if s != Transactional && o.News != "" {
		return o.News
	}
	return o.From
}

// writes returns the writes that queue p. The mail and its marker come before the delivery record:
// if applying them is interrupted, there is no record of a queued mail that will not be sent.
func (o *Outbox) writes(p pending) ([]kv.Write, error) {
	if err := p.setContentHash(); err != nil {
		return nil, err
	}
	mail, err := kv.Record(OutboxKey(p.Mail.Key), p, p.QueuedAt.Add(OutboxLife))
	if err != nil {
		return nil, err
	}
	d, err := o.delivery(p, Queued)
	if err != nil {
		return nil, err
	}
	record, err := kv.Record(DeliveryKey(p.Mail.Key), d, d.QueuedAt.Add(DeliveryLife))
	if err != nil {
		return nil, err
	}
	return []kv.Write{mail, p.markerWrite(), record}, nil
}

// Delivery returns the delivery record of the mail with the given identity. It fails with code
// NotFound if no such mail was queued in the last 400 days.
func (o *Outbox) Delivery(ctx context.Context, identity string) (Delivery, error) {
	d, ok, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(Hash(identity)))
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "No such mail")
	}
	return d, err
}
