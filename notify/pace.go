package notify

import (
	"sync"
	"time"
)

// Pace keeps all requests within the provider's rate limit: a token bucket that refills over
// time and is corrected by the provider's responses. It is safe for concurrent use.
type Pace struct {
	Now func() time.Time
	// Interval is the time in which the bucket gains one request, such as 200 ms for five
	// requests per second; 0 for no limit.
	Interval time.Duration
	// Burst is the capacity of the bucket. Values below 1 mean 1.
	Burst int

	mu    sync.Mutex
	next  time.Time // when the next request would be allowed with a Burst of 1
	until time.Time // no request is allowed before this time
	last  time.Time // last reading of the clock
}

// readClock returns the current time. If the clock was set back, it moves the times until which
// requests wait back as well.
func (p *Pace) readClock() time.Time {
	now := p.Now()
	if back := p.last.Sub(now); back > 0 {
		p.next, p.until = p.next.Add(-back), p.until.Add(-back)
	}
	p.last = now
	return now
}

// Take takes one request from the bucket and returns 0. If the bucket is empty, it changes
// nothing and returns how long to wait.
func (p *Pace) Take() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
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

// Adjust adjusts the pace to a response. If the current window's requests are used up, no request
// is allowed before the next window. After an account problem or an exceeded rate limit, no request
// is allowed until the response's RetryAfter has passed.
func (p *Pace) Adjust(r Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	if r.Quota != nil && r.Quota.Left <= 0 {
		p.blockUntil(now.Add(r.Quota.Reset))
	}
	if r.Account || r.Outcome == RetryLater && r.Quota != nil {
		p.blockUntil(now.Add(r.RetryAfter))
	}
}

func (p *Pace) blockUntil(until time.Time) {
	if p.until.Before(until) {
		p.until = until
	}
}
