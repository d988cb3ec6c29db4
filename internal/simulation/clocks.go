package simulation

import (
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// astray is a server's clock that is far wrong for a while.
type astray struct {
	server   int
	from, to time.Duration // from the beginning
	off      time.Duration
}

// mostAstray is how far a clock goes astray.
const mostAstray = 60 * 24 * time.Hour

// drawAstray draws clocks that are up to sixty days wrong, of one server or of both, from
// the beginning or later.
func (s *scenario) drawAstray() (all []astray) {
	far := pick(s, time.Hour, 24*time.Hour, 4*24*time.Hour, mostAstray)
	off := time.Duration(s.Int64N(int64(far))) + 20*time.Minute
	if s.oneIn(2) {
		off = -off
	}
	a := astray{server: s.IntN(2), off: off, from: time.Duration(s.Int64N(int64(50 * time.Hour)))}
	if s.oneIn(3) {
		a.from = 0
	}
	a.to = a.from + time.Duration(1+s.IntN(40))*time.Hour
	if s.long() && s.oneIn(2) {
		a.to += time.Duration(s.IntN(20*24)) * time.Hour
	}
	a.to = min(a.to, s.calm.Sub(begin)-time.Hour)
	all = append(all, a)
	if s.oneIn(3) { // the other too
		a.server = 1 - a.server
		if s.oneIn(2) {
			a.off = -a.off
		}
		all = append(all, a)
	}
	return all
}

// skewAt is how far the server's clock is from the truth.
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

// clock is what keeps a server with a wrong clock from changes, as hosts have it. Without clocks
// that go astray there is none, as on Workers.
func (s *server) clock(log *slog.Logger) *compose.Clock {
	if len(s.w.scenario.astray) == 0 || s == s.w.observer {
		return nil
	}
	return compose.NewClock(s.now, log)
}
