package checkout

import (
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Service creates pledges and manages them until they are settled. All fields
// except Carts, Retry, Approved, Disputed, Warned, Refunded, PaidOut, Awake and Wake are required. It is safe
// for concurrent use, and any number of Services may use the same stores.
type Service struct {
	Store     kv.Store // the primary namespace
	Orders    order.Client
	Inventory inventory.Client
	Votes     vote.Client
	Projector *projection.Projector
	Processor psp.Processor
	Tax       tax.Provider
	Shipping  shipping.Policy
	Outbox    *notify.Outbox
	Links     mailtext.Links // its Signer also verifies the tokens in links
	Catalogue func() *campaign.Catalogue
	Settings  Settings
	Intents   token.Signer // of checkout tokens
	// Carts stores abandoned-cart reminders; nil disables them.
	Carts Carts
	// Retry charges a supporter's failed pledges again after a card update; optional.
	Retry func(ctx context.Context, slug, email string) error
	// Approved is called after a supporter has authenticated a payment; optional.
	Approved func(ctx context.Context, p *pledge.Pledge) error
	// Disputed is called when a webhook is about a dispute of a payment, and Warned when one is about an
	// early fraud warning; optional.
	Disputed func(ctx context.Context, paymentID string) error
	Warned   func(ctx context.Context) error
	// Refunded is called with a payment whose refunds may have changed; optional.
	Refunded func(ctx context.Context, paymentID string) error
	// PaidOut is called with a payout that may have changed; optional.
	PaidOut func(ctx context.Context, payoutID string) error
	// Awake lists the campaigns that Sweep processes; nil means all. Wake reports
	// activity in a campaign that has ended; optional.
	Awake func(ctx context.Context) ([]*campaign.Campaign, error)
	Wake  func(ctx context.Context, slug string) error
	Now   func() time.Time
	Rand  io.Reader
	Log   *slog.Logger
}

// Settings configure an installation.
type Settings struct {
	Zone       *time.Location // for campaign starts and deadlines
	SiteBase   string         // origin of the public site, without a trailing slash
	DefaultTip int            // percent, for carts without a tip
	MaxTip     int            // percent
	// PublishableKey is the processor's key for browsers. Without it, checkout
	// uses the processor's hosted page.
	PublishableKey string
	// WebhookSecret verifies webhook signatures. If it is empty, webhooks are skipped.
	WebhookSecret string
	// Grouping must be the same as in settlement.
	Grouping pledge.Grouping
	// SessionLife is the time that a supporter has to save the card, 30 minutes to 24 hours; zero
	// means DefaultSessionLife.
	SessionLife time.Duration
	// TestMode accepts the voting tokens of tests, and pledges to campaigns that exist only for
	// tests.
	TestMode bool
}

// DefaultSessionLife is the default duration of a checkout.
const DefaultSessionLife = time.Hour

func (s *Service) sessionLife() time.Duration {
	if s.Settings.SessionLife > 0 {
		return s.Settings.SessionLife
	}
	return DefaultSessionLife
}

// LongestAfterDeadline is how long after a campaign's deadline one of its sessions may still
// complete. A session that starts just before the deadline is open for the processor's minimum of
// 30 minutes, plus a margin for clock skew. Settlement waits longer, so that no card is saved for a
// campaign that has already charged its other pledges.
const LongestAfterDeadline = 45 * time.Minute

// sessionEnd returns when the session of a checkout that starts now expires: after sessionLife, or
// at the earliest deadline of its campaigns, but then not before LongestAfterDeadline from now.
func (s *Service) sessionEnd(m order.Manifest, now time.Time) time.Time {
	end := now.Add(s.sessionLife())
	for _, c := range m.Campaigns {
		last := s.campaign(c.CampaignSlug).EndsAt(s.Settings.Zone).UTC()
		if least := now.Add(LongestAfterDeadline); last.Before(least) {
			last = least
		}
		if end.After(last) {
			end = last
		}
	}
	return end
}

// nonce returns 16 random hexadecimal digits.
func (s *Service) nonce() (string, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Random source unavailable")
	}
	return hex.EncodeToString(b), nil
}
