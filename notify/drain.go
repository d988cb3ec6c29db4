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
	d := drain{Outbox: o, limit: limit, workers: 1, cursors: map[priority]string{}, seen: map[string]bool{}}
	d.work(ctx)
	d.others.Wait()
	return d.done, d.err
}

// drain is the state of one call of Drain. Its workers take markers from a batch, and the one that
// finds the batch empty reads the next, so that none of them waits for the others.
type drain struct {
	*Outbox

	limit  int
	others sync.WaitGroup // workers besides the first

	mu      sync.Mutex // guards the following
	workers int
	running int // mails that are being sent
	batch   []queueMarker
	stopped *Stopped            // of the batch's stream
	cursors map[priority]string // where the last batch ended
	seen    map[string]bool     // keys of the markers that were taken
	done    Drained
	err     error
}

// work handles markers one after the other, until none are due or the drain ends.
func (d *drain) work(ctx context.Context) {
	for {
		m, stopped, ok := d.take(ctx)
		if !ok {
			return
		}
		one, err := d.process(ctx, m, stopped)
		d.finish(one, err)
	}
}

// take takes the next marker, and starts another worker if there may be one. If there is no marker,
// ok is false and the worker ends.
func (d *drain) take(ctx context.Context) (m queueMarker, s *Stopped, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	width := d.width()
	if d.workers > width || d.ended() || len(d.batch) == 0 && !d.refill(ctx, width) {
		d.workers--
		return queueMarker{}, nil, false
	}
	m, d.batch = d.batch[0], d.batch[1:]
	d.running++
	if d.workers < width && len(d.batch) > 0 {
		d.workers++
		d.others.Go(func() { d.work(ctx) })
	}
	return m, d.stopped, true
}

func (d *drain) finish(one Drained, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	d.done.Add(one)
	if d.err == nil {
		d.err = err
	}
}

func (d *drain) ended() bool { return d.err != nil || d.done.Wait > 0 || d.left() <= 0 }

func (d *drain) left() int { return d.limit - d.done.Attempted() - d.running }

// width returns how many mails to send at the same time.
func (d *drain) width() int {
	if d.Pace == nil {
		return max(1, d.Width)
	}
	return d.Pace.Width(d.Width)
}

// refill reads the next batch, of the highest priority with mails that are due. It returns false if
// there are none, or if it fails.
func (d *drain) refill(ctx context.Context, width int) bool {
	for _, p := range priorities {
		for more := true; more && len(d.batch) == 0 && d.err == nil; {
			more, d.err = d.readBatch(ctx, p, width)
		}
	}
	return len(d.batch) > 0 && d.err == nil
}

// readBatch reads a batch of a priority's due mails, without those that this drain has taken, and
// reports whether there may be more.
func (d *drain) readBatch(ctx context.Context, p priority, width int) (more bool, err error) {
	size := min(d.left(), batchSize*width, kv.MaxPage)
	page, err := d.Store.List(ctx, kv.Query{Prefix: queuePrefixOf(p), Cursor: d.cursors[p], Limit: size, KeysOnly: true})
	if err != nil {
		return false, err
	}
	d.cursors[p] = page.Next
	due := d.dueMarkers(page.Entries)
	if len(due) == 0 {
		return false, nil
	}
	d.stopped, err = d.Switch().Stopped(ctx, p.stream())
	if err != nil || d.stopped != nil && d.stopped.Before == nil {
		return false, err
	}
	for _, m := range due {
		if !d.seen[m.key] && (d.Mine == nil || d.Mine(m.hash)) {
			d.batch = append(d.batch, m)
		}
		d.seen[m.key] = true
	}
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
