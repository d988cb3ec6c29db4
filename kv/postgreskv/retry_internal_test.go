package postgreskv

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Database errors are retried if a later attempt may succeed.
func TestRetryable_Errors(t *testing.T) {
	for code, want := range map[string]bool{
		"40001": true, "40P01": true, "55P03": true, // conflicts
		"57P01": true, "57P02": true, "57P03": true, "08006": true, "08P01": true, // database unavailable
		"25006": true, "53300": true, // not ready yet
		"57014": false, "22012": false, "23505": false, "25P02": false, "42601": false,
	} {
		if got := retryable(fmt.Errorf("writing: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s: retryable: %t", code, got)
		}
	}
	for _, err := range []error{errLost, errBroken, unsent{errors.New("the connection is busy")}, &pgconn.ConnectError{}} {
		if !retryable(errors.Join(errors.New("EOF"), err)) {
			t.Errorf("%v is not retryable", err)
		}
	}
	if retryable(errors.New("another error")) {
		t.Error("other errors are retryable")
	}
}

// unsent is the driver's error for a request that was not sent.
type unsent struct{ error }

func (unsent) SafeToRetry() bool { return true }

// retry repeats attempts that fail with retryable errors, and those with an unknown
// result only if repeat is set.
func TestRetry_Repeats(t *testing.T) {
	other := errors.New("another error")
	for name, tt := range map[string]struct {
		errs   []error // errors of the attempts in order, then success
		repeat bool
		want   error
		tries  int
	}{
		"well":               {nil, true, nil, 1},
		"broken":             {[]error{errBroken, errBroken}, true, nil, 3},
		"broken, no repeat":  {[]error{errBroken, errBroken}, false, nil, 3},
		"lost":               {[]error{errLost}, true, nil, 2},
		"lost, no repeat":    {[]error{errBroken, errLost}, false, errLost, 2},
		"another":            {[]error{other}, true, other, 1},
		"broken, then other": {[]error{errBroken, other}, true, other, 2},
		"other error":        {[]error{other}, false, other, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := (&DB{}).retry(t.Context(), tt.repeat, func() error {
					if tries++; tries <= len(tt.errs) {
						return tt.errs[tries-1]
					}
					return nil
				})
				if !errors.Is(err, tt.want) || tries != tt.tries {
					t.Errorf("%v after %d attempts, want %v after %d", err, tries, tt.want, tt.tries)
				}
			})
		})
	}
}

// While the database is unavailable, retry waits longer before each attempt, and returns the error
// when its time is over.
func TestRetry_StopsAfterBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const enough = 100 // attempts, to spare a database that is recovering
		began, last := time.Now(), time.Now()
		var delay time.Duration
		tries := 0
		err := (&DB{}).retry(t.Context(), true, func() error {
			if tries++; tries > enough {
				return nil
			}
			if next := time.Since(last); next < delay {
				t.Errorf("attempt %d waited %v, the one before waited %v", tries, next, delay)
			} else {
				delay, last = next, time.Now()
			}
			return errBroken
		})
		if !errors.Is(err, errBroken) || tries < 3 || time.Since(began) < tryFor {
			t.Errorf("%v after %d attempts and %v", err, tries, time.Since(began))
		}
	})
}

// retry ends with its context.
func TestRetry_EndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := (&DB{}).retry(ctx, true, func() error { return errBroken })
		if fault.Of(err) == nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		tries := 0
		err = (&DB{}).retry(ctx, true, func() error {
			tries++
			return errBroken
		})
		if !errors.Is(err, errBroken) || tries != 1 {
			t.Errorf("%v after %d attempts", err, tries)
		}
	})
}

// A failed read on an open connection returns its error and keeps the cache.
func TestWithConn_FailedRead(t *testing.T) {
	db := newTestDB(t)
	backendPID(t, db) // opens the connection, which resets the cache
	before, failed := db.cache.Load(), errors.New("read error")
	if err := db.withConn(t.Context(), func(*pgx.Conn) error { return failed }); !errors.Is(err, failed) ||
		errors.Is(err, errBroken) {
		t.Errorf("the failed read returned %v", err)
	}
	if db.cache.Load() != before {
		t.Error("the cache was reset")
	}
	err := db.withConn(t.Context(), func(c *pgx.Conn) error {
		return errors.Join(failed, c.Close(t.Context()))
	})
	if !errors.Is(err, failed) || !errors.Is(err, errBroken) {
		t.Errorf("the ended connection returned %v", err)
	}
	if db.cache.Load() == before {
		t.Error("the cache was not reset after a connection ended")
	}
}
