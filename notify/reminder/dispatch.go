package reminder

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The keys of launch reminders. Addresses appear as the keyed hashes of suppression.List.

func waitingPrefix(slug string) string { return "launch-reminder:" + slug + ":" }

func waitingKey(slug, address string) string { return waitingPrefix(slug) + address }

// sentKey is the key of the time when an address was reminded.
func sentKey(slug, address string) string { return "launch-reminder-sent:" + slug + ":" + address }

// dispatchKey is the key of a campaign's dispatch progress.
func dispatchKey(slug string) string { return "launch-reminder-dispatch:" + slug }

// queueKey is the key of the list of campaigns whose reminders are being sent. It lets the
// per-minute run read a single record.
const queueKey = "launch-reminder-dispatch-queue:v1"

// Stale is the age of a launch after which no reminders are sent.
const Stale = 14 * 24 * time.Hour

// Durations of reminders and records.
const (
	mailLife    = 3 * 24 * time.Hour   // how long a queued reminder may still be sent
	undatedLife = 400 * 24 * time.Hour // how long an address waits for a campaign without a date
	sentLife    = 400 * 24 * time.Hour
	// settleTime is how long after a launch an earlier confirmation may be invisible, because the
	// store is eventually consistent or a server's clock is behind.
	settleTime = 10 * time.Minute
)

// dispatch is the progress of one campaign's reminders.
type dispatch struct {
	Cursor string     `json:"cursor,omitempty"` // in the list of addresses
	PassAt *time.Time `json:"passAt,omitempty"` // when the pass over the list started
	DoneAt *time.Time `json:"doneAt,omitempty"`
}

// Queue starts the dispatch of reminders for campaigns that launched no longer than within ago and
// have waiting addresses. Addresses expire after Stale.
func (l *Launches) Queue(ctx context.Context, within time.Duration) error {
	now := l.Now()
	queue, _, err := kv.Read[[]string](ctx, l.Store, queueKey)
	if err != nil {
		return err
	}
	before := len(queue)
	for _, c := range l.Catalogue().Campaigns() {
		began := c.StartsAt(l.Zone)
		if !c.Public() || c.State(now, l.Zone) != campaign.Live || c.Start.IsZero() || now.Sub(began) > within {
			continue
		}
		d, there, err := kv.Read[dispatch](ctx, l.Store, dispatchKey(c.Slug))
		if err != nil {
			return err
		}
		if there && d.DoneAt == nil && !slices.Contains(queue, c.Slug) {
			queue = append(queue, c.Slug)
		}
	}
	if len(queue) == before {
		return nil
	}
	return kv.Save(ctx, l.Store, queueKey, queue)
}

// Dispatch queues at most limit reminders for each campaign whose dispatch was started. After an
// error with one campaign, it continues with the others and returns all errors.
func (l *Launches) Dispatch(ctx context.Context, limit int) error {
	queue, _, err := kv.Read[[]string](ctx, l.Store, queueKey)
	if err != nil {
		return err
	}
	var errs []error
	var rest []string
	for _, slug := range queue {
		done, err := l.dispatchCampaign(ctx, slug, limit)
		if !done {
			rest = append(rest, slug)
		}
		errs = append(errs, err)
	}
	switch {
	case len(rest) == len(queue):
	case len(rest) == 0:
		errs = append(errs, l.Store.Apply(ctx, []kv.Write{kv.Delete(queueKey)}))
	default:
		errs = append(errs, kv.Save(ctx, l.Store, queueKey, rest))
	}
	return errors.Join(errs...)
}

// dispatchCampaign queues the next reminders of a campaign, and reports whether none are
// left. For a campaign that is not public or not live, it queues none and returns true.
func (l *Launches) dispatchCampaign(ctx context.Context, slug string, limit int) (done bool, err error) {
	c, err := l.publicCampaign(slug)
	if fault.Is(err, fault.NotFound) || err == nil && c.State(l.Now(), l.Zone) != campaign.Live {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	d, there, err := kv.Read[dispatch](ctx, l.Store, dispatchKey(slug))
	if err != nil || !there || d.DoneAt != nil {
		return err == nil, err
	}
	now := l.Now().UTC()
	if d.PassAt == nil {
		d = dispatch{PassAt: &now}
	}
	page, err := l.Store.List(ctx, kv.Query{Prefix: waitingPrefix(slug), Cursor: d.Cursor, Limit: limit})
	if err != nil {
		return false, err
	}
	var writes []kv.Write
	for _, e := range page.Entries {
		reminder, err := l.remind(ctx, c, e)
		if err != nil {
			return false, err
		}
		writes = append(writes, reminder...)
	}
	if d.Cursor = page.Next; page.Next == "" {
		d = l.afterPass(d, c, now)
	}
	progress, err := kv.Rewrite(ctx, l.Store, dispatchKey(slug), d, time.Time{})
	if err != nil {
		return false, err
	}
	if err := l.Store.Apply(ctx, append(writes, progress)); err != nil {
		return false, err
	}
	return d.DoneAt != nil, nil
}

// afterPass returns the progress after a pass over the list. Another pass follows unless
// this one started late enough to see all confirmations.
func (l *Launches) afterPass(d dispatch, c *campaign.Campaign, now time.Time) dispatch {
	if d.PassAt.After(c.StartsAt(l.Zone).Add(settleTime)) {
		return dispatch{DoneAt: &now}
	}
	return dispatch{}
}

// remind returns the writes for one reminder: they queue its mail, and replace the address with a
// record that the reminder was sent.
func (l *Launches) remind(ctx context.Context, c *campaign.Campaign, e kv.Entry) ([]kv.Write, error) {
	w, err := kv.Decode[signUpRecord](e.Key, e.Value)
	if err != nil {
		return nil, err
	}
	address := e.Key[len(waitingPrefix(c.Slug)):]
	sentAt, found, err := kv.Read[time.Time](ctx, l.Store, sentKey(c.Slug, address))
	if err != nil || found && sentAt.After(w.ConfirmedAt) {
		return []kv.Write{kv.Delete(e.Key)}, err // the list was stale
	}
	now := l.Now().UTC()
	r := l.reminder(w.Email, w.Lang, "/campaigns/"+c.Slug+"/")
	r.Identity, r.NotAfter = LaunchIdentity(c.Slug, w.Email), now.Add(mailLife)
	if r.Unsubscribe, err = l.unsubscribeURL(c, w.Email, w.Lang); err != nil {
		return nil, err
	}
	m, err := mailtext.LaunchReminderMail(r, c, l.Links.Platform, l.Zone)
	if err != nil {
		return nil, err
	}
	writes, err := l.Outbox.Writes(ctx, m)
	if err != nil {
		return nil, err
	}
	sent, err := kv.Record(sentKey(c.Slug, address), now, now.Add(sentLife))
	return append(writes, sent, kv.Delete(e.Key)), err
}

// LaunchIdentity returns the identity of the launch reminder for a campaign and an address.
func LaunchIdentity(slug, email string) string {
	return "launch:" + slug + ":" + pledge.EmailHash(email)
}
