package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Backfilled is the result of BackfillCustomers.
type Backfilled struct {
	Processed int `json:"processed"` // pledges whose customer was found and saved by this call
	Failed    int `json:"failed"`    // pledges whose checkout has no saved card
	// Remaining reports whether more pledges have to be checked. The next call continues where
	// this one stopped.
	Remaining bool     `json:"remaining"`
	Errors    []string `json:"errors"` // one line per failed pledge
}

const (
	backfillPage  = 500 // maximum number of pledges checked per call
	backfillReads = 50  // maximum number of sessions read per call
)

// BackfillCustomers reads the sessions of a campaign's unpaid pledges that lack a customer, and
// saves the customer and card found there. Each call does a bounded amount of work and stores the
// position at which the next call continues. It fails with code NotFound for an unknown campaign,
// and with Unavailable if the processor does not respond.
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
		if err := s.backfillPledge(ctx, ids[seen], &out); err != nil {
			return out, err
		}
	}
	next := from + seen
	if out.Remaining = seen < len(ids) || len(ids) == backfillPage; !out.Remaining {
		next = 0
	}
	return out, kv.Save(ctx, s.Store, backfillKey(slug), next)
}

func (s *Service) backfillPledge(ctx context.Context, id string, out *Backfilled) error {
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
		out.Errors = append(out.Errors, id+": its checkout has no saved card")
		return nil //nolint:nilerr // reported in out.Errors
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
