package simulation

import (
	"net/http"
	"net/url"
	"strings"

	terms "github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// agreement is the last state of a pledge that the service has confirmed to its supporter.
// The watch keeps it when the database is restored.
type agreement struct {
	cancelled bool
	amount    money.Cents
	terms     string
	open      bool // another change was requested and not answered: either may be in effect
}

// metadataOf reads what a request writes into a customer's metadata.
func metadataOf(r *http.Request) url.Values {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/customers/") {
		return nil
	}
	return formOf(r)
}

// noteTerms records the terms that the processor took for a customer's metadata.
func (a *watch) noteTerms(form url.Values, res *http.Response) {
	if res.StatusCode != http.StatusOK {
		return
	}
	for field, values := range form {
		key, ok := strings.CutPrefix(field, "metadata[")
		if id := a.termKeys[strings.TrimSuffix(key, "]")]; ok && id != "" {
			a.recorded[id] = values[0]
		}
	}
}

// noteAsked records that a supporter requests a change of a pledge.
func (a *watch) noteAsked(id string) {
	was := a.agreements[id]
	was.open = true
	a.termKeys[terms.Key(id)] = id
	a.agreements[id] = was
}

// noteAgreed records the pledge as it is when a change was answered.
func (a *watch) noteAgreed(id string, done bool) {
	p := a.pledge(id)
	if p == nil || !done {
		return
	}
	a.agreements[id] = agreement{cancelled: p.Status == pledge.Cancelled, amount: p.Amount, terms: terms.TermsOf(p).String()}
}

// checkAgreements: S18, a cancelled pledge is not charged, nor a reduced one at its old
// amount, even if the database was restored to before the change. It holds once the processor has
// the terms: a change is answered before if the processor does not answer.
func (a *watch) checkAgreements(g settlement.Group) {
	for _, part := range g.Orders {
		is, changed := a.agreements[part.ID]
		switch {
		case !changed || is.open || a.recorded[part.ID] != is.terms:
		case is.cancelled:
			a.violated("S18", "the pledge %s was cancelled and is charged", part.ID)
		case part.Amount > is.amount:
			a.violated("S18", "the pledge %s was reduced to %s and is charged as %s", part.ID, is.amount, part.Amount)
		}
	}
}

// change asks for a change of a pledge, and knows what holds if it is answered.
func (p *person) change(path, id string, body any, times int) {
	p.w.watch.noteAsked(id)
	p.w.watch.noteAgreed(id, p.ask("POST", path, body, nil, times))
}
