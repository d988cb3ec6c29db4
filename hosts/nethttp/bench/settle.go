package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Settling configures the measurement of a settlement.
type Settling struct {
	Supporters int
	// Limit is the processor's rate limit in requests per second, known to the servers; 0 means
	// none.
	Limit int
	// Kill is the interval at which the servers are killed, each once. A killed server restarts
	// after Away. 0 means that no server is killed.
	Kill, Away time.Duration
	// Report is called every minute with the number of charges and the rate since the last call. It
	// may be nil.
	Report func(charged int, perSecond float64)
}

// Settled is the result of a settlement.
type Settled struct {
	Charges int
	Took    time.Duration
	Kills   int
	Refused int64 // requests rejected by the rate limit
}

// Settle moves the servers' clocks past the deadline and starts the settlement of every campaign.
// It starts settlements again every minute until every supporter is charged. It fails if a
// supporter was charged twice.
func (s *Servers) Settle(ctx context.Context, o Settling) (Settled, error) {
	if err := s.restartPastDeadline(ctx, o.Limit); err != nil {
		return Settled{}, err
	}
	began := time.Now()
	if err := s.dispatch(ctx); err != nil {
		return Settled{}, err
	}
	done := make(chan struct{})
	killed := make(chan killing, 1)
	go func() { killed <- s.killEach(ctx, o, done) }()
	charges, err := s.awaitCharges(ctx, o)
	settled := Settled{Charges: charges, Took: time.Since(began), Refused: s.refused.Load()}
	close(done)
	k := <-killed
	settled.Kills = k.count
	return settled, errors.Join(err, k.err, s.Sim.Check(), s.checkChargedOnce())
}

// checkChargedOnce returns an error if a customer was charged twice.
func (s *Servers) checkChargedOnce() error {
	seen := map[string]bool{}
	for _, e := range s.Sim.Entries() {
		if seen[e.CustomerID] {
			return fmt.Errorf("the processor's customer %s was charged twice", e.CustomerID)
		}
		seen[e.CustomerID] = true
	}
	return nil
}

// restartPastDeadline restarts the servers with a clock past the deadline.
func (s *Servers) restartPastDeadline(ctx context.Context, limit int) error {
	if err := s.stop(); err != nil {
		return err
	}
	const beyond = campaignDuration + 3*24*time.Hour
	s.Sim.Advance(beyond)
	s.Sim.SetLimit(limit)
	s.refused.Store(0)
	for _, env := range s.env {
		env["CLOCK_OFFSET_SECONDS"], env["PSP_REQUESTS_PER_SECOND"] = strconv.Itoa(int(beyond.Seconds())), strconv.Itoa(limit)
	}
	return s.start(ctx)
}

func (s *Servers) dispatch(ctx context.Context) error {
	header := map[string]string{"Authorization": "Bearer " + s.env[0]["ADMIN_SETTLEMENT_SECRET"]}
	for n, slug := range s.Campaigns {
		err := s.send(ctx, n, http.MethodPost, "/admin/settle-dispatch/"+slug, header, nil, nil)
		if err != nil && !strings.Contains(err.Error(), `"busy"`) { // a server has already started it
			return err
		}
	}
	return nil
}

// awaitCharges waits until all supporters are charged and returns the number of charges.
func (s *Servers) awaitCharges(ctx context.Context, o Settling) (charges int, err error) {
	ticker, reported, before := time.NewTicker(250*time.Millisecond), time.Now(), 0
	defer ticker.Stop()
	for {
		if s.Sim.Received(sim.CreateIntent) >= o.Supporters {
			if charges = len(s.Sim.Entries()); charges >= o.Supporters {
				return charges, nil
			}
		}
		if since := time.Since(reported); since >= time.Minute {
			charges = len(s.Sim.Entries())
			if o.Report != nil {
				o.Report(charges, float64(charges-before)/since.Seconds())
			}
			reported, before = time.Now(), charges
			_ = s.dispatch(ctx) // resumes the campaigns of a killed server; rejected while a settlement runs
		}
		select {
		case <-ctx.Done():
			return charges, ctx.Err()
		case <-ticker.C:
		}
	}
}

// killing is the result of killEach.
type killing struct {
	count int
	err   error
}

// killEach kills and restarts every server once, one after the other, until done is closed.
func (s *Servers) killEach(ctx context.Context, o Settling, done <-chan struct{}) (k killing) {
	if o.Kill <= 0 {
		return k
	}
	wait := func(d time.Duration) bool {
		select {
		case <-done:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	for i, p := range s.processes {
		if !wait(o.Kill) {
			return k
		}
		if k.err = p.Process.Kill(); k.err != nil {
			return k
		}
		_ = p.Wait() // killed above
		k.count++
		s.processes[i] = nil
		wait(o.Away)
		if k.err = s.startOne(ctx, i); k.err != nil {
			return k
		}
	}
	return k
}

// countRefusals counts requests rejected by the rate limit.
func (s *Servers) countRefusals(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(refusals{w, &s.refused}, r)
	})
}

type refusals struct {
	http.ResponseWriter
	count *atomic.Int64
}

func (r refusals) WriteHeader(status int) {
	if status == http.StatusTooManyRequests {
		r.count.Add(1)
	}
	r.ResponseWriter.WriteHeader(status)
}
