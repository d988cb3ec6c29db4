package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxClockError is the most that this server's clock may differ from the processor's. The clocks
// of two servers then differ by at most twice that, which is less than Margin: no server whose
// clock is behind accepts a change of a pledge that another one already charges.
const MaxClockError = 15 * time.Minute

const accountKey = "account"

// Account is the processor account that a database belongs to. No other account can charge the
// saved cards.
type Account struct {
	Mode psp.Mode  `json:"mode"`
	ID   string    `json:"id"`
	At   time.Time `json:"at"` // first use
}

func (a Account) is(mode psp.Mode, id string) bool { return a.Mode == mode && (id == "" || a.ID == id) }

func (a Account) error() error {
	return fault.New(fault.Conflict, "The database belongs to the account %s, mode %s, since %s. Give it that account's key, or another database",
		a.ID, a.Mode, a.At.UTC().Format(time.RFC3339))
}

// AccountOf returns the account that a database belongs to, or nil before its first use.
func AccountOf(ctx context.Context, c kv.Coordinator) (*Account, error) {
	return kv.Ask[*Account](ctx, c, Switch{c}.object(), account{})
}

// Bind ties the database to the processor's account at the first use, and returns the processor's
// time. It fails with code Conflict if the database belongs to another account or mode (the mode
// is compared without a request), and with Unavailable if the processor does not answer.
func (s *Service) Bind(ctx context.Context) (time.Time, error) {
	bound, err := AccountOf(ctx, s.Coordinator)
	if err != nil {
		return time.Time{}, err
	}
	mode := s.Processor.Mode()
	if bound != nil && !bound.is(mode, "") {
		return time.Time{}, bound.error()
	}
	its, err := s.Processor.Account(ctx)
	if err != nil {
		return time.Time{}, fault.Wrap(err, fault.Unavailable, "The processor returned no account")
	}
	if bound == nil {
		made, err := kv.Send[Account](ctx, s.Coordinator, s.Switch().object(), "bind:"+string(mode)+":"+its.ID, bind{Mode: mode, ID: its.ID})
		if err != nil {
			return time.Time{}, err
		}
		bound = &made
	}
	if !bound.is(mode, its.ID) {
		return time.Time{}, bound.error()
	}
	return its.At, nil
}

// ClockError returns how far a clock differs from the processor's. The processor returned its
// time between two readings of the clock; the larger of both differences counts, because a
// slow response could hide that the clock is behind.
func ClockError(asked, answered, told time.Time) time.Duration {
	before, after := asked.Sub(told), answered.Sub(told)
	if before.Abs() > after.Abs() {
		return before
	}
	return after
}

// checkProcessor fails with code Conflict if this server's key is not of the account and mode
// that the database belongs to, or if its clock is wrong.
func (s *Service) checkProcessor(ctx context.Context) error {
	asked := s.Now()
	at, err := s.Bind(ctx)
	if err != nil {
		return err
	}
	if off := ClockError(asked, s.Now(), at); off.Abs() > MaxClockError {
		return fault.Wrap(errHeld, fault.Conflict, "This server's clock is %s off the processor's. Nothing is charged, closed or deleted until it is right", off.Round(time.Second))
	}
	return nil
}

type account struct{}

func (account) Kind() string { return "account" }

func runAccount(tx kv.Tx, _ time.Time, _ account) (*Account, error) {
	a, known, err := kv.Load[Account](tx, accountKey)
	if err != nil || !known {
		return nil, err
	}
	return &a, nil
}

type bind struct {
	Mode psp.Mode `json:"mode"`
	ID   string   `json:"id"`
}

func (bind) Kind() string { return "bind" }

// runBind keeps the first account.
func runBind(tx kv.Tx, now time.Time, cmd bind) (Account, error) {
	a, known, err := kv.Load[Account](tx, accountKey)
	if err != nil || known {
		return a, err
	}
	a = Account{Mode: cmd.Mode, ID: cmd.ID, At: now}
	return a, kv.Keep(tx, accountKey, a)
}
