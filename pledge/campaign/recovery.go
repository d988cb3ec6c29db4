package campaign

import (
	"slices"
	"strconv"
)

// Recovery is what a campaign does about a charge that failed.
type Recovery struct {
	// GraceDays is how long after the first failure the supporter may repair the
	// payment. Then the pledge is dropped for good.
	GraceDays int `json:"graceDays"`
	// RetryDays are the days after the first failure on which the same card is
	// tried again, where the refusal is one that may pass. They grow.
	RetryDays []int `json:"retryDays"`
	// Attempts is how many charges are tried altogether, whatever cards are given.
	Attempts int `json:"attempts"`
}

// The greatest recovery. The card networks count what is tried in thirty days
// and fine more than fifteen attempts.
const (
	MaxGraceDays = 60
	MaxAttempts  = 15
	maxRetries   = 10
)

// DefaultRecovery holds where a campaign's file says nothing: two weeks, as
// supporters know it from elsewhere, with three more tries spread over them.
func DefaultRecovery() Recovery {
	return Recovery{GraceDays: 14, RetryDays: []int{2, 5, 10}, Attempts: 10}
}

func (m *mapping) recovery() Recovery {
	r := DefaultRecovery()
	s := m.sub("recovery")
	if s == nil {
		return r
	}
	if n, ok := s.count("grace_days", 1, MaxGraceDays); ok {
		r.GraceDays = n
		r.RetryDays = slices.DeleteFunc(r.RetryDays, func(day int) bool { return day >= n })
	}
	if n, ok := s.count("attempts", 1, MaxAttempts); ok {
		r.Attempts = n
	}
	if s.has("retry_days") {
		r.RetryDays = s.retryDays(r.GraceDays)
	}
	s.done()
	return r
}

func (m *mapping) retryDays(grace int) []int {
	days := []int{}
	for _, n := range m.list("retry_days", maxRetries) {
		day, _ := strconv.Atoi(follow(n).Value) // 0 is refused
		if day < 1 || day >= grace || len(days) > 0 && day <= days[len(days)-1] {
			m.fail(n.Line, m.field("retry_days"), "write growing whole days from 1 to %d, before grace_days ends", grace-1)
			return days
		}
		days = append(days, day)
	}
	return days
}

// count reads a whole number from low to high.
func (m *mapping) count(key string, low, high int) (int, bool) {
	text, ok := m.scalar(key)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		m.failKey(key, "write a whole number from %d to %d", low, high)
		return 0, false
	}
	return n, true
}
