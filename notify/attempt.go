package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const (
	// lease is how long an attempt may take before it is considered crashed.
	lease = 10 * time.Minute
	// The wait after a failed attempt doubles from the minimum to the maximum.
	firstWait, longestWait = time.Minute, 24 * time.Hour
	// settled is the safety margin before a provider forgets an idempotency key. The last
	// retry happens this long before.
	settled = time.Hour
)

// try is one attempt of a drain to send a mail.
type try struct {
	*drain
	pending

	marker string // key of the queue marker under which the mail was found
}

// attempt records that it is sending before it calls the Sender. If it crashes in between,
// the record means "possibly sent", and after the lease the mail is sent again under the
// same key.
func (t *try) attempt(ctx context.Context, now time.Time) error {
	if t.Sending {
		t.unknown(t.DueAt.Add(-lease))
	}
	if t.beyond(now) {
		t.done.Unclear++
		return t.end(ctx, Unclear, Receipt{Reason: t.Reason})
	}
	reason, err := t.suppressed(ctx)
	if err != nil {
		return err
	}
	if reason != "" {
		t.done.Suppressed++
		return t.end(ctx, Suppressed, Receipt{Reason: reason})
	}
	if sendIt, err := t.verify(ctx, now); err != nil || !sendIt {
		return err
	}
	if t.done.Wait = t.pace(); t.done.Wait > 0 {
		return nil
	}
	t.Attempts, t.Sending, t.DueAt = t.Attempts+1, true, now.Add(lease)
	if err := t.note(ctx); err != nil {
		return err
	}
	r, err := t.Sender.Send(ctx, t.Mail)
	t.Sending = false
	if err != nil {
		t.unknown(now)
		return t.retry(ctx, Receipt{Reason: "no answer: " + err.Error()})
	}
	if t.Pace != nil {
		t.Pace.Learn(r)
	}
	switch r.Outcome {
	case Accepted:
		t.done.Sent++
		return t.end(ctx, Sent, r)
	case Refused, KeyReused:
		t.done.Failed++
		return t.end(ctx, Failed, r)
	case RetryLater:
		if r.Account {
			return t.refused(ctx, r)
		}
		return t.retry(ctx, r)
	case Divide:
	}
	t.unknown(now)
	return t.retry(ctx, Receipt{Reason: fmt.Sprintf("unknown outcome %q", r.Outcome)})
}

func (t *try) pace() time.Duration {
	if t.Pace == nil {
		return 0
	}
	return t.Pace.Take()
}

func (t *try) suppressed(ctx context.Context) (string, error) {
	if t.Suppressor == nil {
		return "", nil
	}
	return t.Suppressor.Suppressed(ctx, t.Mail)
}

func (t *try) expire(ctx context.Context, now time.Time) error {
	t.done.Expired++
	t.PossiblySent = t.PossiblySent || t.Sending
	why := t.Reason
	if t.stale(now) {
		why = "too old to be sent"
	}
	return t.end(ctx, Expired, Receipt{Reason: why})
}

func (t *try) retry(ctx context.Context, r Receipt) error {
	t.done.Retrying++
	t.Reason = Reason(r.Reason, t.Mail.To)
	now := t.Now().UTC()
	t.DueAt = now.Add(wait(t.Attempts))
	if last := t.lastKnown(t.pending); now.Before(last) && last.Before(t.DueAt) {
		t.DueAt = last
	}
	if asked := now.Add(r.RetryAfter); t.DueAt.Before(asked) {
		t.DueAt = asked
	}
	return t.put(ctx)
}

// beyond reports whether a reminder or an update may have been accepted by a provider that
// no longer recognizes its key, so that a retry could deliver it twice. Transactional mails
// are retried anyway: a duplicate does less harm than a missing mail.
func (t *try) beyond(now time.Time) bool {
	return t.Mail.Kind.Stream() != Transactional && t.UnknownSince != nil && now.After(t.lastKnown(t.pending))
}

// lastKnown returns the latest time for a retry that the provider still recognizes by its
// key, for a mail that it may have accepted: the answer then reveals the first attempt's
// result, and the recipient gets no duplicate. It is the zero time if the outcome of every
// attempt is known, or if the provider remembers no keys.
func (o *Outbox) lastKnown(p pending) time.Time {
	r, ok := o.Sender.(Rememberer)
	if !ok || p.UnknownSince == nil {
		return time.Time{}
	}
	return p.UnknownSince.Add(r.Remembers() - settled)
}

// unknown records that an attempt that started at the given time got no answer.
func (p *pending) unknown(at time.Time) {
	p.PossiblySent = true
	if p.UnknownSince == nil {
		p.UnknownSince = &at
	}
}

// wait returns the delay before the next attempt, after that many attempts.
func wait(attempts int) time.Duration {
	w := firstWait
	for range attempts - 1 {
		w = min(2*w, longestWait)
	}
	return w
}

// end writes the mail's final status and removes it from the outbox.
func (t *try) end(ctx context.Context, s Status, r Receipt) error {
	t.Reason = Reason(r.Reason, t.Mail.To)
	writes, err := t.ended(ctx, t.pending, s, r.ProviderID)
	if err != nil {
		return err
	}
	if s == Sent && t.Attempts > 1 {
		writes = append(writes, kv.Delete(refusedKey))
	}
	return t.Store.Apply(ctx, append(writes, kv.Delete(t.marker)))
}

// note saves the mail without moving its marker.
func (t *try) note(ctx context.Context) error {
	w, err := kv.Rewrite(ctx, t.Store, OutboxKey(t.Mail.Key), t.pending, t.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	return t.Store.Apply(ctx, []kv.Write{w})
}

// put saves the mail and moves its marker to the new due time. The new marker is written
// first, since a mail without a marker would never be sent.
func (t *try) put(ctx context.Context) error {
	w, err := kv.Rewrite(ctx, t.Store, OutboxKey(t.Mail.Key), t.pending, t.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	writes := []kv.Write{t.mark(), w}
	if t.marker != t.pending.marker() {
		writes = append(writes, kv.Delete(t.marker))
	}
	return t.Store.Apply(ctx, writes)
}

// Reason returns a Sender's explanation in a form that may be stored: one short line
// without the recipient's address.
func Reason(s, to string) string {
	if to != "" {
		s = strings.ReplaceAll(s, to, "the recipient")
	}
	s = plain(s)
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}
