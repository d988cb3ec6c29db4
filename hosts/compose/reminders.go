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

// reminders puts together what reminds people of launches and of checkouts.
func (s *Services) reminders(orders order.Client) {
	zone := s.Config.Site.Timezone.Location()
	s.Launches = &reminder.Launches{
		Store: s.Stores.Pledges, Outbox: s.Outbox, Suppressions: s.Suppressions, Unsubscribe: s.Unsubscribing, Links: s.links,
		Catalogue: s.Campaigns, Zone: zone, Now: s.Now, Unasked: s.Config.Reminders.Unconfirmed,
	}
	if s.Challenge != nil && s.Config.Challenged() {
		s.Launches.Challenge = func(ctx context.Context, response string) error { return s.Challenge(ctx, "launch-reminder", response) }
	}
	s.Carts = &reminder.Carts{
		Store: s.Stores.Pledges, Outbox: s.Outbox, Suppressions: s.Suppressions, Unsubscribe: s.Unsubscribing,
		Signer:   signedBy(s.Config.Secrets.AbandonedCart, s.links.Signer),
		SiteBase: s.links.SiteBase, Platform: s.links.Platform, Catalogue: s.Campaigns, Zone: zone, Now: s.Now,
		Pledged: reminder.PledgedBy(orders), Delay: cmp.Or(s.Config.Reminders.CartDelay, reminder.DefaultDelay),
	}
}

// signedBy is the signer with a secret of its own, and the other one where that is not set.
func signedBy(secret config.Secret, otherwise token.Signer) token.Signer {
	if !secret.IsSet() {
		return otherwise
	}
	return token.Signer{Secret: []byte(secret.Reveal())}
}

// How far back launches are looked for: by the hour's work as far as it makes sense, and by
// the minute's as far as that one may be behind.
const (
	allLaunches    = reminder.Stale
	recentLaunches = 90 * time.Minute
)

// remind queues the reminders that are due.
func (s *Services) remind(ctx context.Context, launches time.Duration, allCarts bool) error {
	return errors.Join(
		s.Launches.Queue(ctx, launches),
		s.Launches.Dispatch(ctx, minuteLimit),
		s.Carts.Dispatch(ctx, minuteLimit, allCarts),
	)
}
