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
	Amount     money.Cents `json:"amount"`
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
		fee := Fee(ch.Amount)
		out = append(out, Entry{PaymentID: ch.Intent, ChargeID: ch.ID, CustomerID: ch.Customer,
			Group: ch.Metadata[psp.GroupKey], Amount: ch.Amount, Fee: fee, Net: ch.Amount - fee, At: ch.Created})
	}
	return out
}

// Check holds the books against the processor's own laws and returns the first
// one broken, with code Internal: the gross is the sum of the charges, a
// payment succeeds once and for its amount, and each booked charge splits into
// fee and net.
func (s *Sim) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present()
	gross, wins := money.Cents(0), map[string]int{}
	for id, ch := range s.st.Charges {
		if !ch.Succeeded {
			continue
		}
		gross += ch.Amount
		wins[ch.Intent]++
		in, b := s.st.Intents[ch.Intent], s.st.BalanceTxns[ch.BalanceTxn]
		switch {
		case in == nil || in.Amount != ch.Amount || in.Status != succeeded:
			return broken("the charge %s does not belong to a payment that succeeded for its amount", id)
		case b == nil && ch.BalanceTxn != "":
			return broken("the charge %s is booked nowhere", id)
		case b != nil && (b.Charge != id || b.Amount != ch.Amount || b.Fee+b.Net != b.Amount || b.Fee != Fee(b.Amount)):
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
