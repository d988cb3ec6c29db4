package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	// giveUp is the age at which a queued mail expires. It leaves a day to record that before
	// the outbox record itself expires.
	giveUp = OutboxLife - 24*time.Hour
	// skew is how far ahead a server's clock may be.
	skew = 15 * time.Minute
	// turn is how many mails are sent before the priorities are checked again. At five
	// requests per second, an interactive mail waits about three seconds for the mails before
	// it.
	turn = 16
	// unseen is how long a mail may be missing from an eventually consistent Store that
	// already shows its marker.
	unseen = 10 * time.Minute

	maxReason = 300
)

// Drained counts the results of one drain. The fields from Sent to Suppressed count mails
// that were processed.
type Drained struct {
	Sent       int `json:"sent"`
	Retrying   int `json:"retrying"` // to be retried
	Failed     int `json:"failed"`
	Expired    int `json:"expired"`
	Unclear    int `json:"unclear"`    // possibly sent; not retried
	Suppressed int `json:"suppressed"` // the recipient's address is suppressed
	Discarded  int `json:"discarded"`  // their claim is no longer true
	Waiting    int `json:"waiting"`    // stopped, or another attempt may still be running
	Unreadable int `json:"unreadable"` // invalid records, left untouched

	// Wait is how long the Pace delays the mails that are still due; 0 if none are delayed.
	Wait time.Duration `json:"-"`
}

func (d *Drained) attempted() int { return d.Sent + d.Retrying + d.Failed }

// Drain attempts to send mails that are due, in order of priority and then of due time, at
// most limit of them. It returns early when the Pace allows no more requests. It returns
// only errors of the Store, together with the counts up to then; errors of the Sender are
// recorded with the mail. If another call is running, Drain does nothing.
func (o *Outbox) Drain(ctx context.Context, limit int) (Drained, error) {
	if !o.draining.TryLock() {
		return Drained{}, nil
	}
	defer o.draining.Unlock()
	d := drain{Outbox: o, limit: limit, cursors: map[lane]string{}}
	for i := 0; i < len(lanes); {
		more, err := d.turn(ctx, lanes[i])
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

// drain is one run over all priorities.
type drain struct {
	*Outbox

	limit   int
	cursors map[lane]string // where the last batch ended
	done    Drained
}

// turn sends one batch of a priority, and reports whether there may be more.
func (d *drain) turn(ctx context.Context, l lane) (more bool, err error) {
	left := min(d.limit-d.done.attempted(), turn)
	if left <= 0 {
		return false, nil
	}
	page, err := d.Store.List(ctx, kv.Query{Prefix: queueOf(l), Cursor: d.cursors[l], Limit: left, KeysOnly: true})
	if err != nil {
		return false, err
	}
	due := d.due(page.Entries)
	if len(due) == 0 {
		return false, nil
	}
	stopped, err := d.Switch().Stopped(ctx, l.stream())
	if err != nil || stopped != nil && stopped.Before == nil {
		return false, err
	}
	for _, m := range due {
		if err := d.visit(ctx, m, stopped); err != nil || d.done.Wait > 0 {
			return false, err
		}
	}
	d.cursors[l] = page.Next
	return page.Next != "" && len(due) == len(page.Entries), nil
}

// due returns the markers at the start of a page that are due or invalid.
func (d *drain) due(page []kv.Entry) []found {
	now, all := d.Now().UTC(), []found{}
	for _, e := range page {
		due, hash, ok := marked(e.Key)
		if ok && due.After(now) {
			break
		}
		all = append(all, found{e.Key, due, hash})
	}
	return all
}

func (l lane) stream() Stream {
	switch l {
	case reminding:
		return Reminders
	case updating:
		return Updates
	case awaited, accounts:
	}
	return Transactional
}

// found is a queue marker.
type found struct {
	key  string
	due  time.Time
	hash string
}

func (d *drain) visit(ctx context.Context, m found, stopped *Stopped) error {
	now := d.Now().UTC()
	b, err := d.Store.Get(ctx, OutboxKey(m.hash))
	switch {
	case fault.Is(err, fault.NotFound) && now.Sub(m.due) > unseen:
		return d.Store.Apply(ctx, []kv.Write{kv.Delete(m.key)})
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	p, err := kv.Decode[pending](OutboxKey(m.hash), b)
	if err == nil {
		err = p.dress()
	}
	if err != nil || p.Mail.Key != m.hash {
		d.done.Unreadable++
		return nil
	}
	t := try{drain: d, pending: p, marker: m.key}
	switch {
	case !now.Before(p.QueuedAt.Add(giveUp)) || p.stale(now):
		return t.expire(ctx, now)
	case now.Before(p.DueAt) && p.Sending:
		d.done.Waiting++
		return nil
	case now.Before(p.DueAt):
		return t.put(ctx)
	case stopped.holds(p.QueuedAt):
		d.done.Waiting++
		t.DueAt = now.Add(time.Hour) // out of the way of mails that may be sent
		return t.put(ctx)
	}
	trace, traced, err := kv.Read[Delivery](ctx, d.Store, DeliveryKey(m.hash))
	if err != nil {
		return err
	}
	if traced && trace.Status != Queued {
		return d.Store.Apply(ctx, []kv.Write{kv.Delete(OutboxKey(m.hash)), kv.Delete(m.key)})
	}
	return t.attempt(ctx, now)
}

// stale reports whether the mail is past its NotAfter. While an attempt may still be
// running, it is not.
func (p pending) stale(now time.Time) bool {
	return p.NotAfter != nil && now.After(*p.NotAfter) && (!p.Sending || !now.Before(p.DueAt))
}

// Adopt adds the missing markers of mails that an earlier release queued. It also makes
// mails due now that a server with a wrong clock queued in the future. It checks at most
// limit mails, starting where the last call ended.
func (o *Outbox) Adopt(ctx context.Context, limit int) error {
	start, _, err := kv.Read[string](ctx, o.Store, cursorKey)
	if err != nil {
		return err
	}
	page, err := o.Store.List(ctx, kv.Query{Prefix: outboxPrefix, Cursor: start, Limit: limit})
	if err != nil {
		page = kv.Page{} // the Store no longer accepts the cursor; start over
	}
	for _, e := range page.Entries {
		if err := o.adopt(ctx, e); err != nil {
			return err
		}
	}
	if page.Next == start {
		return err
	}
	return kv.Save(ctx, o.Store, cursorKey, page.Next)
}

func (o *Outbox) adopt(ctx context.Context, e kv.Entry) error {
	p, err := kv.Decode[pending](e.Key, e.Value)
	if err != nil || OutboxKey(p.Mail.Key) != e.Key {
		return nil //nolint:nilerr // leave invalid records untouched
	}
	if p.QueuedAt.Sub(o.Now()) > skew {
		return o.redate(ctx, p)
	}
	_, err = o.Store.Get(ctx, p.marker())
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{p.mark()})
}

func (o *Outbox) redate(ctx context.Context, p pending) error {
	old, now := p.marker(), o.Now().UTC()
	if p.QueuedAt, p.DueAt = now, now; p.Sending {
		p.DueAt = now.Add(lease)
	}
	w, err := kv.Rewrite(ctx, o.Store, OutboxKey(p.Mail.Key), p, now.Add(OutboxLife))
	if err != nil {
		return err
	}
	return o.Store.Apply(ctx, []kv.Write{kv.Delete(old), w, p.mark()})
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
