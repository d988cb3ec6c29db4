package settlement

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// vouched is how long a process may rely on a list, as long as its leases followed one another.
// Charges that were made since without its knowledge and lost with a database are safe: the
// processor still knows the keys that would be sent again.
const vouched = 11 * time.Hour

// Leases is what one process remembers of the leases that it released, and when it last checked
// the processor's account and clock. The zero value is ready, and it is safe for concurrent use.
type Leases struct {
	mu      sync.Mutex
	last    map[string]releasedLease // by campaign
	checked time.Time
}

type releasedLease struct {
	owner  string
	listed time.Time // when the processor's payments were last listed
	agreed time.Time // when the terms that supporters agreed to were last read
}

func (t *Leases) note(slug string, last releasedLease) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]releasedLease{}
	}
	t.last[slug] = last
}

// vouch returns when the payments were last listed and the terms last read, if a lease directly
// follows this process's last one and that one was stored to its end. A zero time means that they
// have to be read again.
func (t *Leases) vouch(slug string, next state.Lease, now time.Time) (listed, agreed time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.last[slug]
	if !known || next.After != last.owner {
		return time.Time{}, time.Time{}
	}
	if now.Sub(last.listed) < vouched {
		listed = last.listed
	}
	if now.Sub(last.agreed) < vouched {
		agreed = last.agreed
	}
	return listed, agreed
}

// checkLife is how long a check of the processor's account and clock counts.
const checkLife = time.Minute

// checkedLately reports whether a check still counts; it is false if the clock went back.
func (t *Leases) checkedLately(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.checked.IsZero() && !now.Before(t.checked) && now.Sub(t.checked) < checkLife
}

func (t *Leases) noteChecked(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checked = now
}
