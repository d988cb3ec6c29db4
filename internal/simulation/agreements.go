package simulation

import (
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// agreement is what a supporter and the service have agreed about a pledge last, as far as
// the supporter knows: it is not forgotten when the database goes back.
type agreement struct {
	cancelled bool
	amount    money.Cents
	// open says that another change was asked for and never answered: either may hold.
	open bool
}

// asks notes that a supporter asks for a change of a pledge.
func (a *watch) asks(id string) {
	was := a.agreements[id]
	was.open = true
	a.agreements[id] = was
}

// agrees notes that a change was answered, with what it was for.
func (a *watch) agrees(id string, done bool) {
	p := a.pledge(id)
	if p == nil || !done {
		return
	}
	a.agreements[id] = agreement{cancelled: p.Status == pledge.Cancelled, amount: p.Amount}
}

// asAgreed: S18, a cancelled pledge is not charged, nor a reduced one at its old amount,
// whatever the database has forgotten.
func (a *watch) asAgreed(g settlement.Group) {
	if !a.w.scenario.strict {
		return
	}
	for _, part := range g.Orders {
		is, changed := a.agreements[part.ID]
		switch {
		case !changed || is.open:
		case is.cancelled:
			a.violated("S18", "the pledge %s was cancelled and is charged", part.ID)
		case part.Amount > is.amount:
			a.violated("S18", "the pledge %s was reduced to %s and is charged as %s", part.ID, is.amount, part.Amount)
		}
	}
}
