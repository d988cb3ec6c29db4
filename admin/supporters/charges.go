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

// groupOf returns the hash of a pledge's charge group, "" for none. In an earlier release there was
// one group per address, and pledges did not store it.
func groupOf(p *pledge.Pledge) string {
	if !p.Claimed() {
		return ""
	}
	return cmp.Or(p.Group, state.GroupHash(p.CampaignSlug, p.Email))
}

// charges returns the charge attempts for pledges as events, and the number of attempts per group.
func (s *Service) charges(ctx context.Context, all []*pledge.Pledge,
	visible Visibility) (events []Event, attempts map[string]int, err error) {
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
			events = append(events, s.attemptEvent(firstTime(a.FirstSubmittedAt, a.SettledAt, &g.SubmittedAt),
				a.Status, a.Amount, a.PaymentIntentID, a.DeclineCode, a.Code, visible))
		}
		events = append(events,
			s.attemptEvent(g.SubmittedAt, g.Status, g.Amount, g.PaymentIntentID, g.DeclineCode, g.Code, visible))
	}
	return events, attempts, nil
}

func (s *Service) attemptEvent(at time.Time, status state.GroupStatus, amount money.Cents,
	payment, declineCode, code string, visible Visibility) Event {
	e := Event{At: at, Source: "charge", Type: "attempt", Kind: Attempted,
		Outcome: attemptOutcomes[status], Status: string(status)}
	if visible.Money {
		e.Amount, e.PaymentID, e.Code = &amount, payment, cmp.Or(declineCode, code)
		e.Reason, e.PaymentURL = declineReason(e.Outcome, declineCode, code), s.paymentPage(payment)
	}
	return e
}

// paymentPage returns the address of a payment at the processor, "" if it is not known.
func (s *Service) paymentPage(paymentID string) string {
	if s.PaymentPage == nil || paymentID == "" {
		return ""
	}
	return s.PaymentPage(paymentID)
}

// firstTime returns the first time that is not nil, or the zero time.
func firstTime(times ...*time.Time) time.Time {
	for _, t := range times {
		if t != nil {
			return *t
		}
	}
	return time.Time{}
}
