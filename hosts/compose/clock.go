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
)

// ErrClock is in the error of every change that is refused because of a wrong clock.
var ErrClock = errors.New("compose: the clock is wrong")

const (
	// clockValid is how long a check counts for changes, and clockEvery how often heartbeats
	// repeat it, so that changes seldom wait for one.
	clockValid = 5 * time.Minute
	clockEvery = time.Minute
	// clockRetry is the time between checks while the clock is wrong.
	clockRetry = 15 * time.Second
	// clockPatience is how long the processor may take to tell its time.
	clockPatience = 5 * time.Second
	// wrongFor is how long a clock that differs from the processor's counts as wrong after
	// the processor's last answer.
	wrongFor = time.Hour
)

// Clock compares this server's clock with the payment processor's, and with the time of the
// last hourly run while the processor does not answer.
//
// By a wrong clock, live campaigns would be closed, pledges changed while another server
// charges them, and records deleted before they expire. So a server whose clock is more than
// settlement.MaxClockError off changes nothing: New has every write to the stores and every
// command to the objects ask the Clock first. Reads are answered, and the server continues by
// itself when its clock is right.
//
// A nil Clock allows everything: a host whose machine's clock cannot be wrong has none. Make
// one with NewClock. It is safe for concurrent use.
type Clock struct {
	now     func() time.Time
	log     *slog.Logger
	account func(context.Context) (psp.Account, error)
	lastRun func(context.Context) (at time.Time, known bool, err error)

	turn chan struct{} // holds a token while a caller checks
	last atomic.Pointer[clockCheck]
}

// clockCheck is the result of one check.
type clockCheck struct {
	at       time.Time // of the check
	answered time.Time // when the processor last told its time; zero if the result is not by it
	err      error     // nil if the clock is right
}

// NewClock returns a Clock for Deps. It is not checked before New has it.
func NewClock(now func() time.Time, log *slog.Logger) *Clock {
	return &Clock{now: now, log: log, turn: make(chan struct{}, 1)}
}

// Check fails with code Unavailable and ErrClock if the clock is wrong. It asks the processor
// if the last check is too old, or the clock was set since.
func (c *Clock) Check(ctx context.Context) error { return c.check(ctx, clockValid) }

// IsRight reports whether the last check found the clock right and still counts. It does not
// wait.
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
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	if last := c.recent(valid); last != nil { // another caller checked while this one waited
		return last.err
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), clockPatience)
	defer cancel()
	next := c.measure(within)
	c.logChange(ctx, c.last.Swap(&next), next)
	return next.err
}

// recent returns the last check, nil if it is too old.
func (c *Clock) recent(valid time.Duration) *clockCheck {
	last := c.last.Load()
	if last == nil || last.err != nil && c.age(last.at) >= clockRetry || c.age(last.at) >= valid {
		return nil
	}
	return last
}

// age is how far a time is away in either direction: a clock that was set back or forward
// makes the last check old.
func (c *Clock) age(at time.Time) time.Duration { return c.wall().Sub(at).Abs() }

// wall is the time without its monotonic reading, which does not change with the clock.
func (c *Clock) wall() time.Time { return c.now().Round(0) }

// measure compares the clock with the processor's, or with the last hourly run.
func (c *Clock) measure(ctx context.Context) clockCheck {
	asked := c.wall()
	its, err := c.account(ctx)
	now := c.wall()
	if err == nil {
		off := settlement.ClockError(asked, now, its.At)
		return clockCheck{at: now, answered: now, err: wrongClock(off, settlement.MaxClockError, "the payment processor's")}
	}
	if last := c.last.Load(); last != nil && last.err != nil && c.age(last.answered) < wrongFor {
		return clockCheck{at: now, answered: last.answered, err: last.err}
	}
	ran, known, err := c.lastRun(ctx)
	if err != nil {
		return clockCheck{at: now, err: fault.Wrap(errors.Join(ErrClock, err), fault.Unavailable, "This server's clock cannot be checked: %s", reasonOf(err))}
	}
	if !known { // a new database has nothing to lose
		return clockCheck{at: now}
	}
	return clockCheck{at: now, err: wrongClock(now.Sub(ran), daily, "the last hourly run, and the payment processor does not answer")}
}

// wrongClock returns an error for a clock that is more than settlement.MaxClockError behind
// another time, or further ahead of it than it may be.
func wrongClock(off, ahead time.Duration, of string) error {
	switch {
	case off > ahead:
		return fault.Wrap(ErrClock, fault.Unavailable, "This server's clock is %s ahead of %s. Nothing is changed until the clock is right", span(off), of)
	case off < -settlement.MaxClockError:
		return fault.Wrap(ErrClock, fault.Unavailable, "This server's clock is %s behind %s. Nothing is changed until the clock is right", span(-off), of)
	}
	return nil
}

// span is a duration in its largest unit.
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
	was := before == nil || before.err == nil
	switch {
	case was && now.err != nil:
		c.log.ErrorContext(ctx, "this server changes nothing until its clock is right", "reason", reasonOf(now.err))
	case !was && now.err == nil:
		c.log.InfoContext(ctx, "this server's clock is right again")
	}
}

// guard has every change ask the Clock first, except the counters of requests: they limit
// clients with any clock.
func (d *Deps) guard() {
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

// lastRun is the time of the last hourly run, or before the first one, when the database was first
// used with the processor. It reports false for a new database.
func lastRun(ctx context.Context, store kv.Store, co kv.Coordinator) (time.Time, bool, error) {
	at, known, err := kv.Read[time.Time](ctx, store, cronKey)
	if err != nil || known {
		return at, known, err
	}
	a, err := settlement.AccountOf(ctx, co)
	if err != nil || a == nil {
		return time.Time{}, false, err
	}
	return a.At, true, nil
}

// clockedStore refuses writes while the clock is wrong.
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

// clockedCoordinator refuses commands that are not queries while the clock is wrong.
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

// Heartbeat keeps this server a member and reports whether it leads: see Membership. A server
// whose clock is wrong sends none, so that another one leads.
func (s *Services) Heartbeat(ctx context.Context) (leads bool, err error) {
	if s.Clock.check(ctx, clockEvery) != nil {
		s.Membership.Miss()
		return false, nil
	}
	return s.Membership.Heartbeat(ctx)
}

// Leave ends the membership of a server that stops. The others remove one whose clock is
// wrong by its silence.
func (s *Services) Leave(ctx context.Context) error {
	if s.Clock.Check(ctx) != nil {
		return nil
	}
	return s.Membership.Leave(ctx)
}
