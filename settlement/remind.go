package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Reminded is the result of emailing reminders about failed charges.
type Reminded struct {
	DryRun   bool `json:"dryRun"`
	Reminded int  `json:"reminded"` // mails queued now or, in a dry run, that would be queued
	// Skipped counts failures without a reminder: the supporter was already reminded, the email
	// provider has not yet accepted the mail about the failure, or no pledge records it.
	Skipped int    `json:"skipped"`
	Next    string `json:"next"` // the cursor of the next page, "" after the last
}

// Remind emails another reminder to the supporters of a page of failed charges, after a cursor (""
// for the first page). Each failed attempt gets at most one reminder, however often Remind is
// called. A dry run only counts. It fails with code NotFound for an unknown campaign, and with
// Invalid for an invalid cursor.
func (s *Service) Remind(ctx context.Context, slug, after string, dryRun bool) (Reminded, error) {
	if !state.IsFailureCursor(after) {
		return Reminded{}, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Reminded{}, err
	}
	page, err := s.objectOf(slug).Failures(ctx, after, MaxFailures)
	if err != nil {
		return Reminded{}, err
	}
	out := Reminded{DryRun: dryRun}
	for _, g := range page.Groups {
		reminded, err := s.remindGroup(ctx, c, &g, dryRun)
		if err != nil {
			return Reminded{}, err
		}
		out.count(reminded)
	}
	if len(page.Groups) == MaxFailures {
		out.Next = page.Next
	}
	return out, nil
}

// RemindOrder is like Remind for one pledge, whose ID is orderID. A pledge without a failed charge
// that can be recovered counts as skipped. RemindOrder fails with code NotFound for an unknown
// campaign, or a pledge that is unknown or to another campaign.
func (s *Service) RemindOrder(ctx context.Context, slug, orderID string, dryRun bool) (Reminded, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Reminded{}, err
	}
	p, err := s.Orders.Pledge(ctx, orderID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Reminded{}, err
	}
	if err != nil || p.CampaignSlug != slug {
		return Reminded{}, fault.New(fault.NotFound, "Unknown order").In("orderId")
	}
	g, err := s.groupOf(ctx, p)
	if err != nil {
		return Reminded{}, err
	}
	out := Reminded{DryRun: dryRun}
	reminded := false
	if g != nil && g.Recovering() {
		if reminded, err = s.remindGroup(ctx, c, g, dryRun); err != nil {
			return Reminded{}, err
		}
	}
	out.count(reminded)
	return out, nil
}

func (r *Reminded) count(reminded bool) {
	if reminded {
		r.Reminded++
	} else {
		r.Skipped++
	}
}

// remindGroup queues the reminder of a failed charge if it is due, and reports whether it is.
// The first mail about the failure was sent under an admission; the outbox verifies both
// before sending.
func (s *Service) remindGroup(ctx context.Context, c *campaign.Campaign, g *state.Group, dryRun bool) (bool, error) {
	pledges, err := s.failedPledges(ctx, g)
	if err != nil || len(pledges) == 0 {
		return false, err
	}
	due, _, err := s.reminderOf(ctx, g, pledges[0])
	if err != nil || !due || dryRun {
		return due, err
	}
	m, err := mailtext.CardReminderMail(pledges, c, s.Links, s.Zone, s.Now())
	if err != nil {
		return false, err
	}
	return true, s.Outbox.Queue(ctx, m)
}

// failedPledges returns the pledges of a failed charge that record the failure.
func (s *Service) failedPledges(ctx context.Context, g *state.Group) ([]*pledge.Pledge, error) {
	var failed []*pledge.Pledge
	for _, o := range g.Orders {
		p, err := s.Orders.Pledge(ctx, o.ID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if p.Status == pledge.PaymentFailed && p.LastFailure != nil && p.LastFailure.Generation == g.Generation {
			failed = append(failed, p)
		}
	}
	return failed, nil
}

// reminderOf reports whether the supporter of a failed charge can be reminded now, and returns when
// a reminder was queued, nil if none was. p is one of the charge's pledges. The mail about the
// failure has to be sent first.
func (s *Service) reminderOf(ctx context.Context, g *state.Group,
	p *pledge.Pledge) (due bool, at *time.Time, err error) {
	charged := *p
	charged.Group = g.Hash
	first, err := s.Outbox.Delivery(ctx, mailtext.UpdateCardIdentity(&charged, g.Generation))
	if fault.Is(err, fault.NotFound) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	again, err := s.Outbox.Delivery(ctx, mailtext.CardReminderIdentity(&charged, g.Generation))
	if fault.Is(err, fault.NotFound) {
		return first.Status == notify.Sent, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	return false, &again.QueuedAt, nil
}
