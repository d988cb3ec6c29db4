package simulation

import (
	"net/http"
	"time"
)

// silence is a series of consecutive charges of a campaign without a response.
type silence struct {
	charges int
	since   time.Time
}

// maxSilent is the limit at one time: twenty, plus some whose servers crashed
// before counting them.
const maxSilent = 30

// checkSilence checks S12: if charges get no response, the campaign's other
// charges are postponed. One may be tried every half hour.
func (a *checker) checkSilence(r *http.Request, answered bool) {
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
	if tries := int(a.w.now.Sub(s.since) / (30 * time.Minute)); s.charges > maxSilent+tries {
		a.reportViolation("S12", "%d consecutive charges of %s got no response", s.charges, slug)
	}
}
