package sim

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fraudWarning is a card network's early warning about a charge.
type fraudWarning struct {
	ID, Charge, Intent string
	Reason             string
	Actionable         bool
	Created            time.Time
}

// WarnOfFraud creates an early fraud warning about a payment; an empty reason means
// "unauthorized_use_of_card". It fails with NotFound, and with Conflict for a payment that has not
// succeeded.
func (s *Sim) WarnOfFraud(paymentID, reason string) (warningID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	in := s.st.Intents[paymentID]
	switch {
	case in == nil:
		return "", fault.New(fault.NotFound, "Unknown payment %q", paymentID).In("payment")
	case in.Status != succeeded:
		return "", fault.New(fault.Conflict, "The payment is %s", in.Status).In("payment")
	}
	ch := s.st.Charges[in.LatestCharge]
	w := &fraudWarning{ID: s.st.newID("issfr_", 24), Charge: ch.ID, Intent: in.ID,
		Reason: cmp.Or(reason, "unauthorized_use_of_card"), Actionable: ch.actionable(), Created: now}
	s.st.Warnings[w.ID] = w
	s.emit(now, string(psp.FraudWarningCreated), w.ID)
	return w.ID, nil
}

// actionable reports whether a refund of the charge can still prevent a dispute.
func (ch *charge) actionable() bool { return !ch.Disputed && ch.Refunded < ch.Captured }

// updateWarnings updates the warnings about a charge after it was refunded or disputed.
func (s *Sim) updateWarnings(now time.Time, ch *charge) {
	for _, id := range s.st.Order["issfr_"] {
		w := s.st.Warnings[id]
		if w.Charge == ch.ID && w.Actionable != ch.actionable() {
			w.Actionable = ch.actionable()
			s.emit(now, string(psp.FraudWarningUpdated), w.ID)
		}
	}
}

func (w *fraudWarning) render() object {
	if w == nil {
		return nil
	}
	return object{"id": w.ID, "object": "radar.early_fraud_warning", "charge": w.Charge, "payment_intent": w.Intent,
		"actionable": w.Actionable, "fraud_type": w.Reason, "created": unix(w.Created)}
}

func (s *Sim) listWarnings(r request) (work, *apiError) {
	keep, e := s.reversalFilter(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "issfr_", func(id string) bool {
		w := s.st.Warnings[id]
		return keep(w.Intent, w.Charge, w.Created)
	})
}

// FraudWarnings implements psp.Processor.
func (p processor) FraudWarnings(ctx context.Context, q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	var out psp.FraudWarningPage
	var err error
	out.Warnings, out.Next, err = readPage(ctx, p, "/v1/radar/early_fraud_warnings",
		pageForm(q.From, q.To, q.After, q.Limit), wireWarning.warning)
	return out, err
}

type wireWarning struct {
	listed
	Payment    string `json:"payment_intent"`
	Charge     string `json:"charge"`
	Actionable bool   `json:"actionable"`
	Reason     string `json:"fraud_type"`
	Created    int64  `json:"created"`
}

func (w wireWarning) warning() psp.FraudWarning {
	return psp.FraudWarning{ID: w.ID, PaymentID: w.Payment, ChargeID: w.Charge, Actionable: w.Actionable,
		Reason: w.Reason, CreatedAt: time.Unix(w.Created, 0).UTC()}
}
