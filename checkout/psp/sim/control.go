package sim

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Complete enters a card into an open session, as the supporter would. The card is a number or a
// name such as CardOK.
//
// It fails with NotFound for an unknown session, with Invalid for an unknown card, with Gone if the
// session has expired, and with Conflict if it is complete or the issuer declines the card. After a
// decline the session is still open.
func (s *Sim) Complete(sessionID, cardName string) error {
	c, err := findCard(cardName)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	ses := s.st.Sessions[sessionID]
	switch {
	case ses == nil:
		return fault.New(fault.NotFound, "Unknown session %q", sessionID).In("session")
	case ses.Status == psp.Expired:
		return fault.New(fault.Gone, "The session has expired").In("session")
	case ses.Status == psp.Complete:
		return fault.New(fault.Conflict, "The session is already complete").In("session")
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

// Page is the data of a session's payment page.
type Page struct {
	Session string
	Status  psp.SessionStatus
	Mode    psp.Mode
	Email   string // of the customer
	// PaymentMethodID is the saved card, "" before.
	PaymentMethodID string
	// Done and Back are the URLs after saving the card and after cancelling; Back
	// is "" if the session has none.
	Done, Back string
}

// Page returns the data of the page that simulates the processor's hosted page.
func (s *Sim) Page(sessionID string) (Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	ses := s.st.Sessions[sessionID]
	if ses == nil {
		return Page{}, fault.New(fault.NotFound, "Unknown session %q", sessionID).In("session")
	}
	done := ses.SuccessURL
	if done == "" {
		done = ses.ReturnURL
	}
	return Page{Session: ses.ID, Status: ses.Status, Mode: s.opts.Mode, Email: s.st.Customers[ses.Customer].Email,
		PaymentMethodID: s.st.SetupIntents[ses.SetupIntent].PaymentMethod,
		Done:            strings.ReplaceAll(done, sessionInURL, ses.ID), Back: strings.ReplaceAll(ses.CancelURL,
			sessionInURL, ses.ID)}, nil
}

const sessionInURL = "{CHECKOUT_SESSION_ID}"

// Authenticate simulates the supporter authenticating a payment that requires it. It fails with
// NotFound for an unknown payment, and with Conflict if the payment does not await authentication
// or the issuer declines it again.
func (s *Sim) Authenticate(paymentID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	in := s.st.Intents[paymentID]
	if in == nil {
		return fault.New(fault.NotFound, "Unknown payment %q", paymentID).In("payment")
	}
	if in.Status != needsMethod || !in.LastError.needsAuthentication() {
		return fault.New(fault.Conflict, "The payment does not await authentication: it is %s", in.Status).In("payment")
	}
	in.PaymentMethod = in.LastError.PaymentMethod
	if _, e := s.attempt(now, in, ConfirmIntent, false); e != nil {
		return fault.New(fault.Conflict, "%s", e.message).In("payment")
	}
	return nil
}

// Received returns the number of requests that have reached the processor, of one operation or, if
// op is empty, of all operations.
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
