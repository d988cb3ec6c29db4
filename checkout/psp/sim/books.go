package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Entry is a successful charge in the processor's books.
type Entry struct {
	PaymentID  string      `json:"payment"`
	ChargeID   string      `json:"charge"`
	CustomerID string      `json:"customer"`
	Group      string      `json:"group"`
	Amount     money.Cents `json:"amount"` // captured amount
	Refunded   money.Cents `json:"refunded,omitempty"`
	Fee        money.Cents `json:"fee"` // withheld from Amount, now or when booked
	Net        money.Cents `json:"net"`
	At         time.Time   `json:"at"`
}

// Entries returns the successful charges, oldest first.
func (s *Sim) Entries() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	var out []Entry
	for _, id := range s.st.Order["ch_"] {
		ch := s.st.Charges[id]
		if !ch.Succeeded {
			continue
		}
		fee := Fee(ch.Captured)
		out = append(out, Entry{PaymentID: ch.Intent, ChargeID: ch.ID, CustomerID: ch.Customer,
			Group: ch.Metadata[psp.GroupKey], Amount: ch.Captured, Refunded: ch.Refunded,
			Fee: fee, Net: ch.Captured - fee, At: ch.Created})
	}
	return out
}

// Check verifies the books and returns the first inconsistency, with code Internal. In consistent
// books the gross total equals the sum of the captured charges, every payment has at most one
// successful charge, for the payment's amount, every booked charge splits into fee and net, refunds
// never exceed their charge, and no money is lost:
//
//	balance = booked charges − their fees − booked refunds + failed refunds
//	        − withdrawn disputes − their fees + won disputes − payouts + failed payouts + adjustments
func (s *Sim) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	gross, successes := money.Cents(0), map[string]int{}
	refunded := map[string]money.Cents{}
	for _, f := range s.st.Refunds {
		if f.Status != psp.RefundStatusFailed {
			refunded[f.Charge] += f.Amount
		}
	}
	for id, ch := range s.st.Charges {
		if !ch.Succeeded {
			continue
		}
		gross += ch.Captured
		successes[ch.Intent]++
		in, b := s.st.Intents[ch.Intent], s.st.BalanceTxns[ch.BalanceTxn]
		switch {
		case in == nil || in.Amount != ch.Amount || in.Status != succeeded:
			return booksError("the charge %s does not belong to a payment that succeeded for its amount", id)
		case ch.Captured < 1 || ch.Captured > ch.Amount:
			return booksError("the charge %s captures %s of %s", id, ch.Captured, ch.Amount)
		case ch.Refunded != refunded[id] || ch.Refunded > ch.Captured:
			return booksError("the charge %s of %s has %s refunded, but its refunds total %s", id,
				ch.Captured, ch.Refunded, refunded[id])
		case b == nil && ch.BalanceTxn != "":
			return booksError("the charge %s is not booked", id)
		case b != nil && (b.Charge != id || b.Amount != ch.Captured || b.Fee+b.Net != b.Amount ||
			b.Fee != Fee(b.Amount)):
			return booksError("the balance transaction %s does not match its charge", b.ID)
		}
	}
	if gross != s.st.Gross {
		return booksError("the gross is %s, but the charges total %s", s.st.Gross, gross)
	}
	for id, in := range s.st.Intents {
		want := 0
		if in.Status == succeeded {
			want = 1
		}
		if successes[id] != want {
			return booksError("the payment %s is %s with %d successful charges", id, in.Status, successes[id])
		}
	}
	return s.checkBalance()
}

// checkBalance compares the balance with the objects that changed it, and every automatic payout with
// the transactions that it includes.
func (s *Sim) checkBalance() error {
	var want, booked money.Cents
	included := map[string]money.Cents{}
	for _, b := range s.st.BalanceTxns {
		booked += b.Net
		if b.Category != "" {
			want += b.Amount - b.Fee
		}
		if b.PaidOut != "" {
			included[b.PaidOut] += b.Net
		}
	}
	for _, ch := range s.st.Charges {
		if ch.BalanceTxn != "" {
			want += ch.Captured - Fee(ch.Captured)
		}
	}
	for _, f := range s.st.Refunds {
		if f.BalanceTxn != "" && f.Status != psp.RefundStatusFailed {
			want -= f.Amount
		}
	}
	for _, d := range s.st.Disputes {
		want += d.effect()
	}
	for id, po := range s.st.Payouts {
		if po.Status != psp.PayoutStatusFailed {
			want -= po.Amount
		}
		if included[id] != 0 {
			return booksError("the transactions of the payout %s differ from it by %s", id, included[id])
		}
	}
	if s.st.Balance != want || booked != want {
		return booksError("the balance is %s, and its transactions total %s, but the objects total %s", s.st.Balance,
			booked, want)
	}
	return nil
}

// effect returns what a dispute has changed in the balance: nothing while it is an inquiry or if it was
// prevented, otherwise the amount, unless it was won, and the fee.
func (d *dispute) effect() money.Cents {
	switch d.Status {
	case psp.DisputeStatusNeedsResponse, psp.DisputeStatusUnderReview, psp.DisputeStatusLost:
		return -d.Amount - disputeFee
	case psp.DisputeStatusWon:
		return -disputeFee
	case psp.DisputeStatusWarningNeedsResponse, psp.DisputeStatusWarningUnderReview,
		psp.DisputeStatusWarningClosed, psp.DisputeStatusPrevented:
	}
	return 0
}

func booksError(format string, args ...any) error {
	return fault.New(fault.Internal, "The processor's books are inconsistent: "+format, args...)
}
