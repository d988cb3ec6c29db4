package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// refundCutoff is how long before the faults stop operators grant their last refund.
const refundCutoff = 2 * time.Hour

// drawRefunds draws whether operators refund pledges. Some cards then accept refunds only later, or
// return them.
func (s *scenario) drawRefunds() {
	if s.refunds = s.oneIn(3); !s.refunds {
		return
	}
	s.refundsAll = s.oneIn(4)
	for _, p := range s.plans {
		for i := range p.choices {
			if p.choices[i].card == sim.CardOK && s.oneIn(3) {
				p.choices[i].card = pick(s, sim.CardRefundPending, sim.CardRefundFails)
			}
		}
	}
}

// spawnRefunds starts the operators who refund pledges.
func (w *history) spawnRefunds() {
	if !w.scenario.refunds {
		return
	}
	for _, name := range staff {
		w.spawn(name, nil, ends+2*time.Hour, func() { w.grantRefunds(name) })
		w.spawn(name, nil, ends+2*time.Hour, func() { w.followRefunds(name) })
	}
	if w.scenario.refundsAll {
		w.spawn("ada", nil, ends+time.Duration(4+w.rng.IntN(20))*time.Hour, w.refundAll)
	}
}

// grantRefunds simulates an operator who refunds pledges. Most requests are repeated at once or later,
// as after a request without a response.
func (w *history) grantRefunds(name string) {
	for n := 0; w.now.Before(w.calm.Add(-refundCutoff)); n++ {
		w.pause(w.slow(time.Duration(10+w.rng.IntN(300)) * time.Minute))
		p := w.chargedPledge()
		if p == nil {
			continue
		}
		req := settlement.RefundRequest{ID: fmt.Sprintf("refund-%s-%d", name, n), PledgeID: p.OrderID,
			Choice: w.chooseRefund(p), Reason: refund.Requested}
		for range 1 + w.rng.IntN(4) {
			w.spawnRefund(name, func(c *compose.Services) error {
				_, err := c.Settlement.GrantRefund(w.ctx, p.CampaignSlug, name, req)
				return err
			})
			w.pause(time.Duration(w.rng.IntN(600)) * time.Duration(1+w.rng.IntN(20)) * time.Second)
		}
	}
}

// refundAll simulates two operators who refund all payments of a campaign, and an impatient one who pauses
// and continues the run.
func (w *history) refundAll() {
	p := w.chargedPledge()
	for p == nil && w.now.Before(w.calm) {
		w.pause(time.Duration(w.rng.IntN(60)) * time.Minute)
		p = w.chargedPledge()
	}
	if p == nil {
		return
	}
	slug := p.CampaignSlug
	change := func(name string, c refund.RunChange) {
		w.spawnRefund(name, func(services *compose.Services) error {
			_, err := services.Settlement.ChangeRefundRun(w.ctx, slug, name, "cannot-deliver", c)
			return err
		})
	}
	for w.now.Before(w.calm) {
		w.spawnRefund(staff[0], func(c *compose.Services) error {
			_, err := c.Settlement.StartRefundRun(w.ctx, slug, staff[0],
				refund.Run{ID: "cannot-deliver", Tip: true, Reason: refund.Undelivered})
			return err
		})
		w.pause(time.Duration(w.rng.IntN(3600)) * time.Second)
		change(staff[1], w.confirmOrContinue())
		if w.pause(time.Duration(w.rng.IntN(3600)) * time.Second); w.rng.IntN(4) == 0 {
			change(staff[0], refund.PauseRun)
		}
	}
	for range 5 { // faults have stopped
		change(staff[1], refund.ConfirmRun)
		w.pause(time.Minute)
		change(staff[1], refund.ContinueRun)
		w.pause(time.Hour)
	}
}

// confirmOrContinue returns one of the changes that make a run active.
func (w *history) confirmOrContinue() refund.RunChange {
	if w.rng.IntN(4) == 0 {
		return refund.ContinueRun
	}
	return refund.ConfirmRun
}

// chargedPledge returns a random pledge, or nil if it was not charged.
func (w *history) chargedPledge() *pledge.Pledge {
	p := w.people[w.rng.IntN(len(w.people))]
	if len(p.orders) == 0 {
		return nil
	}
	pledges := w.checker.order(p.orders[w.rng.IntN(len(p.orders))].OrderID).Pledges
	if len(pledges) == 0 {
		return nil
	}
	if chosen := pledges[w.rng.IntN(len(pledges))]; chosen.Charged {
		return chosen
	}
	return nil
}

func (w *history) chooseRefund(p *pledge.Pledge) refund.Choice {
	tip := w.rng.IntN(2) == 0
	switch w.rng.IntN(3) {
	case 0:
		return refund.Choice{All: true, Tip: tip}
	case 1:
		return refund.Choice{Amount: 1 + money.Cents(w.rng.IntN(int(p.Amount))), Tip: tip}
	default:
		line := w.rng.IntN(len(p.Lines))
		return refund.Choice{Units: []refund.Units{{Line: line, Quantity: 1 + w.rng.IntN(p.Lines[line].Quantity)}},
			Shipping: w.rng.IntN(2) == 0, Tip: tip}
	}
}

// followRefunds simulates an operator who withdraws refunds, and states that failed ones were paid in
// another way.
func (w *history) followRefunds(name string) {
	for w.now.Before(w.rest.Add(-operatorCutoff)) {
		w.pause(w.slow(time.Duration(20+w.rng.IntN(300)) * time.Minute))
		slug, choice := slugs[w.rng.IntN(len(slugs))], w.rng.IntN(4)
		w.spawnRefund(name, func(c *compose.Services) error {
			page, err := c.Settlement.Refunds(w.ctx, slug, choice > 0, "", 20)
			for _, r := range page.Refunds {
				switch {
				case r.Status == refund.Failed:
					_, err = c.Settlement.RepayRefund(w.ctx, slug, name, r.ID)
				case r.Status == refund.NeedsAttention || choice == 0:
					_, err = c.Settlement.WithdrawRefund(w.ctx, slug, r.ID)
				}
			}
			return err
		})
	}
}

// spawnRefund makes a server execute an operator's request about a refund.
func (w *history) spawnRefund(name string, body func(*compose.Services) error) {
	s := w.anyServer()
	if s.down {
		return
	}
	s.spawnWork("refund by "+name, 0, func(c *compose.Services) { w.note("refund by %s: %v", name, body(c)) })
}

// checkRefundRequest checks S20 for a request to refund: repeats of a request have its key and its
// parameters, and are sent while the processor certainly remembers the key. It reports whether the request
// is the first with its key.
func (a *checker) checkRefundRequest(r *http.Request) (first bool) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/refunds" {
		return false
	}
	key, form := r.Header.Get("Idempotency-Key"), formOf(r).Encode()
	sent, known := a.firstSent[key]
	if !known {
		a.firstSent[key], a.refundForms[key] = a.w.now, form
		return true
	}
	if a.w.now.Sub(sent) > psp.KeyHorizon {
		a.reportViolation("S20", "the key %s may have expired when it is sent", key)
	}
	if a.refundForms[key] != form {
		a.reportViolation("S20", "the refund %s differs from its first request", key)
	}
	return false
}

// checkRefundRuns checks S20: at the end, no run waits to be continued, and those that are done are complete.
func (a *checker) checkRefundRuns() {
	for _, slug := range slugs {
		run := quietly(a.w, func() (refund.Run, error) { return a.refunds(slug).Run(a.w.ctx) })
		if run.Open() && run.Status != refund.RunWaiting && !a.restored {
			a.reportViolation("S20", "the refund of all payments of %s is %s: %+v", slug, run.Status, run)
		}
		if run.Status == refund.RunDone {
			a.checkRefundRun(slug, run)
		}
	}
}

// checkRefundRun checks S20: a run that is done has refunded what remained of every payment that it visited,
// and counts those that it skipped. What remains belongs to a payment that was disputed, or one of whose
// refunds was refused or withdrawn.
func (a *checker) checkRefundRun(slug string, run refund.Run) {
	counted := refund.Run{}
	for _, p := range a.visited(slug, run) {
		of := quietly(a.w, func() (refund.OfPayment, error) { return a.refunds(slug).OfPayment(a.w.ctx, p.ID) })
		id := fmt.Sprintf("%s-%d", run.ID, p.Entry)
		if at := slices.IndexFunc(of.Refunds, func(r refund.Refund) bool { return r.ID == id }); at >= 0 {
			counted.Refunded, counted.Amount = counted.Refunded+1, counted.Amount+of.Refunds[at].Amount
		} else {
			counted.Skipped++
		}
		freed := slices.ContainsFunc(of.Refunds, func(r refund.Refund) bool { return !r.Holds() })
		if ledger.SumOf(p.Remaining) > 0 && !freed && !a.wasDisputed(p.ID) {
			a.reportViolation("S20", "all payments of %s were refunded, but %s of %s remain", slug,
				ledger.SumOf(p.Remaining), p.ID)
		}
	}
	if a.restored { // some refunds may be adopted
		return
	}
	if run.Refunded != counted.Refunded || run.Amount != counted.Amount || run.Skipped != counted.Skipped {
		a.reportViolation("S20", "the refund of all payments of %s is %+v, but there are %d of %s, and %d payments without one",
			slug, run, counted.Refunded, counted.Amount, counted.Skipped)
	}
}

// visited returns the payments that a run visited.
func (a *checker) visited(slug string, run refund.Run) (all []refund.Payment) {
	for after := 0; ; {
		page := quietly(a.w, func() (refund.PaymentPage, error) {
			return a.refunds(slug).Payments(a.w.ctx, after, kv.MaxPage)
		})
		for _, p := range page.Payments {
			if p.Entry <= run.After {
				all = append(all, p)
			}
		}
		if after = page.Next; after == 0 {
			return all
		}
	}
}

func (a *checker) wasDisputed(payment string) bool {
	at, err := a.w.sim.Reversals(payment)
	if err != nil {
		panic(err)
	}
	return len(at.Disputes) > 0
}

// allRefunds returns the refunds of all campaigns.
func (a *checker) allRefunds() (all []refund.Refund) {
	for _, slug := range slugs {
		for after, more := "", true; more; more = after != "" {
			page := quietly(a.w, func() (refund.Page, error) { return a.refunds(slug).List(a.w.ctx, false, after, kv.MaxPage) })
			all, after = append(all, page.Refunds...), page.Next
		}
	}
	return all
}

// checkRefundsOnce checks S20: at the end, the processor has every refund of the service once or not at
// all, as its status says, and the pledges show it. The refunds of a payment and the rest add up to the
// charge.
func (a *checker) checkRefundsOnce() {
	for _, r := range a.allRefunds() {
		a.checkRefundOnce(r)
		a.checkRemaining(r.CampaignSlug, r.PaymentID)
	}
}

func (a *checker) checkRemaining(slug, paymentID string) {
	of := quietly(a.w, func() (refund.OfPayment, error) { return a.refunds(slug).OfPayment(a.w.ctx, paymentID) })
	sums := map[string]ledger.Components{}
	for _, p := range of.Outstanding.Remaining {
		sums[p.Pledge] = p.Components
	}
	for _, r := range of.Refunds {
		for _, part := range r.Parts {
			if r.Holds() {
				sums[part.Pledge] = sums[part.Pledge].Plus(part.Components)
			}
		}
	}
	charge := quietly(a.w, func() (state.LedgerPage, error) {
		return state.Client{Coordinator: a.w.truth.Coordinator(), Slug: slug}.Ledger(a.w.ctx, of.Outstanding.Charge-1, 1)
	}).Entries[0]
	for _, p := range charge.PledgesOf() {
		if sums[p.Pledge] != p.Components {
			a.reportViolation("S20", "%+v of %s was charged, but its refunds and the rest are %+v", p.Components,
				p.Pledge, sums[p.Pledge])
		}
	}
}

func (a *checker) refunds(slug string) refund.Client {
	return refund.Client{Coordinator: a.w.truth.Coordinator(), Object: kv.Object{Class: state.ClassName, Name: slug}}
}

func (a *checker) checkRefundOnce(r refund.Refund) {
	at, err := a.w.sim.Reversals(r.PaymentID)
	if err != nil {
		panic(err)
	}
	found := slices.DeleteFunc(at.Refunds, func(f psp.Refund) bool { return f.ID != r.RefundID && f.OurID != r.ID })
	switch {
	case len(found) > 1:
		a.reportViolation("S20", "the processor has %d refunds %s", len(found), r.ID)
	case !isAsRecorded(r, found):
		a.reportViolation("S20", "the refund %s of %s is %s, but the processor has %+v", r.ID, r.Amount, r.Status, found)
	case r.Told != r.Status && (r.Moved() || r.Status == refund.Refused):
		a.reportViolation("S20", "the refund %s is %s, but the pledges show %q", r.ID, r.Status, r.Told)
	case !r.Moved() || a.restored: // an order may be restored to before its refund
		return
	}
	for _, part := range r.Parts {
		p := a.pledge(part.Pledge)
		shown := slices.ContainsFunc(p.Refunds, func(f pledge.Refund) bool { return f.ID == r.ID && f.Amount == part.Sum() })
		if !shown {
			a.reportViolation("S20", "the pledge %s does not show the refund %s", p.OrderID, r.ID)
		}
	}
}

// isAsRecorded reports whether a refund's record agrees with what the processor has at the end.
func isAsRecorded(r refund.Refund, found []psp.Refund) bool {
	if len(found) == 0 {
		return !r.Moved() && r.Status != refund.Pending && r.Status != refund.Granted && r.Status != refund.Submitted
	}
	if found[0].Amount != r.Amount {
		return false
	}
	switch found[0].Status {
	case psp.RefundStatusSucceeded:
		return r.Status == refund.Succeeded
	case psp.RefundStatusFailed:
		if found[0].BalanceTransactionID == "" {
			return r.Status == refund.Refused
		}
		return r.Status == refund.Failed || r.Status == refund.Repaid
	default:
		return r.Status == refund.Pending
	}
}

// checkRefundMails checks M5: a supporter gets one mail for each refund of a pledge that succeeded, and at
// most one for a refund that failed later.
func (a *checker) checkRefundMails() {
	least, most := map[string]int{}, map[string]int{}
	for _, r := range a.allRefunds() {
		for _, part := range r.Parts {
			email := a.pledge(part.Pledge).Email
			if r.Moved() {
				most[email]++
			}
			if r.Status == refund.Succeeded {
				least[email]++
			}
		}
	}
	for _, p := range a.w.people {
		if slices.Contains(a.w.returned, p.email) || p.email == a.w.refused {
			continue // its mails are kept and visible
		}
		if got := len(a.w.mails[mailKey{notify.Refunded, p.email}]); got < least[p.email] || got > most[p.email] {
			a.reportViolation("M5", "%s has %d refunds, of which %d succeeded, and %d mails about them", p.email,
				most[p.email], least[p.email], got)
		}
	}
}
