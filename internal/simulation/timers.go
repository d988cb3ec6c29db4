package simulation

import (
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// loop does something again and again, each time anew: a run that hangs keeps
// no other from starting.
func (s *server) loop(name string, after, every time.Duration, body func(*compose.Services)) {
	incarnation := s.incarnation
	until := s.w.end
	if name == "cron" {
		until = s.w.rest
	}
	s.w.spawn("timer", nil, after, func() {
		for s.w.now.Before(until) {
			if s.incarnation != incarnation || s.down {
				return
			}
			switch {
			case s.w.away == s:
			case s.w.strikes(s.w.now, s.w.scenario.missed()):
				s.w.note("fault: %s", s.w.befall("%s does not run its %s", s.name, name))
			default:
				s.work(name, 0, body)
			}
			s.w.pause(s.w.every(name, every, s))
		}
	})
}

// every is how often a server's timer runs. When faults have stopped, one server's
// timers do. In the quiet weeks both are slow.
func (w *world) every(name string, usual time.Duration, s *server) time.Duration {
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

// slow stretches a pause of people and operators in the quiet weeks.
func (w *world) slow(d time.Duration) time.Duration {
	if w.quiet(w.now) {
		return 8 * d
	}
	return d
}
