package sim

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// BalanceRow is a change of the balance in an account statement.
type BalanceRow struct {
	ID  string      `json:"id"`
	Net money.Cents `json:"net"`
	// PaymentID is set for a charge, a refund or a dispute.
	PaymentID string    `json:"payment,omitempty"`
	RefundID  string    `json:"refund,omitempty"`
	DisputeID string    `json:"dispute,omitempty"`
	PayoutID  string    `json:"payout,omitempty"`  // that left the balance, or came back
	PaidOut   string    `json:"paidOut,omitempty"` // the automatic payout that includes the row
	At        time.Time `json:"at"`
}

// Statement returns the changes of the balance, oldest first, without a request, which could fail.
func (s *Sim) Statement() []BalanceRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	rows := make([]BalanceRow, 0, len(s.st.BalanceTxns))
	for _, id := range s.st.Order["txn_"] {
		b := s.st.BalanceTxns[id]
		rows = append(rows, BalanceRow{ID: b.ID, Net: b.Net, PaymentID: s.paymentOf(b), RefundID: b.Refund,
			DisputeID: b.Dispute, PayoutID: b.Payout, PaidOut: b.PaidOut, At: b.Created})
	}
	return rows
}

func (s *Sim) paymentOf(b *balanceTxn) string {
	switch {
	case b.Charge != "":
		return s.st.Charges[b.Charge].Intent
	case b.Refund != "":
		return s.st.Refunds[b.Refund].Intent
	case b.Dispute != "":
		return s.st.Disputes[b.Dispute].Intent
	}
	return ""
}

// Payouts returns all payouts, oldest first, without a request.
func (s *Sim) Payouts() ([]psp.Payout, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	var all []psp.Payout
	for _, id := range s.st.Order["po_"] {
		var w wirePayout
		if err := json.Unmarshal(encode(s.st.Payouts[id].render()), &w); err != nil {
			return nil, err
		}
		all = append(all, w.payout())
	}
	return all, nil
}
