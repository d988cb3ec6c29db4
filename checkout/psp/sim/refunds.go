package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var refundParams = []string{"payment_intent", "amount", "reason", "metadata[*]", "expand[]"}

// lostCard is the failure reason of a refund to a card that no longer exists.
const lostCard = "expired_or_canceled_card"

// refundTime is how long refunds of CardRefundPending and CardRefundFails take to
// reach their final state.
const refundTime = time.Minute

// Refund refunds part of a payment, as in the processor's dashboard; 0 refunds the remaining
// amount. It fails with NotFound, with Invalid for more than the remaining amount, and with
// Conflict for a payment that has not succeeded, is already refunded or is disputed.
func (s *Sim) Refund(paymentID string, amount money.Cents) (refundID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	ch, e := s.refundable(paymentID)
	if e == nil && amount == 0 {
		amount = ch.Captured - ch.Refunded
	}
	if e == nil {
		e = ch.checkRefund(amount)
	}
	if e != nil {
		return "", e.fault()
	}
	return s.refund(now, ch, amount, "", nil).ID, nil
}

// SettleRefund ends a refund: a pending one succeeds or fails, or a succeeded one
// fails, after which its amount can be refunded again. It fails with NotFound,
// and with Conflict for any other change.
func (s *Sim) SettleRefund(refundID string, succeeds bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	f := s.st.Refunds[refundID]
	switch {
	case f == nil:
		return fault.New(fault.NotFound, "Unknown refund %q", refundID).In("refund")
	case f.Status == psp.RefundStatusPending && succeeds:
		s.finishRefund(now, f)
	case f.Status != psp.RefundStatusFailed && !succeeds:
		s.failRefund(now, f, lostCard)
	default:
		return fault.New(fault.Conflict, "The refund is already %s", f.Status).In("refund")
	}
	return nil
}

// refundable returns the charge of a payment, or an error if the payment cannot be refunded.
func (s *Sim) refundable(paymentID string) (*charge, *apiError) {
	in := s.st.Intents[paymentID]
	switch {
	case in == nil:
		e := missing("payment_intent", "payment_intent", paymentID)
		e.status = 404
		return nil, e
	case in.Status != succeeded:
		return nil, invalid("payment_intent", "payment_intent_unexpected_state",
			"This PaymentIntent does not have a successful charge to refund")
	}
	ch := s.st.Charges[in.LatestCharge]
	if s.blocksRefunds(ch.ID) {
		return nil, invalid("", "charge_disputed", "The charge "+ch.ID+" has been charged back; cannot issue a refund")
	}
	if ch.Refunded == ch.Captured {
		return nil, invalid("", "charge_already_refunded", "The charge "+ch.ID+" has already been refunded")
	}
	return ch, nil
}

func (ch *charge) checkRefund(amount money.Cents) *apiError {
	left := ch.Captured - ch.Refunded
	switch {
	case amount < 1:
		return invalid("amount", "parameter_invalid_integer", "This value must be greater than or equal to 1.")
	case amount > left:
		return invalid("amount", "",
			"Refund amount ("+amount.String()+") is greater than unrefunded amount on charge ("+left.String()+")")
	}
	return nil
}

func (s *Sim) createRefund(r request) (work, *apiError) {
	id := r.form.Get("payment_intent")
	if id == "" {
		return nil, invalid("payment_intent", "parameter_missing", "Missing required param: payment_intent")
	}
	ch, e := s.refundable(id)
	if e != nil {
		return nil, e
	}
	amount := ch.Captured - ch.Refunded
	if r.form.Has("amount") {
		n, e := integer(r.form, "amount")
		if e != nil {
			return nil, e
		}
		amount = money.Cents(n)
	}
	if e := ch.checkRefund(amount); e != nil {
		return nil, e
	}
	reason, e := oneOf(r.form, "reason", "", "duplicate", "fraudulent", "requested_by_customer")
	if e != nil {
		return nil, e
	}
	meta, e := metadata(r.form, "metadata")
	if e != nil {
		return nil, e
	}
	return func() (object, *apiError) { return s.render(s.refund(r.now, ch, amount, reason, meta).ID), nil }, nil
}

// refund creates a validated refund. The card's behavior determines how the refund proceeds.
func (s *Sim) refund(now time.Time, ch *charge, amount money.Cents, reason string, meta map[string]string) *refund {
	f := &refund{ID: s.st.newID("re_", 24), Charge: ch.ID, Intent: ch.Intent, Status: psp.RefundStatusSucceeded,
		Reason: reason, Amount: amount, Metadata: meta, Created: now}
	s.st.Refunds[f.ID] = f
	ch.Refunded += amount
	switch s.st.PaymentMethods[ch.PaymentMethod].Card.Refund {
	case refundPending:
		f.Status = psp.RefundStatusPending
		s.st.addTask(now.Add(refundTime), refundTask, f.ID)
	case refundStays:
		s.bookRefund(now, f)
	case refundFails:
		s.bookRefund(now, f)
		s.st.addTask(now.Add(refundTime), returnTask, f.ID)
	}
	s.emit(now, string(psp.RefundCreated), f.ID)
	s.emit(now, string(psp.ChargeRefunded), ch.ID)
	s.updateWarnings(now, ch)
	return f
}

// bookRefund takes a refund's amount from the balance. A pending refund is not booked yet.
func (s *Sim) bookRefund(now time.Time, f *refund) {
	f.BalanceTxn = s.addBalanceTxn(now, balanceTxn{Refund: f.ID, Amount: -f.Amount, Net: -f.Amount})
}

func (s *Sim) finishRefund(now time.Time, f *refund) {
	f.Status = psp.RefundStatusSucceeded
	if f.BalanceTxn == "" {
		s.bookRefund(now, f)
	}
	s.emit(now, string(psp.RefundUpdated), f.ID)
}

// failRefund sets a refund to failed and, if it was booked, returns its amount to the balance.
func (s *Sim) failRefund(now time.Time, f *refund, reason string) {
	f.Status, f.FailureReason = psp.RefundStatusFailed, reason
	s.st.Charges[f.Charge].Refunded -= f.Amount
	if f.BalanceTxn != "" {
		f.Undone = s.addBalanceTxn(now, balanceTxn{Refund: f.ID, Amount: f.Amount, Net: f.Amount})
	}
	s.emit(now, string(psp.RefundUpdated), f.ID)
	s.emit(now, string(psp.RefundFailed), f.ID)
	s.updateWarnings(now, s.st.Charges[f.Charge])
}

// render returns the refund's API representation. Like the processor's, it has no livemode field.
func (f *refund) render() object {
	if f == nil {
		return nil
	}
	return object{"id": f.ID, "object": "refund", "amount": f.Amount, "currency": money.USD, "charge": f.Charge,
		"payment_intent": f.Intent, "status": string(f.Status), "reason": nullIfEmpty(f.Reason),
		"failure_reason": nullIfEmpty(f.FailureReason), "balance_transaction": nullIfEmpty(f.BalanceTxn),
		"failure_balance_transaction": nullIfEmpty(f.Undone), "metadata": meta(f.Metadata), "created": unix(f.Created)}
}

func (s *Sim) listRefunds(r request) (work, *apiError) {
	keep, e := s.reversalFilter(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "re_", func(id string) bool {
		f := s.st.Refunds[id]
		return keep(f.Intent, f.Charge, f.Created)
	})
}

// reversalFilter returns the filter of a list of refunds, disputes or warnings, from the request's
// parameters.
func (s *Sim) reversalFilter(r request) (keep func(intent, charge string, created time.Time) bool, e *apiError) {
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	intent, charge := r.form.Get("payment_intent"), r.form.Get("charge")
	if intent != "" && s.st.Intents[intent] == nil {
		return nil, missing("payment_intent", "payment_intent", intent)
	}
	if charge != "" && s.st.Charges[charge] == nil {
		return nil, missing("charge", "charge", charge)
	}
	return func(i, c string, created time.Time) bool {
		at := created.Unix()
		return matches(intent, i) && matches(charge, c) && at >= from && at < to
	}, nil
}
