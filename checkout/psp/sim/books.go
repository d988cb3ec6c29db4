package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Entry is one successful charge in the processor's books.
type Entry struct {
	PaymentID  string      `json:"payment"`
	ChargeID   string      `json:"charge"`
	CustomerID string      `json:"customer"`
	Group      string      `json:"group"`
	Amount     money.Cents `json:"amount"` // that was captured
	Refunded   money.Cents `json:"refunded,omitempty"`
	Fee        money.Cents `json:"fee"` // what is or will be kept of Amount
	Net        money.Cents `json:"net"`
	At         time.Time   `json:"at"`
}

// Books lists the successful charges, the oldest first.
func (s *Sim) Books() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present()
	var out []Entry
	for _, id := range s.st.Order["ch_"] {
		ch := s.st.Charges[id]
		if !ch.Succeeded {
			continue
		}
		fee := Fee(ch.Captured)
		out = append(out, Entry{PaymentID: ch.Intent, ChargeID: ch.ID, CustomerID: ch.Customer,
			Group: ch.Metadata[psp.GroupKey], Amount: ch.Captured, Refunded: ch.Refunded, Fee: fee, Net: ch.Captured - fee, At: ch.Created})
	}
	return out
}

// Check verifies the books and returns the first contradiction, with code Internal: the
// gross is the sum of the captured charges, a payment succeeds once and for its amount,
// each booked charge splits into fee and net, and refunds never exceed their charge.
func (s *Sim) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present()
	gross, wins := money.Cents(0), map[string]int{}
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
		wins[ch.Intent]++
		in, b := s.st.Intents[ch.Intent], s.st.BalanceTxns[ch.BalanceTxn]
		switch {
		case in == nil || in.Amount != ch.Amount || in.Status != succeeded:
			return broken("the charge %s does not belong to a payment that succeeded for its amount", id)
		case ch.Captured < 1 || ch.Captured > ch.Amount:
			return broken("the charge %s captures %s of %s", id, ch.Captured, ch.Amount)
		case ch.Refunded != refunded[id] || ch.Refunded > ch.Captured:
			return broken("the charge %s of %s is refunded by %s, and its refunds add up to %s", id, ch.Captured, ch.Refunded, refunded[id])
		case b == nil && ch.BalanceTxn != "":
			return broken("the charge %s is booked nowhere", id)
		case b != nil && (b.Charge != id || b.Amount != ch.Captured || b.Fee+b.Net != b.Amount || b.Fee != Fee(b.Amount)):
			return broken("the balance transaction %s does not fit its charge", b.ID)
		}
	}
	if gross != s.st.Gross {
		return broken("the gross is %s and the charges add up to %s", s.st.Gross, gross)
	}
	for id, in := range s.st.Intents {
		want := 0
		if in.Status == succeeded {
			want = 1
		}
		if wins[id] != want {
			return broken("the payment %s is %s with %d successful charges", id, in.Status, wins[id])
		}
	}
	return nil
}

func broken(format string, args ...any) error {
	return fault.New(fault.Internal, "The processor's books are wrong: "+format, args...)
}
