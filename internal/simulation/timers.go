package simulation

import (
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// loop runs a task periodically, each time in a new proc: a run that hangs does
// not block the next.
func (s *server) loop(name string, after, every time.Duration, body func(*compose.Services)) {
	incarnation := s.incarnation
	until := s.w.end
	if name != "mail" {
		until = s.w.rest
	}
	s.w.spawn("timer", nil, after, func() {
		for s.w.now.Before(until) {
			if s.incarnation != incarnation || s.down {
				return
			}
			switch {
			case s.w.away == s:
			case s.w.strikes(s.w.now, s.w.scenario.missedRunRate()):
				s.w.note("fault: %s", s.w.recordFault("%s does not run its %s", s.name, name))
			default:
				s.spawnWork(name, 0, body)
			}
			s.w.pause(s.w.interval(name, every, s))
		}
	})
}

// interval returns the interval of a server's timer. It is longer in the quiet weeks, and on
// the second server after faults have stopped.
func (w *history) interval(name string, usual time.Duration, s *server) time.Duration {
	switch {
	case w.quiet(w.now) && name == "mail":
		return 2 * time.Hour
	case w.quiet(w.now):
		return 5 * time.Hour
	case w.now.After(w.calm) && s != w.servers[0]:
		return 4 * usual
	}
	return usual
}

// slow lengthens a pause of people and operators in the quiet weeks.
func (w *history) slow(d time.Duration) time.Duration {
	if w.quiet(w.now) {
		return 8 * d
	}
	return d
}
