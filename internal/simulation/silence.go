package simulation

import (
	"net/http"
	"time"
)

// silence is how many charges of a campaign in a row got no answer, and since when.
type silence struct {
	charges int
	since   time.Time
}

// mostSilent is how many there may be at once: twenty, and some whose servers died before
// they could count them.
const mostSilent = 30

// silence: S12, where charges get no answer the rest of a campaign is spared. One may be
// tried every half an hour.
func (a *watch) silence(r *http.Request, answered bool) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return
	}
	slug, _, _ := splitKey(r.Header.Get("Idempotency-Key"))
	s := a.silent[slug]
	if s.charges++; s.charges == 1 {
		s.since = a.w.now
	}
	if answered {
		s = silence{}
	}
	a.silent[slug] = s
	if tries := int(a.w.now.Sub(s.since) / (30 * time.Minute)); s.charges > mostSilent+tries {
		a.violated("S12", "%d charges of %s in a row got no answer", s.charges, slug)
	}
}
