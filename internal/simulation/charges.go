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
	"github.com/pledgeworks/pledgeworks/settlement"
)

// books looks at what the processor has booked since.
func (a *watch) books() {
	all := quietly(a.w, func() ([]sim.Entry, error) { return a.w.sim.Books(), nil })
	for _, e := range all[a.entries:] {
		slug, hash, generation := splitKey(e.Group)
		who := slug + " " + hash
		g, ok := a.attempt(hash, generation)
		if first, twice := a.paid[who]; twice && !a.mayRepeat(first, g) {
			a.violated("S1", "%s was charged by %s and again by %s", who, first, e.PaymentID)
		}
		a.paid[who], a.payments[e.PaymentID] = e.PaymentID, hash+" "+generation
		if was, lost := a.lost[hash+" "+generation]; lost && was.Amount == e.Amount {
			g = was // as it was requested; an import may take it for other pledges
		}
		switch {
		case !ok || g.CampaignSlug != slug:
			a.violated("S2", "the payment %s of %s belongs to no attempt", e.PaymentID, e.Group)
		case e.Amount < g.Amount && a.w.scenario.partial:
			a.partial[e.PaymentID] = true
		case g.Amount != e.Amount && a.lost[hash+" "+generation].Amount != e.Amount:
			a.violated("S2", "%s was charged %s and its group is frozen with %s", who, e.Amount, g.Amount)
		}
		for _, o := range g.Orders {
			if first, twice := a.paidFor[o.ID]; twice && !a.mayRepeat(first, g) {
				a.violated("S1", "the pledge %s was charged by %s and again by %s", o.ID, first, e.PaymentID)
			}
			a.paidFor[o.ID] = e.PaymentID
		}
		a.w.note("booked: %s of %s", e.Amount, e.Group)
	}
	a.entries = len(all)
}

// mayRepeat reports whether an attempt may charge again what a payment had paid: its money was
// given back in full, and two operators have stated since that nothing was charged.
func (a *watch) mayRepeat(payment string, g settlement.Group) bool {
	return a.refundedInFull(payment) && slices.ContainsFunc(g.Resolutions, func(r settlement.Resolution) bool {
		return isVoid(r) && r.Generation < g.Generation
	})
}

// isVoid reports whether two operators have stated that an attempt charged nobody.
func isVoid(r settlement.Resolution) bool { return r.PaymentID == "" && r.ConfirmedBy != "" }

// wasVoid reports whether two operators have ended the attempt of a payment that was refunded in full.
func (a *watch) wasVoid(e sim.Entry) bool {
	slug, hash, generation := splitKey(e.Group)
	g, ok := a.group(slug, hash)
	return ok && e.Refunded >= e.Amount && slices.ContainsFunc(g.Resolutions, func(r settlement.Resolution) bool {
		return isVoid(r) && fmt.Sprint(r.Generation) == generation
	})
}

func older(g settlement.Group, generation string) bool {
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

// sending looks at a request for a charge at the moment at which it leaves, and reports
// whether it is the first under its key.
func (a *watch) sending(r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return false
	}
	form := formOf(r)
	slug, hash, generation := splitKey(form.Get("metadata[" + psp.GroupKey + "]"))
	g, ok := a.group(slug, hash)
	was, forgotten := a.lost[hash+" "+generation]
	if !ok || fmt.Sprint(g.Generation) != generation {
		if !forgotten && (!ok || !older(g, generation)) {
			a.violated("S2", "a charge of %s %s #%s is sent and is not frozen", slug, hash, generation)
		}
		return false // what an earlier attempt sends late, its key keeps from happening twice
	}
	asFrozen := func(g settlement.Group) bool {
		return g.Key == r.Header.Get("Idempotency-Key") && form.Get("amount") == fmt.Sprint(int64(g.Amount)) && form.Get("payment_method") == g.PaymentMethodID
	}
	if !asFrozen(g) {
		if forgotten && was.Key == g.Key && asFrozen(was) {
			return false // frozen before the database went back, and again since: under one key
		}
		a.violated("S7", "the charge of %s #%s is not sent as it is frozen", slug, generation)
	}
	first, sent := a.firstSent[g.Key]
	if !sent {
		first = a.w.now
		a.firstSent[g.Key] = first
	}
	if g.FirstSubmittedAt == nil || a.w.now.Sub(first) > psp.KeyHorizon {
		a.violated("S8", "the key of %s #%s may be forgotten when it is sent", slug, generation)
	}
	// What is sent late, after another has learned of the outcome, is answered from
	// the processor's memory of the key.
	if g.Status == settlement.Submitted || g.Status == settlement.NeedsAttention {
		a.entitled(slug, g)
		if !sent {
			a.checkFinalAct(slug, "the charge "+g.Key)
			a.checkAgreements(g)
		}
	}
	return !sent
}

// entitled holds a charge against the campaign and the pledges it is for.
func (a *watch) entitled(slug string, g settlement.Group) {
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	var sum money.Cents
	for _, part := range g.Orders {
		p := a.pledge(part.ID)
		if p == nil || p.Status == pledge.Cancelled || p.Dropped() {
			a.violated("S3", "the pledge %s is cancelled, given up or unknown, and charged", part.ID)
			continue
		}
		if a.w.now.Before(p.Promise.EndsAt) && !a.onTerms(p, snap.Totals.Counted) {
			a.violated("S3", "the pledge %s to %s is charged before its deadline", p.OrderID, slug)
		}
		if !a.onTerms(p, snap.Totals.Counted) && !a.w.scenario.farBehind && (!a.restored || !a.begun[slug]) {
			a.violated("S3", "the pledge %s is charged and %s is not funded", p.OrderID, slug)
		}
		if p.Amount != part.Amount {
			a.violated("S2", "the pledge %s is of %s and charged as %s", part.ID, p.Amount, part.Amount)
		}
		sum += part.Amount
	}
	if sum != g.Amount {
		a.violated("S2", "the parts of %s come to %s and its amount is %s", g.Key, sum, g.Amount)
	}
}

func (a *watch) frozenStays(op memkv.Op) {
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
	if g.Status == settlement.Failed {
		a.failed[id] = true
	}
	was, known := a.frozen[id]
	if !known {
		a.frozen[id] = g
		if g.Generation > 1 && !a.failed[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)] {
			a.violated("S7", "the attempt %s follows one that is not known as failed", g.Key)
		}
		return
	}
	if was.Requested == 0 && g.Requested == was.Amount { // operators accepted another amount
		was.Requested, was.Amount, was.Orders = g.Requested, g.Amount, g.Orders
		a.frozen[id] = was
	}
	if was.Key != g.Key || was.Amount != g.Amount || was.PaymentMethodID != g.PaymentMethodID || was.CustomerID != g.CustomerID ||
		fmt.Sprint(was.Orders) != fmt.Sprint(g.Orders) {
		a.violated("S7", "the frozen request of %s has changed", g.Key)
	}
}

// groupKnowsFirst: what a pledge is told of its charge, the group's record has
// already. Who was about to tell it when that went back knows more than the record.
func (a *watch) groupKnowsFirst(op memkv.Op) {
	if a.w.current != nil && a.w.current.born.Before(a.restoredAt) {
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
		a.violated("S4", "the pledge %s is told of an attempt that no record has", cmd.PledgeID)
	case g.Generation > cmd.Generation:
	case op.Command.Kind == "charge" && g.Status != settlement.Succeeded && p.Charged,
		op.Command.Kind == "fail" && g.FirstFailedAt == nil && p.Status == pledge.PaymentFailed:
		a.violated("S4", "the pledge %s is %s and its group is %s", p.OrderID, p.Status, g.Status)
	}
}

// noteAnswer records what is false about the last answer to a piece of work.
func (a *watch) noteAnswer(falsehood sim.FaultKind) {
	if falsehood == "" {
		delete(a.misled, a.w.current)
		return
	}
	a.misled[a.w.current] = falsehood
}

// paidInFull: S2, what is said to have been paid is what was asked for.
func (a *watch) paidInFull(op memkv.Op) {
	type attempt struct {
		Hash       string
		Generation int
	}
	var cmd struct {
		attempt
		Group attempt // of one that is taken in
		Fact  struct {
			Status psp.Status
			Amount money.Cents
		}
	}
	told := op.Command.Kind == "tell" || op.Command.Kind == "adopt"
	if !told || json.Unmarshal(op.Command.Body, &cmd) != nil || cmd.Fact.Status != psp.Succeeded {
		return
	}
	if op.Command.Kind == "adopt" {
		cmd.attempt = cmd.Group
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	if !ok || g.Generation != cmd.Generation || g.Status != settlement.Succeeded || a.settled[g.Key] {
		return
	}
	a.settled[g.Key] = true
	if slices.ContainsFunc(g.Resolutions, func(r settlement.Resolution) bool {
		return r.AcceptAmount && r.ConfirmedBy != "" && r.Generation == g.Generation
	}) {
		return // two operators took the payment for paid
	}
	if what := a.misled[a.w.current]; what != "" {
		a.violated("S2", "%s is taken for paid by an answer with %s", g.Key, what)
	}
	if a.partial[g.PaymentIntentID] {
		a.violated("S2", "%s of %s is taken for paid by %s, of which a part was captured", g.Key, g.Amount, g.PaymentIntentID)
	}
	if cmd.Fact.Amount != g.Amount {
		a.violated("S2", "%s of %s is taken for paid by a payment of %s", g.Key, g.Amount, cmd.Fact.Amount)
	}
}

// failedItself: S7, an attempt fails by what the processor answered of it, and not of one before it.
func (a *watch) failedItself(op memkv.Op) {
	var cmd struct {
		Hash       string
		Generation int
	}
	if op.Command.Kind != "tell" || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	switch {
	case !ok || g.Status != settlement.Failed:
	case g.Generation == cmd.Generation:
		if !a.refused[g.Key] && !a.refusals[g.Key] && !g.Void {
			a.violated("S7", "%s is taken for failed and the processor has not answered so", g.Key)
		}
		a.refusals[g.Key] = true
	case !a.refusals[g.Key] && !g.Void && !a.restored:
		a.violated("S7", "%s is taken for failed by what came of attempt %d", g.Key, cmd.Generation)
	}
}

// chargedForReal: S4, a pledge says that it is charged only where the payment that it
// names is in the books and holds its amount.
func (a *watch) chargedForReal(op memkv.Op) {
	for _, p := range a.order(op.Object.Name).Pledges {
		if !p.Charged {
			continue
		}
		attempt, paid := a.payments[p.PaymentIntentID]
		hash, generation, _ := strings.Cut(attempt, " ")
		g, _ := a.attempt(hash, generation)
		switch {
		case !paid:
			a.violated("S4", "the pledge %s is charged and its payment %q is not in the books", p.OrderID, p.PaymentIntentID)
		case a.forgotten && slices.ContainsFunc(g.Orders, func(part settlement.Part) bool { return part.ID == p.OrderID }):
			// Its order went back to before a change that was paid: reconciliation shows the difference.
		case !slices.Contains(g.Orders, settlement.Part{ID: p.OrderID, Amount: p.Paid()}):
			a.violated("S4", "the pledge %s of %s is charged by a payment that is not for it", p.OrderID, p.Amount)
		}
	}
}
