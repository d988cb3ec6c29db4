package sim

import (
	"cmp"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const (
	// evidenceTime is how long evidence can be submitted for a dispute.
	evidenceTime = 10 * 24 * time.Hour
	// disputeFee is what the processor keeps of every dispute, however it ends.
	disputeFee money.Cents = 1500
)

// Dispute has the supporter complain to their bank about a payment; amount 0 disputes all
// of it, and an empty reason is "fraudulent". The money is withdrawn at once. It fails
// with NotFound, with Invalid for more than was captured, and with Conflict for a payment
// that has not succeeded or is disputed already.
func (s *Sim) Dispute(paymentID string, amount money.Cents, reason string) (disputeID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	in := s.st.Intents[paymentID]
	switch {
	case in == nil:
		return "", fault.New(fault.NotFound, "There is no payment %q", paymentID).In("payment")
	case in.Status != succeeded:
		return "", fault.New(fault.Conflict, "The payment is %s, and only one that succeeded can be disputed", in.Status).In("payment")
	}
	ch := s.st.Charges[in.LatestCharge]
	amount = cmp.Or(amount, ch.Captured)
	if amount < 1 || amount > ch.Captured {
		return "", fault.New(fault.Invalid, "The amount is not between 1 cent and %s", ch.Captured).In("amount")
	}
	if s.underDispute(ch.ID) {
		return "", fault.New(fault.Conflict, "The payment is disputed already").In("payment")
	}
	d := &dispute{ID: s.st.newID("du_", 24), Charge: ch.ID, Intent: in.ID, Status: psp.DisputeStatusNeedsResponse,
		Reason: cmp.Or(reason, "fraudulent"), Amount: amount, Created: now, DueBy: now.Add(evidenceTime)}
	s.st.Disputes[d.ID] = d
	ch.Disputed = true
	d.BalanceTxns = []string{s.move(now, balanceTxn{Dispute: d.ID, Amount: -amount, Fee: disputeFee, Net: -amount - disputeFee})}
	s.emit(now, string(psp.DisputeCreated), d.ID)
	s.emit(now, string(psp.DisputeWithdrawn), d.ID)
	return d.ID, nil
}

// CloseDispute has the bank decide a dispute. The money returns where the merchant won.
// It fails with NotFound, and with Conflict for a dispute that was decided before.
func (s *Sim) CloseDispute(disputeID string, won bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	d := s.st.Disputes[disputeID]
	switch {
	case d == nil:
		return fault.New(fault.NotFound, "There is no dispute %q", disputeID).In("dispute")
	case d.Status != psp.DisputeStatusNeedsResponse:
		return fault.New(fault.Conflict, "The dispute is %s already", d.Status).In("dispute")
	}
	d.Status = psp.DisputeStatusLost
	if won {
		d.Status = psp.DisputeStatusWon
		d.BalanceTxns = append(d.BalanceTxns, s.move(now, balanceTxn{Dispute: d.ID, Amount: d.Amount, Net: d.Amount}))
	}
	s.emit(now, string(psp.DisputeClosed), d.ID)
	if won {
		s.emit(now, string(psp.DisputeReinstated), d.ID)
	}
	return nil
}

// underDispute reports whether a charge has a dispute that was not won.
func (s *Sim) underDispute(chargeID string) bool {
	for _, d := range s.st.Disputes {
		if d.Charge == chargeID && d.Status != psp.DisputeStatusWon {
			return true
		}
	}
	return false
}

func (s *Sim) renderDispute(d *dispute) object {
	if d == nil {
		return nil
	}
	moves := make([]object, 0, len(d.BalanceTxns))
	for _, id := range d.BalanceTxns {
		moves = append(moves, s.render(id))
	}
	return object{"id": d.ID, "object": "dispute", "amount": d.Amount, "currency": money.USD, "charge": d.Charge,
		"payment_intent": d.Intent, "status": string(d.Status), "reason": d.Reason, "is_charge_refundable": false,
		"balance_transactions": moves, "evidence": object{}, "metadata": object{}, "created": unix(d.Created),
		"evidence_details": object{"due_by": orZero(unix(d.DueBy)), "has_evidence": false, "past_due": false, "submission_count": 0}}
}

func (s *Sim) listDisputes(r request) (work, *apiError) {
	keep, e := s.reversed(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "du_", func(id string) bool {
		d := s.st.Disputes[id]
		return keep(d.Intent, d.Charge, d.Created)
	})
}
