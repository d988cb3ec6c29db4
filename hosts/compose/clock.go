package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// ErrClock is wrapped by the errors of all changes that are rejected because the clock is wrong.
var ErrClock = errors.New("compose: the clock is wrong")

const (
	// clockValid is how long a check is valid for changes. Heartbeats repeat the check every
	// clockEvery, so that changes seldom have to wait for one.
	clockValid = 5 * time.Minute
	clockEvery = time.Minute
	// clockRetry is the time between checks while the clock is wrong.
	clockRetry = 15 * time.Second
	// clockTimeout limits how long the processor may take to return its time.
	clockTimeout = 5 * time.Second
	// wrongFor is how long after the processor's last answer a clock that differed from it still
	// counts as wrong.
	wrongFor = time.Hour
)

// Clock compares this server's clock with the payment processor's or, while the processor does not
// answer, with the time of the last hourly run.
//
// With a wrong clock, a server would close live campaigns, change pledges that another server is
// charging, and delete records before they expire. A server whose clock is off by more than
// state.MaxClockError therefore changes nothing: New makes every write to the stores and every
// command check the Clock first. In a comparison with the last hourly run, the clock may be up to a
// day ahead. Reads still work, and changes are accepted again as soon as the clock is right.
//
// The Check of a nil Clock never fails, for hosts whose clock is always right. Create a Clock with
// NewClock. It is safe for concurrent use.
type Clock struct {
	now     func() time.Time
	log     *slog.Logger
	account func(context.Context) (psp.Account, error)
	lastRun func(context.Context) (at time.Time, known bool, err error)

	sem  chan struct{} // contains a token while a caller checks
	last atomic.Pointer[clockCheck]
}

// clockCheck is the result of one check.
type clockCheck struct {
	at       time.Time // of the check
	answered time.Time // when the processor last returned its time; zero if the result has another source
	err      error     // nil if the clock is right
}

// NewClock returns a Clock for Deps. It must not be used before New has completed it.
func NewClock(now func() time.Time, log *slog.Logger) *Clock {
	return &Clock{now: now, log: log, sem: make(chan struct{}, 1)}
}

// Check fails with code Unavailable and ErrClock if the clock is wrong or cannot be checked. It
// requests the processor's time only if the last check has expired or the clock was set since then.
func (c *Clock) Check(ctx context.Context) error { return c.check(ctx, clockValid) }

// IsRight reports whether the last check is still valid and found the clock right. It does not
// block.
func (c *Clock) IsRight() bool {
	last := c.recent(clockValid)
	return last != nil && last.err == nil
}

func (c *Clock) check(ctx context.Context, valid time.Duration) error {
	if c == nil {
		return nil
	}
	if last := c.recent(valid); last != nil {
		return last.err
	}
	c.sem <- struct{}{}
	defer func() { <-c.sem }()
	if last := c.recent(valid); last != nil { // another caller checked while this one waited
		return last.err
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), clockTimeout)
	defer cancel()
	next := c.measure(within)
	c.logChange(ctx, c.last.Swap(&next), next)
	return next.err
}

// recent returns the last check, or nil if it has expired.
func (c *Clock) recent(valid time.Duration) *clockCheck {
	last := c.last.Load()
	if last == nil || last.err != nil && c.age(last.at) >= clockRetry || c.age(last.at) >= valid {
		return nil
	}
	return last
}

// age returns the absolute difference between at and now, so that setting the clock back or forward
// expires the last check.
func (c *Clock) age(at time.Time) time.Duration { return c.wall().Sub(at).Abs() }

// wall returns the time without its monotonic reading, which does not change when the clock is set.
func (c *Clock) wall() time.Time { return c.now().Round(0) }

// measure compares the clock with the processor's. If the processor does not answer, it repeats a
// wrong result for wrongFor, and otherwise compares the clock with the last hourly run.
func (c *Clock) measure(ctx context.Context) clockCheck {
	asked := c.wall()
	its, err := c.account(ctx)
	now := c.wall()
	if err == nil {
		off := settlement.ClockError(asked, now, its.At)
		return clockCheck{at: now, answered: now, err: wrongClock(off, state.MaxClockError, "the payment processor's")}
	}
	if last := c.last.Load(); last != nil && last.err != nil && c.age(last.answered) < wrongFor {
		return clockCheck{at: now, answered: last.answered, err: last.err}
	}
	ran, known, err := c.lastRun(ctx)
	if err != nil {
		return clockCheck{at: now, err: fault.Wrap(errors.Join(ErrClock, err), fault.Unavailable,
			"This server's clock cannot be checked: %s", reasonOf(err))}
	}
	if !known { // a new database contains nothing to protect
		return clockCheck{at: now}
	}
	return clockCheck{at: now,
		err: wrongClock(now.Sub(ran), daily, "the last hourly run, and the payment processor does not answer")}
}

// wrongClock returns an error if the clock is behind the reference by more than
// state.MaxClockError, or ahead of it by more than ahead.
func wrongClock(off, ahead time.Duration, reference string) error {
	switch {
	case off > ahead:
		return fault.Wrap(ErrClock, fault.Unavailable,
			"This server's clock is %s ahead of %s. Changes are rejected until the clock is corrected", span(off), reference)
	case off < -state.MaxClockError:
		return fault.Wrap(ErrClock, fault.Unavailable,
			"This server's clock is %s behind %s. Changes are rejected until the clock is corrected", span(-off), reference)
	}
	return nil
}

// span formats a duration in days, hours or minutes, rounded.
func span(d time.Duration) string {
	switch {
	case d >= 2*daily:
		return fmt.Sprintf("%d days", d.Round(daily)/daily)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d.Round(time.Hour)/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d.Round(time.Minute)/time.Minute)
}

func (c *Clock) logChange(ctx context.Context, before *clockCheck, now clockCheck) {
	wasRight := before == nil || before.err == nil
	switch {
	case wasRight && now.err != nil:
		c.log.ErrorContext(ctx, "clock is wrong, refusing all changes", "reason", reasonOf(now.err))
	case !wasRight && now.err == nil:
		c.log.InfoContext(ctx, "clock is right again")
	}
}

// guardStores completes the Clock and wraps the stores and the coordinator, so that every change
// checks the Clock first. Rate limit counters are not wrapped, because they work with any clock.
func (d *Deps) guardStores() {
	c, store, p := d.Clock, d.Stores.Pledges, d.Processor
	if c == nil {
		return
	}
	c.account = p.Account
	co := d.Coordinator
	c.lastRun = func(ctx context.Context) (time.Time, bool, error) { return lastRun(ctx, store, co) }
	d.Stores.Pledges, d.Coordinator = clockedStore{store, c}, clockedCoordinator{d.Coordinator, c}
	if d.Stores.Votes != nil {
		d.Stores.Votes = clockedStore{d.Stores.Votes, c}
	}
}

// lastRun returns the time of the last hourly run or, before the first one, the time when the
// database was first used with the processor. It returns false for a new database.
func lastRun(ctx context.Context, store kv.Store, co kv.Coordinator) (time.Time, bool, error) {
	at, known, err := kv.Read[time.Time](ctx, store, cronKey)
	if err != nil || known {
		return at, known, err
	}
	a, err := state.Platform{Coordinator: co}.Account(ctx)
	if err != nil || a == nil {
		return time.Time{}, false, err
	}
	return a.At, true, nil
}

// clockedStore rejects writes while the clock is wrong.
type clockedStore struct {
	kv.Store
	clock *Clock
}

var _ kv.Incrementer = clockedStore{}

func (s clockedStore) Apply(ctx context.Context, batch []kv.Write) error {
	if err := s.clock.Check(ctx); err != nil {
		return err
	}
	return s.Store.Apply(ctx, batch)
}

func (s clockedStore) Increment(ctx context.Context, key string, limit int, expires time.Time) (kv.Count, bool, error) {
	if err := s.clock.Check(ctx); err != nil {
		return kv.Count{}, false, err
	}
	return kv.Increment(ctx, s.Store, s.clock.now(), key, limit, expires)
}

// clockedCoordinator rejects commands that are not queries while the clock is wrong.
type clockedCoordinator struct {
	kv.Coordinator
	clock *Clock
}

func (co clockedCoordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if cmd.ID != "" {
		if err := co.clock.Check(ctx); err != nil {
			return kv.Reply{}, err
		}
	}
	return co.Coordinator.Do(ctx, to, cmd)
}

// Heartbeat keeps this server a member and reports whether it is the leader: see Membership. A
// server whose clock is wrong sends no heartbeats, so that another server takes over.
func (s *Services) Heartbeat(ctx context.Context) (leads bool, err error) {
	if s.Clock.check(ctx, clockEvery) != nil {
		s.Membership.RecordMiss()
		return false, nil //nolint:nilerr // the other servers see the missed heartbeat
	}
	return s.Membership.Heartbeat(ctx)
}

// Leave ends the membership of a server that is stopping. While the clock is wrong it does nothing,
// and the other servers remove this one after they have missed its heartbeats.
func (s *Services) Leave(ctx context.Context) error {
	if s.Clock.Check(ctx) != nil {
		return nil //nolint:nilerr // its heartbeats stop
	}
	return s.Membership.Leave(ctx)
}
