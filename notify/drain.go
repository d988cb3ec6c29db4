package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	// maxQueueAge is the age at which a queued mail expires. It leaves a day to record the
	// status Expired before the Store deletes the outbox record.
	maxQueueAge = OutboxLife - 24*time.Hour
	// maxClockSkew is how far ahead a server's clock may be.
	maxClockSkew = 15 * time.Minute
	// batchSize is how many mails are sent before the priorities are checked again. At five
	// requests per second, an interactive mail waits about three seconds for the mails before
	// it.
	batchSize = 16
	// orphanGrace is how long a mail may be missing from an eventually consistent Store that
	// already shows its marker.
	orphanGrace = 10 * time.Minute

	maxReason = 300
)

// Drained counts the mails of one drain by result.
type Drained struct {
	Sent       int `json:"sent"`
	Retrying   int `json:"retrying"` // to be retried
	Failed     int `json:"failed"`
	Expired    int `json:"expired"`
	Unclear    int `json:"unclear"`    // possibly sent; not retried
	Suppressed int `json:"suppressed"` // the recipient's address is suppressed
	Discarded  int `json:"discarded"`  // their claim is no longer true
	Waiting    int `json:"waiting"`    // stopped, not verifiable now, or possibly being sent
	Unreadable int `json:"unreadable"` // invalid record or draft; left in the outbox

	// Wait is how long the Pace delays the mails that are still due; 0 if none are delayed.
	Wait time.Duration `json:"-"`
}

func (d *Drained) attempted() int { return d.Sent + d.Retrying + d.Failed }

// Drain attempts to send mails that are due, in order of priority and then of due time, at
// most limit of them. It returns early when the Pace allows no more requests. It returns only
// errors of the Store and the Suppressor, together with the counts so far; errors of the Sender
// are recorded with the mail. If another call is running, Drain does nothing.
func (o *Outbox) Drain(ctx context.Context, limit int) (Drained, error) {
	if !o.drainMu.TryLock() {
		return Drained{}, nil
	}
	defer o.drainMu.Unlock()
	d := drain{Outbox: o, limit: limit, cursors: map[priority]string{}}
	for i := 0; i < len(priorities); {
		more, err := d.drainBatch(ctx, priorities[i])
		switch {
		case err != nil || d.done.Wait > 0:
			return d.done, err
		case more:
			i = 0 // mails with a higher priority may have been queued
		default:
			i++
		}
	}
	return d.done, nil
}

// drain is the state of one call of Drain.
type drain struct {
	*Outbox

	limit   int
	cursors map[priority]string // where the last batch ended
	done    Drained
}

// drainBatch processes one batch of a priority's due mails, and reports whether there may be
// more.
func (d *drain) drainBatch(ctx context.Context, p priority) (more bool, err error) {
	left := min(d.limit-d.done.attempted(), batchSize)
	if left <= 0 {
		return false, nil
	}
	page, err := d.Store.List(ctx, kv.Query{Prefix: queuePrefixOf(p), Cursor: d.cursors[p], Limit: left, KeysOnly: true})
	if err != nil {
		return false, err
	}
	due := d.dueMarkers(page.Entries)
	if len(due) == 0 {
		return false, nil
	}
	stopped, err := d.Switch().Stopped(ctx, p.stream())
	if err != nil || stopped != nil && stopped.Before == nil {
		return false, err
	}
	for _, m := range due {
		if err := d.process(ctx, m, stopped); err != nil || d.done.Wait > 0 {
			return false, err
		}
	}
	d.cursors[p] = page.Next
	return page.Next != "" && len(due) == len(page.Entries), nil
}

// dueMarkers returns the markers at the start of a page that are due or invalid.
func (d *drain) dueMarkers(page []kv.Entry) []queueMarker {
	now, all := d.Now().UTC(), []queueMarker{}
	for _, e := range page {
		due, hash, ok := parseMarker(e.Key)
		if ok && due.After(now) {
			break
		}
		all = append(all, queueMarker{e.Key, due, hash})
	}
	return all
}

func (p priority) stream() Stream {
	switch p {
	case priorityReminders:
		return Reminders
	case priorityUpdates:
		return Updates
	case priorityInteractive, priorityAccount:
	}
	return Transactional
}

// queueMarker is a parsed marker of the queue.
type queueMarker struct {
	key  string
	due  time.Time
	hash string
}

// process handles one due marker. It removes the marker of a missing mail, removes a mail that is
// already finished, expires one that is too old, and reschedules one that is stopped or not due
// yet. It attempts to send any other mail.
func (d *drain) process(ctx context.Context, m queueMarker, stopped *Stopped) error {
	now := d.Now().UTC()
	b, err := d.Store.Get(ctx, OutboxKey(m.hash))
	switch {
	case fault.Is(err, fault.NotFound) && now.Sub(m.due) > orphanGrace:
		return d.Store.Apply(ctx, []kv.Write{kv.Delete(m.key)})
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	p, err := kv.Decode[pending](OutboxKey(m.hash), b)
	if err == nil {
		err = p.renderHTML(d.Render)
	}
	if err != nil || p.Mail.Key != m.hash {
		d.done.Unreadable++
		return nil //nolint:nilerr // reported by the count
	}
	a := attempt{drain: d, pending: p, oldMarker: m.key}
	switch {
	case !now.Before(p.QueuedAt.Add(maxQueueAge)) || p.stale(now):
		return a.expire(ctx, now)
	case now.Before(p.DueAt) && p.Sending:
		d.done.Waiting++
		return nil
	case now.Before(p.DueAt):
		return a.reschedule(ctx)
	case stopped.appliesTo(p.QueuedAt):
		d.done.Waiting++
		a.DueAt = now.Add(time.Hour) // drains skip it until then
		return a.reschedule(ctx)
	}
	delivery, found, err := kv.Read[Delivery](ctx, d.Store, DeliveryKey(m.hash))
	if err != nil {
		return err
	}
	if found && delivery.Status != Queued {
		return d.Store.Apply(ctx, []kv.Write{kv.Delete(OutboxKey(m.hash)), kv.Delete(m.key)})
	}
	return a.send(ctx, now)
}

// stale reports whether the mail is past its NotAfter. It returns false while an attempt may still
// be running.
func (p *pending) stale(now time.Time) bool {
	return p.NotAfter != nil && now.After(*p.NotAfter) && (!p.Sending || !now.Before(p.DueAt))
}

// RepairQueue adds the missing markers of mails that an earlier release queued. It also makes mails
// due now whose timestamps are in the future because of a server's wrong clock. It checks at most
// limit mails, starting where the last call ended.
func (o *Outbox) RepairQueue(ctx context.Context, limit int) error {
	start, _, err := kv.Read[string](ctx, o.Store, cursorKey)
	if err != nil {
		return err
	}
	page, err := o.Store.List(ctx, kv.Query{Prefix: outboxPrefix, Cursor: start, Limit: limit})
	if err != nil {
		page = kv.Page{} // the Store no longer accepts the cursor; start over
	}
	for _, e := range page.Entries {
		if err := o.repairMail(ctx, e); err != nil {
			return err
		}
	}
	if page.Next == start {
		return err
	}
	return kv.Save(ctx, o.Store, cursorKey, page.Next)
}

func (o *Outbox) repairMail(ctx context.Context, e kv.Entry) error {
	p, err := kv.Decode[pending](e.Key, e.Value)
	if err != nil || OutboxKey(p.Mail.Key) != e.Key {
		return nil //nolint:nilerr // leave invalid records untouched
	}
	now := o.Now()
	if p.QueuedAt.Sub(now) > maxClockSkew || p.Sending && p.DueAt.Sub(now) > lease+maxClockSkew {
		return o.redate(ctx, p)
	}
	_, err = o.Store.Get(ctx, p.markerKey())
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{p.markerWrite()})
}

// redate makes a mail with a timestamp in the future due now, or after its lease if it is being
// sent.
func (o *Outbox) redate(ctx context.Context, p pending) error {
	old, now := p.markerKey(), o.Now().UTC()
	if p.DueAt = now; p.Sending {
		p.DueAt = now.Add(lease)
	}
	if p.QueuedAt.After(now) {
		p.QueuedAt = now
	}
	w, err := kv.Rewrite(ctx, o.Store, OutboxKey(p.Mail.Key), p, now.Add(OutboxLife))
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{kv.Delete(old), w, p.markerWrite()})
}

// Waiting counts the mails in the outbox.
func (o *Outbox) Waiting(ctx context.Context) (int, error) {
	n := 0
	q := kv.Query{Prefix: outboxPrefix, KeysOnly: true}
	for {
		page, err := o.Store.List(ctx, q)
		if err != nil {
			return 0, err
		}
		n += len(page.Entries)
		if page.Next == "" {
			return n, nil
		}
		q.Cursor = page.Next
	}
}
