package supporters

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// groupOf names the charge that a pledge is part of, "" for none. An earlier release had one
// of the whole address, and did not name it.
func groupOf(p *pledge.Pledge) string {
	if !p.Claimed() {
		return ""
	}
	return cmp.Or(p.Group, settlement.GroupHash(p.CampaignSlug, p.Email))
}

// charges are the attempts to charge pledges, and how many each group had.
func (s *Service) charges(ctx context.Context, all []*pledge.Pledge, sight Sight) (events []Event, attempts map[string]int, err error) {
	attempts = map[string]int{}
	for _, p := range all {
		hash := groupOf(p)
		if _, known := attempts[hash]; known || hash == "" {
			continue
		}
		g, there, err := kv.Read[settlement.Group](ctx, s.Index.Store, settlement.GroupKey(p.CampaignSlug, hash))
		if err != nil {
			return nil, nil, err
		}
		if attempts[hash] = g.Generation; !there {
			continue
		}
		for _, a := range g.History {
			events = append(events, attempted(first(a.FirstSubmittedAt, a.SettledAt, &g.SubmittedAt), a.Status, a.Amount, a.PaymentIntentID, cmp.Or(a.DeclineCode, a.Code), sight))
		}
		events = append(events, attempted(g.SubmittedAt, g.Status, g.Amount, g.PaymentIntentID, cmp.Or(g.DeclineCode, g.Code), sight))
	}
	return events, attempts, nil
}

func attempted(at time.Time, status settlement.Status, amount money.Cents, payment, code string, sight Sight) Event {
	e := Event{At: at, About: "charge", Type: "attempt", Status: string(status)}
	if sight.Money {
		e.Amount, e.PaymentID, e.Code = &amount, payment, code
	}
	return e
}

// first is the first time that is known.
func first(times ...*time.Time) time.Time {
	for _, t := range times {
		if t != nil {
			return *t
		}
	}
	return time.Time{}
}
