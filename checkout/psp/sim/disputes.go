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
	// disputeFee is the fee for every dispute, regardless of its result.
	disputeFee money.Cents = 1500
)

// Dispute opens a dispute about a payment; amount 0 disputes all of it, and an
// empty reason means "fraudulent". The money is withdrawn immediately. It fails
// with NotFound, with Invalid for more than was captured, and with Conflict for a
// payment that has not succeeded or is already disputed.
func (s *Sim) Dispute(paymentID string, amount money.Cents, reason string) (disputeID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	in := s.st.Intents[paymentID]
	switch {
	case in == nil:
		return "", fault.New(fault.NotFound, "Unknown payment %q", paymentID).In("payment")
	case in.Status != succeeded:
		return "", fault.New(fault.Conflict, "The payment is %s; only succeeded payments can be disputed",
			in.Status).In("payment")
	}
	ch := s.st.Charges[in.LatestCharge]
	amount = cmp.Or(amount, ch.Captured)
	if amount < 1 || amount > ch.Captured {
		return "", fault.New(fault.Invalid, "The amount must be between 1 cent and %s", ch.Captured).In("amount")
	}
	if s.underDispute(ch.ID) {
		return "", fault.New(fault.Conflict, "The payment is already disputed").In("payment")
	}
	d := &dispute{ID: s.st.newID("du_", 24), Charge: ch.ID, Intent: in.ID, Status: psp.DisputeStatusNeedsResponse,
		Reason: cmp.Or(reason, "fraudulent"), Amount: amount, Created: now, DueBy: now.Add(evidenceTime)}
	s.st.Disputes[d.ID] = d
	ch.Disputed = true
	d.BalanceTxns = []string{s.addBalanceTxn(now,
		balanceTxn{Dispute: d.ID, Amount: -amount, Fee: disputeFee, Net: -amount - disputeFee})}
	s.emit(now, string(psp.DisputeCreated), d.ID)
	s.emit(now, string(psp.DisputeWithdrawn), d.ID)
	return d.ID, nil
}

// CloseDispute decides a dispute. If the merchant won, the money is returned. It
// fails with NotFound, and with Conflict for a closed dispute.
func (s *Sim) CloseDispute(disputeID string, won bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	d := s.st.Disputes[disputeID]
	switch {
	case d == nil:
		return fault.New(fault.NotFound, "Unknown dispute %q", disputeID).In("dispute")
	case d.Status != psp.DisputeStatusNeedsResponse:
		return fault.New(fault.Conflict, "The dispute is already %s", d.Status).In("dispute")
	}
	d.Status = psp.DisputeStatusLost
	if won {
		d.Status = psp.DisputeStatusWon
		d.BalanceTxns = append(d.BalanceTxns,
			s.addBalanceTxn(now, balanceTxn{Dispute: d.ID, Amount: d.Amount, Net: d.Amount}))
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
		"evidence_details": object{"due_by": nullIfZero(unix(d.DueBy)), "has_evidence": false,
			"past_due": false, "submission_count": 0}}
}

func (s *Sim) listDisputes(r request) (work, *apiError) {
	keep, e := s.reversalFilter(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "du_", func(id string) bool {
		d := s.st.Disputes[id]
		return keep(d.Intent, d.Charge, d.Created)
	})
}
