package simulation

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func unavailable() error {
	return fault.Wrap(errInjected, fault.Unavailable, "Injected failure")
}

// Result is the result of a history.
type Result struct {
	Plan       Plan
	Trace      uint64 // hash of all events
	Steps      int
	Virtual    time.Duration
	Faults     []Fault
	Charges    int
	Attention  int // groups that wait for an operator
	Violations []Violation
}

// Run runs the history of a plan.
func Run(p Plan) (Result, error) { return Replay(p, nil) }

// RunOn is like [Run] with the given storage instead of memkv. The storage must be empty.
func RunOn(p Plan, storage Opener) (Result, error) { return replay(p, storage, nil) }

// Replay runs a history and prints all events to out.
func Replay(p Plan, out io.Writer) (Result, error) { return replay(p, nil, out) }

func replay(p Plan, storage Opener, out io.Writer) (r Result, err error) {
	w, err := newHistory(p, storage)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		w.kill(func(*proc) bool { return true })
	}()
	w.log.out = out
	w.note("%s", w.scenario)
	w.spawnAll()
	for len(w.checker.broken) == 0 {
		if _, more := w.step(w.end); !more {
			break
		}
		if s := w.doomed; s != nil {
			w.doomed = nil
			w.crash(s)
		}
	}
	if len(w.checker.broken) == 0 {
		w.now = w.end
		w.checker.checkEnd()
	}
	r = Result{Plan: p, Trace: w.log.sum.Sum64(), Steps: w.steps, Virtual: w.now.Sub(begin), Faults: w.recorded,
		Charges: w.checker.entries, Attention: w.checker.attention(), Violations: w.checker.broken}
	return r, nil
}

// checkEnd checks the liveness properties, the processor's books and S11 at the end of a history.
func (a *checker) checkEnd() {
	services := a.w.services()
	// mails that were queued since the last run
	quietly(a.w, func() (notify.Drained, error) { return services.Outbox.Drain(a.w.ctx, kv.MaxPage) })
	a.checkGroupsEnded()
	a.checkAllCharged()
	a.checkNoHolds()
	a.checkWaitingPeriods()
	a.checkMailsSent()
	a.checkBroadcasts()
	a.checkAppliedOnce()
	a.checkLastMails()
	a.checkPaymentsBooked()
	a.checkLedger()
	a.checkPayouts()
	a.checkRefundsOnce()
	a.checkRefundRuns()
	if !a.restored { // not after a restore, which loses the evidence
		a.checkSessions()
		a.checkMissedCards()
		a.checkTotals()
		a.checkConfirmations()
		a.checkRefundMails()
		a.checkSums()
		a.checkFees()
		a.checkProjections()
	}
	a.checkReconciliation()
	a.checkReimport()
	if err := a.w.sim.Check(); err != nil {
		a.reportViolation("S1", "%v", err)
	}
	a.checkSecrets()
}

// checkSessions checks L1: every order whose card was saved is confirmed, unless its units
// were sold to others.
func (a *checker) checkSessions() {
	for _, p := range a.w.people {
		for _, placed := range p.orders {
			if !placed.saved {
				continue
			}
			if o := a.order(placed.OrderID); o.State != order.Confirmed && !a.soldOut(o) {
				a.reportViolation("L1", "the card of %s was saved, but the order is %s", placed.OrderID, o.State)
			}
		}
	}
}

// soldOut reports whether an abandoned order could not be confirmed later because its units
// were sold. The service logs such orders.
func (a *checker) soldOut(o order.Order) bool {
	return o.State == order.Abandoned && strings.Contains(a.w.logs.String(), "order="+o.Manifest.OrderID)
}

// checkGroupsEnded checks L2: every group is booked or waits for an operator. It also checks
// S7: a group waits for an operator only if the simulated faults can cause it.
func (a *checker) checkGroupsEnded() {
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status == state.NeedsAttention && g.Reason != state.NoAnswer && !a.restored &&
				!a.w.scenario.mayNeedAttention() {
				a.reportViolation("S7", "%s needs attention: %s", g.Key, g.Reason)
			}
			if g.Status == state.NeedsAttention && g.Reason == state.AmountDiffers && a.restored &&
				!a.w.scenario.mayNeedAttention() && a.isWhole(g) {
				a.reportViolation("S7", "%s needs attention after a restore: %s", g.Key, g.Reason)
			}
			// A payment that was found after a restore that lost its pledges has none.
			lost := a.restored && (len(g.Orders) == 0 ||
				slices.ContainsFunc(g.Orders, func(o state.Part) bool { return a.pledge(o.ID) == nil }))
			if g.Status == state.Submitted || !g.Booked && g.Status != state.NeedsAttention && !lost && !a.isNotifiedLater(g) {
				a.reportViolation("L2", "%s is %s, booked: %t, %d attempts, %s", g.Key, g.Status,
					g.Booked, g.Attempts, g.ProcessorStatus)
			}
		}
	}
}

// isNotifiedLater reports whether a request was rejected as invalid so late that its supporter
// may be notified only after the end: in the last 3 hours, or the last 27 if operators had the
// charge retried.
func (a *checker) isNotifiedLater(g state.Group) bool {
	wait := 3 * time.Hour
	if n := len(g.History); n > 0 && g.History[n-1].Void {
		wait += 24 * time.Hour
	}
	return g.Refused && !g.Booked && g.SettledAt != nil && g.SettledAt.After(a.w.rest.Add(-wait))
}

// checkAllCharged checks L2: every unpaid pledge of a funded campaign has a group that failed, was
// dropped, succeeded or waits for an operator. A better card was tried, and retries and drops were
// made in time. Retries are not checked after a restore or with the bias heldOver.
func (a *checker) checkAllCharged() {
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			agreed := a.agreements[p.OrderID]
			if !p.Unpaid() || !a.funded(p.CampaignSlug) || a.restored && (agreed.cancelled || agreed.open) {
				continue // cancelled before its order was restored
			}
			if a.restored && a.isHeld(p) {
				continue // operators see that its terms differ from the processor's record
			}
			g, ok := a.groupOf(p)
			ok = ok && len(g.Orders) > 0 && a.pledge(g.Orders[0].ID).Email == p.Email
			late := a.w.rest.Add(-3 * time.Hour)
			switch {
			case ok &&
				(g.Status == state.NeedsAttention || g.Status == state.Succeeded || g.DroppedAt != nil || a.isNotifiedLater(g)):
			case !ok || g.Status != state.Failed:
				a.reportViolation("L2", "the pledge %s was never charged", p.OrderID)
			case p.CardSavedAt.After(g.CardSavedAt) && (p.CardByLink || len(g.Orders) == 1): // a card that may pay for all
				a.reportViolation("L2", "the new card of %s was never tried", p.OrderID)
			case p.Recovery != nil && p.Recovery.RetryAt != nil && p.Recovery.RetryAt.Before(late) &&
				!a.restored && !a.w.scenario.heldOver:
				a.reportViolation("L2", "the card of %s was to be retried on %s", p.OrderID, p.Recovery.RetryAt)
			case p.Recovery != nil && a.graceEnds(p, g).Before(late):
				a.reportViolation("L2", "the pledge %s was to be dropped on %s", p.OrderID, p.Recovery.Until)
			}
		}
	}
}

// isHeld reports whether a pledge, or another one of its supporter, waits for
// operators because its terms differ from the processor's record.
func (a *checker) isHeld(p *pledge.Pledge) bool {
	services := a.w.services()
	all := quietly(a.w, func() ([]state.Disagreement, error) {
		return services.Settlement.Disagreements(a.w.ctx, p.CampaignSlug)
	})
	return slices.ContainsFunc(all, func(d state.Disagreement) bool {
		other := a.pledge(d.PledgeID)
		return other != nil && other.Email == p.Email && !d.Accepted()
	})
}

// graceEnds returns when a pledge is due to be dropped: at Recovery.Until or, after a restore, a
// grace period after the group's first failure. If attempts remain, it is not before a grace
// period after the mail that asked for another card.
func (a *checker) graceEnds(p *pledge.Pledge, g state.Group) time.Time {
	grace := policies[p.CampaignSlug].grace
	ends := p.Recovery.Until
	if a.restored && g.FirstFailedAt != nil {
		ends = g.FirstFailedAt.AddDate(0, 0, grace)
	}
	if taken := a.cardRequestedAt(p, g); taken.AddDate(0, 0, grace).After(ends) &&
		g.Generation < policies[p.CampaignSlug].attempts {
		return taken.AddDate(0, 0, grace)
	}
	return ends
}

// cardRequestedAt returns when the provider accepted the first mail that asks for another
// card. It returns the end of the hourly work if the mail was not accepted, and the zero time
// if there is no record of the mail.
func (a *checker) cardRequestedAt(p *pledge.Pledge, g state.Group) time.Time {
	first := g.Generation
	for _, past := range slices.Backward(g.History) {
		if past.Status == state.Failed && !past.Void {
			first = past.Generation
		}
	}
	services := a.w.services()
	d, err := services.Outbox.Delivery(a.w.ctx, mailtext.UpdateCardIdentity(p, first))
	switch {
	case err != nil:
		return time.Time{}
	case d.EndedAt == nil:
		return a.w.rest
	}
	return *d.EndedAt
}

func (a *checker) funded(slug string) bool {
	c, err := a.w.catalogue.Campaign(slug)
	if err != nil {
		panic(err)
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	return c.Funded(snap.Totals.Counted)
}

// checkNoHolds checks S6 at the end: no hold outlives its checkout.
func (a *checker) checkNoHolds() {
	for _, object := range []string{"film", "game", "album", inventory.Platform} {
		holds := quietly(a.w, func() ([]inventory.Hold, error) {
			return a.w.stock().Due(a.w.ctx, object, a.w.rest.AddDate(1, 0, 0), kv.MaxPage)
		})
		for _, h := range holds {
			a.reportViolation("S6", "%s still holds %v for %s", object, h.Units, h.Pledge)
		}
	}
}

func (a *checker) attention() int {
	n := 0
	for _, slug := range slugs {
		for _, g := range a.groups(slug) {
			if g.Status == state.NeedsAttention {
				n++
			}
		}
	}
	return n
}

// checkTotals checks L3: the charged pledges and the payments in question of each campaign total
// its payments in the processor's books, except for voided ones.
func (a *checker) checkTotals() {
	charged := map[string]money.Cents{}
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			if p.Charged {
				charged[p.CampaignSlug] += p.Paid()
			}
		}
	}
	gross := map[string]money.Cents{}
	for _, e := range a.w.sim.Entries() {
		if slug, _, _ := splitKey(e.Group); !a.wasVoid(e) {
			gross[slug] += e.Amount
		}
	}
	for _, slug := range slugs {
		named := a.amountInQuestion(slug)
		if charged[slug]+named != gross[slug] {
			a.reportViolation("L3", "%s: %s charged, %s in question, %s in the processor's books",
				slug, charged[slug], named, gross[slug])
		}
	}
}

// checkMailsSent checks L4: the outbox has no unsent mail, unless a record of its delivery exists.
//
// If two servers try a mail concurrently, the one that is rejected may queue a retry after the
// other has finished it. The next attempt finds the record of the delivery.
func (a *checker) checkMailsSent() {
	all := a.w.records(pledges)
	ended := map[string]bool{}
	for _, e := range all {
		if hash, is := strings.CutPrefix(e.Key, "email-delivery:v1:"); is &&
			!strings.Contains(string(e.Value), `"status":"queued"`) {
			ended[hash] = true
		}
	}
	for _, e := range all {
		hash, is := strings.CutPrefix(e.Key, "email-outbox:v1:")
		if is && !ended[hash] && !strings.Contains(string(e.Value), `"failed"`) &&
			!strings.Contains(string(e.Value), `"sent"`) {
			a.reportViolation("L4", "an unsent mail remains: %s %s", e.Key, brief(e.Value))
		}
	}
}

// checkConfirmations checks L4: every supporter got one confirmation for each pledge, and one mail
// for each group that was charged or dropped.
func (a *checker) checkConfirmations() {
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
			if g.Status == state.Succeeded {
				paid[email]++
			}
			if g.DroppedAt != nil {
				dropped[email]++
			}
		}
	}
	for _, email := range slices.Sorted(maps.Keys(want)) {
		if slices.Contains(a.w.returned, email) || email == a.w.refused {
			continue // its mails are kept and visible
		}
		if got := len(a.w.mails[mailKey{notify.Confirmation, email}]); got != want[email] {
			a.reportViolation("L4", "%s has %d pledges and %d confirmations", email, want[email], got)
		}
		if got := len(a.w.mails[mailKey{notify.Charged, email}]); got != paid[email] {
			a.reportViolation("L4", "%s was charged %d times, but got %d mails", email, paid[email], got)
		}
		if got := len(a.w.mails[mailKey{notify.Dropped, email}]); got != dropped[email] {
			a.reportViolation("L4", "%s was dropped %d times, but got %d mails", email, dropped[email], got)
		}
	}
}

// checkProjections checks L5: the projections match the objects, and so do the stored status and
// amount of every pledge.
func (a *checker) checkProjections() {
	services := a.w.services()
	for _, d := range quietly(a.w, func() ([]projection.Drift, error) { return services.Projector.CheckAll(a.w.ctx) }) {
		if !d.InSync {
			a.reportViolation("L5", "%s: %v", d.CampaignSlug, d.Differences)
		}
	}
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			stored, ok, err := kv.Read[pledge.Pledge](a.w.ctx, a.w.truth.Store(pledges), "pledge:"+p.OrderID)
			if err != nil || !ok || stored.Status != p.Status || stored.Amount != p.Amount {
				a.reportViolation("L5", "the record of %s is %s with %s, but the pledge is %s with %s: %v",
					p.OrderID, stored.Status, stored.Amount, p.Status, p.Amount, err)
			}
		}
	}
}

// checkSecrets checks S11: neither the stored records nor the log contain secrets.
func (a *checker) checkSecrets() {
	secrets := []string{a.w.config.PSPSecretKey().Reveal(), a.w.config.PSPWebhookSecret().Reveal(),
		a.w.config.Secrets.MagicLink.Reveal(),
		a.w.config.Secrets.Admin.Reveal(), "4242424242424242", "_secret_"}
	for _, namespace := range []string{pledges, votes, rateLimit} {
		for _, e := range a.w.records(namespace) {
			for _, s := range secrets {
				if strings.Contains(string(e.Value), s) {
					a.reportViolation("S11", "the record %s holds a secret", e.Key)
				}
			}
		}
	}
	for _, s := range secrets {
		if strings.Contains(a.w.logs.String(), s) {
			a.reportViolation("S11", "the log holds a secret")
		}
	}
}
