package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	// giveUp leaves time to write the end of a mail before its record expires.
	giveUp = OutboxLife - 24*time.Hour
	// skew is how far a server's clock may be ahead.
	skew = 15 * time.Minute
	// turn is how many mails leave before the lanes are looked at again: at the five
	// requests a second of a small plan, what somebody waits for is behind three seconds
	// of others.
	turn = 16
	// unseen is how long a mail may be missing from a Store that has its marker already.
	unseen = 10 * time.Minute

	maxReason = 300
)

// Drained counts what one drain did. Sent to Suppressed are mails it dealt with.
type Drained struct {
	Sent       int `json:"sent"`
	Retrying   int `json:"retrying"` // will be tried again
	Failed     int `json:"failed"`
	Expired    int `json:"expired"`
	Unclear    int `json:"unclear"`    // may have been sent, and are not sent again
	Suppressed int `json:"suppressed"` // their recipients get no more
	Discarded  int `json:"discarded"`  // what they state is no longer true
	Waiting    int `json:"waiting"`    // seen, whose attempt may still run or that are stopped
	Unreadable int `json:"unreadable"` // records that are no mails; they are left alone

	// Wait is how long the Pace holds what is still due; 0 where nothing is held.
	Wait time.Duration `json:"-"`
}

func (d *Drained) attempted() int { return d.Sent + d.Retrying + d.Failed }

// Drain tries to send mails that are due, lane by lane and the longest due first, at most
// limit of them. It ends early where the Pace has no more to give. An error is one of the
// Store, and Drained says what was done before it; what a Sender does is no error. Where
// another call is under way, it does nothing: that one sees to what is due.
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
			i = 0 // what is more urgent may have come
		default:
			i++
		}
	}
	return d.done, nil
}

// drain is one run through the lanes.
type drain struct {
	*Outbox

	limit   int
	cursors map[lane]string // where the last turn stopped
	done    Drained
}

// turn sends some mails of a lane, and reports whether there may be more.
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

// due returns the markers at the beginning of a page that are due, or that are none.
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

// found is a marker.
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
		t.DueAt = now.Add(time.Hour) // out of the way of those that may go
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

// stale reports whether the mail is too old to be sent. One that may be on its way is not
// judged before its attempt is over.
func (p pending) stale(now time.Time) bool {
	return p.NotAfter != nil && now.After(*p.NotAfter) && (!p.Sending || !now.Before(p.DueAt))
}

// Adopt gives mails a marker that have none: those that an earlier release queued. Mails that
// were queued in the future, by a server whose clock was wrong, are due now. It looks
// at no more than limit, from where the last call stopped.
func (o *Outbox) Adopt(ctx context.Context, limit int) error {
	start, _, err := kv.Read[string](ctx, o.Store, cursorKey)
	if err != nil {
		return err
	}
	page, err := o.Store.List(ctx, kv.Query{Prefix: outboxPrefix, Cursor: start, Limit: limit})
	if err != nil {
		page = kv.Page{} // a cursor that the Store no longer knows
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
		return nil //nolint:nilerr // what is no mail is left alone
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

// Waiting counts the mails that are not sent yet.
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
