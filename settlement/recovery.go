package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const day = 24 * time.Hour

// lookAgain is how often a payment that its supporter may still approve is read
// where no webhook said that it was.
const lookAgain = 6 * time.Hour

// readable is when what was written can be read everywhere: far more than the minute of
// kv.Store, for clocks that differ.
const readable = time.Hour

// recovery says how a failed charge goes on, by the policy of its campaign. It
// depends on nothing but the record, so that whoever is told later is told the
// same.
func (g *Group) recovery(policy campaign.Recovery) pledge.Recovery {
	if g.DroppedAt != nil {
		return pledge.Recovery{Lane: pledge.Dropped, Until: *g.DroppedAt}
	}
	r := pledge.Recovery{Lane: pledge.NewCard, Until: g.firstFailure().Add(time.Duration(policy.GraceDays) * day)}
	if g.Confirmable {
		r.Lane = pledge.Approve
	} else if at, ok := g.retryAt(policy); ok {
		r.Lane, r.RetryAt = pledge.Wait, &at
	}
	return r
}

// retryAt is when the same card is tried again by itself, if it is.
func (g *Group) retryAt(policy campaign.Recovery) (time.Time, bool) {
	if g.Status != Failed || g.Confirmable || !g.MayPass || g.tries() >= policy.Attempts || g.SettledAt == nil {
		return time.Time{}, false
	}
	for _, days := range policy.RetryDays {
		if at := g.firstFailure().Add(time.Duration(days) * day); at.After(*g.SettledAt) {
			return at, true
		}
	}
	return time.Time{}, false
}

// over reports whether the charge can't be made good any more. A new card is
// tried however late it comes; a payment that its supporter may approve needs no
// further attempt.
func (g *Group) over(policy campaign.Recovery, now time.Time, newCard bool) bool {
	spent := g.tries() >= policy.Attempts
	if newCard {
		return spent
	}
	return spent && !g.Confirmable || !now.Before(g.recovery(policy).Until)
}

// tries counts the attempts that were made. A void one was none.
func (g *Group) tries() int {
	n := g.Generation
	if g.Void {
		n--
	}
	for _, a := range g.History {
		if a.Void {
			n--
		}
	}
	return n
}

func (g *Group) firstFailure() time.Time {
	if g.FirstFailedAt == nil {
		return g.UpdatedAt
	}
	return *g.FirstFailedAt
}

// retire sees to it that the last attempt can't succeed any more before another
// takes its place, or the pledges are given up: a payment that its supporter
// could still approve is canceled first. One that was approved meanwhile is
// booked, and what the processor still works on is waited for.
func (r *run) retire(ctx context.Context, g Group) (Group, error) {
	p, err := r.Processor.CancelPayment(ctx, g.PaymentIntentID, "cancel:"+g.Key)
	if err != nil {
		return g, err
	}
	told, err := r.tell(ctx, g, r.lookupResult(g, p))
	if err != nil {
		return told, err
	}
	return r.drive(ctx, told)
}

// drop gives a supporter's pledges up.
func (r *run) drop(ctx context.Context, g Group) error {
	dropped, err := r.kept(ctx, g)(r.object.drop(ctx, r.currentLease(), g))
	if err != nil {
		return err
	}
	_, err = r.drive(ctx, dropped)
	return err
}

// noteRecoveries leaves a note for every supporter whose failed charge has
// something due: a new card that nobody has tried, the retry of the old one, a
// payment to ask after, a pledge that knows nothing of it, or the end.
func (s *Service) noteRecoveries(ctx context.Context, c *campaign.Campaign) error {
	object := client{s.Coordinator, c.Slug}
	for after := ""; ; {
		page, err := object.failures(ctx, after, s.batchSize())
		if err != nil {
			return err
		}
		for _, g := range page.Groups {
			due, err := s.recoveryDue(ctx, c, &g)
			if err != nil {
				return err
			}
			if !due {
				continue
			}
			if err := s.leaveNote(ctx, c.Slug, g.Supporter); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		after = page.Next
	}
}

func (s *Service) recoveryDue(ctx context.Context, c *campaign.Campaign, g *Group) (bool, error) {
	now := s.Now()
	if g.Confirmable && (g.AskedAt == nil || now.Sub(*g.AskedAt) > lookAgain) {
		return true, nil
	}
	sup, err := s.Inventory.Supporter(ctx, c.Slug, g.Supporter)
	if err != nil {
		return false, err
	}
	parties, _, err := s.parties(ctx, c.Slug, sup)
	if err != nil {
		return false, err
	}
	for _, pt := range parties {
		if pt.hash != g.Hash {
			continue
		}
		if slices.ContainsFunc(pt.pledges, g.unknownTo) {
			return true, nil
		}
		switch s.foresee(c, pt).verdict {
		case toCharge:
			return true, nil
		case toDrop:
			return s.hadGrace(ctx, c, pt)
		default:
			return false, nil
		}
	}
	return false, nil
}

// hadGrace reports whether a supporter has had all the time there is for giving another
// card since the first mail that asks for it was taken by the provider, or can't be sent
// any more.
func (s *Service) hadGrace(ctx context.Context, c *campaign.Campaign, pt party) (bool, error) {
	if pt.group.tries() >= c.Recovery.Attempts {
		return true, nil
	}
	told := slices.IndexFunc(pt.pledges, func(p *pledge.Pledge) bool { return slices.Contains(pt.group.orderIDs(), p.OrderID) })
	if told < 0 { // of the pledges that the charge was for none is known any more
		return true, nil
	}
	d, err := s.asked(ctx, pt.group, pt.pledges[told])
	if fault.Is(err, fault.NotFound) { // of long ago, or of before a restore; or it was queued just now
		return s.Now().Sub(pt.group.UpdatedAt) > readable, nil
	}
	if err != nil {
		return false, err
	}
	taken := d.QueuedAt.Add(notify.OutboxLife) // when it is given up, where it is not taken before
	if d.EndedAt != nil {
		taken = *d.EndedAt
	}
	return !s.Now().Before(taken.Add(time.Duration(c.Recovery.GraceDays) * day)), nil
}

// asked returns what became of the first mail that asks for another card. It was sent under
// the group's name, which the pledge has lost where its order went back to a time before
// the charge; an earlier release sent it under the address'.
func (s *Service) asked(ctx context.Context, g *Group, p *pledge.Pledge) (notify.Delivery, error) {
	charged := *p
	charged.Group = g.Hash
	d, err := s.Outbox.Delivery(ctx, notify.UpdateCardIdentity(&charged, g.firstFailed()))
	if err == nil && d.Status == notify.Discarded && g.Generation > g.firstFailed() { // it was not true for long
		d, err = s.Outbox.Delivery(ctx, notify.UpdateCardIdentity(&charged, g.Generation))
	}
	if p.Group != "" || !fault.Is(err, fault.NotFound) {
		return d, err
	}
	return s.Outbox.Delivery(ctx, notify.UpdateCardIdentity(p, g.firstFailed()))
}

// earlierFailure is when the first generation before this one failed, nil if none did.
func (g *Group) earlierFailure() *time.Time {
	if g.FirstFailedAt == nil || g.SettledAt == nil || g.FirstFailedAt.Equal(*g.SettledAt) {
		return nil
	}
	return g.FirstFailedAt
}

// firstFailed is the generation that failed first. Of a void one nobody was told.
func (g *Group) firstFailed() int {
	for _, a := range g.History {
		if a.Status == Failed && !a.Void {
			return a.Generation
		}
	}
	return g.Generation
}

func (s *Service) foresee(c *campaign.Campaign, pt party) plan {
	p := pt.plan(c.Recovery, s.Now())
	if p.verdict == toCharge && pt.disagreed {
		p.verdict = disagreed
	}
	return p
}

// Approved takes the word that the supporter of a pledge has confirmed the payment that
// waited for it: the processor is asked, and what it says is booked. It fails as
// RetryCard does.
func (s *Service) Approved(ctx context.Context, p *pledge.Pledge) error {
	object := client{s.Coordinator, p.CampaignSlug}
	rec, err := object.get(ctx, claimedBy(p))
	if err != nil || rec.Group == nil || rec.Group.done() && !rec.Group.Confirmable {
		return err
	}
	if rec.Group.Confirmable {
		found, err := s.Processor.Payment(ctx, rec.Group.PaymentIntentID)
		if err != nil {
			return err
		}
		if _, err := object.tell(ctx, Lease{}, *rec.Group, s.lookupResult(*rec.Group, found)); err != nil {
			return err
		}
	}
	// Also where it was told before: another run may have had the campaign then.
	return s.RetryCard(ctx, p.CampaignSlug, p.Email)
}
