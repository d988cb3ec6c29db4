package postgreskv

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// What the database answers is tried again where another time may end otherwise.
func TestWhatIsTriedAgain(t *testing.T) {
	for code, want := range map[string]bool{
		"40001": true, "40P01": true, "55P03": true, // against another
		"57P01": true, "57P02": true, "57P03": true, "08006": true, "08P01": true, // went away
		"25006": true, "53300": true, // not yet
		"57014": false, "22012": false, "23505": false, "25P02": false, "42601": false,
	} {
		if got := again(fmt.Errorf("writing: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s is tried again: %t", code, got)
		}
	}
	for _, err := range []error{errLost, errBroken, unsent{errors.New("the connection is busy")}, &pgconn.ConnectError{}} {
		if !again(errors.Join(errors.New("EOF"), err)) {
			t.Errorf("%v: it is not tried again", err)
		}
	}
	if again(errors.New("of another kind")) {
		t.Error("an error of another kind is tried again")
	}
}

// unsent is what the driver says of a request of which nothing has left.
type unsent struct{ error }

func (unsent) SafeToRetry() bool { return true }

// What fails for the database's reasons is repeated until it succeeds; what nobody knows
// the end of only if it may be repeated, and nothing else.
func TestPersist(t *testing.T) {
	other := errors.New("of another kind")
	for name, tt := range map[string]struct {
		errs   []error // of the attempts, one after the other; then they succeed
		repeat bool
		want   error
		tries  int
	}{
		"well":           {nil, true, nil, 1},
		"broken":         {[]error{errBroken, errBroken}, true, nil, 3},
		"broken, once":   {[]error{errBroken, errBroken}, false, nil, 3},
		"lost":           {[]error{errLost}, true, nil, 2},
		"lost, once":     {[]error{errBroken, errLost}, false, errLost, 2},
		"another":        {[]error{other}, true, other, 1},
		"broken, then":   {[]error{errBroken, other}, true, other, 2},
		"another, alone": {[]error{other}, false, other, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := (&DB{}).persist(t.Context(), tt.repeat, func() error {
					if tries++; tries <= len(tt.errs) {
						return tt.errs[tries-1]
					}
					return nil
				})
				if !errors.Is(err, tt.want) || tries != tt.tries {
					t.Errorf("%v after %d tries, want %v after %d", err, tries, tt.want, tt.tries)
				}
			})
		})
	}
}

// A database that is away is asked for a while, less and less often, and then given up.
func TestPersistGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const enough = 100 // a database that comes back has more to do than to refuse us
		began, last := time.Now(), time.Now()
		var nap time.Duration
		tries := 0
		err := (&DB{}).persist(t.Context(), true, func() error {
			if tries++; tries > enough {
				return nil
			}
			if next := time.Since(last); next < nap {
				t.Errorf("try %d comes after %v, the one before came after %v", tries, next, nap)
			} else {
				nap, last = next, time.Now()
			}
			return errBroken
		})
		if !errors.Is(err, errBroken) || tries < 3 || time.Since(began) < tryFor {
			t.Errorf("it ends with %v after %d tries and %v", err, tries, time.Since(began))
		}
	})
}

// Whoever has gone is not waited for.
func TestPersistForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := (&DB{}).persist(ctx, true, func() error { return errBroken })
		if fault.Of(err) == nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		tries := 0
		err = (&DB{}).persist(ctx, true, func() error {
			tries++
			return errBroken
		})
		if !errors.Is(err, errBroken) || tries != 1 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

// A read that failed on a connection that lives on is no failure of the connection: what
// is remembered stays, and the error is the reader's.
func TestAReadThatFails(t *testing.T) {
	p := newTestPool(t)
	db := &DB{pool: p}
	db.forget()
	before, failed := db.cache.Load(), errors.New("this cannot be read")
	if err := db.lend(t.Context(), func(*conn) error { return failed }); !errors.Is(err, failed) || errors.Is(err, errBroken) {
		t.Errorf("a read that fails ends with %v", err)
	}
	if db.cache.Load() != before {
		t.Error("what was remembered is forgotten")
	}
	err := db.lend(t.Context(), func(c *conn) error {
		return errors.Join(failed, c.Close(t.Context()))
	})
	if !errors.Is(err, failed) || !errors.Is(err, errBroken) {
		t.Errorf("a connection that ends gives %v", err)
	}
	if db.cache.Load() == before {
		t.Error("what was remembered of a connection that has ended is kept")
	}
}
