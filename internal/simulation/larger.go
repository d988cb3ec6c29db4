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
	// Which of the newer invariants are checked: see features.
	imports, clocked, strict, agreed, trueMails, wholeLists, promptMails bool
}

func (s *scenario) drawLarger(p Plan) {
	s.larger = larger{span: spanUntil(begin.Add(busy)), imports: p.plays(imports), clocked: p.plays(clocked), strict: p.plays(noExcuses)}
	s.agreed, s.trueMails = p.plays(agreed), p.plays(trueMails)
	s.wholeLists, s.promptMails = p.plays(movedAndLost), p.plays(mailsPutOff)
	older := s.Rand
	defer func() { s.Rand = older }()
	for i, part := range []struct {
		feature
		draw func()
	}{
		{restAdapter, func() { s.useRest = s.oneIn(2) }},
		{longSpan, s.drawSpan},
		{movedFiles, s.moveFiles},
		{wrongClocks, s.wrongClocks},
		{incidentHandling, func() { s.incidents = s.drawIncidents() }},
		{earlyBackups, s.backUpEarly},
		{falseAnswersGiven, func() { s.falsehoods = s.oneIn(4) }},
		{partialCapturing, func() { s.partial = s.oneIn(6) }},
		{permanentRefusals, func() { s.refusals = s.oneIn(5) }},
		{movedAndLost, s.loseAfterMove},
		{reversalsMade, func() { s.reversals = s.oneIn(3) }},
	} {
		s.Rand = rand.New(rand.NewPCG(p.Seed, uint64(4+i)))
		if p.plays(part.feature) {
			part.draw()
		}
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
