package campaignfile

import (
	"slices"
	"strconv"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// MaxRetries is the maximum number of retry days in a file.
const MaxRetries = 10

func (m *mapping) recovery() campaign.Recovery {
	r := campaign.DefaultRecovery()
	s := m.sub("recovery")
	if s == nil {
		return r
	}
	if n, ok := s.count("grace_days", 1, campaign.MaxGraceDays); ok {
		r.GraceDays = n
		r.RetryDays = slices.DeleteFunc(r.RetryDays, func(day int) bool { return day >= n })
	}
	if n, ok := s.count("attempts", 1, campaign.MaxAttempts); ok {
		r.Attempts = n
	}
	if s.has("retry_days") {
		r.RetryDays = s.retryDays(r.GraceDays)
	}
	s.rejectUnknownKeys()
	return r
}

func (m *mapping) retryDays(grace int) []int {
	days := []int{}
	for _, n := range m.list("retry_days", MaxRetries) {
		day, _ := strconv.Atoi(follow(n).Value) // 0 is rejected below
		if day < 1 || day >= grace || len(days) > 0 && day <= days[len(days)-1] {
			m.fail(n.Line, m.field("retry_days"), "write increasing whole days from 1 to %d, less than grace_days", grace-1)
			return days
		}
		days = append(days, day)
	}
	return days
}

// count reads a whole number from low to high. It returns false if the key is absent or its value
// is not valid.
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
