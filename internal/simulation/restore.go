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
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// restorePlan restores the database, or one object, to an earlier moment.
type restorePlan struct {
	happens bool
	backup  time.Duration // time of the backup, relative to the deadline
	lost    time.Duration // how far the restore goes back
	what    int           // 2: a campaign's settlement, 3: an order, 4: a campaign, otherwise everything
	// The backup is made when a server releases the lease of an incomplete settlement.
	afterRelease bool
	// The backup is made as soon as any pledge is claimed for a charge, and the pledge's order is
	// restored.
	claimed bool
	// The restore also waits until pledges are claimed for another attempt.
	claiming bool
	// The restore also waits until the other server has tried again.
	tried bool
	// After the restore, the server that released the lease continues. Otherwise the other one
	// does, which has seen the lost data.
	back bool
}

func (s *scenario) drawRestorePlan() restorePlan {
	r := restorePlan{happens: s.oneIn(6), backup: time.Duration(s.Int64N(int64(8*time.Hour))) - time.Hour, what: s.IntN(5)}
	if r.backup%3 == 0 { // around the retries of cards
		r.backup += 24 * time.Hour
	}
	r.lost = pick(s, time.Duration(1+s.IntN(60))*time.Minute, time.Duration(1+s.IntN(20))*time.Hour,
		time.Duration(24+s.IntN(3))*time.Hour)
	if r.what == 4 && s.oneIn(2) { // during the pledging
		r.backup -= time.Duration(s.Int64N(int64(40 * time.Hour)))
	}
	if s.claimed {
		r.happens, r.claimed, r.what, r.backup = true, true, 3, time.Duration(s.IntN(6))*time.Hour
	}
	return r
}

// backUpEarly makes some restores go back to before the deadline, by up to two
// weeks in long histories. In most of these some supporters cancel or reduce a
// pledge after the backup.
func (s *scenario) backUpEarly() {
	r := &s.restoring
	if r.afterRelease || r.claimed || s.heldOver {
		return
	}
	if !r.happens && s.oneIn(10) {
		*r = restorePlan{happens: true, what: pick(s, 0, 0, 3)}
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

// changedAfter returns a checkout whose pledge is cancelled or reduced between a
// backup and the deadline.
func (s *scenario) changedAfter(backup time.Duration) choice {
	c := choice{cart: []string{"game__print"}, card: sim.CardOK, walks: 9, thinks: time.Minute, insists: 5}
	c.at = time.Duration(s.Int64N(int64(max(ends+backup-2*time.Hour, time.Hour))))
	c.last = -time.Minute + backup*time.Duration(s.IntN(100))/100
	if s.oneIn(2) {
		c.then, c.reduces = 1, true
	}
	return c
}

// loseAfterMove makes a long history lose charges from before its deadline was
// moved, once the later deadline has passed.
func (s *scenario) loseAfterMove() {
	if !s.long() || !s.oneIn(3) || s.restoring.afterRelease || s.restoring.claimed || s.heldOver {
		return
	}
	days := 2 + s.IntN(12)
	s.edit = edit{happens: true, at: time.Duration(4+s.IntN(30)) * time.Hour, back: time.Hour}
	s.edit.revision = revision{kind: laterDeadline, days: days, keeps: true}
	s.restoring = restorePlan{happens: true, backup: -time.Duration(s.IntN(120)) * time.Minute}
	s.plans[0].choices = append(s.plans[0].choices,
		choice{at: 9 * time.Hour, cart: []string{"game__print"}, card: sim.CardOK, walks: 9, then: 9, insists: 3})
	s.restoring.lost = time.Duration(days)*24*time.Hour + time.Duration(s.IntN(60))*time.Hour
}

// testLeaseMemory biases a restore toward testing a server's memory of its last lease. The memory
// is wrong if another server has charged since, and the restore loses those charges after the
// processor has forgotten their keys. More cards are declined, and more pledges joined.
func (r *restorePlan) testLeaseMemory(s *scenario) {
	if !r.happens || r.claimed || !s.oneIn(2) {
		return
	}
	r.what, r.afterRelease, r.backup = 2, true, 0
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
			p.joinWithBadCard(s)
			continue
		}
		for j := range p.choices {
			if s.oneIn(2) {
				p.choices[j].card = pick(s, refused...)
			}
		}
	}
}

// joinWithBadCard makes a person pledge through a link with a card without funds, and again
// without the link with a good card. Both pledges are joined: the first card is charged, and the
// later one is not.
func (p *planned) joinWithBadCard(s *scenario) {
	p.keepsCard, p.silent = true, true
	first := choice{at: time.Hour, cart: []string{"album__copy"}, card: sim.CardOK, walks: 9, then: 9, insists: 3}
	linked, plain := first, first
	linked.at, linked.cart, linked.card = 5*time.Hour, pick(s, carts[:4]...), sim.CardAuthInsufficient
	plain.at, plain.cart, plain.forgets = 9*time.Hour, pick(s, carts[:4]...), true
	p.choices = []choice{first, linked, plain}
}

// restoreBackup makes a backup and restores it later.
func (w *history) restoreBackup() {
	db, ok := w.truth.(memory)
	if !ok {
		return
	}
	r := w.scenario.restoring
	if r.afterRelease {
		w.waitForRelease()
		defer func() { w.away = nil }()
	}
	if r.claimed {
		w.waitFor(&w.claimed)
	}
	backup := db.Snapshot()
	w.pause(r.lost)
	switch {
	case r.claiming:
		w.waitFor(&w.claiming)
	case r.tried:
		w.waitFor(&w.trying)
	}
	if !w.strikes(w.now, 1000) {
		return
	}
	switch slug := slugs[w.draw(2, len(slugs))]; r.what {
	case 2:
		if r.afterRelease {
			slug = w.unfinished
		}
		w.note("fault: %s", w.recordFault("the settlement of %s is restored to %s ago", slug, r.lost))
		db.RestoreObject(kv.Object{Class: state.ClassName, Name: slug}, backup)
		w.wakeAll()
	case 3:
		w.restoreOrder(db, backup)
		w.wakeAll()
	case 4:
		w.note("fault: %s", w.recordFault("the campaign %s is restored to %s ago", slug, r.lost))
		db.RestoreObject(kv.Object{Class: inventory.ClassName, Name: slug}, backup)
		w.rebuildCampaign(slug)
		w.wakeAll()
		w.pause(w.scenario.stale)
		w.rebuildCampaign(slug)
		return // everything in it is stored elsewhere too
	default:
		w.note("fault: %s", w.recordFault("the database is restored to %s ago", r.lost))
		for _, s := range w.servers {
			w.crash(s)
		}
		db.Restore(backup)
		if w.scenario.holds {
			services := w.services()
			quietly(w, func() (any, error) { return nil, services.Settlement.Switch().StopForRestore(w.ctx) })
			w.spawn("the manager", nil, time.Duration(10+w.rng.IntN(300))*time.Minute, w.resumeCharging)
		}
	}
	w.checker.recordRestore()
	if r.afterRelease {
		if r.back {
			w.away = w.otherServer(w.away)
		}
		w.pause(2 * time.Hour)
	}
}

// waitForRelease waits until a server releases the lease of an incomplete settlement. From then on
// that server is away and the other one continues; after the restore they may switch roles.
func (w *history) waitForRelease() {
	w.leaving = w.current
	for w.away == nil {
		w.pause(forever)
	}
}

// waitFor blocks the current proc, which it stores in waiting, until it is woken or faults
// have stopped.
func (w *history) waitFor(waiting **proc) {
	*waiting = w.current
	for *waiting != nil && w.now.Before(w.calm) {
		w.pause(time.Hour)
	}
	*waiting = nil
}

// leaseReleased wakes a restore that waits for another run of the unfinished settlement. It is
// called for every released lease.
func (w *history) leaseReleased(slug string) {
	if w.trying != nil && slug == w.unfinished {
		w.wakeAfter(w.trying, 0)
		w.trying = nil
	}
}

// pledgeClaimed wakes the restores and edits that wait for a claimed pledge. It is called when
// a pledge is claimed for an attempt.
func (w *history) pledgeClaimed(p *pledge.Pledge) {
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

// leaseAbandoned is called when a lease is released before its settlement is complete. It wakes a
// restore that waits for that, and marks the server as away.
func (w *history) leaseAbandoned(slug string) {
	if p := w.leaving; p != nil && w.current != nil && w.current.server != nil {
		w.leaving, w.away, w.unfinished = nil, w.current.server, slug
		w.wakeAfter(p, 0)
	}
}

// wakeAll follows the runbook for restoring a single object: it wakes all campaigns, because the
// platform's object may still list them as dormant.
func (w *history) wakeAll() {
	services := w.services()
	for _, slug := range slugs {
		quietly(w, func() (any, error) { return nil, services.Settlement.Wake(w.ctx, slug) })
	}
}

// rebuildCampaign follows the runbook for restoring a campaign's object.
func (w *history) rebuildCampaign(slug string) {
	services := w.services()
	r := quietly(w, func() (projection.Rebuilt, error) { return services.Projector.Rebuild(w.ctx, slug) })
	w.note("rebuilt: %+v", r)
}

// restoreOrder restores one order that the backup contains: the order of the claimed pledge if
// the restore waited for one, otherwise a random one.
func (w *history) restoreOrder(db memory, backup memkv.Snapshot) {
	ids := w.checker.orderIDs()
	if w.order != "" {
		ids = []string{w.order}
	}
	for i := range ids {
		name := kv.Object{Class: order.ClassName, Name: ids[(w.draw(3, len(ids))+i)%len(ids)]}
		if len(backup.Objects[name]) > 0 {
			w.note("fault: %s", w.recordFault("the order %s is restored to %s ago", name.Name, w.scenario.restoring.lost))
			db.RestoreObject(name, backup)
			return
		}
	}
}

// recordRestore discards the checker's records of lost data, and keeps the groups that were
// frozen before the restore. The processor's state is unchanged.
func (a *checker) recordRestore() {
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
	a.recordStopped()
}

// attempt returns the group of an attempt as it is frozen or, if the restore lost it, as it
// was before. The second result is false for an unknown attempt.
func (a *checker) attempt(hash, generation string) (state.Group, bool) {
	id := hash + " " + generation
	g, ok := a.frozen[id]
	if !ok {
		g, ok = a.lost[id]
	}
	return g, ok
}
