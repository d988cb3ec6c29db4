package simulation

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
)

func unavailable() error {
	return fault.Wrap(errInjected, fault.Unavailable, "The effect failed, as ordered")
}

// Result is what came of a history.
type Result struct {
	Plan       Plan
	Trace      uint64 // the hash of all that happened
	Steps      int
	Virtual    time.Duration
	Faults     []Fault
	Charges    int
	Attention  int // groups that wait for an operator, visibly
	Violations []Violation
}

// Run plays a history.
func Run(p Plan) (Result, error) { return Replay(p, nil) }

// RunOn plays a history on a real storage, which has to be empty.
func RunOn(p Plan, storage Opener) (Result, error) { return replay(p, storage, nil) }

// Replay plays a history and prints everything that happens.
func Replay(p Plan, out io.Writer) (Result, error) { return replay(p, nil, out) }

func replay(p Plan, storage Opener, out io.Writer) (r Result, err error) {
	w, err := newWorld(p, storage)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		w.kill(func(*proc) bool { return true })
	}()
	w.log.out = out
	w.note("%s", w.scenario)
	w.everybody()
	for len(w.watch.broken) == 0 {
		if _, more := w.step(w.end); !more {
			break
		}
		if s := w.doomed; s != nil {
			w.doomed = nil
			w.crash(s)
		}
	}
	if len(w.watch.broken) == 0 {
		w.now = w.end
		w.watch.atRest()
	}
	r = Result{Plan: p, Trace: w.log.sum.Sum64(), Steps: w.steps, Virtual: w.now.Sub(begin), Faults: w.befell,
		Charges: w.watch.entries, Attention: w.watch.attention(), Violations: w.watch.broken}
	return r, nil
}

// atRest holds the end of a history against what must have happened.
func (a *watch) atRest() {
	services := a.w.services()
	quietly(a.w, func() (notify.Drained, error) { return services.Outbox.Drain(a.w.ctx, kv.MaxPage) }) // what came since the last one
	a.groupsHaveEnded()
	a.nobodyIsForgotten()
	a.nothingIsHeld()
	a.patience()
	a.mailsWent()
	a.newsEnded()
	a.appliedOnce()
	a.checkLastMails()
	a.paymentsAreBooked()
	if !a.restored { // which loses what nobody can know any more
		a.sessionsHavePledges()
		a.missedCardsAreForgotten()
		a.booksAgree()
		a.confirmationsWent()
		a.sumsAgree()
		a.feesAgree()
		a.projectionsAgree()
	}
	a.reconciles()
	if err := a.w.sim.Check(); err != nil {
		a.violated("S1", "%v", err)
	}
	a.nothingLeaked()
}

// sessionsHavePledges: L1, no confirmed pledge is lost.
func (a *watch) sessionsHavePledges() {
	for _, p := range a.w.people {
		for _, placed := range p.orders {
			if !placed.saved {
				continue
			}
			if o := a.order(placed.OrderID); o.State != order.Confirmed && !a.soldOut(o) {
				a.violated("L1", "the card of %s was saved and the order is %s", placed.OrderID, o.State)
			}
		}
	}
}

// soldOut reports whether an order could not be taken up again: it had been
// given up, and somebody else has what it was for.
func (a *watch) soldOut(o order.Order) bool {
	return o.State == order.Abandoned && strings.Contains(a.w.logs.String(), "order="+o.Manifest.OrderID)
}

// groupsHaveEnded: L2, nothing is stuck without being seen.
func (a *watch) groupsHaveEnded() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status == settlement.NeedsAttention && g.Reason != settlement.NoAnswer && !a.restored && !a.w.scenario.misleads() {
				a.violated("S7", "%s needs attention: %s", g.Key, g.Reason)
			}
			if g.Status == settlement.NeedsAttention && g.Reason == settlement.AmountDiffers && a.restored && !a.w.scenario.misleads() && a.isWhole(g) {
				a.violated("S7", "%s needs attention after a restore: %s", g.Key, g.Reason)
			}
			lost := a.restored && slices.ContainsFunc(g.Orders, func(o settlement.Part) bool { return a.pledge(o.ID) == nil })
			if g.Status == settlement.Submitted || !g.Booked && g.Status != settlement.NeedsAttention && !lost && !a.isToldLater(g) {
				a.violated("L2", "%s is %s, booked: %t, %d attempts, %s", g.Key, g.Status, g.Booked, g.Attempts, g.ProcessorStatus)
			}
		}
	}
}

// isToldLater reports whether a request was refused as invalid so late that its supporter is told
// after the end: an hour after it, or a day if operators had it made again.
func (a *watch) isToldLater(g settlement.Group) bool {
	wait := 3 * time.Hour
	if n := len(g.History); n > 0 && g.History[n-1].Void {
		wait += 24 * time.Hour
	}
	return g.Refused && !g.Booked && g.SettledAt != nil && g.SettledAt.After(a.w.rest.Add(-wait))
}

// nobodyIsForgotten: L2, of a funded campaign every pledge was charged, or its
// supporter's group shows why not: a new card was tried, and what was to be done
// by a time was done. Where nobody is charged until the grace is over, no card is tried
// again.
func (a *watch) nobodyIsForgotten() {
	for _, id := range a.known() {
		for _, p := range a.order(id).Pledges {
			is := a.agreements[p.OrderID]
			if !p.Unpaid() || !a.funded(p.CampaignSlug) || a.restored && (is.cancelled || is.open) {
				continue // cancelled before its order went back
			}
			if a.restored && a.isHeld(p) {
				continue // operators see that the processor has other terms
			}
			g, ok := a.groupOf(p)
			ok = ok && len(g.Orders) > 0 && a.pledge(g.Orders[0].ID).Email == p.Email
			late := a.w.rest.Add(-3 * time.Hour)
			switch {
			case ok && (g.Status == settlement.NeedsAttention || g.Status == settlement.Succeeded || g.DroppedAt != nil || a.isToldLater(g)):
			case !ok || g.Status != settlement.Failed:
				a.violated("L2", "the pledge %s was never charged", p.OrderID)
			case p.CardSavedAt.After(g.CardSavedAt) && (p.CardByLink || len(g.Orders) == 1): // one that may pay for all
				a.violated("L2", "the new card of %s was never tried", p.OrderID)
			case p.Recovery != nil && p.Recovery.RetryAt != nil && p.Recovery.RetryAt.Before(late) && !a.restored && !a.w.scenario.heldOver:
				a.violated("L2", "the card of %s was to be tried again on %s", p.OrderID, p.Recovery.RetryAt)
			case p.Recovery != nil && a.graceEnds(p, g).Before(late):
				a.violated("L2", "the pledge %s was to be given up on %s", p.OrderID, p.Recovery.Until)
			}
		}
	}
}

// isHeld reports whether a pledge, or another of its supporter, waits for operators because the
// processor has other terms for it.
func (a *watch) isHeld(p *pledge.Pledge) bool {
	services := a.w.services()
	all := quietly(a.w, func() ([]settlement.Disagreement, error) {
		return services.Settlement.Disagreements(a.w.ctx, p.CampaignSlug)
	})
	return slices.ContainsFunc(all, func(d settlement.Disagreement) bool {
		other := a.pledge(d.PledgeID)
		return other != nil && other.Email == p.Email && !d.Accepted()
	})
}

// graceEnds is when a pledge is to be given up: as its supporter was told, or where the
// mail was taken later, or the group was restored, from then on.
func (a *watch) graceEnds(p *pledge.Pledge, g settlement.Group) time.Time {
	grace := policies[p.CampaignSlug].grace
	ends := p.Recovery.Until
	if a.restored && g.FirstFailedAt != nil {
		ends = g.FirstFailedAt.AddDate(0, 0, grace)
	}
	if taken := a.askedAt(p, g); taken.AddDate(0, 0, grace).After(ends) && g.Generation < policies[p.CampaignSlug].attempts {
		return taken.AddDate(0, 0, grace)
	}
	return ends
}

// askedAt is when the provider took the first mail that asks for another card: beyond the
// end while it has not, and zero where nothing is known of it.
func (a *watch) askedAt(p *pledge.Pledge, g settlement.Group) time.Time {
	first := g.Generation
	for _, past := range slices.Backward(g.History) {
		if past.Status == settlement.Failed && !past.Void {
			first = past.Generation
		}
	}
	services := a.w.services()
	d, err := services.Outbox.Delivery(a.w.ctx, notify.UpdateCardIdentity(p, first))
	switch {
	case err != nil:
		return time.Time{}
	case d.EndedAt == nil:
		return a.w.rest
	}
	return *d.EndedAt
}

func (a *watch) funded(slug string) bool {
	c, err := a.w.catalogue.Campaign(slug)
	if err != nil {
		panic(err)
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	return c.Funded(snap.Totals.Counted)
}

// nothingIsHeld: S6 at the end, no reservation outlives its checkout.
func (a *watch) nothingIsHeld() {
	for _, object := range []string{"film", "game", "album", inventory.Platform} {
		holds := quietly(a.w, func() ([]inventory.Hold, error) {
			return a.w.stock().Due(a.w.ctx, object, a.w.rest.AddDate(1, 0, 0), kv.MaxPage)
		})
		for _, h := range holds {
			a.violated("S6", "%s still holds %v for %s", object, h.Units, h.Pledge)
		}
	}
}

func (a *watch) attention() int {
	n := 0
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status == settlement.NeedsAttention {
				n++
			}
		}
	}
	return n
}

// booksAgree: L3, and every supporter of a funded campaign was asked to pay.
func (a *watch) booksAgree() {
	charged := map[string]money.Cents{}
	for _, id := range a.known() {
		for _, p := range a.order(id).Pledges {
			if p.Charged {
				charged[p.CampaignSlug] += p.Paid()
			}
		}
	}
	gross := map[string]money.Cents{}
	for _, e := range a.w.sim.Books() {
		if slug, _, _ := splitKey(e.Group); !a.wasVoid(e) {
			gross[slug] += e.Amount
		}
	}
	for _, slug := range slugs {
		named := a.inQuestion(slug)
		if charged[slug]+named != gross[slug] {
			a.violated("L3", "%s: %s charged, %s in question, %s in the processor's books", slug, charged[slug], named, gross[slug])
		}
	}
}

// mailsWent: L4.
//
// Where two servers try a mail at once, the one that is refused may write it down for later
// when the other has ended it: that is seen at its next attempt, from its trace.
func (a *watch) mailsWent() {
	all := a.w.records(pledges)
	ended := map[string]bool{}
	for _, e := range all {
		if hash, is := strings.CutPrefix(e.Key, "email-delivery:v1:"); is && !strings.Contains(string(e.Value), `"status":"queued"`) {
			ended[hash] = true
		}
	}
	for _, e := range all {
		hash, is := strings.CutPrefix(e.Key, "email-outbox:v1:")
		if is && !ended[hash] && !strings.Contains(string(e.Value), `"failed"`) && !strings.Contains(string(e.Value), `"sent"`) {
			a.violated("L4", "a mail is left: %s %s", e.Key, brief(e.Value))
		}
	}
}

// confirmationsWent: L4, one for each pledge, to its supporter.
func (a *watch) confirmationsWent() {
	want := map[string]int{}
	for _, p := range a.w.people {
		for _, o := range p.orders {
			want[p.email] += len(a.order(o.OrderID).Pledges)
		}
	}
	paid, dropped := map[string]int{}, map[string]int{}
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			email := a.pledge(g.Orders[0].ID).Email
			if g.Status == settlement.Succeeded {
				paid[email]++
			}
			if g.DroppedAt != nil {
				dropped[email]++
			}
		}
	}
	for _, email := range slices.Sorted(maps.Keys(want)) {
		if slices.Contains(a.w.returned, email) || email == a.w.refused {
			continue // its mails are kept, visibly
		}
		if got := len(a.w.mails[mailed{notify.Confirmation, email}]); got != want[email] {
			a.violated("L4", "%s has %d pledges and %d confirmations", email, want[email], got)
		}
		if got := len(a.w.mails[mailed{notify.Charged, email}]); got != paid[email] {
			a.violated("L4", "%s was charged %d times and told %d times", email, paid[email], got)
		}
		if got := len(a.w.mails[mailed{notify.Dropped, email}]); got != dropped[email] {
			a.violated("L4", "%s was given up %d times and told %d times", email, dropped[email], got)
		}
	}
}

// projectionsAgree: L5.
func (a *watch) projectionsAgree() {
	services := a.w.services()
	for _, d := range quietly(a.w, func() ([]projection.Drift, error) { return services.Projector.CheckAll(a.w.ctx) }) {
		if !d.InSync {
			a.violated("L5", "%s: %v", d.CampaignSlug, d.Differences)
		}
	}
	for _, id := range a.known() {
		for _, p := range a.order(id).Pledges {
			stored, ok, err := kv.Read[pledge.Pledge](a.w.ctx, a.w.truth.Store(pledges), "pledge:"+p.OrderID)
			if err != nil || !ok || stored.Status != p.Status || stored.Amount != p.Amount {
				a.violated("L5", "the record of %s is %s of %s and the pledge %s of %s: %v", p.OrderID, stored.Status, stored.Amount, p.Status, p.Amount, err)
			}
		}
	}
}

// nothingLeaked: S11.
func (a *watch) nothingLeaked() {
	secrets := []string{a.w.config.PSPSecretKey().Reveal(), a.w.config.PSPWebhookSecret().Reveal(), a.w.config.Secrets.MagicLink.Reveal(),
		a.w.config.Secrets.Admin.Reveal(), "4242424242424242", "_secret_"}
	for _, namespace := range []string{pledges, votes, rateLimit} {
		for _, e := range a.w.records(namespace) {
			for _, s := range secrets {
				if strings.Contains(string(e.Value), s) {
					a.violated("S11", "the record %s holds a secret", e.Key)
				}
			}
		}
	}
	for _, s := range secrets {
		if strings.Contains(a.w.logs.String(), s) {
			a.violated("S11", "the log holds a secret")
		}
	}
}
