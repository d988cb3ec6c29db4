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
	// Interval is the time in which the bucket fills by one request, 200 ms at five a
	// second, as far as no answer says otherwise; 0 where there is no limit.
	Interval time.Duration
	// Burst is how many requests the bucket holds; at least 1.
	Burst int

	mu    sync.Mutex
	next  time.Time // when the next request would leave if the bucket held one
	until time.Time // no request leaves before
	last  time.Time // when the clock was read last
}

// time reads the clock. If it was set back, everything that is waited for moves with it.
func (p *Pace) time() time.Time {
	now := p.Now()
	if back := p.last.Sub(now); back > 0 {
		p.next, p.until = p.next.Add(-back), p.until.Add(-back)
	}
	p.last = now
	return now
}

// Take takes one request out of the bucket and returns 0, or leaves the bucket alone and
// returns how long to wait.
func (p *Pace) Take() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.time()
	if now.Before(p.until) {
		return p.until.Sub(now)
	}
	full := now.Add(-time.Duration(max(p.Burst, 1)-1) * p.Interval)
	if p.next.Before(full) {
		p.next = full
	}
	if now.Before(p.next) {
		return p.next.Sub(now)
	}
	p.next = p.next.Add(p.Interval)
	return 0
}

// Learn takes over what an answer says: nothing leaves before the time that a provider
// asks for when its rate or the account is at fault, or when its window is used up.
func (p *Pace) Learn(r Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.time()
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
