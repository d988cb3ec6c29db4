package sim

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Options describe the processor to simulate. The zero value is a test-mode
// processor with its own clock, which starts at Epoch and moves by Advance alone.
type Options struct {
	Mode psp.Mode // Live or Test; empty means Test
	// Now is the caller's clock; nil means a clock of the simulator's own. It is
	// asked while the simulator is locked and must not call it.
	Now  func() time.Time
	Seed uint64 // identifiers and chance are drawn from it

	// APIKey is the only key that is let in. Empty means any key of the mode:
	// "sk_test_…" or "sk_live_…".
	APIKey string

	// Account is the ID of the account that the key belongs to; empty is one of the
	// simulator's own.
	Account string

	// WebhookSecret, when set, subscribes an endpoint to every event from the
	// start. WebhookURL is where its deliveries go.
	WebhookSecret string
	WebhookURL    string

	// BaseURL is put before the path of a hosted session's page.
	BaseURL string

	// BookAfter is how long after a charge its balance transaction appears when
	// the capture is asynchronous; zero means 30 seconds.
	BookAfter time.Duration
	// AsyncCapture makes the in-process Processor leave the capture method to
	// the default of the pinned version, so that financials arrive later.
	AsyncCapture bool
	// BookLate has payments booked later than they are answered, also those that
	// ask for it at once.
	BookLate bool

	// KeepKeys is how long idempotency keys are remembered; zero means
	// psp.KeyHorizon, the shortest that the processor promises.
	KeepKeys time.Duration

	// PageSize, where it is not 0, is the most that a list shows at once, whatever it is
	// asked for.
	PageSize int

	// NoLimits switches the rate limiter off.
	NoLimits bool

	// Timeout is how long the in-process Processor waits for an answer that a
	// Delay holds back; zero means 30 seconds.
	Timeout time.Duration
}

// Epoch is where the simulator's own clock starts.
var Epoch = time.Date(2026, time.January, 5, 12, 0, 0, 0, time.UTC)

// Sim is one simulated processor: its books, its memory of idempotency keys
// and its queue of webhook deliveries. It may be used by several goroutines.
type Sim struct {
	opts Options

	mu   sync.Mutex
	st   *state
	rate int // requests a second, where Limit has set it
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

// Mode tells whether the simulator plays real money or a test.
func (s *Sim) Mode() psp.Mode { return s.opts.Mode }

// Now is the processor's idea of the time: that of Options.Now, moved by Advance.
func (s *Sim) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock()
}

// Advance moves the processor's clock against Options.Now, forward or back,
// and does what falls due in between.
func (s *Sim) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Offset += d
	s.present()
}

func (s *Sim) clock() time.Time {
	base := Epoch
	if s.opts.Now != nil {
		base = s.opts.Now().UTC()
	}
	return base.Add(s.st.Offset)
}

// present does everything that has fallen due and returns the time. Every
// exported method that looks at the books calls it first, so nobody can see a
// session that should have expired.
func (s *Sim) present() time.Time {
	now := s.clock()
	for {
		t, ok := s.st.dueTask(now)
		if !ok {
			return now
		}
		s.runTask(t)
	}
}
