package supporters

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mails returns the mails about the pledges of one address, without duplicates, with their delivery
// status. attempts holds the number of charge attempts per group. Mails that went to all supporters
// of a campaign are not included.
func (s *Service) mails(ctx context.Context, all []*pledge.Pledge, attempts map[string]int) ([]Event, error) {
	var events []Event
	seen := map[string]bool{}
	for _, p := range all {
		identities := mailtext.IdentitiesOf(p, attempts[groupOf(p)])
		if order, err := pledge.OrderOf(p.OrderID); err == nil {
			identities = append(identities, reminder.CartIdentity(order))
		}
		identities = append(identities, reminder.LaunchIdentity(p.CampaignSlug, p.Email))
		for _, identity := range identities {
			if seen[identity] {
				continue
			}
			seen[identity] = true
			d, err := s.Outbox.Delivery(ctx, identity)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			events = append(events, mailEvent(p, d))
		}
	}
	return events, nil
}

func mailEvent(p *pledge.Pledge, d notify.Delivery) Event {
	e := Event{At: d.QueuedAt, Source: "mail", Type: string(d.Kind), Kind: Emailed, Email: d.Kind,
		Outcome: emailOutcome(d), OrderID: p.OrderID, Status: string(d.Status)}
	if d.EndedAt != nil {
		e.At = *d.EndedAt
	}
	if d.Last != nil {
		e.Reported = string(d.Last.Kind)
	}
	return e
}

// Suppressed is a kind of mail that a supporter does not receive.
type Suppressed struct {
	// Topic is "update", "launch" or "cart", or "" for all mails.
	Topic   suppression.Topic    `json:"topic"`
	Reasons []suppression.Reason `json:"reasons"`
}

// suppressed returns the kinds of a campaign's mails that are not sent to an address, with the
// reasons.
func (s *Service) suppressed(ctx context.Context, slug, email string) ([]Suppressed, error) {
	all := []Suppressed{}
	for _, scope := range []suppression.Scope{
		{}, {Topic: suppression.Updates, Campaign: slug}, {Topic: suppression.Launch, Campaign: slug},
		{Topic: suppression.Carts}, {Topic: suppression.Carts, Campaign: slug},
	} {
		reasons, err := s.Suppressions.Reasons(ctx, scope, email)
		if err != nil {
			return nil, err
		}
		if len(reasons) > 0 {
			all = append(all, Suppressed{scope.Topic, reasons})
		}
	}
	return all, nil
}

// votes returns how many of a campaign's decisions a supporter has voted on.
func (s *Service) votes(ctx context.Context, slug, email string) (n int, err error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil || len(c.Decisions) == 0 {
		return 0, err
	}
	var ids []string
	for _, d := range c.Decisions {
		ids = append(ids, d.ID)
	}
	standings, err := s.Votes.Results(ctx, slug, email, ids)
	for _, id := range ids {
		if standings[id].Choice != "" {
			n++
		}
	}
	return n, err
}
