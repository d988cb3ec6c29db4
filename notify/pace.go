package notify

import (
	"sync"
	"time"
)

// Pace keeps all mails together within the rate of their provider: a bucket of requests
// that fills with time, and that the provider's answers correct. It is safe for concurrent
// use.
type Pace struct {
	Now func() time.Time
	// PerSecond is how many requests may be sent in a second, as far as no answer says
	// otherwise; 0 where there is no limit.
	PerSecond float64
	// Burst is how many may be sent at once after a pause; at least 1.
	Burst int

	mu     sync.Mutex
	tokens float64
	at     time.Time // when tokens was right
	until  time.Time // no request leaves before
}

// Take takes one request out of the bucket and returns 0, or leaves the bucket alone and
// returns how long to wait.
func (p *Pace) Take() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if now.Before(p.until) {
		return p.until.Sub(now)
	}
	if p.PerSecond <= 0 {
		return 0
	}
	p.fill(now)
	if p.tokens < 1 {
		return time.Duration((1 - p.tokens) / p.PerSecond * float64(time.Second))
	}
	p.tokens--
	return 0
}

func (p *Pace) fill(now time.Time) {
	burst := float64(max(p.Burst, 1))
	if p.at.IsZero() {
		p.tokens = burst
	} else {
		p.tokens = min(burst, p.tokens+p.PerSecond*max(now.Sub(p.at), 0).Seconds())
	}
	p.at = now
}

// Learn takes over what an answer says: nothing leaves before the time that a provider
// asks for when its rate or the account is at fault, or when its window is used up.
func (p *Pace) Learn(r Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if r.Quota != nil && r.Quota.Left <= 0 {
		p.hold(now.Add(r.Quota.Reset))
	}
	if r.Account || r.Outcome == RetryLater && r.Quota != nil {
		p.hold(now.Add(r.RetryAfter))
	}
}

func (p *Pace) hold(until time.Time) {
	if p.until.Before(until) {
		p.until = until
	}
}
