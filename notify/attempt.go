package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const (
	// lease is how long an attempt may take before it is taken for crashed.
	lease = 10 * time.Minute
	// The wait after a failed attempt doubles from the first to the longest.
	firstWait, longestWait = time.Minute, 24 * time.Hour
	// settled is how long before the end of a provider's memory the last attempt is made
	// that it would recognise.
	settled = time.Hour
)

// try is what a drain does with one mail.
type try struct {
	*drain
	pending

	marker string // by which it was found
}

// attempt notes that it sends before it does. Where it is cut off, the note stands for
// "possibly sent", and after the lease the mail goes out again under its key.
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

// beyond reports whether a mail that nobody should get twice may have been taken, by a
// provider that would not know it again. What is about somebody's own pledge does less harm
// when it comes twice than when it never comes.
func (t *try) beyond(now time.Time) bool {
	return t.Mail.Kind.Stream() != Transactional && t.UnknownSince != nil && now.After(t.lastKnown(t.pending))
}

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

// note writes the mail as it is, behind its marker.
func (t *try) note(ctx context.Context) error {
	w, err := kv.Rewrite(ctx, t.Store, OutboxKey(t.Mail.Key), t.pending, t.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	return t.Store.Apply(ctx, []kv.Write{w})
}

// put writes the mail and moves its marker to where it is due, the new one first: a mail
// without a marker would be forgotten.
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

// Reason is a Sender's explanation as it may be kept: one short line without the
// recipient's address.
func Reason(s, to string) string {
	if to != "" {
		s = strings.ReplaceAll(s, to, "the recipient")
	}
	s = plain(s)
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}
