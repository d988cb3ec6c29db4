package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// expiryMonth returns the last month in which a card can be charged.
func (pm *paymentMethod) expiryMonth() (int, time.Month) {
	if pm.Card.Life == 0 {
		return pm.Created.Year() + 3, time.December
	}
	last := pm.Created.Add(pm.Card.Life).UTC()
	return last.Year(), last.Month()
}

func (pm *paymentMethod) expired(now time.Time) bool {
	year, month := pm.expiryMonth()
	return !now.UTC().Before(time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC))
}

// Adopt adds a customer and a card under the given IDs, so that objects saved at
// another processor can be used here. The card is a name as in Complete; without
// a payment method only the customer is added. It fails with Invalid for an
// unknown card, and with Conflict if the payment method belongs to another
// customer.
func (s *Sim) Adopt(customerID, paymentMethodID, cardName string) error {
	c, err := findCard(cardName)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	if s.st.Customers[customerID] == nil {
		s.st.Customers[customerID] = &customer{ID: customerID, Created: now}
		s.st.Order["cus_"] = append(s.st.Order["cus_"], customerID)
	}
	switch known := s.st.PaymentMethods[paymentMethodID]; {
	case paymentMethodID == "":
	case known == nil:
		s.st.PaymentMethods[paymentMethodID] = &paymentMethod{ID: paymentMethodID, Customer: customerID,
			Card: c, SetUp: true, Created: now}
		s.st.Order["pm_"] = append(s.st.Order["pm_"], paymentMethodID)
	case known.Customer != customerID:
		return fault.New(fault.Conflict, "The payment method belongs to another customer").In("paymentMethod")
	}
	return nil
}

// Detach detaches a card from its customer, as in the processor's dashboard. It
// fails with NotFound, and with Conflict if the card is already detached.
func (s *Sim) Detach(paymentMethodID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	pm := s.st.PaymentMethods[paymentMethodID]
	if pm == nil {
		return fault.New(fault.NotFound, "Unknown payment method %q", paymentMethodID).In("paymentMethod")
	}
	if pm.Customer == "" {
		return fault.New(fault.Conflict, "The payment method is already detached").In("paymentMethod")
	}
	s.detach(now, pm)
	return nil
}

func (s *Sim) detach(now time.Time, pm *paymentMethod) {
	pm.Customer = ""
	s.emit(now, "payment_method.detached", pm.ID)
}

func (s *Sim) detachMethod(r request) (work, *apiError) {
	pm := s.st.PaymentMethods[r.id]
	if pm == nil {
		return nil, notFound("payment_method", r.id)
	}
	if pm.Customer == "" {
		return nil, invalid("", "",
			"The payment method you provided is not attached to a customer so detachment is impossible.")
	}
	return func() (object, *apiError) {
		s.detach(r.now, pm)
		return s.render(pm.ID), nil
	}, nil
}
