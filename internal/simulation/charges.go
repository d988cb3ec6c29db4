package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// checkBooks checks S1 and S2 for new entries in the processor's books.
func (a *checker) checkBooks() {
	all := quietly(a.w, func() ([]sim.Entry, error) { return a.w.sim.Entries(), nil })
	for _, e := range all[a.entries:] {
		slug, hash, generation := splitKey(e.Group)
		who := slug + " " + hash
		g, ok := a.attempt(hash, generation)
		if first, twice := a.paid[who]; twice && !a.mayRepeat(first, g) {
			a.reportViolation("S1", "%s was charged by %s and again by %s", who, first, e.PaymentID)
		}
		a.paid[who], a.payments[e.PaymentID] = e.PaymentID, hash+" "+generation
		if was, lost := a.lost[hash+" "+generation]; lost && was.Amount == e.Amount {
			g = was // the requested state; an import may assign the payment to other pledges
		}
		switch {
		case !ok || g.CampaignSlug != slug:
			a.reportViolation("S2", "the payment %s of %s belongs to no attempt", e.PaymentID, e.Group)
		case e.Amount < g.Amount && a.w.scenario.partial:
			a.partial[e.PaymentID] = true
		case g.Amount != e.Amount && a.lost[hash+" "+generation].Amount != e.Amount:
			a.reportViolation("S2", "%s was charged %s, but its group is frozen with %s", who, e.Amount, g.Amount)
		}
		for _, o := range g.Orders {
			if first, twice := a.paidFor[o.ID]; twice && !a.mayRepeat(first, g) {
				a.reportViolation("S1", "the pledge %s was charged by %s and again by %s", o.ID, first, e.PaymentID)
			}
			a.paidFor[o.ID] = e.PaymentID
		}
		a.w.note("booked: %s of %s", e.Amount, e.Group)
	}
	a.entries = len(all)
}

// mayRepeat reports whether a new attempt may charge the pledges of a payment
// again: it was fully refunded, and two operators stated afterwards that nothing
// was charged.
func (a *checker) mayRepeat(payment string, g state.Group) bool {
	return a.refundedInFull(payment) && slices.ContainsFunc(g.Resolutions, func(r state.Resolution) bool {
		return isVoid(r) && r.Generation < g.Generation
	})
}

// isVoid reports whether two operators stated that an attempt charged nothing.
func isVoid(r state.Resolution) bool { return r.PaymentID == "" && r.ConfirmedBy != "" }

// wasVoid reports whether a payment was fully refunded and two operators stated that its
// attempt charged nothing.
func (a *checker) wasVoid(e sim.Entry) bool {
	slug, hash, generation := splitKey(e.Group)
	g, ok := a.group(slug, hash)
	return ok && e.Refunded >= e.Amount && slices.ContainsFunc(g.Resolutions, func(r state.Resolution) bool {
		return isVoid(r) && fmt.Sprint(r.Generation) == generation
	})
}

func isOlder(g state.Group, generation string) bool {
	for _, h := range g.History {
		if fmt.Sprint(h.Generation) == generation {
			return true
		}
	}
	return false
}

func splitKey(key string) (slug, hash, generation string) {
	parts := strings.Split(key, ":")
	if len(parts) != 4 {
		return key, "", ""
	}
	return parts[1], parts[2], parts[3]
}

// checkChargeRequest checks a charge request when it is sent. It reports whether the request
// belongs to the group's current attempt and is the first with its key.
func (a *checker) checkChargeRequest(r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return false
	}
	form := formOf(r)
	slug, hash, generation := splitKey(form.Get("metadata[" + psp.GroupKey + "]"))
	g, ok := a.group(slug, hash)
	was, forgotten := a.lost[hash+" "+generation]
	if !ok || fmt.Sprint(g.Generation) != generation {
		if !forgotten && (!ok || !isOlder(g, generation)) {
			a.reportViolation("S2", "a charge of %s %s #%s is sent, but not frozen", slug, hash, generation)
		}
		return false // a late request of an earlier attempt is harmless because of its key
	}
	asFrozen := func(g state.Group) bool {
		return g.Key == r.Header.Get("Idempotency-Key") && form.Get("amount") == fmt.Sprint(int64(g.Amount)) &&
			form.Get("payment_method") == g.PaymentMethodID
	}
	if !asFrozen(g) {
		if forgotten && was.Key == g.Key && asFrozen(was) {
			return false // frozen before the restore and again after it, with one key
		}
		a.reportViolation("S7", "the charge of %s #%s differs from the frozen request", slug, generation)
	}
	first, sent := a.firstSent[g.Key]
	if !sent {
		first = a.w.now
		a.firstSent[g.Key] = first
	}
	if g.FirstSubmittedAt == nil || a.w.now.Sub(first) > psp.KeyHorizon {
		a.reportViolation("S8", "the key of %s #%s may have expired when it is sent", slug, generation)
	}
	// A late request, sent after another process learned of the outcome, is
	// replayed from its key.
	if g.Status == state.Submitted || g.Status == state.NeedsAttention {
		a.checkEntitled(slug, g)
		if !sent {
			a.checkIrreversibleAction(slug, "the charge "+g.Key)
			a.checkAgreements(g)
		}
	}
	return !sent
}

// checkEntitled checks S2 and S3 for a charge: no pledge is cancelled or dropped, the pledges'
// terms are met, and the amounts add up.
func (a *checker) checkEntitled(slug string, g state.Group) {
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	var sum money.Cents
	for _, part := range g.Orders {
		p := a.pledge(part.ID)
		if p == nil || p.Status == pledge.Cancelled || p.Dropped() {
			a.reportViolation("S3", "the pledge %s is charged, but cancelled, dropped or unknown", part.ID)
			continue
		}
		if !a.isOver(p) {
			a.reportViolation("S3", "the pledge %s to %s is charged before its deadline", p.OrderID, slug)
		}
		if !a.meetsTerms(p, snap.Totals.Counted) && !a.w.scenario.farBehind && (!a.restored || !a.started[slug]) {
			a.reportViolation("S3", "the pledge %s is charged, but %s is not funded", p.OrderID, slug)
		}
		if p.Amount != part.Amount {
			a.reportViolation("S2", "the pledge %s of %s is charged as %s", part.ID, p.Amount, part.Amount)
		}
		sum += part.Amount
	}
	if sum != g.Amount {
		a.reportViolation("S2", "the parts of %s total %s, but its amount is %s", g.Key, sum, g.Amount)
	}
}

// checkFrozen checks S7: the frozen request of an attempt never changes, except for an amount that
// operators accepted, and an attempt follows only one that has failed.
func (a *checker) checkFrozen(op memkv.Op) {
	var cmd struct {
		Hash  string
		Group struct{ Hash string }
	}
	if json.Unmarshal(op.Command.Body, &cmd) != nil || cmd.Hash+cmd.Group.Hash == "" {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash+cmd.Group.Hash)
	if !ok {
		return
	}
	id := fmt.Sprintf("%s %d", g.Hash, g.Generation)
	a.checkOneGroup(g)
	if g.FirstFailedAt != nil {
		a.failedAt[g.Hash] = *g.FirstFailedAt
	}
	if g.Status == state.Failed {
		a.failed[id] = true
	}
	was, known := a.frozen[id]
	if !known {
		a.frozen[id] = g
		if g.Generation > 1 && !a.failed[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)] {
			a.reportViolation("S7", "the attempt %s follows one that is not known to have failed", g.Key)
		}
		return
	}
	if was.Requested == 0 && g.Requested == was.Amount { // operators accepted another amount
		was.Requested, was.Amount, was.Orders = g.Requested, g.Amount, g.Orders
		a.frozen[id] = was
	}
	if was.Key != g.Key || was.Amount != g.Amount || was.PaymentMethodID != g.PaymentMethodID ||
		was.CustomerID != g.CustomerID ||
		fmt.Sprint(was.Orders) != fmt.Sprint(g.Orders) {
		a.reportViolation("S7", "the frozen request of %s has changed", g.Key)
	}
}

// checkGroupFirst checks S4: the group's record contains a result before its pledges do. A
// process that started before a restore may have newer data than the record.
func (a *checker) checkGroupFirst(op memkv.Op) {
	if a.w.current != nil && a.w.current.created.Before(a.restoredAt) {
		return
	}
	var cmd struct {
		PledgeID, Group string
		Generation      int
	}
	if err := json.Unmarshal(op.Command.Body, &cmd); err != nil {
		panic(err)
	}
	p := a.pledge(cmd.PledgeID)
	if p == nil {
		return
	}
	g, ok := a.group(p.CampaignSlug, cmd.Group)
	switch {
	case !ok:
		a.reportViolation("S4", "the pledge %s gets the result of an attempt without a record", cmd.PledgeID)
	case g.Generation > cmd.Generation:
	case op.Command.Kind == "charge" && g.Status != state.Succeeded && p.Charged,
		op.Command.Kind == "fail" && g.FirstFailedAt == nil && p.Status == pledge.PaymentFailed:
		a.reportViolation("S4", "the pledge %s is %s, but its group is %s", p.OrderID, p.Status, g.Status)
	}
}

// falseAnswer is a false response of the processor about one payment, or a page of them.
type falseAnswer struct {
	kind sim.FaultKind
	body string
}

// recordAnswer records the false response that a piece of work got last.
func (a *checker) recordAnswer(falsehood sim.FaultKind, res *http.Response) {
	if falsehood == "" || res == nil {
		delete(a.falseAnswers, a.w.current)
		return
	}
	body, _ := peekBody(res)
	a.falseAnswers[a.w.current] = falseAnswer{falsehood, string(body)}
}

// checkPaidInFull checks S2: a payment recorded as paid has the requested amount.
func (a *checker) checkPaidInFull(op memkv.Op) {
	type attempt struct {
		Hash       string
		Generation int
	}
	var cmd struct {
		attempt
		Group attempt // of an imported payment
		Fact  struct {
			Status psp.Status
			Amount money.Cents
		}
	}
	recordsResult := op.Command.Kind == "tell" || op.Command.Kind == "adopt"
	if !recordsResult || json.Unmarshal(op.Command.Body, &cmd) != nil || cmd.Fact.Status != psp.Succeeded {
		return
	}
	if op.Command.Kind == "adopt" {
		cmd.attempt = cmd.Group
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	if !ok || g.Generation != cmd.Generation || g.Status != state.Succeeded || a.settled[g.Key] {
		return
	}
	a.settled[g.Key] = true
	if slices.ContainsFunc(g.Resolutions, func(r state.Resolution) bool {
		return r.AcceptAmount && r.ConfirmedBy != "" && r.Generation == g.Generation
	}) {
		return // two operators accepted the payment
	}
	if what := a.falseAnswers[a.w.current]; what.kind != "" && strings.Contains(what.body, g.PaymentIntentID) {
		a.reportViolation("S2", "%s is recorded as paid from a response with %s", g.Key, what.kind)
	}
	if a.partial[g.PaymentIntentID] {
		a.reportViolation("S2", "%s of %s is recorded as paid by %s, which was partially captured",
			g.Key, g.Amount, g.PaymentIntentID)
	}
	if cmd.Fact.Amount != g.Amount {
		a.reportViolation("S2", "%s of %s is recorded as paid by a payment of %s", g.Key, g.Amount, cmd.Fact.Amount)
	}
}

// checkFailedItself checks S7: an attempt fails only because of the processor's
// response to it, not to an earlier attempt.
func (a *checker) checkFailedItself(op memkv.Op) {
	var cmd struct {
		Hash       string
		Generation int
	}
	if op.Command.Kind != "tell" || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	switch {
	case !ok || g.Status != state.Failed:
	case g.Generation == cmd.Generation:
		if !a.refused[g.Key] && !a.refusals[g.Key] && !g.Void {
			a.reportViolation("S7", "%s is recorded as failed, but the processor has not reported that", g.Key)
		}
		a.refusals[g.Key] = true
	case !a.refusals[g.Key] && !g.Void && !a.restored:
		a.reportViolation("S7", "%s is recorded as failed because of the result of attempt %d", g.Key, cmd.Generation)
	}
}

// checkCharged checks S4: a pledge is marked as charged only if its payment is in the books and
// covers its amount.
func (a *checker) checkCharged(op memkv.Op) {
	for _, p := range a.order(op.Object.Name).Pledges {
		if !p.Charged {
			continue
		}
		attempt, paid := a.payments[p.PaymentIntentID]
		hash, generation, _ := strings.Cut(attempt, " ")
		g, _ := a.attempt(hash, generation)
		switch {
		case !paid:
			a.reportViolation("S4", "the pledge %s is charged, but its payment %q is not in the books",
				p.OrderID, p.PaymentIntentID)
		case a.forgotten && slices.ContainsFunc(g.Orders, func(part state.Part) bool { return part.ID == p.OrderID }):
			// Its order was restored to before a change that was paid:
			// reconciliation shows the difference.
		case !slices.ContainsFunc(g.Orders,
			func(part state.Part) bool { return part.ID == p.OrderID && part.Amount == p.Paid() }):
			a.reportViolation("S4", "the pledge %s of %s is charged by a payment for other pledges", p.OrderID, p.Amount)
		}
	}
}
