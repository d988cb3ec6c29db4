package sim

import (
	"cmp"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// attempt confirms an intent. The issuer accepts, declines or requires authentication, or the
// result is deferred.
func (s *Sim) attempt(now time.Time, in *intent, op Op, off bool) (object, *apiError) {
	pm := s.st.PaymentMethods[in.PaymentMethod]
	pm.Tries++
	if f, ok := s.st.takeFault(op, paymentFaults); ok {
		return s.attemptFault(now, in, f)
	}
	c := pm.Card
	switch {
	case c.RollForward > 0:
		return s.deferOutcome(now, in, succeedTask, c.RollForward, true)
	case c.ProcessFails:
		return s.deferOutcome(now, in, failTask, c.Processing, false)
	case c.Processing > 0:
		return s.deferOutcome(now, in, succeedTask, c.Processing, false)
	}
	if why := issuerDecision(now, pm, off); why != nil {
		return nil, s.decline(now, in, why)
	}
	s.succeed(now, in, in.captured(c))
	return s.render(in.ID), nil
}

func (s *Sim) attemptFault(now time.Time, in *intent, f Fault) (object, *apiError) {
	switch f.Kind {
	case RollForward:
		return s.deferOutcome(now, in, succeedTask, f.For, true)
	case RollBack:
		return s.deferOutcome(now, in, failTask, f.For, true)
	case Challenge:
		// The decline code that the processor uses in this case, besides the
		// error code.
		return nil, s.decline(now, in, declined(authRequired))
	case PartialCapture:
		s.succeed(now, in, in.Amount/2)
		return s.render(in.ID), nil
	default:
		return nil, s.decline(now, in, declined(cmp.Or(f.DeclineCode, "generic_decline")))
	}
}

// issuerDecision returns the issuer's decline of a charge, or nil if the card is
// accepted.
func issuerDecision(now time.Time, pm *paymentMethod, off bool) *refusal {
	c := pm.Card
	switch {
	case pm.expired(now):
		return declined("expired_card")
	case off && (c.Challenge == always || c.Challenge == unlessSetUp && !pm.SetUp):
		return needsAuth()
	case c.Decline != "":
		return declined(c.Decline)
	case pm.Tries <= c.DeclineTimes:
		return declined("generic_decline")
	}
	return nil
}

// deferOutcome sets an intent to processing and schedules the task that ends it. If hidden is set,
// the response is a 500 and the caller has to look up the result.
func (s *Sim) deferOutcome(now time.Time, in *intent, end taskKind, after time.Duration,
	hidden bool) (object, *apiError) {
	in.Status = processing
	s.st.addTask(now.Add(after), end, in.ID)
	if hidden {
		return nil, serverError()
	}
	s.emit(now, "payment_intent.processing", in.ID)
	return s.render(in.ID), nil
}

// decline ends an attempt without moving money.
func (s *Sim) decline(now time.Time, in *intent, why *refusal) *apiError {
	why.PaymentMethod = in.PaymentMethod
	e := &apiError{status: 402, kind: "card_error", code: why.Code, decline: why.DeclineCode, message: why.Message}
	if !why.needsAuthentication() {
		ch := s.newCharge(now, in)
		ch.Failure = why
		e.charge = ch.ID
		s.emit(now, "charge.failed", ch.ID)
	}
	in.Status, in.PaymentMethod, in.LastError = needsMethod, "", why
	s.emit(now, "payment_intent.payment_failed", in.ID)
	e.intent = s.render(in.ID)
	return e
}

// succeed completes an intent and moves the captured money.
func (s *Sim) succeed(now time.Time, in *intent, captured money.Cents) {
	ch := s.newCharge(now, in)
	ch.Succeeded, ch.Captured = true, captured
	in.Status, in.LastError = succeeded, nil
	s.st.Gross += ch.Captured
	if in.CaptureMethod == "automatic" && !s.opts.BookLate {
		s.book(now, ch)
	} else {
		s.st.addTask(now.Add(s.opts.BookAfter), bookTask, ch.ID)
	}
	s.emit(now, "charge.succeeded", ch.ID)
	s.emit(now, "payment_intent.succeeded", in.ID)
}

// captured returns how much of an intent is captured when it succeeds: all of it,
// unless the card limits captures.
func (in *intent) captured(c card) money.Cents {
	if c.Captures > 0 {
		return min(c.Captures, in.Amount)
	}
	return in.Amount
}

func (s *Sim) newCharge(now time.Time, in *intent) *charge {
	ch := &charge{ID: s.st.newID("ch_", 24), Intent: in.ID, Customer: in.Customer,
		PaymentMethod: in.PaymentMethod, Amount: in.Amount, Metadata: in.Metadata, Created: now}
	s.st.Charges[ch.ID] = ch
	in.LatestCharge = ch.ID
	return ch
}

// settleTime is the time from booking a charge until its funds are available.
const settleTime = 48 * time.Hour

// book creates a charge's balance transaction.
func (s *Sim) book(now time.Time, ch *charge) {
	fee := Fee(ch.Captured)
	b := balanceTxn{Charge: ch.ID, Amount: ch.Captured, Fee: fee, Net: ch.Captured - fee,
		Available: now.Add(settleTime)}
	if s.st.PaymentMethods[ch.PaymentMethod].Card.AvailableNow {
		b.Available = now
	}
	ch.BalanceTxn = s.addBalanceTxn(now, b)
}

// Fee returns the processor's fee for a charge: 2.9 percent, rounded half up,
// plus 30 cents.
func Fee(amount money.Cents) money.Cents { return feeRate.Of(amount) + feeFixed }

// The test of Fee fails if the rate does not parse.
var feeRate, _ = money.ParseRate("0.029")

const feeFixed money.Cents = 30

// runTask runs a due task as of the time at which it was due.
func (s *Sim) runTask(t task) {
	switch t.Kind {
	case expireTask:
		if ses := s.st.Sessions[t.ID]; ses.open() {
			s.endSession(t.At, ses)
		}
	case bookTask:
		ch := s.st.Charges[t.ID]
		s.book(t.At, ch)
		s.emit(t.At, "charge.updated", ch.ID)
	case succeedTask:
		in := s.st.Intents[t.ID]
		s.succeed(t.At, in, in.captured(s.st.PaymentMethods[in.PaymentMethod].Card))
	case failTask:
		s.decline(t.At, s.st.Intents[t.ID], declined("generic_decline"))
	case refundTask:
		if f := s.st.Refunds[t.ID]; f.Status == psp.RefundStatusPending {
			s.finishRefund(t.At, f)
		}
	case payTask, reconcileTask:
		s.runPayoutTask(t)
	case returnTask:
		if f := s.st.Refunds[t.ID]; f.Status == psp.RefundStatusSucceeded {
			s.failRefund(t.At, f, lostCard)
		}
	}
}
