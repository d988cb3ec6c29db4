package sim

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const (
	// payoutTime is the time from a payout until the bank has it.
	payoutTime = 48 * time.Hour
	// reconcileTime is the time from an automatic payout until its transactions can be listed.
	reconcileTime = time.Hour
)

type payout struct {
	ID               string
	Amount           money.Cents
	Automatic        bool
	Status           psp.PayoutStatus
	Reconciliation   psp.ReconciliationStatus
	BalanceTxn       string
	Undone           string // the transaction that returned the amount of a failed payout
	Created, Arrival time.Time
}

func (po *payout) reconciled() bool { return po.Reconciliation == psp.ReconciliationCompleted }

// AutomaticPayout pays out everything that is available. Its transactions can be listed an hour later,
// and the bank has it after two days. It fails with Conflict if nothing is available.
func (s *Sim) AutomaticPayout() (payoutID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	var included []*balanceTxn
	sum := money.Cents(0)
	for _, b := range s.st.BalanceTxns {
		if b.PaidOut == "" && !b.Available.After(now) {
			included = append(included, b)
			sum += b.Net
		}
	}
	if sum < 1 {
		return "", fault.New(fault.Conflict, "Nothing is available for a payout")
	}
	po := s.payOut(now, sum, true)
	for _, b := range append(included, s.st.BalanceTxns[po.BalanceTxn]) {
		b.PaidOut = po.ID
	}
	s.st.addTask(now.Add(reconcileTime), reconcileTask, po.ID)
	return po.ID, nil
}

// ManualPayout pays out an amount. It fails with Invalid for less than a cent, and with Conflict for more
// than is available.
func (s *Sim) ManualPayout(amount money.Cents) (payoutID string, err error) {
	_, available := s.Balance()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	switch {
	case amount < 1:
		return "", fault.New(fault.Invalid, "A payout needs at least one cent").In("amount")
	case amount > available:
		return "", fault.New(fault.Conflict, "Only %s is available", available).In("amount")
	}
	return s.payOut(now, amount, false).ID, nil
}

// FailPayout makes a payout fail, even if it was already paid, and returns its amount to the balance. It
// fails with NotFound, and with Conflict for a payout that has failed.
func (s *Sim) FailPayout(payoutID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	po := s.st.Payouts[payoutID]
	switch {
	case po == nil:
		return fault.New(fault.NotFound, "Unknown payout %q", payoutID).In("payout")
	case po.Status == psp.PayoutStatusFailed:
		return fault.New(fault.Conflict, "The payout has already failed").In("payout")
	}
	po.Status = psp.PayoutStatusFailed
	po.Undone = s.addBalanceTxn(now, balanceTxn{Payout: po.ID, Amount: po.Amount, Net: po.Amount})
	s.emit(now, string(psp.PayoutFailed), po.ID)
	return nil
}

func (s *Sim) payOut(now time.Time, amount money.Cents, automatic bool) *payout {
	po := &payout{ID: s.st.newID("po_", 24), Amount: amount, Automatic: automatic, Status: psp.PayoutStatusInTransit,
		Reconciliation: psp.ReconciliationNotApplicable, Created: now,
		Arrival: now.Add(payoutTime).UTC().Truncate(24 * time.Hour)}
	if automatic {
		po.Reconciliation = psp.ReconciliationInProgress
	}
	s.st.Payouts[po.ID] = po
	po.BalanceTxn = s.addBalanceTxn(now, balanceTxn{Payout: po.ID, Amount: -amount, Net: -amount})
	s.st.addTask(now.Add(payoutTime), payTask, po.ID)
	s.emit(now, string(psp.PayoutCreated), po.ID)
	return po
}

// runPayoutTask ends a payout's transfer or its reconciliation.
func (s *Sim) runPayoutTask(t task) {
	po := s.st.Payouts[t.ID]
	if t.Kind == reconcileTask {
		po.Reconciliation = psp.ReconciliationCompleted
		s.emit(t.At, string(psp.PayoutReconciled), po.ID)
		return
	}
	if po.Status == psp.PayoutStatusInTransit {
		po.Status = psp.PayoutStatusPaid
		s.emit(t.At, string(psp.PayoutPaid), po.ID)
	}
}

func (po *payout) render() object {
	if po == nil {
		return nil
	}
	o := object{"id": po.ID, "object": "payout", "amount": po.Amount, "currency": money.USD,
		"status": string(po.Status), "automatic": po.Automatic, "reconciliation_status": string(po.Reconciliation),
		"balance_transaction": po.BalanceTxn, "failure_balance_transaction": nullIfEmpty(po.Undone),
		"failure_code": nil, "failure_message": nil, "arrival_date": unix(po.Arrival), "created": unix(po.Created),
		"method": "standard", "type": "bank_account", "source_type": "card", "metadata": object{}}
	if po.Status == psp.PayoutStatusFailed {
		o["failure_code"], o["failure_message"] = "account_closed", "The bank account has been closed"
	}
	return o
}

func (s *Sim) listPayouts(r request) (work, *apiError) {
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "po_", func(id string) bool {
		po := s.st.Payouts[id]
		created := po.Created.Unix()
		return matches(r.form.Get("status"), string(po.Status)) && created >= from && created < to
	})
}

// Payouts implements psp.Processor.
func (p processor) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	var out psp.PayoutPage
	var err error
	out.Payouts, out.Next, err = readPage(ctx, p, "/v1/payouts", pageForm(q.From, q.To, q.After, q.Limit),
		wirePayout.payout)
	return out, err
}

type wirePayout struct {
	listed
	Amount         money.Cents              `json:"amount"`
	Currency       string                   `json:"currency"`
	Status         psp.PayoutStatus         `json:"status"`
	Automatic      bool                     `json:"automatic"`
	Reconciliation psp.ReconciliationStatus `json:"reconciliation_status"`
	Arrival        int64                    `json:"arrival_date"`
	Created        int64                    `json:"created"`
	Balance        string                   `json:"balance_transaction"`
	FailureBalance string                   `json:"failure_balance_transaction"`
}

func (w wirePayout) payout() psp.Payout {
	return psp.Payout{ID: w.ID, Amount: w.Amount, Currency: w.Currency, Status: w.Status, Automatic: w.Automatic,
		ReconciliationStatus: w.Reconciliation, ArrivalDate: time.Unix(w.Arrival, 0).UTC(),
		CreatedAt: time.Unix(w.Created, 0).UTC(), BalanceTransactionID: w.Balance,
		FailureBalanceTransactionID: w.FailureBalance}
}
