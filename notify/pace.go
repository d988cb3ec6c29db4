package notify

import (
	"sync"
	"time"
)

// maxWidth is the maximum number of requests that run at the same time.
const maxWidth = 256

// maxWindow is the longest window over which requests are spread evenly. In a longer one, such as a
// day's quota, they are sent at once until it is used up.
const maxWindow = time.Minute

// Pace keeps all requests within the provider's rate limit: a token bucket that refills over
// time and is corrected by the provider's responses. It also finds out how many requests the
// provider takes at the same time, like TCP's congestion control: each accepted request allows one
// more, until the provider first refuses one because of the rate; then their number is halved, and
// grows by one per round. It is safe for concurrent use.
type Pace struct {
	Now func() time.Time
	// Interval is the time in which the bucket gains one request, such as 200 ms for five
	// requests per second. If it is 0, the rate is the one that the provider's responses state, and
	// there is no limit until they do.
	Interval time.Duration
	// Burst is the capacity of the bucket. Values below 1 mean 1, or a fiftieth of the stated limit.
	Burst int
	// Servers returns how many servers share the stated rate; nil for this one alone.
	Servers func() int

	mu     sync.Mutex
	next   time.Time // when the next request would be allowed with a Burst of 1
	until  time.Time // no request is allowed before this time
	last   time.Time // last reading of the clock
	stated Quota     // the limit that the provider stated, and the length of its window in Reset

	extra    int       // requests that may run at the same time, besides one
	narrowed time.Time // when their number was last halved
	accepted int       // requests that were accepted since their number changed, after it was halved
}

// readClock returns the current time. If the clock was set back, it moves the times until which
// requests wait back as well.
func (p *Pace) readClock() time.Time {
	now := p.Now()
	if back := p.last.Sub(now); back > 0 {
		p.next, p.until, p.narrowed = p.next.Add(-back), p.until.Add(-back), p.narrowed.Add(-back)
	}
	p.last = now
	return now
}

// Take takes one request from the bucket and returns 0. If the bucket is empty, it changes
// nothing and returns how long to wait.
func (p *Pace) Take() time.Duration {
	wait, _ := p.Reserve(0)
	return wait
}

// Reserve takes the next request from the bucket, if it is allowed within the given time, and
// returns how long the caller has to wait for it. Otherwise ok is false, nothing changes, and wait is
// when to ask again.
func (p *Pace) Reserve(within time.Duration) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	if now.Before(p.until) {
		return p.until.Sub(now), false
	}
	interval, burst := p.rate()
	if full := now.Add(-time.Duration(burst-1) * interval); p.next.Before(full) {
		p.next = full
	}
	if wait = max(0, p.next.Sub(now)); wait > within {
		return wait, false
	}
	p.next = p.next.Add(interval)
	return wait, true
}

// Blocked returns how long no request is allowed because the provider refused one; 0 otherwise.
func (p *Pace) Blocked() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.until.Sub(p.readClock()))
}

// rate returns the time in which the bucket gains one request, and its capacity.
func (p *Pace) rate() (interval time.Duration, burst int) {
	if p.Interval > 0 || p.stated.Limit == 0 {
		return p.Interval, max(1, p.Burst)
	}
	servers := 1
	if p.Servers != nil {
		servers = max(1, p.Servers())
	}
	share := max(1, p.stated.Limit*98/100/servers) // a little below the limit, because requests take different times
	return p.stated.Reset / time.Duration(share), max(1, p.Burst, share/50)
}

// Width returns how many requests may run at the same time, between 1 and most.
func (p *Pace) Width(most int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(1, min(1+p.extra, most))
}

// Adjust adjusts the pace to a response. If the current window's requests are used up, no request
// is allowed before the next window. After an account problem or an exceeded rate limit, no request
// is allowed until the response's RetryAfter has passed.
func (p *Pace) Adjust(r Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	if q := r.Quota; q != nil {
		if q.Left <= 0 {
			p.blockUntil(now.Add(q.Reset))
		}
		if q.Limit > 0 && q.Reset > 0 && q.Reset <= maxWindow {
			p.stated = Quota{Limit: q.Limit, Reset: max(p.stated.Reset, q.Reset)}
		}
	}
	exceeded := r.Outcome == RetryLater && r.Quota != nil
	if r.Account || exceeded {
		p.blockUntil(now.Add(r.RetryAfter))
	}
	switch {
	case exceeded:
		p.narrow(now)
	case r.Outcome == RetryLater:
	default:
		p.widen()
	}
}

// widen allows one more request at the same time, after one or a whole round was accepted.
func (p *Pace) widen() {
	p.accepted++
	if p.narrowed.IsZero() || p.accepted > p.extra {
		p.extra, p.accepted = min(p.extra+1, maxWidth), 0
	}
}

// Miss adjusts the pace to a request that got no response.
func (p *Pace) Miss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.narrow(p.readClock())
}

// narrow halves the number of requests that may run at the same time, once for all requests that
// were running.
func (p *Pace) narrow(now time.Time) {
	if now.Sub(p.narrowed) >= time.Second {
		p.extra, p.narrowed, p.accepted = p.extra/2, now, 0
	}
}

func (p *Pace) blockUntil(until time.Time) {
	if p.until.Before(until) {
		p.until = until
	}
}
