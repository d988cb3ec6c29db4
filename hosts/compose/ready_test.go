package compose_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// writes counts test writes and can make them fail.
type writes struct {
	n   int
	err error
}

func (w *writes) check(context.Context) error {
	w.n++
	return w.err
}

func TestReady_Writes(t *testing.T) {
	var log bytes.Buffer
	h := newHost(t, memory.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	full := fault.Wrap(errors.New("/srv/secret/path"), fault.Unavailable, "the database's disk is full")
	w := &writes{}
	h.Services.CheckWrite = w.check
	for _, step := range []struct {
		name    string
		after   time.Duration
		err     error
		written int // in all
		want    string
	}{
		{"first check", 0, nil, 1, ""},
		{"soon after a success", 4 * time.Second, full, 1, ""},
		{"later", time.Second, full, 2, "This server cannot write: the database's disk is full"},
		{"soon after a failure", 0, full, 3, "This server cannot write: the database's disk is full"},
		{"another error", 0, errors.New("secret"), 4, "This server cannot write: see the log"},
		{"the cause is gone", 0, nil, 5, ""},
		{"and stays so", 0, nil, 5, ""},
	} {
		h.Advance(step.after)
		w.err = step.err
		err := h.Services.Ready(t.Context())
		got := ""
		if err != nil {
			got = fault.Of(err).Message
		}
		if got != step.want || w.n != step.written {
			t.Errorf("%s: %q after %d writes, want %q after %d", step.name, got, w.n, step.want, step.written)
		}
	}
	if lost, back := strings.Count(log.String(), "cannot write and is not ready"),
		strings.Count(log.String(), "can write again"); lost != 1 || back != 1 {
		t.Errorf("log contains %d losses and %d recoveries, want one of each:\n%s", lost, back, &log)
	}
	if !strings.Contains(log.String(), "the database's disk is full") {
		t.Errorf("log does not contain the reason:\n%s", &log)
	}
}

func TestReady_Reads(t *testing.T) {
	var failing error
	h := newHost(t, memory.Options{Fail: func(memkv.Op) error { return failing }})
	if err := h.Services.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	failing = fault.New(fault.Unavailable, "the connection to the database was lost")
	err := h.Services.Ready(t.Context())
	if want := "This server cannot read its data: the connection to the database was lost"; err == nil ||
		fault.Of(err).Message != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// Concurrent probes share one write, even while writes fail.
func TestReady_ConcurrentChecksShareOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, memory.Options{})
		n := 0
		h.Services.CheckWrite = func(context.Context) error {
			n++
			time.Sleep(time.Second)
			return fault.New(fault.Unavailable, "the database is read-only")
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := h.Services.Ready(t.Context()); err == nil {
					t.Error("the server is ready")
				}
			})
		}
		all.Wait()
		if n != 1 {
			t.Errorf("%d writes, want 1", n)
		}
	})
}

// A hanging write times out, and a probe that disconnects does not count as a failure.
func TestReady_SlowWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, memory.Options{})
		h.Services.CheckWrite = func(ctx context.Context) error {
			<-ctx.Done()
			return fault.Wrap(ctx.Err(), fault.Unavailable, "the caller has gone")
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		err := h.Services.Ready(gone)
		if want := "This server cannot write: a write takes longer than 3s"; err == nil || fault.Of(err).Message != want {
			t.Errorf("%v, want %q", err, want)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the check took %s", took)
		}
	})
}

// hangingStore is a store whose reads do not return before their context ends.
type hangingStore struct{ kv.Store }

func (hangingStore) Get(ctx context.Context, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, fault.Wrap(ctx.Err(), fault.Unavailable, "the caller has gone")
}

// A hanging read times out, so that a probe gets its reason.
func TestReady_SlowRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, memory.Options{})
		h.Services.Stores.Pledges = hangingStore{h.Services.Stores.Pledges}
		began := time.Now()
		err := h.Services.Ready(t.Context())
		if want := "This server cannot read its data: a read takes longer than 3s"; err == nil ||
			fault.Of(err).Message != want {
			t.Errorf("%v, want %q", err, want)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the check took %s", took)
		}
	})
}
