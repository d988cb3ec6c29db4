package settlement

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// importLifetime is how long a process may rely on an import of payments, as long as its leases
// directly followed one another. If the database loses charges that were made since the import,
// they can be sent again safely: the processor still remembers their keys.
const importLifetime = 11 * time.Hour

// Leases records the leases that this process has released, and when it last checked the
// processor's account and clock. The zero value is ready to use. It is safe for concurrent
// use.
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

// lastImports returns when the payments and the agreed terms were last imported, if a lease
// directly follows this process's last one and the end of that one was stored. A zero time means
// that the import has to be repeated.
func (t *Leases) lastImports(slug string, next state.Lease, now time.Time) (listed, agreed time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.last[slug]
	if !known || next.After != last.owner {
		return time.Time{}, time.Time{}
	}
	if now.Sub(last.listed) < importLifetime {
		listed = last.listed
	}
	if now.Sub(last.agreed) < importLifetime {
		agreed = last.agreed
	}
	return listed, agreed
}

// checkLife is how long a check of the processor's account and clock is valid.
const checkLife = time.Minute

// checkedLately reports whether the last check is still valid. It returns false if the clock
// was set back.
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
