package simulation

import (
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// loop does something again and again, each time anew: a run that hangs keeps
// no other from starting.
func (s *server) loop(name string, after, every time.Duration, body func(*compose.Services)) {
	incarnation := s.incarnation
	until := end
	if name == "cron" {
		until = rest
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
			s.w.pause(s.w.every(every, s))
		}
	})
}

// every is how often a server's timer runs. When faults have stopped, one server's
// timers do.
func (w *world) every(usual time.Duration, s *server) time.Duration {
	if w.now.After(calm) && s != w.servers[0] {
		return 4 * usual
	}
	return usual
}
