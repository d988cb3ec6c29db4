package sim

import (
	"math"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// page returns one page of a list: the objects with the ID prefix for which keep returns true,
// newest first.
func (s *Sim) page(r request, prefix string, keep func(id string) bool) (work, *apiError) {
	limit := int64(10)
	if r.form.Has("limit") {
		n, e := integer(r.form, "limit")
		if e != nil {
			return nil, e
		}
		if n < 1 || n > 100 {
			return nil, invalid("limit", "", "limit must be from 1 to 100")
		}
		limit = n
	}
	if most := int64(s.opts.PageSize); most > 0 {
		limit = min(limit, most)
	}
	ids := slices.Clone(s.st.Order[prefix])
	slices.Reverse(ids)
	if after := r.form.Get("starting_after"); after != "" {
		i := slices.Index(ids, after)
		if i < 0 {
			return nil, missing("starting_after", "object", after)
		}
		ids = ids[i+1:]
	}
	if before := r.form.Get("ending_before"); before != "" {
		i := slices.Index(ids, before)
		if i < 0 {
			return nil, missing("ending_before", "object", before)
		}
		ids = ids[:i]
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !keep(id) })
	return func() (object, *apiError) {
		n := min(int(limit), len(ids))
		data := make([]object, 0, n)
		for _, id := range ids[:n] {
			data = append(data, s.render(id))
		}
		return object{"object": "list", "url": "/v1", "has_more": len(ids) > n, "data": data}, nil
	}, nil
}

// matches reports whether a filter is absent or equals the value.
func matches(filter, value string) bool { return filter == "" || filter == value }

func (s *Sim) listSessions(r request) (work, *apiError) {
	status, e := oneOf(r.form, "status", "", string(psp.Open), string(psp.Complete), string(psp.Expired))
	if e != nil {
		return nil, e
	}
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "cs_"+string(s.opts.Mode)+"_", func(id string) bool {
		ses := s.st.Sessions[id]
		created := ses.Created.Unix()
		return created >= from && created < to && matches(r.form.Get("customer"), ses.Customer) &&
			matches(status, string(ses.Status)) && !r.form.Has("payment_intent")
	})
}

func (s *Sim) listSetupIntents(r request) (work, *apiError) {
	return s.page(r, "seti_", func(id string) bool {
		seti := s.st.SetupIntents[id]
		return matches(r.form.Get("customer"), seti.Customer) &&
			matches(r.form.Get("payment_method"), seti.PaymentMethod)
	})
}

func (s *Sim) listPaymentMethods(r request) (work, *apiError) {
	return s.page(r, "pm_", func(id string) bool {
		return matches(r.form.Get("customer"), s.st.PaymentMethods[id].Customer) && matches(r.form.Get("type"), "card")
	})
}

func (s *Sim) listIntents(r request) (work, *apiError) {
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	return s.page(r, "pi_", func(id string) bool {
		in := s.st.Intents[id]
		created := in.Created.Unix()
		return matches(r.form.Get("customer"), in.Customer) && created >= from && created < to
	})
}

// createdRange returns the range of creation times in a list request.
func createdRange(r request) (from, to int64, e *apiError) {
	if from, e = optionalTime(r, "created[gte]", 0); e != nil {
		return 0, 0, e
	}
	to, e = optionalTime(r, "created[lt]", math.MaxInt64)
	return from, to, e
}

func optionalTime(r request, name string, defaultValue int64) (int64, *apiError) {
	if !r.form.Has(name) {
		return defaultValue, nil
	}
	return integer(r.form, name)
}

func (s *Sim) listCharges(r request) (work, *apiError) {
	return s.page(r, "ch_", func(id string) bool {
		ch := s.st.Charges[id]
		return matches(r.form.Get("customer"), ch.Customer) && matches(r.form.Get("payment_intent"), ch.Intent)
	})
}

func (s *Sim) listEvents(r request) (work, *apiError) {
	return s.page(r, "evt_", func(id string) bool {
		return matches(r.form.Get("type"), s.st.Events[id].Type)
	})
}

func (s *Sim) listEndpoints(r request) (work, *apiError) {
	return s.page(r, "we_", func(id string) bool { return s.st.Endpoints[id] != nil })
}
