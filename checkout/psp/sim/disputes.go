package sim

import (
	"cmp"
	"context"
	"slices"
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

type dispute struct {
	ID, Charge, Intent string
	Status             psp.DisputeStatus
	Reason             string
	NetworkReasonCode  string
	Refundable         bool // an inquiry during which the payment can be refunded
	Submitted          bool // evidence was submitted
	Amount             money.Cents
	BalanceTxns        []string
	Created, DueBy     time.Time
}

// NewDispute describes a dispute to open.
type NewDispute struct {
	PaymentID         string
	Amount            money.Cents // 0 disputes all of the payment
	Reason            string      // "" means "fraudulent"
	NetworkReasonCode string      // "" means "10.4" for "fraudulent" and "13.1" for other reasons
	// Status is DisputeStatusNeedsResponse for a chargeback, which "" means too,
	// DisputeStatusWarningNeedsResponse for an inquiry, or DisputeStatusPrevented.
	Status psp.DisputeStatus
	// Refundable allows refunds during an inquiry.
	Refundable bool
}

// firstStatuses are the states in which a dispute can be opened.
var firstStatuses = []psp.DisputeStatus{psp.DisputeStatusNeedsResponse, psp.DisputeStatusWarningNeedsResponse,
	psp.DisputeStatusPrevented}

// transitions are the states to which a dispute can change.
var transitions = map[psp.DisputeStatus][]psp.DisputeStatus{
	psp.DisputeStatusWarningNeedsResponse: {psp.DisputeStatusWarningUnderReview, psp.DisputeStatusWarningClosed,
		psp.DisputeStatusNeedsResponse},
	psp.DisputeStatusWarningUnderReview: {psp.DisputeStatusWarningClosed, psp.DisputeStatusNeedsResponse},
	psp.DisputeStatusNeedsResponse: {psp.DisputeStatusUnderReview, psp.DisputeStatusWon,
		psp.DisputeStatusLost},
	psp.DisputeStatusUnderReview: {psp.DisputeStatusWon, psp.DisputeStatusLost},
}

// Dispute opens a chargeback about a payment; amount 0 disputes all of it, and an empty reason means
// "fraudulent". It fails as OpenDispute does.
func (s *Sim) Dispute(paymentID string, amount money.Cents, reason string) (disputeID string, err error) {
	return s.OpenDispute(NewDispute{PaymentID: paymentID, Amount: amount, Reason: reason})
}

// OpenDispute opens a dispute. A chargeback's money is withdrawn immediately, and pending refunds of the
// payment fail. It fails with NotFound, with Invalid for more than was captured or a state in which no
// dispute begins, and with Conflict for a payment that has not succeeded or is already disputed.
func (s *Sim) OpenDispute(n NewDispute) (disputeID string, err error) {
	n.Status = cmp.Or(n.Status, psp.DisputeStatusNeedsResponse)
	if !slices.Contains(firstStatuses, n.Status) {
		return "", fault.New(fault.Invalid, "A dispute cannot be opened as %s", n.Status).In("status")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	ch, err := s.disputable(n)
	if err != nil {
		return "", err
	}
	n.Amount, n.Reason = cmp.Or(n.Amount, ch.Captured), cmp.Or(n.Reason, "fraudulent")
	if n.Reason == "fraudulent" {
		n.NetworkReasonCode = cmp.Or(n.NetworkReasonCode, "10.4")
	}
	d := &dispute{ID: s.st.newID("du_", 24), Charge: ch.ID, Intent: ch.Intent, Status: n.Status, Reason: n.Reason,
		NetworkReasonCode: cmp.Or(n.NetworkReasonCode, "13.1"), Refundable: n.Refundable, Amount: n.Amount,
		Created: now, DueBy: now.Add(evidenceTime)}
	if n.Status == psp.DisputeStatusPrevented {
		d.DueBy = time.Time{}
	}
	s.st.Disputes[d.ID] = d
	ch.Disputed = true
	s.updateWarnings(now, ch)
	if d.Status == psp.DisputeStatusNeedsResponse {
		s.takeDisputed(now, d)
	}
	s.emit(now, string(psp.DisputeCreated), d.ID)
	if d.Status == psp.DisputeStatusNeedsResponse {
		s.emit(now, string(psp.DisputeWithdrawn), d.ID)
	}
	return d.ID, nil
}

// disputable returns the charge that is to be disputed.
func (s *Sim) disputable(n NewDispute) (*charge, error) {
	in := s.st.Intents[n.PaymentID]
	switch {
	case in == nil:
		return nil, fault.New(fault.NotFound, "Unknown payment %q", n.PaymentID).In("payment")
	case in.Status != succeeded:
		return nil, fault.New(fault.Conflict, "The payment is %s; only succeeded payments can be disputed",
			in.Status).In("payment")
	}
	ch := s.st.Charges[in.LatestCharge]
	if n.Amount < 0 || n.Amount > ch.Captured {
		return nil, fault.New(fault.Invalid, "The amount must be between 1 cent and %s", ch.Captured).In("amount")
	}
	for _, d := range s.st.Disputes {
		if d.Charge == ch.ID && !d.dismissed() {
			return nil, fault.New(fault.Conflict, "The payment is already disputed").In("payment")
		}
	}
	return ch, nil
}

// dismissed reports whether a dispute has ended without a loss.
func (d *dispute) dismissed() bool {
	return d.Status == psp.DisputeStatusWon || d.Status == psp.DisputeStatusWarningClosed ||
		d.Status == psp.DisputeStatusPrevented
}

// isInquiry reports whether a dispute is an open inquiry.
func (d *dispute) isInquiry() bool {
	return d.Status == psp.DisputeStatusWarningNeedsResponse || d.Status == psp.DisputeStatusWarningUnderReview
}

// MoveDispute changes a dispute's state: evidence was submitted, an inquiry escalates, which withdraws the
// money, or the dispute is closed. If the merchant won, the money is returned, but not the fee. It fails
// with NotFound, and with Conflict for a change that cannot happen, such as the escalation of a refundable
// inquiry whose payment is fully refunded.
func (s *Sim) MoveDispute(disputeID string, to psp.DisputeStatus) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	d := s.st.Disputes[disputeID]
	switch {
	case d == nil:
		return fault.New(fault.NotFound, "Unknown dispute %q", disputeID).In("dispute")
	case !slices.Contains(transitions[d.Status], to):
		return fault.New(fault.Conflict, "The dispute is %s and cannot become %s", d.Status, to).In("dispute")
	}
	if ch := s.st.Charges[d.Charge]; d.Refundable && to == psp.DisputeStatusNeedsResponse && ch.Refunded == ch.Captured {
		return fault.New(fault.Conflict, "The payment is fully refunded, so its inquiry cannot escalate").In("dispute")
	}
	from := d.Status
	d.Status = to
	switch to {
	case psp.DisputeStatusWarningUnderReview, psp.DisputeStatusUnderReview:
		d.Submitted = true
		s.emit(now, string(psp.DisputeUpdated), d.ID)
	case psp.DisputeStatusNeedsResponse:
		s.takeDisputed(now, d)
		s.emit(now, string(psp.DisputeUpdated), d.ID)
		s.emit(now, string(psp.DisputeWithdrawn), d.ID)
	case psp.DisputeStatusWon:
		d.BalanceTxns = append(d.BalanceTxns,
			s.addBalanceTxn(now, balanceTxn{Dispute: d.ID, Amount: d.Amount, Net: d.Amount}))
		s.emit(now, string(psp.DisputeClosed), d.ID)
		s.emit(now, string(psp.DisputeReinstated), d.ID)
	case psp.DisputeStatusLost, psp.DisputeStatusWarningClosed:
		s.emit(now, string(psp.DisputeClosed), d.ID)
	case psp.DisputeStatusWarningNeedsResponse, psp.DisputeStatusPrevented:
		return fault.New(fault.Internal, "No dispute changes from %s to %s", from, to)
	}
	return nil
}

// CloseDispute decides a chargeback. It fails as MoveDispute does.
func (s *Sim) CloseDispute(disputeID string, won bool) error {
	if won {
		return s.MoveDispute(disputeID, psp.DisputeStatusWon)
	}
	return s.MoveDispute(disputeID, psp.DisputeStatusLost)
}

// takeDisputed withdraws a dispute's amount and the fee, and makes the charge's pending refunds fail.
func (s *Sim) takeDisputed(now time.Time, d *dispute) {
	d.BalanceTxns = []string{s.addBalanceTxn(now,
		balanceTxn{Dispute: d.ID, Amount: -d.Amount, Fee: disputeFee, Net: -d.Amount - disputeFee})}
	for _, id := range s.st.Order["re_"] {
		f := s.st.Refunds[id]
		if f.Charge == d.Charge && f.Status == psp.RefundStatusPending {
			s.failRefund(now, f, "charge_for_pending_refund_disputed")
		}
	}
}

// blocksRefunds reports whether a charge has a dispute during or after which it cannot be refunded.
func (s *Sim) blocksRefunds(chargeID string) bool {
	for _, d := range s.st.Disputes {
		if d.Charge == chargeID && !d.dismissed() && !(d.isInquiry() && d.Refundable) {
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
	submissions := 0
	if d.Submitted {
		submissions = 1
	}
	return object{"id": d.ID, "object": "dispute", "amount": d.Amount, "currency": money.USD, "charge": d.Charge,
		"payment_intent": d.Intent, "status": string(d.Status), "reason": d.Reason,
		"is_charge_refundable": d.isInquiry() && d.Refundable, "network_reason_code": d.NetworkReasonCode,
		"payment_method_details": object{"type": "card", "card": object{"brand": "visa", "case_type": d.caseType(),
			"network_reason_code": d.NetworkReasonCode}},
		"balance_transactions": moves, "evidence": object{}, "metadata": object{}, "created": unix(d.Created),
		"evidence_details": object{"due_by": nullIfZero(unix(d.DueBy)), "has_evidence": d.Submitted,
			"past_due": !d.DueBy.IsZero() && s.clock().After(d.DueBy), "submission_count": submissions}}
}

// caseType returns the kind of a dispute, as named by the API.
func (d *dispute) caseType() string {
	switch {
	case d.Status == psp.DisputeStatusPrevented:
		return "resolution"
	case d.isInquiry(), d.Status == psp.DisputeStatusWarningClosed:
		return "inquiry"
	}
	return "chargeback"
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

// Disputes implements psp.Processor.
func (p processor) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	var out psp.DisputePage
	var err error
	out.Disputes, out.Next, err = readPage(ctx, p, "/v1/disputes", pageForm(q.From, q.To, q.After, q.Limit),
		wireDispute.dispute)
	return out, err
}
