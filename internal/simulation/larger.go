package simulation

import "math/rand/v2"

// larger holds the newer parts of a scenario. Each is drawn from its own random stream, so
// that a new part leaves the histories without it unchanged.
type larger struct {
	span
	useRest bool // the processor's adapter is checkout/psp/rest
	astray  []astray
	incidents
	banking
}

func (s *scenario) drawLarger(p Plan) {
	s.larger = larger{span: spanUntil(begin.Add(busy))}
	older := s.Rand
	defer func() { s.Rand = older }()
	for i, draw := range []func(){
		func() { s.useRest = s.oneIn(2) },
		s.drawSpan,
		s.moveFiles,
		s.wrongClocks,
		func() { s.incidents = s.drawIncidents() },
		s.backUpEarly,
		func() { s.falsehoods = s.oneIn(4) },
		func() { s.partial = s.oneIn(6) },
		func() { s.refusals = s.oneIn(5) },
		s.loseAfterMove,
		func() { s.reversals = s.oneIn(3) },
	} {
		s.Rand = rand.New(rand.NewPCG(p.Seed, uint64(4+i)))
		draw()
	}
}

func (s *scenario) drawSpan() {
	if s.oneIn(20) && !s.crowd {
		s.span = spanUntil(begin.Add(sixWeeks - cooldown))
	}
}

func (s *scenario) moveFiles() {
	if s.oneIn(5) && !s.edit.happens && !s.heldOver {
		s.edit = s.drawRevision()
	}
}

func (s *scenario) wrongClocks() {
	if s.oneIn(8) && !s.farBehind && !s.silent {
		s.astray = s.drawAstray()
		s.stale = 0 // of memkv, whose writes are as old as the clock says that made them
	}
}
