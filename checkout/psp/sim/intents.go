package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var intentParams = []string{"amount", "currency", "customer", "payment_method", "payment_method_types[]",
	"confirm", "off_session", "capture_method", "description", "metadata[*]", "expand[]"}

var confirmParams = []string{"payment_method", "off_session", "expand[]"}

// The supported intent states.
const (
	needsMethod  = "requires_payment_method"
	needsConfirm = "requires_confirmation"
	processing   = "processing"
	succeeded    = "succeeded"
	canceled     = "canceled"
)

func (s *Sim) createIntent(r request) (work, *apiError) {
	in, e := s.readIntent(r)
	if e != nil {
		return nil, e
	}
	confirm, e := boolean(r.form, "confirm")
	if e != nil {
		return nil, e
	}
	off, e := boolean(r.form, "off_session")
	if e != nil {
		return nil, e
	}
	if off && !confirm {
		return nil, invalid("off_session", "", "off_session can only be set together with confirm")
	}
	if confirm && in.PaymentMethod == "" {
		return nil, invalid("payment_method", "parameter_missing", "A payment method is needed to confirm")
	}
	return func() (object, *apiError) { return s.openIntent(r.now, in, confirm, off) }, nil
}

func (s *Sim) readIntent(r request) (*intent, *apiError) {
	amount, e := integer(r.form, "amount")
	if e != nil {
		return nil, e
	}
	switch {
	case amount < int64(money.MinCharge):
		return nil, invalid("amount", "amount_too_small", "The amount must be at least 50 cents")
	case amount > int64(money.MaxCharge):
		return nil, invalid("amount", "amount_too_large", "The amount must be at most 99999999 cents")
	case r.form.Get("currency") != money.USD:
		return nil, invalid("currency", "", "This account only accepts usd")
	}
	for _, t := range list(r.form, "payment_method_types") {
		if t != "card" {
			return nil, invalid("payment_method_types", "", "This account only accepts cards")
		}
	}
	capture, e := oneOf(r.form, "capture_method", "automatic_async", "automatic")
	if e != nil {
		return nil, e
	}
	meta, e := metadata(r.form, "metadata")
	if e != nil {
		return nil, e
	}
	cus, pm := r.form.Get("customer"), r.form.Get("payment_method")
	if cus != "" && !s.st.hasCustomer(cus) {
		return nil, missing("customer", "customer", cus)
	}
	if e := s.checkMethod(cus, pm); e != nil {
		return nil, e
	}
	return &intent{Customer: cus, PaymentMethod: pm, Amount: money.Cents(amount),
		CaptureMethod: capture, Description: r.form.Get("description"), Metadata: meta}, nil
}

// checkMethod rejects a payment method of another customer.
func (s *Sim) checkMethod(cus, pm string) *apiError {
	if pm == "" {
		return nil
	}
	m := s.st.PaymentMethods[pm]
	if m == nil {
		return missing("payment_method", "PaymentMethod", pm)
	}
	if m.Customer != cus {
		return invalid("payment_method", "", "The payment method belongs to another customer")
	}
	return nil
}

func (s *Sim) openIntent(now time.Time, in *intent, confirm, off bool) (object, *apiError) {
	in.ID = s.st.newID("pi_", 24)
	in.Secret = in.ID + "_secret_" + s.st.randomID(24)
	in.Created, in.Status = now, needsMethod
	if in.PaymentMethod != "" {
		in.Status = needsConfirm
	}
	s.st.Intents[in.ID] = in
	s.emit(now, "payment_intent.created", in.ID)
	if confirm {
		return s.attempt(now, in, CreateIntent, off)
	}
	return s.render(in.ID), nil
}

func (s *Sim) confirmIntent(r request) (work, *apiError) {
	in := s.st.Intents[r.id]
	if in == nil {
		return nil, notFound("payment_intent", r.id)
	}
	off, e := boolean(r.form, "off_session")
	if e != nil {
		return nil, e
	}
	pm := r.form.Get("payment_method")
	if e := s.checkMethod(in.Customer, pm); e != nil {
		return nil, e
	}
	if in.Status != needsMethod && in.Status != needsConfirm {
		return nil, s.wrongState(in, "confirm")
	}
	if pm == "" && in.PaymentMethod == "" {
		return nil, invalid("payment_method", "parameter_missing", "A payment method is needed to confirm")
	}
	return func() (object, *apiError) {
		if pm != "" {
			in.PaymentMethod = pm
		}
		return s.attempt(r.now, in, ConfirmIntent, off)
	}, nil
}

func (s *Sim) cancelIntent(r request) (work, *apiError) {
	in := s.st.Intents[r.id]
	if in == nil {
		return nil, notFound("payment_intent", r.id)
	}
	reason, e := oneOf(r.form, "cancellation_reason", "", "duplicate", "fraudulent", "requested_by_customer",
		"abandoned")
	if e != nil {
		return nil, e
	}
	if in.Status != needsMethod && in.Status != needsConfirm {
		return nil, s.wrongState(in, "cancel")
	}
	return func() (object, *apiError) {
		in.Status, in.CancelReason, in.CanceledAt = canceled, reason, r.now
		s.emit(r.now, "payment_intent.canceled", in.ID)
		return s.render(in.ID), nil
	}, nil
}

func (s *Sim) wrongState(in *intent, verb string) *apiError {
	e := invalid("", "payment_intent_unexpected_state",
		"You cannot "+verb+" this PaymentIntent because it has a status of "+in.Status)
	e.intent = s.render(in.ID)
	return e
}
