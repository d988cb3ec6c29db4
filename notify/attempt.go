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
	minRetryWait, maxRetryWait = time.Minute, 24 * time.Hour
	// retryMargin is the safety margin between the last retry and the time when the provider
	// forgets the idempotency key.
	retryMargin = time.Hour
)

// attempt is one attempt of a drain to send a mail.
type attempt struct {
	*drain
	pending

	oldMarker string // key of the queue marker under which the mail was found
}

// send records that it is sending before it calls the Sender. If the process crashes in between,
// the record means "possibly sent", and after the lease the mail is sent again under the same key.
func (a *attempt) send(ctx context.Context, now time.Time) error {
	if a.Sending {
		a.markUnknown(a.DueAt.Add(-lease))
	}
	if a.unsafeToRetry(now) {
		a.done.Unclear++
		return a.finish(ctx, Unclear, Receipt{Reason: a.Reason})
	}
	reason, err := a.suppressionReason(ctx)
	if err != nil {
		return err
	}
	if reason != "" {
		a.done.Suppressed++
		return a.finish(ctx, Suppressed, Receipt{Reason: reason})
	}
	if sendIt, err := a.verify(ctx, now); err != nil || !sendIt {
		return err
	}
	if a.done.Wait = a.paceWait(); a.done.Wait > 0 {
		return nil
	}
	a.Attempts, a.Sending, a.DueAt = a.Attempts+1, true, now.Add(lease)
	if err := a.save(ctx); err != nil {
		return err
	}
	r, err := a.Sender.Send(ctx, a.Mail)
	a.Sending = false
	if err != nil {
		a.markUnknown(now)
		return a.retry(ctx, Receipt{Reason: "no answer: " + err.Error()})
	}
	if a.Pace != nil {
		a.Pace.Learn(r)
	}
	switch r.Outcome {
	case Accepted:
		a.done.Sent++
		return a.finish(ctx, Sent, r)
	case Refused, KeyReused:
		a.done.Failed++
		return a.finish(ctx, Failed, r)
	case RetryLater:
		if r.Account {
			return a.retryAfterRefusal(ctx, r)
		}
		return a.retry(ctx, r)
	case Divide:
	}
	a.markUnknown(now)
	return a.retry(ctx, Receipt{Reason: fmt.Sprintf("unknown outcome %q", r.Outcome)})
}

func (a *attempt) paceWait() time.Duration {
	if a.Pace == nil {
		return 0
	}
	return a.Pace.Take()
}

func (a *attempt) suppressionReason(ctx context.Context) (string, error) {
	if a.Suppressor == nil {
		return "", nil
	}
	return a.Suppressor.Suppressed(ctx, a.Mail)
}

func (a *attempt) expire(ctx context.Context, now time.Time) error {
	a.done.Expired++
	a.PossiblySent = a.PossiblySent || a.Sending
	why := a.Reason
	if a.stale(now) {
		why = "too old to be sent"
	}
	return a.finish(ctx, Expired, Receipt{Reason: why})
}

// retry schedules the next attempt, with exponential backoff and no sooner than the provider
// asked. If the backoff would skip lastSafeRetry, the next attempt is at that time.
func (a *attempt) retry(ctx context.Context, r Receipt) error {
	a.done.Retrying++
	a.Reason = Reason(r.Reason, a.Mail.To)
	now := a.Now().UTC()
	a.DueAt = now.Add(retryWait(a.Attempts))
	if last := a.lastSafeRetry(a.pending); now.Before(last) && last.Before(a.DueAt) {
		a.DueAt = last
	}
	if asked := now.Add(r.RetryAfter); a.DueAt.Before(asked) {
		a.DueAt = asked
	}
	return a.reschedule(ctx)
}

// unsafeToRetry reports whether a reminder or an update may have been accepted by a provider
// that no longer recognizes its key, so that a retry could deliver it twice. Transactional
// mails are retried anyway: a duplicate does less harm than a missing mail.
func (a *attempt) unsafeToRetry(now time.Time) bool {
	return a.Mail.Kind.Stream() != Transactional && a.UnknownSince != nil && now.After(a.lastSafeRetry(a.pending))
}

// lastSafeRetry returns the latest time for a retry that the provider still recognizes by its
// key, for a mail that it may have accepted: the answer then reveals the first attempt's
// result, and the recipient gets no duplicate. It is the zero time if the outcome of every
// attempt is known, or if the provider remembers no keys.
func (o *Outbox) lastSafeRetry(p pending) time.Time {
	r, ok := o.Sender.(Rememberer)
	if !ok || p.UnknownSince == nil {
		return time.Time{}
	}
	return p.UnknownSince.Add(r.Remembers() - retryMargin)
}

// markUnknown records that an attempt that started at the given time got no answer.
func (p *pending) markUnknown(at time.Time) {
	p.PossiblySent = true
	if p.UnknownSince == nil {
		p.UnknownSince = &at
	}
}

// retryWait returns the delay before the next attempt, given the number of previous attempts.
func retryWait(attempts int) time.Duration {
	w := minRetryWait
	for range attempts - 1 {
		w = min(2*w, maxRetryWait)
	}
	return w
}

// finish writes the mail's final status and removes it from the outbox.
func (a *attempt) finish(ctx context.Context, s Status, r Receipt) error {
	a.Reason = Reason(r.Reason, a.Mail.To)
	writes, err := a.finishWrites(ctx, a.pending, s, r.ProviderID)
	if err != nil {
		return err
	}
	if s == Sent && a.Attempts > 1 {
		writes = append(writes, kv.Delete(refusedKey))
	}
	return a.Store.Apply(ctx, append(writes, kv.Delete(a.oldMarker)))
}

// save saves the mail without moving its marker.
func (a *attempt) save(ctx context.Context) error {
	w, err := kv.Rewrite(ctx, a.Store, OutboxKey(a.Mail.Key), a.pending, a.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	return a.Store.Apply(ctx, []kv.Write{w})
}

// reschedule saves the mail and moves its marker to the new due time. The new marker is written
// first, since a mail without a marker would never be sent.
func (a *attempt) reschedule(ctx context.Context) error {
	w, err := kv.Rewrite(ctx, a.Store, OutboxKey(a.Mail.Key), a.pending, a.QueuedAt.Add(OutboxLife))
	if err != nil {
		return err
	}
	writes := []kv.Write{a.markerWrite(), w}
	if a.oldMarker != a.pending.markerKey() {
		writes = append(writes, kv.Delete(a.oldMarker))
	}
	return a.Store.Apply(ctx, writes)
}

// Reason returns a Sender's explanation in a form that may be stored: one short line
// without the recipient's address.
func Reason(s, to string) string {
	if to != "" {
		s = strings.ReplaceAll(s, to, "the recipient")
	}
	s = PlainLine(s)
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}
