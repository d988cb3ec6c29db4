package settlement

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A database that was restored, or lost its last writes, may lack charges that were made. A
// marker in the database cannot show that, because it would be restored too. So unless a run
// directly follows a run of the same process, it first lists the processor's payments and
// imports those that are missing from the campaign's object. Only then does it charge.

// importPayments lists the processor's payments since the first pledge and adopts those that are
// missing from the campaign's object. It does nothing if an earlier import of this process is still
// valid (see Leases), unless the campaign is closed or is to be closed. The payments of a closed
// campaign are not adopted; it has to be reopened first.
func (a *admission) importPayments(ctx context.Context) error {
	if a.Leases != nil && a.purpose != purposeClose && !a.closed {
		a.imported, a.agreed = a.Leases.lastImports(a.campaign.Slug, a.currentLease(), a.Now())
	}
	if !a.imported.IsZero() {
		return nil
	}
	began := a.Now()
	restored, err := a.Switch().RestoredAt(ctx)
	if err != nil {
		return err
	}
	from, err := a.PaymentsSince(ctx, a.campaign)
	if err != nil {
		return err
	}
	q := psp.PaymentQuery{From: from, To: began.Add(day), Limit: 100}
	for {
		if err := a.ensureLease(ctx); err != nil {
			return err
		}
		page, err := a.Processor.Payments(ctx, q)
		if err != nil {
			return err
		}
		if err := a.importPage(ctx, page.Payments); err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	if a.importedAfter = &restored; a.closed {
		return nil
	}
	if err := errors.Join(a.importRefused(ctx), a.requestForgottenVisits(ctx)); err != nil {
		return err
	}
	a.imported = began
	return nil
}

// succeededPayments returns the IDs of the succeeded payments that this admission's import found,
// except those refunded in full. It is empty if the admission relies on an earlier import.
func (a *admission) succeededPayments() map[string]bool {
	ids := map[string]bool{}
	for _, p := range a.effective {
		if p.Status == psp.Succeeded {
			ids[p.ID] = true
		}
	}
	return ids
}

// importRefused adopts the payments that moved no money, or whose money was refunded, if the
// campaign may be charged. Such payments must not start the settlement of a campaign that
// missed its goal.
func (a *admission) importRefused(ctx context.Context) error {
	if len(a.refused) == 0 {
		return nil
	}
	err := a.checkFunded(ctx, a.campaign)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	if err != nil {
		return err
	}
	for page := range slices.Chunk(a.refused, 100) {
		if err := errors.Join(a.ensureLease(ctx), a.adoptMissing(ctx, page)); err != nil {
			return err
		}
	}
	return nil
}

// PaymentsSince returns the start of a campaign's payment window: a day before the earliest of
// its first saved card, the deadlines that supporters were promised, and the file's deadline.
// If no pledge is known, the campaign's start replaces the first saved card. No payment of the
// campaign is older, even if the deadline in the file was changed or a restore lost all
// pledges.
func (s *Service) PaymentsSince(ctx context.Context, c *campaign.Campaign) (time.Time, error) {
	from := c.EndsAt(s.Zone)
	earlier := func(t time.Time) {
		if !t.IsZero() && t.Before(from) {
			from = t
		}
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return from, err
	}
	made, err := s.Inventory.Promises(ctx, c.Slug)
	if err != nil {
		return from, err
	}
	for _, p := range made {
		earlier(p.EndsAt)
	}
	earlier(snap.Totals.Since)
	switch {
	case !snap.Totals.Since.IsZero():
	case snap.Totals.Listed == 0:
		earlier(c.StartsAt(s.Zone))
	default: // release 0.1.0 did not record when the first card was saved
		first, err := s.firstPledgeAt(ctx, c)
		if err != nil {
			return from, err
		}
		earlier(first)
	}
	return from.Add(-day).UTC(), nil
}

// firstPledgeAt returns when the first pledge of a campaign was made, the campaign's start if the
// order of that pledge is lost, or the zero time if there is no pledge.
func (s *Service) firstPledgeAt(ctx context.Context, c *campaign.Campaign) (time.Time, error) {
	ids, err := s.Inventory.Listed(ctx, c.Slug, 0, 1)
	if err != nil || len(ids) == 0 {
		return time.Time{}, err
	}
	p, err := s.Orders.Pledge(ctx, ids[0])
	if fault.Is(err, fault.NotFound) {
		return c.StartsAt(s.Zone), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return p.ValueTime, nil
}

// importPage adopts the campaign's payments in a page that are missing from its object, unless the
// campaign is closed; a page has payments of all campaigns. Before the first charge, payments that
// moved no money are left to importRefused.
func (a *admission) importPage(ctx context.Context, payments []psp.Payment) error {
	var adoptable []psp.Payment
	for _, p := range payments {
		_, _, ours := state.ParseAttemptKey(p.Group, a.campaign.Slug)
		switch {
		case !ours:
		case movedOrMayMove(p):
			a.effective = append(a.effective, p)
			adoptable = append(adoptable, p)
		case a.begun:
			adoptable = append(adoptable, p)
		default:
			a.refused = append(a.refused, p)
		}
	}
	if a.closed {
		return nil
	}
	return a.adoptMissing(ctx, adoptable)
}

// adoptMissing adopts those payments of the campaign that are missing from its object.
func (a *admission) adoptMissing(ctx context.Context, payments []psp.Payment) error {
	if len(payments) == 0 {
		return nil
	}
	listed := make([]state.ListedPayment, 0, len(payments))
	byID := map[string]psp.Payment{}
	for _, p := range payments {
		hash, generation, _ := state.ParseAttemptKey(p.Group, a.campaign.Slug)
		listed = append(listed, state.ListedPayment{Hash: hash, Generation: generation, PaymentID: p.ID, Status: p.Status,
			Refunded: p.Status == psp.Succeeded && p.Refunded >= p.Received, Pledges: len(p.Pledges)})
		byID[p.ID] = p
	}
	missing, err := a.object.Missing(ctx, listed)
	if err != nil {
		return err
	}
	for _, m := range missing {
		if err := a.adopt(ctx, m, byID[m.PaymentID]); err != nil {
			return err
		}
	}
	return nil
}

// movedOrMayMove reports whether a payment moved money that was not refunded in full, or may
// still succeed.
func movedOrMayMove(p psp.Payment) bool {
	switch p.Status {
	case psp.Succeeded:
		return p.Refunded < p.Received
	case psp.Pending, psp.NeedsAction:
		return true
	default:
		return false
	}
}

// adopt imports a payment. If the object has its attempt, the payment is recorded as a result.
// Otherwise the attempt is rebuilt from the supporter's pledges as one that was sent; if their
// total differs from the payment, the charge waits for an operator.
func (a *admission) adopt(ctx context.Context, m state.ListedPayment, p psp.Payment) error {
	a.Log.WarnContext(ctx, "settlement: found a payment without a record", "campaign", a.campaign.Slug,
		"group", m.Hash, "payment", p.ID, "status", p.Status)
	sup, err := a.supporterOf(ctx, m.Hash)
	if fault.Is(err, fault.NotFound) {
		return nil // no further charge of its pledges is possible; reconciliation reports it
	}
	if err != nil {
		return err
	}
	g, err := a.rebuildAttempt(ctx, sup, m, p)
	if fault.Is(err, fault.NotFound) {
		return nil // its order is lost, so it cannot be charged again either
	}
	if err != nil {
		return err
	}
	_, err = a.copyAfter(ctx, g)(a.object.Adopt(ctx, a.currentLease(), g, a.lookupResult(g, p)))
	return err
}

// rebuildAttempt rebuilds the group of an attempt from its payment. If the object has the
// attempt, the group keeps the pledges that it was frozen with. If only the payment is known,
// or pledges that it names were lost, claimFound claims the supporter's pledges for it.
func (a *admission) rebuildAttempt(ctx context.Context, sup inventory.Supporter,
	m state.ListedPayment, p psp.Payment) (state.Group, error) {
	known, err := a.object.Group(ctx, m.Hash)
	if err != nil {
		return state.Group{}, err
	}
	var ids []string
	if known.Group != nil && known.Group.Generation >= m.Generation && !known.Group.MissesPledges(m) {
		ids = known.Group.OrderIDs()
	} else if ids, err = a.claimFound(ctx, sup, m, p); err != nil {
		return state.Group{}, err
	}
	pledges, err := a.readPledges(ctx, ids)
	if err != nil {
		return state.Group{}, err
	}
	g := state.Group{
		Version: state.GroupVersion, CampaignSlug: a.campaign.Slug, Hash: m.Hash, Supporter: sup.Hash,
		Generation: m.Generation, Key: state.AttemptKey(a.campaign.Slug, m.Hash, m.Generation), Currency: money.USD,
		FirstSubmittedAt: &p.CreatedAt, Attempts: 1, NamesPledges: len(p.Pledges) > 0,
	}
	var members []*pledge.Pledge
	for _, pl := range pledges {
		failed := pl.LastFailure != nil && pl.LastFailure.Generation == m.Generation
		if !isClaimedFor(pl, m.Hash, m.Generation) && !failed && pl.PaymentIntentID != p.ID {
			continue
		}
		members = append(members, pl)
		g.Orders = append(g.Orders, state.NewPart(pl))
		g.Amount += pl.Amount
		if pl.Recovery != nil { // the supporter got this deadline by email
			first := pl.Recovery.Until.Add(-a.grace())
			g.FirstFailedAt = &first
		}
	}
	card := paymentCard(a.Grouping, members, p)
	g.CustomerID, g.PaymentMethodID, g.CardSavedAt = card.CustomerID, card.PaymentMethodID, card.SavedAt
	if known.Group != nil && known.Group.Generation == m.Generation { // the payment has to match the request
		g.CustomerID, g.PaymentMethodID = known.Group.CustomerID, known.Group.PaymentMethodID
	}
	return g, nil
}

// paymentCard returns the card with which a payment for pledges was made. If one of the pledges has
// the card, the customer is that pledge's, even if the payment names another. Otherwise the card
// counts as saved when the payment was made. If the processor does not name the card, it is the
// newest card that may have paid for all of the pledges.
func paymentCard(by pledge.Grouping, pledges []*pledge.Pledge, p psp.Payment) order.Card {
	for _, pl := range pledges {
		if pl.PaymentMethodID == p.PaymentMethodID && p.PaymentMethodID != "" {
			return order.Card{CustomerID: pl.CustomerID, PaymentMethodID: pl.PaymentMethodID, SavedAt: pl.CardSavedAt}
		}
	}
	if p.PaymentMethodID != "" {
		return order.Card{CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, SavedAt: p.CreatedAt}
	}
	may := slices.DeleteFunc(slices.Clone(payers(by, nil, pledges)),
		func(pl *pledge.Pledge) bool { return pl.CardSavedAt.After(p.CreatedAt) })
	if newest := newestCard(may); newest != nil {
		return order.Card{CustomerID: p.CustomerID, PaymentMethodID: newest.PaymentMethodID, SavedAt: newest.CardSavedAt}
	}
	return order.Card{CustomerID: p.CustomerID}
}

// claimFound claims the pledges that a payment is for, and returns their IDs, including those that
// could not be claimed.
func (a *admission) claimFound(ctx context.Context, sup inventory.Supporter, m state.ListedPayment,
	p psp.Payment) ([]string, error) {
	ids, err := a.findPledges(ctx, sup, m, p)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		_, err := a.Orders.ClaimFound(ctx, id, m.Hash, m.Generation)
		if err != nil && !fault.Is(err, fault.Conflict) {
			return nil, err
		}
	}
	return ids, nil
}

// findPledges returns the pledges that a payment is for: the supporter's pledges that it
// names. A payment that names none may be for joined pledges whose joining was lost. If the
// joined pledges do not add up to its amount, it may be for any unclaimed pledge, and none of
// those is charged again automatically.
func (a *admission) findPledges(ctx context.Context, sup inventory.Supporter, m state.ListedPayment,
	p psp.Payment) ([]string, error) {
	if len(p.Pledges) > 0 {
		return slices.DeleteFunc(slices.Clone(p.Pledges),
			func(id string) bool { return !slices.Contains(sup.Pledges, id) }), nil
	}
	if m.Hash != state.HashOf(a.campaign.Slug, sup.Hash) {
		return a.findOwnPledges(ctx, sup, m, p)
	}
	groups, _, err := a.chargeGroups(ctx, a.campaign.Slug, sup)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, cg := range groups {
		refused := p.Status == psp.Declined || p.Status == psp.Canceled
		if cg.hash == m.Hash && (refused || totalOf(cg.payable(p.ID)) == p.Amount) {
			return cg.ids(), nil
		}
		if cg.hash == m.Hash {
			ids = cg.ids()
		}
	}
	for _, id := range unclaimed(groups) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (a *admission) grace() time.Duration {
	return time.Duration(a.campaign.Recovery.GraceDays) * day
}

// supporterOf returns the supporter of a group hash. It fails with code NotFound if the campaign
// has no pledge of theirs.
func (a *admission) supporterOf(ctx context.Context, hash string) (inventory.Supporter, error) {
	if a.supporters == nil {
		all := map[string]inventory.Supporter{}
		for cursor := ""; ; {
			page, err := a.Inventory.Supporters(ctx, a.campaign.Slug, cursor, a.batchSize())
			if err != nil {
				return inventory.Supporter{}, err
			}
			for _, sup := range page.Supporters {
				all[state.HashOf(a.campaign.Slug, sup.Hash)] = sup
				for _, id := range sup.Pledges {
					all[state.HashOf(a.campaign.Slug, id)] = sup
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		a.supporters = all
	}
	sup, known := a.supporters[hash]
	if !known {
		return sup, state.NoGroup()
	}
	return sup, nil
}
