package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Complete enters a card into an open session, as the supporter would: a
// number, or a name such as CardOK. It fails with NotFound or Invalid for
// things that do not exist, with Gone when the session has expired, and with
// Conflict when it is complete or the issuer refuses the card, after which the
// session is still open.
func (s *Sim) Complete(sessionID, cardName string) error {
	c, err := findCard(cardName)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	ses := s.st.Sessions[sessionID]
	switch {
	case ses == nil:
		return fault.New(fault.NotFound, "There is no session %q", sessionID).In("session")
	case ses.Status == psp.Expired:
		return fault.New(fault.Gone, "The session has expired").In("session")
	case ses.Status == psp.Complete:
		return fault.New(fault.Conflict, "The session is complete already").In("session")
	}
	seti := s.st.SetupIntents[ses.SetupIntent]
	if c.SetupDecline != "" {
		seti.LastError = declined(c.SetupDecline)
		s.emit(now, "setup_intent.setup_failed", seti.ID)
		return fault.New(fault.Conflict, "%s", seti.LastError.Message).In("card")
	}
	s.saveCard(now, ses, seti, c)
	return nil
}

func (s *Sim) saveCard(now time.Time, ses *session, seti *setupIntent, c card) {
	pm := &paymentMethod{ID: s.st.newID("pm_", 24), Customer: ses.Customer, Card: c, SetUp: true, Created: now}
	s.st.PaymentMethods[pm.ID] = pm
	seti.PaymentMethod, seti.Status, seti.LastError = pm.ID, succeeded, nil
	ses.Status = psp.Complete
	s.emit(now, "payment_method.attached", pm.ID)
	s.emit(now, "setup_intent.succeeded", seti.ID)
	s.emit(now, string(psp.SessionCompleted), ses.ID)
}

// Authenticate has the supporter confirm, present and in person, a payment that
// failed for want of it. It fails with NotFound, and with Conflict when the
// payment does not wait for the supporter or the issuer refuses it again.
func (s *Sim) Authenticate(paymentID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	in := s.st.Intents[paymentID]
	if in == nil {
		return fault.New(fault.NotFound, "There is no payment %q", paymentID).In("payment")
	}
	if in.Status != needsMethod || in.LastError == nil || in.LastError.Code != authRequired {
		return fault.New(fault.Conflict, "The payment does not wait for the supporter: it is %s", in.Status).In("payment")
	}
	in.PaymentMethod = in.LastError.PaymentMethod
	if _, e := s.attempt(now, in, ConfirmIntent, false); e != nil {
		return fault.New(fault.Conflict, "%s", e.message).In("payment")
	}
	return nil
}

// Received is how many requests have reached the processor, of one operation
// or, given "", of all.
func (s *Sim) Received(op Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op != "" {
		return s.st.Received[op]
	}
	total := 0
	for _, n := range s.st.Received {
		total += n
	}
	return total
}

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
