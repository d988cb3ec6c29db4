package settlement

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// A database that was restored, or lost its last writes, may know nothing of charges that
// were made. No mark in it can tell, since the mark goes back with the rest. So a run that
// can't vouch for what was done before it lists the processor's payments first, and takes
// into the campaign's object what that does not have; only then does it charge anybody.

// vouched is how long a process may rely on a list, as long as it follows on its own last
// lease. What was charged since without its knowledge, and went down with a database, the
// processor still has under the key that would be sent again.
const vouched = 11 * time.Hour

// Leases is what one process remembers of the leases that it has given back. The zero value
// is ready, and it is safe for concurrent use.
type Leases struct {
	mu   sync.Mutex
	last map[string]givenBack // by campaign
}

type givenBack struct {
	owner  string
	listed time.Time // when the processor's payments were last listed
}

func (t *Leases) note(slug string, last givenBack) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]givenBack{}
	}
	t.last[slug] = last
}

// vouch returns when the payments were last listed, where a lease follows this process's
// own last one, which is in the database to its end; else the zero time.
func (t *Leases) vouch(slug string, next Lease, now time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.last[slug]
	if !known || next.After != last.owner || now.Sub(last.listed) >= vouched {
		return time.Time{}
	}
	return last.listed
}

// paid is a payment of the campaign on the processor's list.
type paid struct {
	Hash       string     `json:"hash"`
	Generation int        `json:"generation"`
	PaymentID  string     `json:"paymentId"`
	Status     psp.Status `json:"status"`
}

// takeIn lists what was paid since the campaign ended and takes in what its object does
// not have.
func (r *run) takeIn(ctx context.Context) error {
	if r.Leases != nil {
		r.listed = r.Leases.vouch(r.campaign.Slug, r.lease, r.Now())
	}
	if !r.listed.IsZero() {
		return nil
	}
	began := r.Now()
	q := psp.PaymentQuery{From: r.campaign.EndsAt(r.Zone).Add(-day), To: r.Now().Add(day), Limit: 100}
	for {
		if err := r.ensure(ctx); err != nil {
			return err
		}
		page, err := r.Processor.Payments(ctx, q)
		if err != nil {
			return err
		}
		if err := r.adoptAll(ctx, page.Payments); err != nil {
			return err
		}
		if page.Next == "" {
			r.listed = began
			return nil
		}
		q.After = page.Next
	}
}

// adoptAll takes in what the object does not have of a page of payments, of any campaign.
func (r *run) adoptAll(ctx context.Context, payments []psp.Payment) error {
	ours := []paid{}
	byID := map[string]psp.Payment{}
	for _, p := range payments {
		if hash, generation, ok := attemptOf(p.Group, r.campaign.Slug); ok {
			ours = append(ours, paid{hash, generation, p.ID, p.Status})
			byID[p.ID] = p
		}
	}
	if len(ours) == 0 {
		return nil
	}
	missing, err := r.object.missing(ctx, ours)
	if err != nil {
		return err
	}
	for _, m := range missing {
		if err := r.adopt(ctx, m, byID[m.PaymentID]); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes a payment in. Of an attempt that the object has, it is a fact like any
// other. Else the attempt is made from what the supporter's pledges are now, as one that
// was sent; where they don't come to what was paid, it waits for an operator.
func (r *run) adopt(ctx context.Context, m paid, p psp.Payment) error {
	r.Log.WarnContext(ctx, "settlement: a payment is taken in that no record has", "campaign", r.campaign.Slug, "group", m.Hash, "payment", p.ID, "status", p.Status)
	sup, err := r.supporterOf(ctx, m.Hash)
	if fault.Is(err, fault.NotFound) {
		return nil // nobody can be charged for it again; reconciliation shows it
	}
	if err != nil {
		return err
	}
	g, err := r.attemptBehind(ctx, sup, m, p)
	if err != nil {
		return err
	}
	_, err = r.kept(ctx, g)(r.object.adopt(ctx, r.held(), g, answerOf([]psp.Payment{p})))
	return err
}

// attemptBehind makes the group of an attempt by its payment. Where only the payment is
// known, it claims the supporter's pledges for it; an attempt that the object has is of the
// pledges that it was frozen with, and claims no other.
func (r *run) attemptBehind(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) (Group, error) {
	known, err := r.object.get(ctx, m.Hash)
	if err != nil {
		return Group{}, err
	}
	var ids []string
	if known.Group != nil && known.Group.Generation >= m.Generation {
		ids = known.Group.orderIDs()
	} else if ids, err = r.found(ctx, sup, m, p); err != nil {
		return Group{}, err
	}
	pledges, err := r.read(ctx, ids)
	if err != nil {
		return Group{}, err
	}
	g := Group{
		Version: groupVersion, CampaignSlug: r.campaign.Slug, Hash: m.Hash, Supporter: sup.Hash,
		Generation: m.Generation, Key: attemptKey(r.campaign.Slug, m.Hash, m.Generation), Currency: money.USD,
		CustomerID: p.CustomerID, FirstSubmittedAt: &p.CreatedAt, Attempts: 1,
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
			first := pl.Recovery.Until.Add(-r.grace())
			g.FirstFailedAt = &first
		}
	}
	g.PaymentMethodID, g.CardSavedAt = cardBehind(members, p)
	return g, nil
}

// cardBehind is the card of a payment for pledges, as far as they tell: of those that might
// have paid for all of them by then.
func cardBehind(pledges []*pledge.Pledge, p psp.Payment) (id string, savedAt time.Time) {
	may := slices.DeleteFunc(slices.Clone(payers(nil, pledges)), func(pl *pledge.Pledge) bool { return pl.CardSavedAt.After(p.CreatedAt) })
	if newest := newestCard(may); newest != nil {
		return newest.PaymentMethodID, newest.CardSavedAt
	}
	return "", time.Time{}
}

// found claims the pledges that a payment is for, and returns them.
func (r *run) found(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) ([]string, error) {
	ids, err := r.behind(ctx, sup, m, p)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		_, err := r.Orders.ClaimFound(ctx, id, m.Hash, m.Generation)
		if err != nil && !fault.Is(err, fault.Conflict) {
			return nil, err
		}
	}
	return ids, nil
}

// behind finds the pledges that a payment is for. The wish to have them joined may be lost
// with the rest: where those that are joined don't come to what was paid, it may be for any
// that settlement has not begun with, and none of them is charged again by itself.
func (r *run) behind(ctx context.Context, sup inventory.Supporter, m paid, p psp.Payment) ([]string, error) {
	if m.Hash != hashOf(r.campaign.Slug, sup.Hash) {
		return sup.Pledges, nil // one, charged alone
	}
	parties, _, err := r.parties(ctx, r.campaign.Slug, sup)
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

func (r *run) grace() time.Duration { return time.Duration(r.campaign.Recovery.GraceDays) * day }

// supporterOf finds whose group a hash names. It fails with code NotFound for one who has
// no pledge here.
func (r *run) supporterOf(ctx context.Context, hash string) (inventory.Supporter, error) {
	if r.supporters == nil {
		all := map[string]inventory.Supporter{}
		for cursor := ""; ; {
			page, err := r.Inventory.Supporters(ctx, r.campaign.Slug, cursor, r.batchSize())
			if err != nil {
				return inventory.Supporter{}, err
			}
			for _, sup := range page.Supporters {
				all[hashOf(r.campaign.Slug, sup.Hash)] = sup
				for _, id := range sup.Pledges {
					all[hashOf(r.campaign.Slug, id)] = inventory.Supporter{Hash: sup.Hash, Pledges: []string{id}}
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		r.supporters = all
	}
	sup, known := r.supporters[hash]
	if !known {
		return sup, noGroup()
	}
	return sup, nil
}
