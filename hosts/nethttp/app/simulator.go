package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	simFile      = "processor.json"
	lockWait     = 2 * time.Second
	lockRetry    = 50 * time.Millisecond
	pumpEvery    = 50 * time.Millisecond
	hookPatience = 10 * time.Second
)

// simulator is the simulated processor with its books in a file, so that they survive a restart.
// The file is written before each response is sent.
type simulator struct {
	*sim.Sim
	file string
	held *flock.Flock

	batched atomic.Bool  // saves wait for the end of a batch
	asked   atomic.Int64 // number of requested saves
	mu      sync.Mutex
	saved   int64 // the last request covered by a write
}

func openSimulator(dir string, o sim.Options) (*simulator, error) {
	s := &simulator{Sim: sim.New(o), file: filepath.Join(dir, simFile)}
	if err := s.lock(); err != nil {
		return nil, err
	}
	state, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = s.Restore(state)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the simulated processor's books %s: %w", s.file, err), s.held.Unlock())
	}
	return s, nil
}

// lock prevents a second process from using the same books, because the first one holds them in
// memory. It waits briefly for a process that is about to end.
func (s *simulator) lock() error {
	s.held = flock.New(s.file + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	mine, err := s.held.TryLockContext(ctx, lockRetry)
	if !mine && (err == nil || ctx.Err() != nil) {
		return fmt.Errorf("another process uses the simulated processor in %s: stop it, or use it over HTTP",
			filepath.Dir(s.file))
	}
	return err
}

func (s *simulator) close() error {
	return errors.Join(s.save(), s.held.Unlock())
}

// batch runs do and then writes the books once, instead of after each request.
func (s *simulator) batch(do func() error) error {
	s.batched.Store(true)
	err := do()
	s.batched.Store(false)
	return errors.Join(err, s.save())
}

// save writes the books, except in a batch. Concurrent callers share one write.
func (s *simulator) save() error {
	if s.batched.Load() {
		return nil
	}
	mine := s.asked.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved >= mine {
		return nil
	}
	covered := s.asked.Load()
	state, err := s.Snapshot()
	if err != nil {
		return err
	}
	draft := s.file + ".new"
	if err := os.WriteFile(draft, state, 0o600); err != nil {
		return err
	}
	if err := os.Rename(draft, s.file); err != nil {
		return err
	}
	s.saved = covered
	return nil
}

// BatchPayments runs do and writes the simulated processor's books once at the end, not after each
// request. If the process is killed before, the books lack the requests of do.
func (a *App) BatchPayments(do func() error) error {
	if a.simulator == nil {
		return do()
	}
	return a.simulator.batch(do)
}

// processor returns the psp.Processor of the simulator.
func (s *simulator) processor() psp.Processor { return persistentProcessor{s.Sim.Processor(), s} }

type persistentProcessor struct {
	psp.Processor
	sim *simulator
}

// saveAfter saves the books unless the request failed with err, which it returns.
func (k persistentProcessor) saveAfter(err error) error {
	if err != nil {
		return err
	}
	if err := k.sim.save(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The simulated processor's books could not be written")
	}
	return nil
}

func (k persistentProcessor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	id, err := k.Processor.CreateCustomer(ctx, c)
	return id, k.saveAfter(err)
}

func (k persistentProcessor) StartSetup(ctx context.Context, n psp.NewSetup) (psp.Session, error) {
	s, err := k.Processor.StartSetup(ctx, n)
	return s, k.saveAfter(err)
}

func (k persistentProcessor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	s, err := k.Processor.ExpireSession(ctx, id, key)
	return s, k.saveAfter(err)
}

func (k persistentProcessor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	out := k.Processor.Charge(ctx, c)
	if k.saveAfter(nil) != nil {
		return psp.Outcome{Status: psp.Unknown}
	}
	return out
}

func (k persistentProcessor) DetachCard(ctx context.Context, id, key string) error {
	return k.saveAfter(k.Processor.DetachCard(ctx, id, key))
}

func (k persistentProcessor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	return k.saveAfter(k.Processor.UpdateCustomer(ctx, id, key, metadata))
}

func (k persistentProcessor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	p, err := k.Processor.CancelPayment(ctx, id, key)
	return p, k.saveAfter(err)
}

// handler serves the processor's page for saving a card, and the controls for tests and demos.
func (s *simulator) handler() http.Handler {
	next := simhttp.NewHandler(s.Sim, simhttp.Options{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/snapshot") { // contains the signing secret
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(&savingWriter{ResponseWriter: w, before: func() error {
			if r.Method == http.MethodGet {
				return nil
			}
			return s.save()
		}}, r)
	})
}

// savingWriter calls before immediately before it sends the response.
type savingWriter struct {
	http.ResponseWriter
	before func() error
	begun  bool
}

func (w *savingWriter) WriteHeader(status int) {
	if !w.begun {
		w.begun = true
		if err := w.before(); err != nil {
			status = http.StatusInternalServerError
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *savingWriter) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// pump delivers webhooks until ctx is done.
func (s *simulator) pump(ctx context.Context) {
	pump := simhttp.Pump{Sim: s.Sim, Client: &http.Client{Timeout: hookPatience}}
	tick := time.NewTicker(pumpEvery)
	defer tick.Stop()
	for {
		if len(s.Due()) > 0 {
			pump.Once(ctx)
			_ = s.save() // an unsaved delivery is repeated, which is harmless
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
