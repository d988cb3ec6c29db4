package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Backfilled is what a look for missing customers has done.
type Backfilled struct {
	Processed int `json:"processed"` // pledges that have a customer now
	Failed    int `json:"failed"`    // pledges whose checkout does not tell
	// Remaining says that the campaign's list was not at its end: the next call
	// goes on from here.
	Remaining bool     `json:"remaining"`
	Errors    []string `json:"errors"` // a line for each that failed
}

const (
	backfillPage  = 500 // pledges that one call looks at
	backfillReads = 50  // sessions that it reads
)

// BackfillCustomers reads the sessions of a campaign's pledges that lack a
// customer, and saves what they tell. A call does a bounded part and remembers
// where it stopped. It fails with code NotFound for an unknown campaign, and with
// Unavailable when the processor does not answer.
func (s *Service) BackfillCustomers(ctx context.Context, slug string) (Backfilled, error) {
	out := Backfilled{Errors: []string{}}
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return out, err
	}
	from, _, err := kv.Read[int](ctx, s.Store, backfillKey(slug))
	if err != nil {
		return out, err
	}
	ids, err := s.Inventory.Listed(ctx, slug, from, backfillPage)
	if err != nil {
		return out, err
	}
	seen := 0
	for ; seen < len(ids) && out.Processed+out.Failed < backfillReads; seen++ {
		if err := s.backfill(ctx, ids[seen], &out); err != nil {
			return out, err
		}
	}
	next := from + seen
	if out.Remaining = seen < len(ids) || len(ids) == backfillPage; !out.Remaining {
		next = 0
	}
	return out, kv.Save(ctx, s.Store, backfillKey(slug), next)
}

func (s *Service) backfill(ctx context.Context, id string, out *Backfilled) error {
	p, err := s.Orders.Pledge(ctx, id)
	if err != nil || p.CustomerID != "" || !p.Unpaid() {
		return err
	}
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		return err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil {
		return err
	}
	sess, err := s.session(ctx, o.SessionID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil || sess.Status != psp.Complete || sess.CustomerID == "" || sess.PaymentMethodID == "" {
		out.Failed++
		out.Errors = append(out.Errors, id+": its checkout names no card")
		return nil
	}
	card, err := s.card(sess)
	if err != nil {
		return err
	}
	if p, err = s.Orders.FillCard(ctx, id, card); err != nil {
		return err
	}
	if _, err = s.Projector.Book(ctx, p, ""); err != nil {
		return err
	}
	out.Processed++
	return nil
}
