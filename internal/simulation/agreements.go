package simulation

import (
	"net/http"
	"net/url"
	"strings"

	terms "github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// agreement is the last state of a pledge that the service confirmed to its
// supporter. The checker keeps it when the database is restored.
type agreement struct {
	cancelled bool
	amount    money.Cents
	terms     string
	open      bool // another change was requested without a response: either state may be in effect
}

// metadataOf parses the customer metadata in a request.
func metadataOf(r *http.Request) url.Values {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/customers/") {
		return nil
	}
	return formOf(r)
}

// recordTerms records the terms that the processor stored in a customer's
// metadata.
func (a *checker) recordTerms(form url.Values, res *http.Response) {
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

// recordChangeRequest records that a supporter requests a change of a pledge.
func (a *checker) recordChangeRequest(id string) {
	was := a.agreements[id]
	was.open = true
	a.termKeys[terms.Key(id)] = id
	a.agreements[id] = was
}

// recordAgreement records a pledge's state if a change request was successful (done).
func (a *checker) recordAgreement(id string, done bool) {
	p := a.pledge(id)
	if p == nil || !done {
		return
	}
	a.agreements[id] = agreement{cancelled: p.Status == pledge.Cancelled, amount: p.Amount,
		terms: terms.TermsOf(p).String()}
}

// checkAgreements checks S18: a cancelled pledge is not charged, and a reduced pledge is not
// charged its old amount, even if the database was restored to before the change. It applies once
// the processor has the terms, because a change succeeds without them if the processor does not
// respond.
func (a *checker) checkAgreements(g state.Group) {
	for _, part := range g.Orders {
		agreed, changed := a.agreements[part.ID]
		switch {
		case !changed || agreed.open || a.recorded[part.ID] != agreed.terms:
		case agreed.cancelled:
			a.reportViolation("S18", "the cancelled pledge %s is charged", part.ID)
		case part.Amount > agreed.amount:
			a.reportViolation("S18", "the pledge %s was reduced to %s but is charged as %s", part.ID, agreed.amount, part.Amount)
		}
	}
}

// change requests a change of a pledge, with at most times attempts, and records the agreement if
// it succeeds.
func (p *person) change(path, id string, body any, times int) {
	p.w.checker.recordChangeRequest(id)
	p.w.checker.recordAgreement(id, p.send("POST", path, body, nil, times))
}
