package simulation

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// payoutCutoff is the time from the last payout, and the last failure of one, until the hourly work stops.
// Without faults the service learns of both within two hours.
const payoutCutoff = 6 * time.Hour

// Rates per thousand payouts, in histories with payouts.
const (
	accountChanges = 400 // of the balance that belong to no campaign
	topUps         = 500 // if nothing could be paid out
	manualPayouts  = 150
	failedPayouts  = 400
)

// payoutPlan is how the processor pays out its balance.
type payoutPlan struct {
	every time.Duration // 0 for never
	first time.Duration // after the deadline
	// reimports is set if the payouts are imported again at the end.
	reimports bool
}

// drawPayouts draws how often the processor pays out, in histories with refunds: daily or weekly in long ones.
// In the others it is also every six hours, and the money of most cards is available at once, so that several
// payouts occur before faults have stopped.
func (s *scenario) drawPayouts() {
	if !s.refunds {
		return
	}
	const day = 24 * time.Hour
	s.payouts = payoutPlan{every: pick(s, 6*time.Hour, 6*time.Hour, day),
		first: settlement.Margin + time.Duration(s.IntN(8*60))*time.Minute}
	if s.long() {
		s.payouts.every = pick(s, day, 7*day)
	}
	s.payouts.reimports = s.oneIn(3)
	for _, p := range s.plans {
		for i := range p.choices {
			if p.choices[i].card == sim.CardOK && s.IntN(4) > 0 {
				p.choices[i].card = sim.CardAvailableNow
			}
		}
	}
}

// spawnPayouts starts the processor's schedule of payouts.
func (w *history) spawnPayouts() {
	if w.scenario.payouts.every > 0 {
		w.spawn("payouts", nil, ends+w.scenario.payouts.first, w.payOut)
	}
}

// payOut makes automatic payouts, and some manual ones in between.
func (w *history) payOut() {
	every := w.scenario.payouts.every
	for w.now.Before(w.rest.Add(-payoutCutoff)) {
		w.changeAccount()
		w.mayFailPayout(w.payOutAvailable())
		part := time.Duration(w.rng.Int64N(int64(every)))
		w.pause(part)
		w.payOutManually()
		w.pause(every - part)
	}
}

// payOutAvailable makes an automatic payout and returns its ID. If nothing is available, for example because
// refunds exceed the charges, the account may be topped up.
func (w *history) payOutAvailable() string {
	id, err := w.sim.AutomaticPayout()
	if err != nil && w.strikes(w.now, topUps) {
		total, available := w.sim.Balance()
		amount := max(0, -total, -available) + money.Cents(1+w.draw(2, 5000))
		_, err = w.sim.Adjust(string(psp.BalanceTopup), amount, 0)
		w.note("fault: %s: %v", w.recordFault("the account is topped up by %s", amount), err)
		id, err = w.sim.AutomaticPayout()
	}
	w.note("automatic payout %s: %v", id, err)
	return id
}

// accountCategories are the categories of changes of the balance that belong to no
// campaign. The service does not know the last one.
var accountCategories = []string{string(psp.BalanceFee), string(psp.BalanceTopup), "minimum_balance_hold"}

// changeAccount may change the balance without a payment.
func (w *history) changeAccount() {
	if !w.strikes(w.now, accountChanges) {
		return
	}
	category, amount := accountCategories[w.draw(2, len(accountCategories))], money.Cents(1+w.draw(3, 900))
	if category != string(psp.BalanceTopup) {
		amount = -amount
	}
	_, err := w.sim.Adjust(category, amount, 0)
	w.note("fault: %s: %v", w.recordFault("the balance changes by %s because of %s", amount, category), err)
}

// payOutManually may pay out a part of the available balance, as an owner of the account would.
func (w *history) payOutManually() {
	_, available := w.sim.Balance()
	if available < 1 || !w.now.Before(w.rest.Add(-payoutCutoff)) || !w.strikes(w.now, manualPayouts) {
		return
	}
	id, err := w.sim.ManualPayout(1 + money.Cents(w.draw(2, int(available))))
	w.note("fault: %s: %v", w.recordFault("the owner makes the payout %s", id), err)
	w.mayFailPayout(id)
}

// mayFailPayout may make a payout fail: in two thirds of the cases while the bank has not confirmed it,
// otherwise up to a day after it was reported as paid.
func (w *history) mayFailPayout(id string) {
	if id == "" || !w.strikes(w.now, failedPayouts) {
		return
	}
	after := time.Duration(1+w.draw(2, 47*60)) * time.Minute
	if w.draw(3, 3) == 0 {
		after = 48*time.Hour + time.Duration(1+w.draw(4, 24*60))*time.Minute
	}
	if w.now.Add(after).After(w.rest.Add(-payoutCutoff)) {
		return
	}
	w.note("fault: %s", w.recordFault("the payout %s fails after %s", id, after))
	w.spawn("the bank", nil, after, func() { w.note("payout failed: %v", w.sim.FailPayout(id)) })
}
