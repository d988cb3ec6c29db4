package supporters

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// groupOf returns the charge group of a pledge, "" for none. In an earlier release a group
// was the whole address, and pledges did not name it.
func groupOf(p *pledge.Pledge) string {
	if !p.Claimed() {
		return ""
	}
	return cmp.Or(p.Group, state.GroupHash(p.CampaignSlug, p.Email))
}

// charges returns the charge attempts for pledges, and the number of attempts per group.
func (s *Service) charges(ctx context.Context, all []*pledge.Pledge, sight Visibility) (events []Event, attempts map[string]int, err error) {
	attempts = map[string]int{}
	for _, p := range all {
		hash := groupOf(p)
		if _, known := attempts[hash]; known || hash == "" {
			continue
		}
		g, there, err := kv.Read[state.Group](ctx, s.Index.Store, state.GroupKey(p.CampaignSlug, hash))
		if err != nil {
			return nil, nil, err
		}
		if attempts[hash] = g.Generation; !there {
			continue
		}
		for _, a := range g.History {
			events = append(events, attemptEvent(firstTime(a.FirstSubmittedAt, a.SettledAt, &g.SubmittedAt), a.Status, a.Amount, a.PaymentIntentID, cmp.Or(a.DeclineCode, a.Code), sight))
		}
		events = append(events, attemptEvent(g.SubmittedAt, g.Status, g.Amount, g.PaymentIntentID, cmp.Or(g.DeclineCode, g.Code), sight))
	}
	return events, attempts, nil
}

func attemptEvent(at time.Time, status state.GroupStatus, amount money.Cents, payment, code string, sight Visibility) Event {
	e := Event{At: at, Source: "charge", Type: "attempt", Status: string(status)}
	if sight.Money {
		e.Amount, e.PaymentID, e.Code = &amount, payment, code
	}
	return e
}

// firstTime returns the first time that is not nil.
func firstTime(times ...*time.Time) time.Time {
	for _, t := range times {
		if t != nil {
			return *t
		}
	}
	return time.Time{}
}
