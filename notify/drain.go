package notify

import (
	"context"
	"sync"
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
	// batchSize is how many mails are sent one after the other before the priorities are checked
	// again. At five requests per second, an interactive mail waits about three seconds for the
	// mails before it, and no longer at a higher rate.
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

// Attempted returns how many mails the provider was asked to send.
func (d *Drained) Attempted() int { return d.Sent + d.Retrying + d.Failed }

// Add adds the counts of another drain; Wait becomes the longer one.
func (d *Drained) Add(more Drained) {
	d.Sent, d.Retrying, d.Failed = d.Sent+more.Sent, d.Retrying+more.Retrying, d.Failed+more.Failed
	d.Expired, d.Unclear, d.Suppressed = d.Expired+more.Expired, d.Unclear+more.Unclear, d.Suppressed+more.Suppressed
	d.Discarded, d.Waiting, d.Unreadable = d.Discarded+more.Discarded, d.Waiting+more.Waiting, d.Unreadable+more.Unreadable
	d.Wait = max(d.Wait, more.Wait)
}

// Drain attempts to send mails that are due, in order of priority and then of due time, at
// most limit of them, Width at a time. It returns early when the Pace allows no more requests. It
// returns only errors of the Store and the Suppressor, together with the counts so far; errors of
// the Sender are recorded with the mail. If another call is running, Drain does nothing.
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

	mu   sync.Mutex    // guards the following while several mails are sent at the same time
	next []queueMarker // the markers of the batch that are left
	done Drained
	err  error
}

// drainBatch processes one batch of a priority's due mails, and reports whether there may be
// more.
func (d *drain) drainBatch(ctx context.Context, p priority) (more bool, err error) {
	width := d.width()
	left := min(d.limit-d.done.Attempted(), min(batchSize*width, kv.MaxPage))
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
	d.next = due
	var others sync.WaitGroup
	for range min(width, len(due)) - 1 {
		others.Go(func() { d.processNext(ctx, stopped) })
	}
	d.processNext(ctx, stopped)
	others.Wait()
	if d.err != nil || d.done.Wait > 0 {
		return false, d.err
	}
	d.cursors[p] = page.Next
	return page.Next != "" && len(due) == len(page.Entries), nil
}

// width returns how many mails to send at the same time.
func (d *drain) width() int {
	if d.Pace == nil {
		return max(1, d.Width)
	}
	return d.Pace.Width(d.Width)
}

// processNext handles markers of the batch one after the other, until none is left or the drain ends.
func (d *drain) processNext(ctx context.Context, stopped *Stopped) {
	for m, ok := d.take(); ok; m, ok = d.take() {
		if d.Mine != nil && !d.Mine(m.hash) {
			continue
		}
		one, err := d.process(ctx, m, stopped)
		d.mu.Lock()
		d.done.Add(one)
		if d.err == nil {
			d.err = err
		}
		d.mu.Unlock()
	}
}

// take returns the next marker of the batch; ok is false if there is none or the drain ends.
func (d *drain) take() (m queueMarker, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.next) == 0 || d.err != nil || d.done.Wait > 0 {
		return queueMarker{}, false
	}
	m, d.next = d.next[0], d.next[1:]
	return m, true
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
func (d *drain) process(ctx context.Context, m queueMarker, stopped *Stopped) (Drained, error) {
	now := d.Now().UTC()
	b, err := d.Store.Get(ctx, OutboxKey(m.hash))
	switch {
	case fault.Is(err, fault.NotFound) && now.Sub(m.due) > orphanGrace:
		return Drained{}, d.Store.Apply(ctx, []kv.Write{kv.Delete(m.key)})
	case fault.Is(err, fault.NotFound):
		return Drained{}, nil
	case err != nil:
		return Drained{}, err
	}
	p, err := kv.Decode[pending](OutboxKey(m.hash), b)
	if err == nil {
		err = p.renderHTML(d.Render)
	}
	if err != nil || p.Mail.Key != m.hash {
		return Drained{Unreadable: 1}, nil //nolint:nilerr // reported by the count
	}
	a := attempt{Outbox: d.Outbox, pending: p, oldMarker: m.key}
	err = a.handle(ctx, now, stopped)
	return a.done, err
}

// handle handles a mail whose marker is due.
func (a *attempt) handle(ctx context.Context, now time.Time, stopped *Stopped) error {
	switch {
	case !now.Before(a.QueuedAt.Add(maxQueueAge)) || a.stale(now):
		return a.expire(ctx, now)
	case now.Before(a.DueAt) && a.Sending:
		a.done.Waiting++
		return nil
	case now.Before(a.DueAt):
		return a.reschedule(ctx)
	case stopped.appliesTo(a.QueuedAt):
		a.done.Waiting++
		a.DueAt = now.Add(time.Hour) // drains skip it until then
		return a.reschedule(ctx)
	}
	delivery, found, err := kv.Read[Delivery](ctx, a.Store, DeliveryKey(a.Mail.Key))
	if err != nil {
		return err
	}
	if found && delivery.Status != Queued {
		return a.Store.Apply(ctx, []kv.Write{kv.Delete(OutboxKey(a.Mail.Key)), kv.Delete(a.oldMarker)})
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
