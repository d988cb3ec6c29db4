package simulation

import "math/rand/v2"

// extensions are the newer parts of a scenario. Each has its own random stream,
// so that adding a part leaves histories without it unchanged.
type extensions struct {
	span
	useRest bool // the processor's adapter is checkout/psp/rest
	astray  []clockError
	incidents
	bankFaults
	refunds    bool // operators refund pledges
	refundsAll bool // and all payments of a campaign
	payouts    payoutPlan
}

func (s *scenario) drawExtensions(p Plan) {
	s.extensions = extensions{span: spanUntil(begin.Add(busy))}
	older := s.Rand
	defer func() { s.Rand = older }()
	for i, draw := range []func(){
		func() { s.useRest = s.oneIn(2) },
		s.drawSpan,
		s.drawFileEdits,
		s.drawWrongClocks,
		func() { s.incidents = s.drawIncidents() },
		s.backUpEarly,
		func() { s.falsehoods = s.oneIn(4) },
		func() { s.partial = s.oneIn(6) },
		func() { s.refusals = s.oneIn(5) },
		s.loseAfterMove,
		func() { s.reversals = s.oneIn(3) },
		s.drawRefunds,
		s.drawPayouts,
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

func (s *scenario) drawFileEdits() {
	if s.oneIn(5) && !s.edit.happens && !s.heldOver {
		s.edit = s.drawRevision()
	}
}

func (s *scenario) drawWrongClocks() {
	if s.oneIn(8) && !s.farBehind && !s.silent {
		s.astray = s.drawClockErrors()
		s.stale = 0 // in memkv, whose records age by the clock that wrote them
	}
}
