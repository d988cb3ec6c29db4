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

// Service takes pledges and looks after them until they are settled. All
// fields but Carts, Retry, Approved, Awake and Wake are required. It is safe for concurrent
// use, and any number of Services may work on the same stores.
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
	Links     notify.Links // its Signer also reads the links' tokens
	Catalogue func() *campaign.Catalogue
	Settings  Settings
	Intents   token.Signer // of checkout tokens
	// Carts may be nil: then nobody is reminded of a checkout.
	Carts Carts
	// Retry charges a supporter's failed pledges again after a card update. It
	// may be nil.
	Retry func(ctx context.Context, slug, email string) error
	// Approved takes the word that a supporter has confirmed a payment that
	// waited for it. It may be nil.
	Approved func(ctx context.Context, p *pledge.Pledge) error
	// Awake lists the campaigns that Sweep looks after, and Wake says that something happens
	// to one that has ended. They may be nil: then it looks after all.
	Awake func(ctx context.Context) ([]*campaign.Campaign, error)
	Wake  func(ctx context.Context, slug string) error
	Now   func() time.Time
	Rand  io.Reader
	Log   *slog.Logger
}

// Settings are the choices of an installation.
type Settings struct {
	Zone       *time.Location // in which campaigns start and end
	SiteBase   string         // origin of the public site, without a slash at the end
	DefaultTip int            // percent, where a cart names none
	MaxTip     int            // percent
	// PublishableKey is the processor's key for browsers. Without it checkout
	// falls back to the processor's own page.
	PublishableKey string
	// WebhookSecret signs the webhooks of the processor's mode; "" is not configured.
	WebhookSecret string
	// Grouping is that of the settlement.
	Grouping pledge.Grouping
	// SessionLife is how long a supporter has to save the card, 30 minutes to 24
	// hours; zero is DefaultSessionLife.
	SessionLife time.Duration
	// TestMode admits the tokens that only tests use.
	TestMode bool
}

// DefaultSessionLife is how long a checkout may take.
const DefaultSessionLife = time.Hour

func (s *Service) sessionLife() time.Duration {
	if s.Settings.SessionLife > 0 {
		return s.Settings.SessionLife
	}
	return DefaultSessionLife
}

// LongestAfterDeadline is how long after a campaign's deadline a session of it may still
// complete: one that begins at its last moment lives as long as the processor asks for, half
// an hour, and as much more as a clock may be wrong. Settlement waits for longer, so that
// nobody's card is saved for a campaign that has charged its others already.
const LongestAfterDeadline = 45 * time.Minute

// sessionEnd is when the session of a checkout that begins now can complete no more.
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

// nonce is 16 hexadecimal digits that nobody used before.
func (s *Service) nonce() (string, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "No randomness")
	}
	return hex.EncodeToString(b), nil
}
