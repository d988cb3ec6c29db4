package sim

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Options configure the simulated processor. The zero value is a test-mode
// processor with its own clock, which starts at Epoch and moves only with
// Advance.
type Options struct {
	Mode psp.Mode // Live or Test; empty means Test
	// Now is the caller's clock; nil means the simulator's own. It is called
	// while the simulator is locked and must not call the simulator.
	Now  func() time.Time
	Seed uint64 // of identifiers and random faults

	// APIKey is the only accepted API key. Empty accepts any key of the mode:
	// "sk_test_…" or "sk_live_…".
	APIKey string

	// Account is the ID of the key's account; empty means a default.
	Account string

	// WebhookSecret, if set, creates an endpoint that is subscribed to all events
	// and delivers to WebhookURL.
	WebhookSecret string
	WebhookURL    string

	// BaseURL is the prefix of hosted pages' URLs.
	BaseURL string

	// BookAfter is how long after a charge its balance transaction appears with
	// asynchronous capture; zero means 30 seconds.
	BookAfter time.Duration
	// AsyncCapture makes the in-process Processor use the pinned version's
	// default capture method, so that financials arrive later.
	AsyncCapture bool
	// BookLate books payments after the response even with synchronous capture.
	BookLate bool

	// KeepKeys is how long idempotency keys are remembered; zero means psp.KeyHorizon, the time
	// that the processor guarantees.
	KeepKeys time.Duration

	// PageSize, if not 0, limits the length of list pages, regardless of the
	// request.
	PageSize int

	// NoLimits disables the rate limiter.
	NoLimits bool

	// Timeout is how long the in-process Processor waits for a delayed response; zero means 30
	// seconds.
	Timeout time.Duration
}

// Epoch is the start of the simulator's own clock.
var Epoch = time.Date(2026, time.January, 5, 12, 0, 0, 0, time.UTC)

// Sim is a simulated processor with its books, idempotency keys and webhook
// queue. It is safe for concurrent use.
type Sim struct {
	opts Options

	mu   sync.Mutex
	st   *state
	rate int // requests per second, if set by Limit
}

// New returns a processor with empty books.
func New(opts Options) *Sim {
	if opts.Mode != psp.Live {
		opts.Mode = psp.Test
	}
	if opts.Account == "" {
		opts.Account = "acct_simulated"
	}
	if opts.BookAfter <= 0 {
		opts.BookAfter = 30 * time.Second
	}
	if opts.KeepKeys <= 0 {
		opts.KeepKeys = psp.KeyHorizon
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 30 * time.Second
	}
	s := &Sim{opts: opts, st: newState(opts.Mode, opts.Seed)}
	s.subscribe()
	return s
}

// Mode returns the simulated mode.
func (s *Sim) Mode() psp.Mode { return s.opts.Mode }

// Now returns the processor's time: that of Options.Now, shifted by Advance.
func (s *Sim) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock()
}

// Advance moves the processor's clock relative to Options.Now, forward or back,
// and runs the tasks that become due.
func (s *Sim) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Offset += d
	s.runDueTasks()
}

func (s *Sim) clock() time.Time {
	base := Epoch
	if s.opts.Now != nil {
		base = s.opts.Now().UTC()
	}
	return base.Add(s.st.Offset)
}

// runDueTasks runs all due tasks and returns the processor's time. Every exported method that reads
// the state calls it first, so that, for example, expired sessions are never visible as open.
func (s *Sim) runDueTasks() time.Time {
	now := s.clock()
	for {
		t, ok := s.st.dueTask(now)
		if !ok {
			return now
		}
		s.runTask(t)
	}
}
