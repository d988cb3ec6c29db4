package sim

import (
	"maps"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var customerParams = []string{"email", "name", "description", "metadata[*]", "expand[]"}

func (st *state) hasCustomer(id string) bool {
	c := st.Customers[id]
	return c != nil && !c.Deleted
}

func (s *Sim) createCustomer(r request) (work, *apiError) {
	meta, e := metadata(r.form, "metadata")
	if e != nil {
		return nil, e
	}
	if e := checkEmail(r); e != nil {
		return nil, e
	}
	return func() (object, *apiError) {
		c := &customer{ID: s.st.newID("cus_", 14), Email: r.form.Get("email"), Name: r.form.Get("name"),
			Description: r.form.Get("description"), Metadata: meta, Created: r.now}
		s.st.Customers[c.ID] = c
		s.emit(r.now, "customer.created", c.ID)
		return s.render(c.ID), nil
	}, nil
}

func checkEmail(r request) *apiError {
	if len(r.form.Get("email")) > 512 {
		return invalid("email", "", "An email has at most 512 characters")
	}
	return nil
}

// updateCustomer changes the given fields. Metadata entries are merged, and an
// entry with an empty value is removed.
func (s *Sim) updateCustomer(r request) (work, *apiError) {
	if !s.st.hasCustomer(r.id) {
		return nil, notFound("customer", r.id)
	}
	given, e := metadataPairs(r.form, "metadata")
	if e != nil {
		return nil, e
	}
	if e := checkEmail(r); e != nil {
		return nil, e
	}
	c := s.st.Customers[r.id]
	merged := meta(c.Metadata)
	maps.Copy(merged, given)
	maps.DeleteFunc(merged, func(_, value string) bool { return value == "" })
	if len(merged) > maxMetadata {
		return nil, tooManyKeys("metadata")
	}
	return func() (object, *apiError) {
		c.Metadata = merged
		for name, field := range map[string]*string{"email": &c.Email, "name": &c.Name, "description": &c.Description} {
			if r.form.Has(name) {
				*field = r.form.Get(name)
			}
		}
		s.emit(r.now, "customer.updated", c.ID)
		return s.render(c.ID), nil
	}, nil
}

// retrieveCustomer returns a stub for a deleted customer, as the processor does.
func (s *Sim) retrieveCustomer(r request) (work, *apiError) {
	c := s.st.Customers[r.id]
	if c == nil || !c.Deleted {
		return s.retrieve(r)
	}
	return func() (object, *apiError) { return deletedCustomer(r.id), nil }, nil
}

func deletedCustomer(id string) object {
	return object{"id": id, "object": "customer", "deleted": true}
}

func (s *Sim) listCustomers(r request) (work, *apiError) {
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "cus_", func(id string) bool {
		c := s.st.Customers[id]
		created := c.Created.Unix()
		return !c.Deleted && created >= from && created < to && matches(r.form.Get("email"), c.Email)
	})
}

func (s *Sim) deleteCustomer(r request) (work, *apiError) {
	if !s.st.hasCustomer(r.id) {
		return nil, notFound("customer", r.id)
	}
	return func() (object, *apiError) {
		s.removeCustomer(r.now, r.id)
		return deletedCustomer(r.id), nil
	}, nil
}

func (s *Sim) removeCustomer(now time.Time, id string) {
	s.st.Customers[id].Deleted = true
	s.emit(now, "customer.deleted", id)
}

// DeleteCustomer deletes a customer, as in the processor's dashboard. No card can be saved for the
// customer any longer, and the customer's cards can no longer be charged; payments remain. It fails
// with NotFound.
func (s *Sim) DeleteCustomer(customerID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	if !s.st.hasCustomer(customerID) {
		return fault.New(fault.NotFound, "Unknown customer %q", customerID).In("customer")
	}
	s.removeCustomer(now, customerID)
	return nil
}
