package simulation

import (
	"maps"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// restoring is a database, or one object of it, that goes back to an earlier moment.
type restoring struct {
	happens bool
	backup  time.Duration // when it was made, from the deadline
	lost    time.Duration // how far it goes back
	what    int           // 2: a campaign's settlement, 3: an order, 4: a campaign, else everything
	// leased has the backup made when a server has given back the lease of a settlement that
	// is not complete, whenever that is.
	leased bool
	// claiming has it go back, after that time, while pledges are claimed for another attempt.
	claiming bool
	// claimed has the backup made as soon as any pledge is claimed for a charge; it is its order
	// that goes back.
	claimed bool
	// tried has it go back, after that time, as soon as the other server has tried again.
	tried bool
	// back has the server that gave the lease back go on after the restore; else the other
	// does, which has seen what is lost.
	back bool
}

func (s *scenario) drawRestoring() restoring {
	r := restoring{happens: s.oneIn(6), backup: time.Duration(s.Int64N(int64(8*time.Hour))) - time.Hour, what: s.IntN(5)}
	if r.backup%3 == 0 { // about when the cards are tried again
		r.backup += 24 * time.Hour
	}
	r.lost = pick(s, time.Duration(1+s.IntN(60))*time.Minute, time.Duration(1+s.IntN(20))*time.Hour, time.Duration(24+s.IntN(3))*time.Hour)
	if r.what == 4 && s.oneIn(2) { // while people pledge
		r.backup -= time.Duration(s.Int64N(int64(40 * time.Hour)))
	}
	if s.claimed {
		r.happens, r.claimed, r.what, r.backup = true, true, 3, time.Duration(s.IntN(6))*time.Hour
	}
	return r
}

// backUpEarly has some databases go back to before the deadline, by up to two weeks in long
// histories. In most of these some supporters cancel or reduce a pledge after the backup.
func (s *scenario) backUpEarly() {
	r := &s.restoring
	if r.leased || r.claimed || s.heldOver {
		return
	}
	if !r.happens && s.oneIn(10) {
		*r = restoring{happens: true, what: pick(s, 0, 0, 3)}
	} else if !r.happens || !s.oneIn(3) {
		return
	}
	r.backup = -time.Duration(s.Int64N(int64(pick(s, time.Hour, 4*time.Hour, 22*time.Hour))))
	r.lost = -r.backup + time.Duration(s.IntN(30*60))*time.Minute
	if s.long() && s.oneIn(2) {
		r.lost += time.Duration(s.IntN(14*24)) * time.Hour
	}
	for i := range s.plans {
		if p := &s.plans[i]; !p.stranger && s.oneIn(2) {
			p.choices = append(p.choices, s.changedAfter(r.backup))
		}
	}
}

// changedAfter is a checkout whose pledge is cancelled or reduced between a backup and the
// deadline.
func (s *scenario) changedAfter(backup time.Duration) choice {
	c := choice{cart: []string{"game__print"}, card: sim.CardOK, walks: 9, thinks: time.Minute, insists: 5}
	c.at = time.Duration(s.Int64N(int64(max(ends+backup-2*time.Hour, time.Hour))))
	c.last = -time.Minute + backup*time.Duration(s.IntN(100))/100
	if s.oneIn(2) {
		c.then, c.reduces = 1, true
	}
	return c
}

// loseAfterMove has a long history lose what was charged before its deadline was moved, once
// the later deadline has passed.
func (s *scenario) loseAfterMove() {
	if !s.long() || !s.oneIn(3) || s.restoring.leased || s.restoring.claimed || s.heldOver {
		return
	}
	days := 2 + s.IntN(12)
	s.edit = edit{happens: true, at: time.Duration(4+s.IntN(30)) * time.Hour, back: time.Hour}
	s.edit.revision = revision{kind: laterDeadline, days: days, keeps: true}
	s.restoring = restoring{happens: true, backup: -time.Duration(s.IntN(120)) * time.Minute}
	s.plans[0].choices = append(s.plans[0].choices, choice{at: 9 * time.Hour, cart: []string{"game__print"}, card: sim.CardOK, walks: 9, then: 9, insists: 3})
	s.restoring.lost = time.Duration(days)*24*time.Hour + time.Duration(s.IntN(60))*time.Hour
}

// outlives bends a restore towards what a server remembers of its last lease: it is wrong
// where another server has charged since, and what that wrote is lost when the processor has
// forgotten its keys. More cards are refused, and more pledges joined.
func (r *restoring) outlives(s *scenario) {
	if !r.happens || r.claimed || !s.oneIn(2) {
		return
	}
	r.what, r.leased, r.backup = 2, true, 0
	switch s.IntN(3) {
	case 0:
		r.claiming, r.lost, r.back = true, 23*time.Hour, s.oneIn(2)
	case 1:
		r.tried, r.lost = true, 24*time.Hour
	default:
		r.lost, r.back = time.Duration(25+s.IntN(3))*time.Hour, true
	}
	s.sizes.Batch = 1 + s.IntN(3)
	for i := range s.plans {
		p := &s.plans[i]
		p.unites = p.unites || !p.stranger && s.oneIn(2)
		if p.unites && s.oneIn(2) {
			p.takesTogether(s)
			continue
		}
		for j := range p.choices {
			if s.oneIn(2) {
				p.choices[j].card = pick(s, refused...)
			}
		}
	}
}

// takesTogether has somebody pledge by their link with a card that has no money on it, and
// once more without the link. Both are joined: the first card pays, and the later one does not.
func (p *planned) takesTogether(s *scenario) {
	p.keepsCard, p.silent = true, true
	first := choice{at: time.Hour, cart: []string{"album__copy"}, card: sim.CardOK, walks: 9, then: 9, insists: 3}
	linked, plain := first, first
	linked.at, linked.cart, linked.card = 5*time.Hour, pick(s, carts[:4]...), sim.CardAuthInsufficient
	plain.at, plain.cart, plain.forgets = 9*time.Hour, pick(s, carts[:4]...), true
	p.choices = []choice{first, linked, plain}
}

// goesBack makes a backup, and later restores it.
func (w *world) goesBack() {
	db, ok := w.truth.(memory)
	if !ok {
		return
	}
	r := w.scenario.restoring
	if r.leased {
		w.leaves()
		defer func() { w.away = nil }()
	}
	if r.claimed {
		w.awaits(&w.claimed)
	}
	backup := db.Snapshot()
	w.pause(r.lost)
	switch {
	case r.claiming:
		w.awaits(&w.claiming)
	case r.tried:
		w.awaits(&w.trying)
	}
	if !w.strikes(w.now, 1000) {
		return
	}
	switch slug := slugs[w.draw(2, len(slugs))]; r.what {
	case 2:
		if r.leased {
			slug = w.unfinished
		}
		w.note("fault: %s", w.befall("the settlement of %s goes back by %s", slug, r.lost))
		db.RestoreObject(kv.Object{Class: settlement.ClassName, Name: slug}, backup)
		w.wakeAll()
	case 3:
		w.forgets(db, backup)
		w.wakeAll()
	case 4:
		w.note("fault: %s", w.befall("the campaign %s goes back by %s", slug, r.lost))
		db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: slug}, backup)
		w.rebuilds(slug)
		w.wakeAll()
		w.pause(w.scenario.stale)
		w.rebuilds(slug)
		return // all of it is known elsewhere
	default:
		w.note("fault: %s", w.befall("the database goes back by %s", r.lost))
		for _, s := range w.servers {
			w.crash(s)
		}
		db.Restore(backup)
		if w.scenario.holds {
			services := w.services()
			quietly(w, func() (any, error) { return nil, services.Settlement.Switch().Restored(w.ctx) })
			w.spawn("the manager", nil, time.Duration(10+w.rng.IntN(300))*time.Minute, w.resumeCharging)
		}
	}
	w.watch.goesBack()
	if r.leased {
		if r.back {
			w.away = w.beside(w.away)
		}
		w.pause(2 * time.Hour)
	}
}

// leaves waits until a server gives back the lease of a settlement that is not complete.
// From then on that one is away, and the other goes on; after the restore it may be the
// other way round.
func (w *world) leaves() {
	w.leaving = w.current
	for w.away == nil {
		w.pause(forever)
	}
}

// awaits has the database wait until somebody who is told of something wakes it, but not for
// ever.
func (w *world) awaits(told **proc) {
	*told = w.current
	for *told != nil && w.now.Before(w.calm) {
		w.pause(time.Hour)
	}
	*told = nil
}

// tries is told of a lease that was given back, whether or not its settlement is complete.
func (w *world) tries(slug string) {
	if w.trying != nil && slug == w.unfinished {
		w.wakeAfter(w.trying, 0)
		w.trying = nil
	}
}

// claims is told of a pledge that is claimed for an attempt.
func (w *world) claims(p *pledge.Pledge) {
	c := p.Settlement
	if w.claiming != nil && c != nil && c.Generation > 1 && p.CampaignSlug == w.unfinished {
		w.wakeAfter(w.claiming, 0)
		w.claiming = nil
	}
	if w.claimed != nil && c != nil {
		w.wakeAfter(w.claimed, 0)
		w.claimed = nil
		w.order, _ = pledge.OrderOf(p.OrderID)
	}
}

// gaveBack is told of a lease that was given back before its settlement was complete.
func (w *world) gaveBack(slug string) {
	if p := w.leaving; p != nil && w.current != nil && w.current.server != nil {
		w.leaving, w.away, w.unfinished = nil, w.current.server, slug
		w.wakeAfter(p, 0)
	}
}

// wakeAll does what the runbook asks of whoever brings a single object back: the platform's
// own, which says what is dormant, knows nothing of it.
func (w *world) wakeAll() {
	services := w.services()
	for _, slug := range slugs {
		quietly(w, func() (any, error) { return nil, services.Settlement.Wake(w.ctx, slug) })
	}
}

// rebuilds takes up what a campaign's own object has lost, as the runbook asks.
func (w *world) rebuilds(slug string) {
	services := w.services()
	r := quietly(w, func() (projection.Rebuilt, error) { return services.Projector.Rebuild(w.ctx, slug) })
	w.note("rebuilt: %+v", r)
}

// forgets brings an order back that the backup has.
func (w *world) forgets(db memory, backup memkv.Snapshot) {
	ids := w.watch.known()
	if w.order != "" {
		ids = []string{w.order}
	}
	for i := range ids {
		name := kv.Object{Class: order.ClassName, Name: ids[(w.draw(3, len(ids))+i)%len(ids)]}
		if len(backup.Objects[name]) > 0 {
			w.note("fault: %s", w.befall("the order %s goes back by %s", name.Name, w.scenario.restoring.lost))
			db.RestoreObject(name, backup)
			return
		}
	}
}

// goesBack gives up what the database does not know any more. What the processor has
// done stays.
func (a *watch) goesBack() {
	clear(a.orders)
	clear(a.attempts)
	clear(a.post.stopped)
	a.restoredAt = a.w.now
	a.restored, a.forgotten = true, a.w.scenario.restoring.what == 3
	maps.Copy(a.lost, a.frozen)
	for id, was := range a.lost {
		now, ok := a.group(was.CampaignSlug, was.Hash)
		switch {
		case !ok || now.Generation < was.Generation:
			delete(a.frozen, id)
		case now.Generation == was.Generation:
			a.frozen[id] = now
		}
	}
	clear(a.firstSent)
	clear(a.claimed)
	a.noteStopped()
}

// attempt is a group as it is frozen, or was before the database forgot it.
func (a *watch) attempt(hash, generation string) (settlement.Group, bool) {
	id := hash + " " + generation
	g, ok := a.frozen[id]
	if !ok {
		g, ok = a.lost[id]
	}
	return g, ok
}
