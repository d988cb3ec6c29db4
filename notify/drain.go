package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	// lease is how long an attempt may take before it is taken for crashed.
	lease = 10 * time.Minute
	// The wait after a failed attempt doubles from the first to the longest.
	firstWait, longestWait = time.Minute, 24 * time.Hour
	// giveUp leaves time to write the end of a mail before its record expires.
	giveUp = OutboxLife - 24*time.Hour

	maxPages  = 20
	maxPage   = 100
	maxReason = 300
)

// Drained counts what one drain did. Sent to Expired are mails it dealt with.
type Drained struct {
	Sent       int `json:"sent"`
	Retrying   int `json:"retrying"` // will be tried again
	Failed     int `json:"failed"`
	Expired    int `json:"expired"`
	Waiting    int `json:"waiting"`    // seen, not due yet
	Unreadable int `json:"unreadable"` // records that are no mails; they are left alone
}

// Drain tries to send mails that are due, at most limit of them. It goes on
// where the drain before it stopped, so that mails which are not due never
// keep others waiting. An error is one of the Store, and Drained says what was
// done before it; what a Sender does is no error.
func (o *Outbox) Drain(ctx context.Context, limit int) (Drained, error) {
	o.draining.Lock()
	defer o.draining.Unlock()
	var done Drained
	start, _, err := kv.Read[string](ctx, o.Store, cursorKey)
	if err != nil {
		return done, err
	}
	cursor, err := o.walk(ctx, start, limit, &done)
	if err != nil || cursor == start {
		return done, err
	}
	return done, kv.Save(ctx, o.Store, cursorKey, cursor)
}

// walk goes through the outbox from a cursor, at most once around, and returns
// where it stopped. A page is never longer than what may still be sent, so it
// stops between pages only.
func (o *Outbox) walk(ctx context.Context, start string, limit int, done *Drained) (string, error) {
	cursor, around := start, start == ""
	for range maxPages {
		left := limit - done.attempted()
		if left <= 0 {
			return cursor, nil
		}
		page, err := o.Store.List(ctx, kv.Query{Prefix: outboxPrefix, Cursor: cursor, Limit: min(left, maxPage)})
		if fault.Is(err, fault.Invalid) && cursor != "" {
			cursor, around = "", true // a cursor that the Store no longer knows
			continue
		}
		if err != nil {
			return start, err
		}
		for _, e := range page.Entries {
			if err := o.visit(ctx, e, done); err != nil {
				return start, err
			}
		}
		cursor = page.Next
		if cursor == "" && around {
			break
		}
		around = around || cursor == ""
	}
	return cursor, nil
}

func (d *Drained) attempted() int { return d.Sent + d.Retrying + d.Failed }

func (o *Outbox) visit(ctx context.Context, e kv.Entry, done *Drained) error {
	p, err := kv.Decode[pending](e.Key, e.Value)
	if err != nil || OutboxKey(p.Mail.Key) != e.Key {
		done.Unreadable++
		return nil
	}
	now := o.Now().UTC()
	if !now.Before(p.QueuedAt.Add(giveUp)) {
		return o.expire(ctx, p, now, done)
	}
	if now.Before(p.DueAt) {
		done.Waiting++
		return nil
	}
	d, traced, err := kv.Read[Delivery](ctx, o.Store, DeliveryKey(p.Mail.Key))
	if err != nil {
		return err
	}
	if traced && d.Status != Queued {
		return o.Store.Apply(ctx, []kv.Write{kv.Delete(e.Key)})
	}
	return o.attempt(ctx, p, now, done)
}

func (o *Outbox) expire(ctx context.Context, p pending, now time.Time, done *Drained) error {
	done.Expired++
	p.PossiblySent = p.PossiblySent || p.Sending
	return o.end(ctx, p, Expired, "", now)
}

// attempt notes that it sends before it does. Where it is cut off, the note
// stands for "possibly sent", and after the lease the mail goes out again under
// its key.
func (o *Outbox) attempt(ctx context.Context, p pending, now time.Time, done *Drained) error {
	if p.Sending {
		p.unknown(p.DueAt.Add(-lease))
	}
	p.Attempts, p.Sending, p.DueAt = p.Attempts+1, true, now.Add(lease)
	if err := o.put(ctx, p); err != nil {
		return err
	}
	r, err := o.Sender.Send(ctx, p.Mail)
	p.Sending = false
	if err != nil {
		p.unknown(now)
		p.Reason = reason("no answer: "+err.Error(), p.Mail.To)
		return o.retry(ctx, p, 0, done)
	}
	p.Reason = reason(r.Reason, p.Mail.To)
	switch r.Outcome {
	case Accepted:
		done.Sent++
		p.Reason = ""
		return o.end(ctx, p, Sent, r.ProviderID, o.Now().UTC())
	case Refused:
		done.Failed++
		return o.end(ctx, p, Failed, "", o.Now().UTC())
	case RetryLater:
		return o.retry(ctx, p, r.RetryAfter, done)
	}
	p.unknown(now)
	p.Reason = fmt.Sprintf("unknown outcome %q", r.Outcome)
	return o.retry(ctx, p, 0, done)
}

func (o *Outbox) retry(ctx context.Context, p pending, atLeast time.Duration, done *Drained) error {
	done.Retrying++
	now := o.Now().UTC()
	p.DueAt = now.Add(wait(p.Attempts))
	if last := o.lastKnown(p); now.Before(last) && last.Before(p.DueAt) {
		p.DueAt = last
	}
	if asked := now.Add(atLeast); p.DueAt.Before(asked) {
		p.DueAt = asked
	}
	return o.put(ctx, p)
}

// settled is how long before the end of a provider's memory the last attempt is made
// that it would recognise.
const settled = time.Hour

// lastKnown returns when a mail that may have been taken is sent at the latest so that
// the provider knows it again: an answer then says what became of it, and nobody gets it
// twice. It is the zero time where that is not so.
func (o *Outbox) lastKnown(p pending) time.Time {
	r, ok := o.Sender.(Rememberer)
	if !ok || p.UnknownSince == nil {
		return time.Time{}
	}
	return p.UnknownSince.Add(r.Remembers() - settled)
}

// unknown notes that an attempt which began at a time got no answer.
func (p *pending) unknown(at time.Time) {
	p.PossiblySent = true
	if p.UnknownSince == nil {
		p.UnknownSince = &at
	}
}

// wait is how long to wait after that many attempts.
func wait(attempts int) time.Duration {
	w := firstWait
	for range attempts - 1 {
		w = min(2*w, longestWait)
	}
	return w
}

// end writes what became of the mail before it removes it.
func (o *Outbox) end(ctx context.Context, p pending, s Status, providerID string, now time.Time) error {
	d, err := p.delivery(s)
	if err != nil {
		return err
	}
	d.ProviderID, d.EndedAt = providerID, &now
	trace, err := kv.Rewrite(ctx, o.Store, DeliveryKey(p.Mail.Key), d, d.QueuedAt.Add(DeliveryLife))
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{trace, kv.Delete(OutboxKey(p.Mail.Key))})
}

func (o *Outbox) put(ctx context.Context, p pending) error {
	w, err := kv.Rewrite(ctx, o.Store, OutboxKey(p.Mail.Key), p, p.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{w})
}

// reason is a Sender's explanation as it may be kept: short, and without the
// recipient's address.
func reason(s, to string) string {
	s = plain(strings.ReplaceAll(s, to, "the recipient"))
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}

// Waiting counts the mails that are not sent yet.
func (o *Outbox) Waiting(ctx context.Context) (int, error) {
	n := 0
	for _, err := range kv.All(ctx, o.Store, outboxPrefix) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}
