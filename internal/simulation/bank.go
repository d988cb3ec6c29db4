package simulation

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// bankFaults selects the unusual behavior of the processor and the bank in a
// history.
type bankFaults struct {
	falsehoods bool // responses about payments contain wrong data
	partial    bool // payments are partially captured
	refusals   bool // charge requests are permanently rejected
	reversals  bool // payments are refunded and disputed
}

// Rates per thousand payment requests, in histories with the fault.
const (
	falseAnswers    = 25
	partialCaptures = 60
	refusals        = 60
)

var falseAnswerKinds = []sim.FaultKind{sim.OtherCustomer, sim.OtherMethod, sim.OtherGroup,
	sim.OtherMode, sim.ShortCapture}

// refusalCodes are the codes with which the processor permanently rejects charge
// requests.
var refusalCodes = []string{"parameter_unknown", "amount_too_small", "resource_missing",
	"customer_tax_location_invalid"}

// injectBankFault may inject a false response, a partial capture or a rejection into a request. It
// returns the kind of false response, or "" if there is none.
func (w *history) injectBankFault(r *http.Request) (falsehood sim.FaultKind) {
	b := w.scenario.bankFaults
	charge := r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents"
	var f sim.Fault
	switch {
	case charge && b.refusals && w.rejectCard(r):
		return ""
	case charge && b.partial && w.strikes(w.now, partialCaptures):
		f.Kind = sim.PartialCapture
	case strings.HasPrefix(r.URL.Path, "/v1/payment_intents") && b.falsehoods && w.strikes(w.now, falseAnswers):
		f.Kind = falseAnswerKinds[w.draw(2, len(falseAnswerKinds))]
		falsehood = f.Kind
	default:
		return ""
	}
	w.note("fault: %s", w.recordFault("%s at %s %s", f.Kind, r.Method, r.URL.Path))
	if err := w.sim.InjectFaults(f); err != nil {
		panic(err)
	}
	return falsehood
}

// rejectCard makes the processor reject a charge request if a fault strikes or the request's
// card was rejected before, and reports whether it does. A card stays rejected.
func (w *history) rejectCard(r *http.Request) bool {
	card := formOf(r).Get("payment_method")
	code, known := w.refusedCards[card]
	if !known {
		if !w.strikes(w.now, refusals) {
			return false
		}
		code = refusalCodes[w.draw(2, len(refusalCodes))]
		w.refusedCards[card] = code
		w.note("fault: %s", w.recordFault("charges of %s are rejected: %s", card, code))
	}
	if err := w.sim.InjectFaults(sim.Fault{Kind: sim.Refuse, Code: code}); err != nil {
		panic(err)
	}
	return true
}

// formOf parses a request's form and restores the body.
func formOf(r *http.Request) url.Values {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	form, err := url.ParseQuery(string(b))
	if err != nil {
		panic(err)
	}
	return form
}

// reversePayments refunds and disputes payments, as an employee or the bank would. Some refunds
// fail later, and some disputes are won.
func (w *history) reversePayments() {
	for w.now.Before(w.calm) {
		w.pause(w.slow(time.Duration(30+w.rng.IntN(600)) * time.Minute))
		books := w.sim.Entries()
		if len(books) == 0 || !w.strikes(w.now, 500) {
			continue
		}
		e := books[w.draw(2, len(books))]
		part := money.Cents(0) // the full amount
		if w.draw(3, 2) == 0 {
			part = e.Amount / 2
		}
		if w.draw(4, 3) == 0 {
			id, err := w.sim.Dispute(e.PaymentID, part, "")
			w.note("fault: %s: %v", w.recordFault("%s is disputed", e.PaymentID), err)
			if err == nil {
				won := w.draw(5, 2) == 0
				w.spawn("the bank", nil, time.Duration(1+w.draw(6, 30))*time.Hour,
					func() { w.note("decided: %v", w.sim.CloseDispute(id, won)) })
			}
			continue
		}
		id, err := w.sim.Refund(e.PaymentID, part)
		w.note("fault: %s: %v", w.recordFault("%s is refunded", e.PaymentID), err)
		if err == nil && w.draw(5, 3) == 0 {
			w.spawn("the bank", nil, time.Duration(1+w.draw(6, 20))*time.Hour,
				func() { w.note("refund failed: %v", w.sim.SettleRefund(id, false)) })
		}
		w.checker.reversed = true
	}
}

// mayNeedAttention reports whether charges may wait for an operator although the
// processor responds.
func (b bankFaults) mayNeedAttention() bool { return b.falsehoods || b.partial || b.refusals }
