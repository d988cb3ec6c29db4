package simulation

import (
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// clockError is a period in which a server's clock is far off.
type clockError struct {
	server   int
	from, to time.Duration // from the beginning
	off      time.Duration
}

// maxClockError is the largest clock error.
const maxClockError = 60 * 24 * time.Hour

// drawClockErrors draws errors of up to sixty days for the clocks of one or both
// servers, from the beginning or later.
func (s *scenario) drawClockErrors() (all []clockError) {
	far := pick(s, time.Hour, 24*time.Hour, 4*24*time.Hour, maxClockError)
	off := time.Duration(s.Int64N(int64(far))) + 20*time.Minute
	if s.oneIn(2) {
		off = -off
	}
	a := clockError{server: s.IntN(2), off: off, from: time.Duration(s.Int64N(int64(50 * time.Hour)))}
	if s.oneIn(3) {
		a.from = 0
	}
	a.to = a.from + time.Duration(1+s.IntN(40))*time.Hour
	if s.long() && s.oneIn(2) {
		a.to += time.Duration(s.IntN(20*24)) * time.Hour
	}
	a.to = min(a.to, s.calm.Sub(begin)-time.Hour)
	all = append(all, a)
	if s.oneIn(3) { // both servers
		a.server = 1 - a.server
		if s.oneIn(2) {
			a.off = -a.off
		}
		all = append(all, a)
	}
	return all
}

// skewAt returns the server's clock error at a time.
func (s *server) skewAt(now time.Time) time.Duration {
	since := now.Sub(begin)
	for _, a := range s.w.scenario.astray {
		if s.w.servers[a.server] == s && since >= a.from && since < a.to {
			return a.off
		}
	}
	return s.skew
}

func (s *server) now() time.Time { return s.w.now.Add(s.skewAt(s.w.now)) }

// clock returns the guard that keeps a server with a wrong clock from making changes. It returns
// nil in histories without clock errors, because Workers have no guard.
func (s *server) clock(log *slog.Logger) *compose.Clock {
	if len(s.w.scenario.astray) == 0 || s == s.w.observer {
		return nil
	}
	return compose.NewClock(s.now, log)
}
