package simulation

import (
	"math/rand/v2"
)

// larger is what a seed draws beside the older parts of a scenario. It has a stream of its
// own, so that a new part changes no history that does not use it.
type larger struct {
	span
	useRest bool // the processor's adapter is checkout/psp/rest
}

func (s *scenario) drawLarger(p Plan) {
	older := s.Rand
	defer func() { s.Rand = older }()
	s.Rand = rand.New(rand.NewPCG(p.Seed, 4))
	s.larger = larger{span: spanUntil(begin.Add(busy))}
	if s.oneIn(2) && p.plays(restAdapter) {
		s.useRest = true
	}
	if s.oneIn(20) && !s.crowd && p.plays(longSpan) {
		s.span = spanUntil(begin.Add(sixWeeks - cooldown))
	}
}
