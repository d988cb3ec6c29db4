package settlement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Two operators establish the outcome of a charge that needs attention. One states it, another
// confirms it, and each time the processor's list of payments has to support the statement.
// Then the group is booked, or its next attempt follows.

// Attention lists a campaign's charges that wait for operators. It fails with code NotFound for
// an unknown campaign.
func (s *Service) Attention(ctx context.Context, slug string) ([]state.Group, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	object := s.objectOf(slug)
	waiting := map[string]state.Group{}
	for after := ""; ; {
		page, err := object.Unfinished(ctx, after, s.batchSize())
		if err != nil {
			return nil, err
		}
		for _, supporter := range page.Supporters {
			if err := s.addAttention(ctx, slug, supporter, waiting); err != nil {
				return nil, err
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	list := make([]state.Group, 0, len(waiting))
	for _, hash := range slices.Sorted(maps.Keys(waiting)) {
		list = append(list, waiting[hash])
	}
	return list, nil
}

func (s *Service) addAttention(ctx context.Context, slug, supporter string, into map[string]state.Group) error {
	sup, err := s.Inventory.Supporter(ctx, slug, supporter)
	if err != nil {
		return err
	}
	sup.Hash = supporter // even if none of the pledges is known
	f, err := s.records(ctx, slug, sup)
	for hash, rec := range f.Records {
		if rec.Group != nil && rec.Group.Status == state.NeedsAttention {
			into[hash] = *rec.Group
		}
	}
	return err
}

// Resolve records an operator's statement about a charge that needs attention. It takes effect when
// another operator states the same.
//
// It fails with code Conflict if the charge needs no attention, or if the processor's list
// contradicts the statement or may be incomplete. It fails with NotFound for an unknown campaign,
// charge or payment, and with Invalid for an incomplete statement.
func (s *Service) Resolve(ctx context.Context, slug, operator string, st state.Statement) (state.Group, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return state.Group{}, err
	}
	if err := st.Check(); err != nil {
		return state.Group{}, err
	}
	object := s.objectOf(slug)
	rec, err := object.Group(ctx, st.Group)
	if err != nil {
		return state.Group{}, err
	}
	if rec.Group == nil {
		return state.Group{}, fault.Wrap(state.NoGroup(), fault.NotFound, "There is no such charge").In("group")
	}
	g := *rec.Group
	if g.Status == state.NeedsAttention {
		if g, err = s.recordStatement(ctx, c, g, operator, st); err != nil {
			return state.Group{}, err
		}
	}
	if !g.ResolvedBy(st) {
		if g.Status == state.NeedsAttention {
			return g, nil
		}
		return state.Group{}, fault.New(fault.Conflict, "The charge needs no attention: it is %s", g.Status)
	}
	if err := s.settleRequested(ctx, c, g.Supporter); err != nil {
		return state.Group{}, err
	}
	rec, err = object.Group(ctx, st.Group)
	if err != nil {
		return state.Group{}, err
	}
	return *rec.Group, nil
}

// recordStatement verifies a statement and records it.
func (s *Service) recordStatement(ctx context.Context, c *campaign.Campaign, g state.Group,
	operator string, st state.Statement) (state.Group, error) {
	f, err := s.verifyStatement(ctx, c, g, st)
	if err != nil {
		return g, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return g, err
	}
	w, err := evidence.Statement{
		Operator: operator, CampaignSlug: c.Slug, Group: g.Hash, Generation: g.Generation,
		PaymentID: st.PaymentID, AcceptAmount: st.AcceptAmount, At: s.Now(),
	}.Write(nonce)
	if err != nil {
		return g, err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return g, err
	}
	g, err = s.objectOf(c.Slug).Resolve(ctx, g, operator, st, f, nonce)
	if err != nil {
		return g, err
	}
	return g, s.copyGroup(ctx, g)
}

// verifyStatement compares a statement with all payments that the processor has for the group, and
// returns the result to record. It fails with code Conflict if a payment contradicts the statement,
// or if a request may still reach the processor.
func (s *Service) verifyStatement(ctx context.Context, c *campaign.Campaign, g state.Group,
	st state.Statement) (state.Result, error) {
	named := psp.Payment{}
	if st.PaymentID != "" {
		var err error
		if named, err = s.readNamedPayment(ctx, g, st); err != nil {
			return state.Result{}, err
		}
	}
	_, generation, _ := state.ParseAttemptKey(named.Group, g.CampaignSlug)
	if until := g.MayArriveUntil(); generation != g.Generation && s.Now().Before(until) {
		return state.Result{}, fault.New(fault.Conflict,
			"The charge may still reach the processor until %s; state its outcome after that", until.UTC().Format(time.RFC3339))
	}
	found, err := s.paymentsOf(ctx, c, g)
	if err != nil {
		return state.Result{}, err
	}
	for _, p := range found {
		refunded, err := s.isRefunded(ctx, p)
		if err != nil {
			return state.Result{}, err
		}
		switch {
		case p.ID == named.ID, refunded:
		case p.Status == psp.Succeeded && named.ID == "":
			return state.Result{}, fault.New(fault.Conflict,
				"The processor has the payment %s of %s, which succeeded", p.ID, p.Amount)
		case p.Status == psp.Succeeded:
			return state.Result{}, fault.New(fault.Conflict,
				"The payment %s of %s succeeded as well; refund one of the two first", p.ID, p.Amount)
		case p.Status == psp.Pending, p.Status == psp.NeedsAction:
			return state.Result{}, fault.New(fault.Conflict,
				"The payment %s may still succeed; cancel it at the processor, or wait", p.ID)
		}
	}
	if named.ID == "" {
		return state.Result{FromLookup: true}, nil
	}
	return s.lookupResult(g, named), nil
}

// readNamedPayment returns the payment that a statement names, after checking that the group
// can be booked with it.
func (s *Service) readNamedPayment(ctx context.Context, g state.Group, st state.Statement) (psp.Payment, error) {
	p, err := s.Processor.Payment(ctx, st.PaymentID)
	if err != nil {
		return p, err
	}
	hash, generation, ours := state.ParseAttemptKey(p.Group, g.CampaignSlug)
	wrong := ""
	switch {
	case !ours || hash != g.Hash || generation > g.Generation:
		wrong = "does not belong to this charge"
	case p.Status != psp.Succeeded:
		wrong = fmt.Sprintf("has not succeeded: it is %s", p.Status)
	case len(g.Orders) == 0:
		wrong = "does not belong to a known pledge: refund it, then state that nothing was charged"
	case p.Currency != g.Currency, !st.AcceptAmount && (p.Amount != g.Amount || p.Received != g.Amount):
		wrong = fmt.Sprintf("is of %s %s, and the charge of %s %s", p.Received, p.Currency, g.Amount, g.Currency)
	default:
		if field := g.Compare(p, s.Processor.Mode()); field != "" {
			wrong = "differs from the charge in " + field
		}
	}
	if wrong != "" {
		return p, fault.New(fault.Conflict, "The payment %s", wrong).In("paymentIntentId")
	}
	return p, nil
}

// isRefunded reports whether succeeded refunds cover the whole payment.
func (s *Service) isRefunded(ctx context.Context, p psp.Payment) (bool, error) {
	if p.Status != psp.Succeeded || p.Refunded < p.Received {
		return false, nil
	}
	r, err := s.Processor.Reversals(ctx, p.ID)
	if err != nil {
		return false, err
	}
	var sum money.Cents
	for _, f := range r.Refunds {
		if f.Status == psp.RefundStatusSucceeded {
			sum += f.Amount
		}
	}
	return sum >= p.Received, nil
}

// paymentsOf lists all payments of a group, for all its attempts.
func (s *Service) paymentsOf(ctx context.Context, c *campaign.Campaign, g state.Group) ([]psp.Payment, error) {
	from, err := s.PaymentsSince(ctx, c)
	if err != nil {
		return nil, err
	}
	if g.SubmittedAt.Before(from) {
		from = g.SubmittedAt
	}
	for _, a := range g.History {
		if a.FirstSubmittedAt != nil && a.FirstSubmittedAt.Before(from) {
			from = *a.FirstSubmittedAt
		}
	}
	q := psp.PaymentQuery{From: from.Add(-day), To: s.Now().Add(day), Limit: 100}
	found := []psp.Payment{}
	for {
		page, err := s.Processor.Payments(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Payments {
			if hash, ours := state.GroupOf(p.Group, g.CampaignSlug); ours && hash == g.Hash {
				found = append(found, p)
			}
		}
		if q.After = page.Next; q.After == "" {
			return found, nil
		}
	}
}
