package compose

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// wireReminders creates the services for launch reminders and abandoned checkouts.
func (s *Services) wireReminders(orders order.Client) {
	zone := s.Config.Site.Timezone.Location()
	s.Launches = &reminder.Launches{
		Store: s.Stores.Pledges, Outbox: s.Outbox, Suppressions: s.Suppressions, Unsubscribe: s.Unsubscribing, Links: s.links,
		Catalogue: s.Campaigns, Zone: zone, Now: s.Now, Unasked: s.Config.Reminders.Unconfirmed,
	}
	if s.Challenge != nil && s.Config.Challenged() {
		s.Launches.Challenge = func(ctx context.Context,
			response string) error {
			return s.Challenge(ctx, "launch-reminder", response)
		}
	}
	s.Carts = &reminder.Carts{
		Store: s.Stores.Pledges, Outbox: s.Outbox, Suppressions: s.Suppressions, Unsubscribe: s.Unsubscribing,
		Signer:   signedBy(s.Config.Secrets.AbandonedCart, s.links.Signer),
		SiteBase: s.links.SiteBase, Platform: s.links.Platform, Catalogue: s.Campaigns, Zone: zone, Now: s.Now,
		Pledged: reminder.PledgedBy(orders), Delay: cmp.Or(s.Config.Reminders.CartDelay, reminder.DefaultDelay),
	}
}

// signedBy returns a signer with the secret, or fallback if the secret is not set.
func signedBy(secret config.Secret, fallback token.Signer) token.Signer {
	if !secret.IsSet() {
		return fallback
	}
	return token.Signer{Secret: []byte(secret.Reveal())}
}

// The maximum age of a launch whose reminders are queued. The hourly run covers the whole time in
// which a reminder is useful. Minute only has to cover the time since the last hourly run.
const (
	allLaunches    = reminder.Stale
	recentLaunches = 90 * time.Minute
)

// remind queues the reminders that are due: for launches of at most the given age, and for
// abandoned checkouts. If allCarts is set, it lists the queue of carts even if none should be due.
func (s *Services) remind(ctx context.Context, launches time.Duration, allCarts bool) error {
	return errors.Join(
		s.Launches.Queue(ctx, launches),
		s.Launches.Dispatch(ctx, minuteLimit),
		s.Carts.Dispatch(ctx, minuteLimit, allCarts),
	)
}
