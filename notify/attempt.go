package notify

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const (
	// lease is how long an attempt may take before it is considered crashed.
	lease = 10 * time.Minute
	// The wait after a failed attempt doubles from the minimum to the maximum.
	minRetryWait, maxRetryWait = time.Minute, 24 * time.Hour
	// maxSleep is the longest wait for the Pace that does not end a drain.
	maxSleep = time.Second
	// minWindow is the least wait after a mail was refused because of the rate.
	minWindow = time.Second
	// retryMargin is the safety margin between the last retry and the time when the provider
	// forgets the idempotency key.
	retryMargin = time.Hour
)

// attempt is a drain's attempt to send one mail.
type attempt struct {
	*Outbox
	pending

	oldMarker string  // key of the queue marker under which the mail was found
	done      Drained // the attempt's result
}

// send attempts to send the mail, unless a retry is unsafe, the recipient is suppressed, the claim
// is false or cannot be verified, or the Pace delays it.
//
// It saves the mail with Sending set before it calls the Sender. If the process then crashes, the
// mail counts as possibly sent, and a drain calls send again after the lease.
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
	if a.done.Wait, err = a.takePace(ctx); err != nil || a.done.Wait > 0 {
		return err
	}
	a.Attempts, a.Sending, a.DueAt = a.Attempts+1, true, now.Add(lease)
	if err := a.save(ctx); err != nil {
		return err
	}
	r, err := a.Sender.Send(ctx, a.Mail)
	a.Sending = false
	if err != nil {
		if a.Pace != nil {
			a.Pace.Miss()
		}
		a.markUnknown(now)
		return a.retry(ctx, Receipt{Reason: "no answer: " + err.Error()})
	}
	if a.Pace != nil {
		a.Pace.Adjust(r)
	}
	switch r.Outcome {
	case Accepted:
		a.done.Sent++
		return a.finish(ctx, Sent, r)
	case Refused, KeyReused:
		a.done.Failed++
		return a.finish(ctx, Failed, r)
	case RetryLater:
		switch {
		case r.Account:
			return a.retryAfterRefusal(ctx, r)
		case r.Quota != nil:
			return a.retryInNextWindow(ctx, r)
		}
		return a.retry(ctx, r)
	case Divide:
	}
	a.markUnknown(now)
	return a.retry(ctx, Receipt{Reason: fmt.Sprintf("unknown outcome %q", r.Outcome)})
}

// takePace takes one request from the Pace and returns 0, or returns how long to wait. It sleeps
// through a wait that is short.
func (a *attempt) takePace(ctx context.Context) (time.Duration, error) {
	if a.Pace == nil {
		return 0, nil
	}
	if a.Sleep == nil {
		return a.Pace.Take(), nil
	}
	wait, ok := a.Pace.Reserve(maxSleep)
	if !ok || wait == 0 {
		return wait, nil
	}
	if err := a.Sleep(ctx, wait); err != nil {
		return 0, err
	}
	return a.Pace.Blocked(), nil
}

// suppressionReason returns why the mail must not be sent, or "" if it may be sent.
func (a *attempt) suppressionReason(ctx context.Context) (string, error) {
	if a.Suppressor == nil {
		return "", nil
	}
	return a.Suppressor.Suppressed(ctx, a.Mail)
}

// expire gives the mail the final status Expired.
func (a *attempt) expire(ctx context.Context, now time.Time) error {
	a.done.Expired++
	a.PossiblySent = a.PossiblySent || a.Sending
	why := a.Reason
	if a.stale(now) {
		why = "too old to be sent"
	}
	return a.finish(ctx, Expired, Receipt{Reason: why})
}

// retry schedules the next attempt with exponential backoff. If the backoff would skip
// lastSafeRetry, the next attempt is at that time. A longer RetryAfter of the provider overrides
// both.
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

// retryInNextWindow schedules the next attempt without backoff: the provider refused the mail only
// because there were too many requests, which the Pace corrects.
func (a *attempt) retryInNextWindow(ctx context.Context, r Receipt) error {
	a.done.Retrying++
	a.Reason = Reason(r.Reason, a.Mail.To)
	a.DueAt = a.Now().UTC().Add(max(r.RetryAfter, minWindow))
	return a.reschedule(ctx)
}

// unsafeToRetry reports whether retrying a reminder or an update could deliver it twice: an earlier
// attempt got no answer, and the provider remembers no keys or may have forgotten this one.
// Transactional mails are retried anyway: a duplicate does less harm than a missing mail.
func (a *attempt) unsafeToRetry(now time.Time) bool {
	return a.Mail.Kind.Stream() != Transactional && a.UnknownSince != nil && now.After(a.lastSafeRetry(a.pending))
}

// lastSafeRetry returns the latest time at which the provider still recognizes the key of a mail
// that it may have accepted. A retry before then reveals the first attempt's result without a
// duplicate. lastSafeRetry returns the zero time if the outcome of every attempt is known, or if
// the provider remembers no keys.
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

// retryWait returns the delay before the next attempt, given the number of attempts so far.
func retryWait(attempts int) time.Duration {
	w := minRetryWait
	for range attempts - 1 {
		w = min(2*w, maxRetryWait)
	}
	return w
}

// finish writes the mail's final status and removes it from the outbox. If a retried mail was
// sent, it also removes the record of the account's refusal.
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
// first, since drains do not find a mail without a marker.
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

// anyAddress matches email addresses in a provider's text.
var anyAddress = regexp.MustCompile(`[^\s<>()\[\]"',;:]+@[^\s<>()\[\]"',;:]+`)

// Reason returns a Sender's explanation in a form that may be stored: one line of at most 300
// bytes, without email addresses. to is the recipient's, "" if it is no longer known.
func Reason(s, to string) string {
	if to != "" {
		s = strings.ReplaceAll(s, to, "the recipient")
	}
	s = PlainLine(anyAddress.ReplaceAllString(s, "an address"))
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}
