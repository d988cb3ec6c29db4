package sim

import (
	"cmp"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// attempt confirms an intent: it asks the issuer, who says yes, no, not without
// the supporter, or later.
func (s *Sim) attempt(now time.Time, in *intent, op Op, off bool) (object, *apiError) {
	pm := s.st.PaymentMethods[in.PaymentMethod]
	pm.Tries++
	if f, ok := s.st.takeFault(op, paymentFaults); ok {
		return s.attemptFault(now, in, f)
	}
	c := pm.Card
	switch {
	case c.RollForward > 0:
		return s.later(now, in, succeedTask, c.RollForward, true)
	case c.ProcessFails:
		return s.later(now, in, failTask, c.Processing, false)
	case c.Processing > 0:
		return s.later(now, in, succeedTask, c.Processing, false)
	}
	if why := issuer(now, pm, off); why != nil {
		return nil, s.decline(now, in, why)
	}
	s.succeed(now, in, in.captured(c))
	return s.render(in.ID), nil
}

func (s *Sim) attemptFault(now time.Time, in *intent, f Fault) (object, *apiError) {
	switch f.Kind {
	case RollForward:
		return s.later(now, in, succeedTask, f.For, true)
	case RollBack:
		return s.later(now, in, failTask, f.For, true)
	case Challenge:
		// The second way in which the processor is known to say so.
		return nil, s.decline(now, in, declined(authRequired))
	case PartialCapture:
		s.succeed(now, in, in.Amount/2)
		return s.render(in.ID), nil
	default:
		return nil, s.decline(now, in, declined(cmp.Or(f.DeclineCode, "generic_decline")))
	}
}

// issuer decides about a charge of a card; nil means yes.
func issuer(now time.Time, pm *paymentMethod, off bool) *refusal {
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

// later leaves an intent processing, to end by itself. With hidden set, the
// caller is answered 500 and has to find out.
func (s *Sim) later(now time.Time, in *intent, end taskKind, after time.Duration, hidden bool) (object, *apiError) {
	in.Status = processing
	s.st.plan(now.Add(after), end, in.ID)
	if hidden {
		return nil, serverError()
	}
	s.emit(now, "payment_intent.processing", in.ID)
	return s.render(in.ID), nil
}

// decline ends an attempt without money.
func (s *Sim) decline(now time.Time, in *intent, why *refusal) *apiError {
	why.PaymentMethod = in.PaymentMethod
	e := &apiError{status: 402, kind: "card_error", code: why.Code, decline: why.DeclineCode, message: why.Message}
	if !why.wantsSupporter() {
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

// succeed moves the money that is captured.
func (s *Sim) succeed(now time.Time, in *intent, captured money.Cents) {
	ch := s.newCharge(now, in)
	ch.Succeeded, ch.Captured = true, captured
	in.Status, in.LastError = succeeded, nil
	s.st.Gross += ch.Captured
	if in.CaptureMethod == "automatic" && !s.opts.BookLate {
		s.book(now, ch)
	} else {
		s.st.plan(now.Add(s.opts.BookAfter), bookTask, ch.ID)
	}
	s.emit(now, "charge.succeeded", ch.ID)
	s.emit(now, "payment_intent.succeeded", in.ID)
}

// captured is how much of an intent is captured when it succeeds: all of it, except on a
// card that allows less.
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

// settleTime is how long funds take to become available.
const settleTime = 48 * time.Hour

// book writes the balance transaction of a charge.
func (s *Sim) book(now time.Time, ch *charge) {
	fee := Fee(ch.Captured)
	b := &balanceTxn{ID: s.st.newID("txn_", 24), Charge: ch.ID,
		Amount: ch.Captured, Fee: fee, Net: ch.Captured - fee, Created: now, Available: now.Add(settleTime)}
	if s.st.PaymentMethods[ch.PaymentMethod].Card.AvailableNow {
		b.Available = now
	}
	s.st.BalanceTxns[b.ID] = b
	ch.BalanceTxn = b.ID
}

// Fee is what the processor keeps of a charge: 2.9 percent, rounded half up,
// and 30 cents.
func Fee(amount money.Cents) money.Cents { return feeRate.Of(amount) + feeFixed }

// The test of Fee shows that the rate can be read.
var feeRate, _ = money.ParseRate("0.029")

const feeFixed money.Cents = 30

// runTask does what had fallen due, at the time at which it did.
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
	case returnTask:
		if f := s.st.Refunds[t.ID]; f.Status == psp.RefundStatusSucceeded {
			s.failRefund(t.At, f)
		}
	}
}
