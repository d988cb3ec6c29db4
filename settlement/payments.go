package settlement

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A database that was restored, or lost its last writes, may know nothing of charges that
// were made. No mark in it can tell, since the mark goes back with the rest. So a run that
// can't vouch for what was done before it lists the processor's payments first, and takes
// into the campaign's object what that does not have; only then does it charge anybody.

// vouched is how long a process may rely on a list, as long as it follows on its own last
// lease. What was charged since without its knowledge, and went down with a database, the
// processor still has under the key that would be sent again.
const vouched = 11 * time.Hour

// Leases is what one process remembers of the leases that it released, and when it last checked
// the processor's account and clock. The zero value is ready, and it is safe for concurrent use.
type Leases struct {
	mu      sync.Mutex
	last    map[string]givenBack // by campaign
	checked time.Time
}

type givenBack struct {
	owner  string
	listed time.Time // when the processor's payments were last listed
	agreed time.Time // when the terms that supporters agreed to were last read
}

func (t *Leases) note(slug string, last givenBack) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]givenBack{}
	}
	t.last[slug] = last
}

// vouch returns when the payments were last listed and the terms last read, if a lease follows
// this process's own last one, which is in the database to its end. A zero time means that
// they have to be read again.
func (t *Leases) vouch(slug string, next Lease, now time.Time) (listed, agreed time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.last[slug]
	if !known || next.After != last.owner {
		return time.Time{}, time.Time{}
	}
	if now.Sub(last.listed) < vouched {
		listed = last.listed
	}
	if now.Sub(last.agreed) < vouched {
		agreed = last.agreed
	}
	return listed, agreed
}

// paid is a payment of the campaign on the processor's list.
type paid struct {
	Hash       string     `json:"hash"`
	Generation int        `json:"generation"`
	PaymentID  string     `json:"paymentId"`
	Status     psp.Status `json:"status"`
	Refunded   bool       `json:"refunded,omitempty"` // in full
	Pledges    int        `json:"pledges,omitempty"`  // how many it names
}

// importPayments lists the processor's payments since the first pledge and adopts those that
// the campaign's object does not have. If an earlier run of this process did so and vouches
// for everything since, no second list is needed, unless a campaign is to be closed or was: then
// the list is read anew. The payments of a closed campaign are not adopted: it is reopened first.
func (a *admission) importPayments(ctx context.Context) error {
	if a.Leases != nil && a.purpose != purposeClose && !a.closed {
		a.imported, a.agreed = a.Leases.vouch(a.campaign.Slug, a.currentLease(), a.Now())
	}
	if !a.imported.IsZero() {
		return nil
	}
	began := a.Now()
	restored, err := a.restoredAt(ctx)
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
	if err := errors.Join(a.importRefused(ctx), a.noteForgotten(ctx)); err != nil {
		return err
	}
	a.imported = began
	return nil
}

// succeeded returns the IDs of the campaign's payments that succeeded, by this admission's import.
// It is empty if an earlier one vouches for it.
func (a *admission) succeeded() map[string]bool {
	ids := map[string]bool{}
	for _, p := range a.standing {
		if p.Status == psp.Succeeded {
			ids[p.ID] = true
		}
	}
	return ids
}

// importRefused adopts the payments that moved nothing, or whose money was given back, if the
// campaign may be charged: they do not make one begin that missed its goal.
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

// PaymentsSince is where the window of a campaign's payments begins: a day before the earliest
// of its first saved card, the deadlines that its supporters were promised, and its file's
// deadline; if no pledge is known, before the campaign's start. Whatever deadline the file has
// now, and if a restore has lost all pledges, no payment of the campaign is older.
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
	default: // accounts of an earlier release
		first, err := s.firstPledgeAt(ctx, c)
		if err != nil {
			return from, err
		}
		earlier(first)
	}
	return from.Add(-day).UTC(), nil
}

// firstPledgeAt is when the first pledge of a campaign was made, or the campaign's start if the
// order of that pledge is lost.
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

// importPage adopts what the object does not have of a page of payments, which may be of any
// campaign.
func (a *admission) importPage(ctx context.Context, payments []psp.Payment) error {
	var adoptable []psp.Payment
	for _, p := range payments {
		_, _, ours := attemptOf(p.Group, a.campaign.Slug)
		switch {
		case !ours:
		case movedOrMayMove(p):
			a.standing = append(a.standing, p)
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

// adoptMissing adopts those payments of the campaign that its object does not have.
func (a *admission) adoptMissing(ctx context.Context, payments []psp.Payment) error {
	if len(payments) == 0 {
		return nil
	}
	listed := make([]paid, 0, len(payments))
	byID := map[string]psp.Payment{}
	for _, p := range payments {
		hash, generation, _ := attemptOf(p.Group, a.campaign.Slug)
		listed = append(listed, paid{hash, generation, p.ID, p.Status, p.Status == psp.Succeeded && p.Refunded >= p.Received, len(p.Pledges)})
		byID[p.ID] = p
	}
	missing, err := a.object.missing(ctx, listed)
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

// movedOrMayMove reports whether a payment moved money that was not given back in full, or may
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

// adopt takes a payment in. Of an attempt that the object has, it is a fact like any
// other. Else the attempt is made from what the supporter's pledges are now, as one that
// was sent; where they don't come to what was paid, it waits for an operator.
func (a *admission) adopt(ctx context.Context, m paid, p psp.Payment) error {
	a.Log.WarnContext(ctx, "settlement: a payment is taken in that no record has", "campaign", a.campaign.Slug, "group", m.Hash, "payment", p.ID, "status", p.Status)
	sup, err := a.supporterOf(ctx, m.Hash)
	if fault.Is(err, fault.NotFound) {
		return nil // nobody can be charged for it again; reconciliation shows it
	}
	if err != nil {
		return err
	}
	g, err := a.attemptBehind(ctx, sup, m, p)
	if fault.Is(err, fault.NotFound) {
		return nil // its order is lost: as above
	}
	if err != nil {
		return err
	}
	_, err = a.kept(ctx, g)(a.object.adopt(ctx, a.currentLease(), g, a.lookupResult(g, p)))
	return err
}

// attemptBehind makes the group of an attempt by its payment. Where only the payment is
// known, or pledges that it names were lost, it claims the supporter's pledges for it; an attempt
// that the object has is otherwise of the pledges that it was frozen with, and claims no other.
func (a *admission) attemptBehind(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) (Group, error) {
	known, err := a.object.get(ctx, m.Hash)
	if err != nil {
		return Group{}, err
	}
	var ids []string
	if known.Group != nil && known.Group.Generation >= m.Generation && !known.Group.lacks(m) {
		ids = known.Group.orderIDs()
	} else if ids, err = a.found(ctx, sup, m, p); err != nil {
		return Group{}, err
	}
	pledges, err := a.read(ctx, ids)
	if err != nil {
		return Group{}, err
	}
	g := Group{
		Version: groupVersion, CampaignSlug: a.campaign.Slug, Hash: m.Hash, Supporter: sup.Hash,
		Generation: m.Generation, Key: attemptKey(a.campaign.Slug, m.Hash, m.Generation), Currency: money.USD,
		FirstSubmittedAt: &p.CreatedAt, Attempts: 1, NamesPledges: len(p.Pledges) > 0,
	}
	var members []*pledge.Pledge
	for _, pl := range pledges {
		failed := pl.LastFailure != nil && pl.LastFailure.Generation == m.Generation
		if !isHeld(pl, m.Hash, m.Generation) && !failed && pl.PaymentIntentID != p.ID {
			continue
		}
		members = append(members, pl)
		g.Orders = append(g.Orders, Part{ID: pl.OrderID, Amount: pl.Amount})
		g.Amount += pl.Amount
		if pl.Recovery != nil { // its supporter was told until when
			first := pl.Recovery.Until.Add(-a.grace())
			g.FirstFailedAt = &first
		}
	}
	card := cardBehind(a.Grouping, members, p)
	g.CustomerID, g.PaymentMethodID, g.CardSavedAt = card.CustomerID, card.PaymentMethodID, card.SavedAt
	if known.Group != nil && known.Group.Generation == m.Generation { // the payment has to be the one that was requested
		g.CustomerID, g.PaymentMethodID = known.Group.CustomerID, known.Group.PaymentMethodID
	}
	return g, nil
}

// cardBehind is the card of a payment for pledges. If one of the pledges has it, it is that
// pledge's customer's, whomever the payment names. Else it is as old as the payment; if the
// processor names no card, it is the newest that might have paid for all of the pledges.
func cardBehind(by pledge.Grouping, pledges []*pledge.Pledge, p psp.Payment) order.Card {
	for _, pl := range pledges {
		if pl.PaymentMethodID == p.PaymentMethodID && p.PaymentMethodID != "" {
			return order.Card{CustomerID: pl.CustomerID, PaymentMethodID: pl.PaymentMethodID, SavedAt: pl.CardSavedAt}
		}
	}
	if p.PaymentMethodID != "" {
		return order.Card{CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID, SavedAt: p.CreatedAt}
	}
	may := slices.DeleteFunc(slices.Clone(payers(by, nil, pledges)), func(pl *pledge.Pledge) bool { return pl.CardSavedAt.After(p.CreatedAt) })
	if newest := newestCard(may); newest != nil {
		return order.Card{CustomerID: p.CustomerID, PaymentMethodID: newest.PaymentMethodID, SavedAt: newest.CardSavedAt}
	}
	return order.Card{CustomerID: p.CustomerID}
}

// found claims the pledges that a payment is for, and returns them.
func (a *admission) found(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) ([]string, error) {
	ids, err := a.behind(ctx, sup, m, p)
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

// behind finds the pledges that a payment is for: those of the supporter that it names. If it
// names none, the wish to have them joined may be lost with the rest: where those that are joined
// don't come to what was paid, it may be for any that settlement has not begun with, and none of
// them is charged again by itself.
func (a *admission) behind(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) ([]string, error) {
	if len(p.Pledges) > 0 {
		return slices.DeleteFunc(slices.Clone(p.Pledges), func(id string) bool { return !slices.Contains(sup.Pledges, id) }), nil
	}
	if m.Hash != hashOf(a.campaign.Slug, sup.Hash) {
		return a.behindOwn(ctx, sup, m, p)
	}
	parties, _, err := a.parties(ctx, a.campaign.Slug, sup)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, pt := range parties {
		refused := p.Status == psp.Declined || p.Status == psp.Canceled
		if pt.hash == m.Hash && (refused || worth(pt.payable(p.ID)) == p.Amount) {
			return pt.ids(), nil
		}
		if pt.hash == m.Hash {
			ids = pt.ids()
		}
	}
	for _, id := range free(parties) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (a *admission) grace() time.Duration { return time.Duration(a.campaign.Recovery.GraceDays) * day }

// supporterOf finds whose group a hash names. It fails with code NotFound for one who has
// no pledge here.
func (a *admission) supporterOf(ctx context.Context, hash string) (inventory.Supporter, error) {
	if a.supporters == nil {
		all := map[string]inventory.Supporter{}
		for cursor := ""; ; {
			page, err := a.Inventory.Supporters(ctx, a.campaign.Slug, cursor, a.batchSize())
			if err != nil {
				return inventory.Supporter{}, err
			}
			for _, sup := range page.Supporters {
				all[hashOf(a.campaign.Slug, sup.Hash)] = sup
				for _, id := range sup.Pledges {
					all[hashOf(a.campaign.Slug, id)] = sup
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
		return sup, noGroup()
	}
	return sup, nil
}
