package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const day = 24 * time.Hour

// Recovery returns the next step for a failed charge under the campaign's policy. It depends
// only on the record, so that later emails are consistent with earlier ones.
func (g *Group) Recovery(policy campaign.Recovery) pledge.Recovery {
	if g.DroppedAt != nil {
		return pledge.Recovery{Lane: pledge.Dropped, Until: *g.DroppedAt}
	}
	r := pledge.Recovery{Lane: pledge.NewCard, Until: g.FirstFailure().Add(time.Duration(policy.GraceDays) * day)}
	if g.Confirmable {
		r.Lane = pledge.Approve
	} else if at, ok := g.RetryAt(policy); ok {
		r.Lane, r.RetryAt = pledge.Wait, &at
	}
	return r
}

// RetryAt returns when the same card is retried automatically; it returns false if it is not.
func (g *Group) RetryAt(policy campaign.Recovery) (time.Time, bool) {
	if g.Status != Failed || g.Confirmable || !g.MayPass || g.CountAttempts() >= policy.Attempts || g.SettledAt == nil {
		return time.Time{}, false
	}
	for _, days := range policy.RetryDays {
		if at := g.FirstFailure().Add(time.Duration(days) * day); at.After(*g.SettledAt) {
			return at, true
		}
	}
	return time.Time{}, false
}

// IsRecoveryOver reports whether the charge can no longer be recovered. With a new card only the
// attempt limit applies, not the deadline. A payment awaiting the supporter's confirmation stays
// recoverable after the last attempt, until the deadline.
func (g *Group) IsRecoveryOver(policy campaign.Recovery, now time.Time, newCard bool) bool {
	spent := g.CountAttempts() >= policy.Attempts
	if newCard {
		return spent
	}
	return spent && !g.Confirmable || !now.Before(g.Recovery(policy).Until)
}

// CountAttempts returns the number of attempts, without void ones.
func (g *Group) CountAttempts() int {
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

// FirstFailure returns when the first failed generation failed, or the time of the last update if
// none has.
func (g *Group) FirstFailure() time.Time {
	if g.FirstFailedAt == nil {
		return g.UpdatedAt
	}
	return *g.FirstFailedAt
}

// earlierFailure returns when an earlier generation first failed, or nil if none did.
func (g *Group) earlierFailure() *time.Time {
	if g.FirstFailedAt == nil || g.SettledAt == nil || g.FirstFailedAt.Equal(*g.SettledAt) {
		return nil
	}
	return g.FirstFailedAt
}

// FirstFailedGeneration returns the generation that failed first, or the current one if no earlier
// generation failed. Void ones do not count, because they are not emailed.
func (g *Group) FirstFailedGeneration() int {
	for _, a := range g.History {
		if a.Status == Failed && !a.Void {
			return a.Generation
		}
	}
	return g.Generation
}
