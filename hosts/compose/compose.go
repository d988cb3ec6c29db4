// Package compose wires the services of Pledgeworks together. A host passes its dependencies to New
// as Deps and gets the Services, which the HTTP API and the scheduled work use:
//
//	services, err := compose.New(compose.Deps{
//		Stores:      compose.Stores{Pledges: store},
//		Coordinator: coordinator,
//		Processor:   processor,
//		Sender:      sender,
//		Campaigns:   func() *campaign.Catalogue { return catalogue },
//		Config:      cfg,
//		// ...
//	})
//
// All hosts build their services with New and differ only in their Deps.
//
// # Scheduled work
//
// A host calls Services.Cron once an hour and Services.Minute once a minute. If it can, it also
// calls Services.SendMails every few seconds. If several servers share a database, each calls
// Services.Heartbeat every HeartbeatInterval. Each sends its share of the mails, and only the leader
// does the other scheduled work: see Membership.
//
// # Errors
//
// The error of New names every missing dependency. Methods return errors of package fault, whose
// code determines the HTTP status. While the server's clock is wrong, every change fails with
// ErrClock: see Clock.
//
// # Concurrency
//
// Services is safe for concurrent use, also by several servers with the same database.
package compose

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/payouts"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/challenge"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Stores are the key-value namespaces.
type Stores struct {
	Pledges kv.Store // PLEDGES, the primary store
	// RateLimit is RATELIMIT. If it is nil, every rate-limited route returns 503.
	RateLimit kv.Store
	// Votes is VOTES. If it is nil, the deployment has no votes.
	Votes kv.Store
}

// Deps are the dependencies that a host provides. All are required unless their comment says
// otherwise.
type Deps struct {
	Stores Stores
	// Coordinator runs the objects of Classes.
	Coordinator kv.Coordinator
	// CheckWrite writes a test record and fails with the reason if the storage rejects it. If it is
	// nil, readiness checks only read, for hosts that pay for each write.
	CheckWrite func(ctx context.Context) error
	Processor  psp.Processor
	// RefundAccount returns the account of the processor's key for refunds. It is nil if there is none.
	RefundAccount func(ctx context.Context) (psp.Account, error)
	// PaymentPage returns the URL of a payment in the processor's dashboard. It may be nil.
	PaymentPage func(paymentID string) string
	Sender      notify.Sender
	// Reports parses the mail provider's webhooks. If it is nil, there is no route for them.
	Reports notify.Listener
	// Challenge verifies challenge responses. It may be nil if the configuration does not require
	// challenges.
	Challenge challenge.Check
	// VerifyKey verifies passkey signatures.
	VerifyKey passkey.Verify
	// Tax and Shipping override the providers that the configuration selects. They may be nil.
	Tax      tax.Provider
	Shipping shipping.Policy
	// TaxLookup returns tax rates by address. It is optional for the provider nm_grt and required
	// for local_tax_api.
	TaxLookup tax.Lookup
	// Carrier returns shipping rates for parcels. It is required if the configuration enables a
	// carrier.
	Carrier shipping.Carrier
	// Repository stores the campaign files. If it is nil, changes cannot be published.
	Repository repository.Repository
	// Films is an optional object store for videos and recordings.
	Films Films
	// Local reads a file of the served content. CheckSettings validates a new version of the site's
	// settings file. They may be nil on a host without editing.
	Local         func(path string) ([]byte, error)
	CheckSettings func(src []byte) error
	// DrawPage renders the page of a campaign, which may be unpublished, in a language. It may be
	// nil on a host without previews.
	DrawPage func(c *campaign.Campaign, lang string) ([]byte, error)
	// CheckPages renders a campaign's public pages and fails with campaign.Problems if the site
	// could not publish them. It may be nil on a host without a site.
	CheckPages func(c *campaign.Campaign) error
	// Campaigns returns the current catalogue.
	Campaigns func() *campaign.Catalogue
	Config    config.Config
	Now       func() time.Time
	// Clock rejects changes while this server's clock is wrong. It may be nil, for hosts whose
	// clock is always right.
	Clock *Clock
	Rand  io.Reader
	Log   *slog.Logger
	// Next schedules the next batch of a campaign's settlement to run soon after the caller has
	// returned. If it is nil, the cron continues the settlement.
	Next func(ctx context.Context, slug string) error
	// Together runs charges of different supporters concurrently: see settlement.Service. It may be
	// nil.
	Together func(n int, do func(i int))
	// MailWidth and Sleep let mails be sent at the same time and at an even rate: see Width and Sleep
	// of notify.Outbox. They may be absent.
	MailWidth int
	Sleep     func(ctx context.Context, d time.Duration) error
	// Node and Incarnation let a restarted program take over its own leases immediately: see
	// state.Holder. They may be empty. A host without an incarnation is the only server and always
	// the leader.
	Node, Incarnation string
	// Leases caches this process's settlement leases. A host that creates Services for each request
	// must keep the Leases between requests. Otherwise each settlement starts by listing the
	// processor's payments. It may be nil.
	Leases *settlement.Leases
	// Sizes limit the work per call. The zero value uses the defaults.
	Sizes Sizes
	// Budget is this server's share of the processor's rate limits, if several servers share them.
	// It may be nil.
	Budget Budget
}

// Sizes limits how many records one call processes. 0 means the service's default. A host with
// little time per call sets a smaller Batch, Sweep and Page.
type Sizes struct {
	Batch   int // settlement.Service's BatchSize
	Sweep   int // settlement.Service's SweepSize
	Page    int // reconcile.Service's PageSize
	Segment int // projection.Deps' SegmentSize, the same on every server
	Search  int // pledges that Minute adds to the search index
}

// Services holds all services. It is safe for concurrent use.
type Services struct {
	Deps
	pledgeworks.Services
	// Suppressions is the list of addresses that get no more mails, Unsubscribing creates and
	// verifies unsubscribe links, and Feedback applies the mail provider's reports.
	Suppressions  *suppression.List
	Unsubscribing suppression.Links
	Feedback      *feedback.Service
	Broadcasts    *broadcast.Service
	Drafts        *broadcast.Drafts
	// Launches sends the launch reminders that people requested, Carts the reminders about
	// abandoned checkouts.
	Launches *reminder.Launches
	Carts    *reminder.Carts
	// Audit records operator actions. Access manages users, roles and sessions.
	Audit  *audit.Log
	Access *access.Service
	// ResumeActs completes operator actions that a crash interrupted. It is set by the HTTP API and
	// may be nil.
	ResumeActs func(ctx context.Context) error
	// Referrals manages referral links, and Analytics reports campaign results.
	Referrals *marketing.Referrals
	Analytics *analytics.Service
	// Overview reads the figures of all campaigns.
	Overview *overview.Service
	// Supporters finds supporters and their timelines.
	Supporters *supporters.Service
	// Disputes shows disputes, and collects the evidence for an answer.
	Disputes *disputes.Service
	// Payouts shows the processor's payouts.
	Payouts *payouts.Service
	// Fulfilment records which parcels are packed and sent.
	Fulfilment Fulfilment
	// PledgeHealth finds pledges whose charge will probably fail, before the deadline.
	PledgeHealth *pledgehealth.Service
	// Content edits campaign files, add-ons and settings.
	Content Editing
	// Media stores pictures, videos and recordings.
	Media Media
	// Previews gives reviewers access to unpublished campaigns.
	Previews Previews
	// Visits counts visits to campaign pages.
	Visits Visits
	// Membership coordinates several servers that share a database.
	Membership *Membership

	links          mailtext.Links
	plainProcessor psp.Processor // does not record its requests as evidence

	readiness *readiness
}

// auditName is the name of the object that stores the audit chain, accessName that of the object
// that stores users and sessions. A slug cannot contain the star.
const (
	auditName  = "*audit"
	accessName = "*access"
)

// Classes returns the object classes that a host's coordinator has to run.
func Classes() []*kv.Class {
	return append(pledgeworks.Classes(registerMembers, audit.Register, access.Register, marketing.Register,
		registerPreviews, registerVisits), broadcast.Class())
}

// New builds the services. It fails if dependencies are missing, all of which the error names, if the
// processor's key is not for the configured mode, or if the tax or shipping settings are invalid.
func New(d Deps) (*Services, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if err := d.choose(); err != nil {
		return nil, err
	}
	d.guardStores()
	membership := NewMembership(d.Coordinator, d.Node, d.Incarnation, d.Budget)
	core, err := pledgeworks.New(d.parts(membership.Holder))
	if err != nil {
		return nil, err
	}
	plain := d.Processor
	d.Processor = core.Settlement.Processor
	s := &Services{Deps: d, Services: *core, plainProcessor: plain, Membership: membership,
		readiness: &readiness{sem: make(chan struct{}, 1)}}
	zone, base := d.Config.Site.Timezone.Location(), string(d.Config.Site.Base)
	links, orders := core.Checkout.Links, core.Checkout.Orders
	signer := links.Signer
	s.Referrals = &marketing.Referrals{Store: d.Stores.Pledges, Coordinator: d.Coordinator, Class: state.ClassName,
		SiteBase: base, Rand: d.Rand}
	s.Analytics = &analytics.Service{Page: s.Projector.IndexPage, Ledger: s.Settlement.LedgerHead, Zone: zone,
		Orders: func(ctx context.Context, email string) ([]string, error) {
			ids, _, err := kv.Read[[]string](ctx, d.Stores.Pledges, pledge.EmailKey(email))
			return ids, err
		}}
	s.Audit = &audit.Log{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Rand: d.Rand, Log: d.Log,
		Object: kv.Object{Class: state.ClassName, Name: auditName},
	}
	networks, _ := emailHashKeys(d.Config.Secrets)
	s.Access = &access.Service{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Outbox: s.Outbox, Links: links,
		Signer: signedBy(d.Config.Secrets.AdminSession, signer),
		Object: kv.Object{Class: state.ClassName, Name: accessName}, Key: networks,
		Site: passkey.Site{Origin: base}, Verify: d.VerifyKey, DemandPasskeys: d.Config.SignIn.Passkeys,
		Now: d.Now, Rand: d.Rand, Log: d.Log,
	}
	s.wireMails(signer, links)
	s.wireReminders(orders)
	s.Supporters = &supporters.Service{
		Index: s.Projector.Search(), Inventory: s.Settlement.Inventory, Outbox: s.Outbox, Suppressions: s.Suppressions,
		Votes: vote.Client{Coordinator: d.Coordinator}, Catalogue: d.Campaigns, CanCancel: s.Settlement.CanCancel,
		PaymentPage: d.PaymentPage, Disputes: s.Settlement.DisputesOfPayment,
	}
	s.Payouts = &payouts.Service{Settlement: s.Settlement}
	s.Disputes = &disputes.Service{Settlement: s.Settlement, Supporters: s.Supporters,
		Consent: s.Checkout.AcceptedConsent, PaymentPage: d.PaymentPage}
	s.PledgeHealth = &pledgehealth.Service{
		Settlement: s.Settlement, Card: plain.Card, Outbox: s.Outbox, Suppressions: s.Suppressions, Links: links,
		Zone: zone, Now: d.Now,
	}
	s.Outbox.Verifier, s.Outbox.Width, s.Outbox.Sleep = s.verifier(), d.MailWidth, d.Sleep
	s.Outbox.Mine, s.Outbox.Pace.Servers = membership.SendsMail, membership.Servers
	s.Checkout.Carts = s.Carts
	s.Media = s.media()
	s.Content = s.editing()
	s.Previews = s.previews()
	s.Overview = &overview.Service{
		Store: d.Stores.Pledges, Inventory: s.Settlement.Inventory, Zone: zone, Now: d.Now, Reminders: s.Launches.Count,
		Archiving: s.archiving(), Ledger: s.Settlement.LedgerHead,
		Disputes: func(ctx context.Context, slug string) ([]disputes.Dispute, error) {
			return s.Disputes.All(ctx, slug, true)
		},
		Suspected: s.Disputes.Suspected,
	}
	s.Visits = s.visits()
	s.Fulfilment = s.fulfilment()
	return s, nil
}

// parts returns the dependencies of the core services, with their settings.
func (d *Deps) parts(holder func() state.Holder) pledgeworks.Parts {
	c := d.Config
	return pledgeworks.Parts{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Processor: d.Processor, Sender: d.Sender,
		Tax: d.Tax, Shipping: d.Shipping, Catalogue: d.Campaigns, Now: d.Now, Rand: d.Rand, Log: d.Log,
		From: c.Site.PledgesSender(), News: c.Site.UpdatesSender(), ReplyTo: c.Site.SupportEmail,
		Site: string(c.Site.Base), Zone: c.Site.Timezone.Location(),
		Platform: mailtext.Platform{Name: c.Site.Name, Company: c.Site.Company, Address: c.Site.PostalAddress},
		Secret:   []byte(c.Secrets.MagicLink.Reveal()), IntentSecret: []byte(c.Secrets.CheckoutIntent.Reveal()),
		WebhookSecret: c.PSPWebhookSecret().Reveal(), PublishableKey: c.Processor.PublishableKey,
		Votes:      d.Stores.Votes, // nil disables votes
		DefaultTip: c.Pricing.DefaultTipPercent, MaxTip: c.Pricing.MaxTipPercent,
		Grouping: c.Settlement.Grouping, Hold: !c.Settlement.Enabled, Next: d.Next, Together: d.Together, Holder: holder,
		Leases:    d.Leases,
		BatchSize: d.Sizes.Batch, SweepSize: d.Sizes.Sweep, PageSize: d.Sizes.Page, SegmentSize: d.Sizes.Segment,
	}
}

// check returns an error for each missing dependency, and one if the processor's key is not for the
// configured mode.
func (d *Deps) check() error {
	var errs []error
	need := func(ok bool, name string) {
		if !ok {
			errs = append(errs, errors.New("compose: "+name+" is required"))
		}
	}
	need(d.Stores.Pledges != nil, "Stores.Pledges (the binding PLEDGES)")
	need(d.Coordinator != nil, "Coordinator (the bindings CHECKOUT_INTENTS, TIER_INVENTORY_COORDINATOR and SETTLEMENT_COORDINATOR)")
	need(d.Processor != nil, "Processor")
	need(d.Sender != nil, "Sender")
	need(d.Campaigns != nil, "Campaigns")
	need(d.Challenge != nil || !d.Config.Challenged() && !d.Config.SignInChallenged(),
		"Challenge (because CHALLENGE_SECRET_KEY is set)")
	need(d.VerifyKey != nil, "VerifyKey")
	need(d.Now != nil, "Now")
	need(d.Rand != nil, "Rand")
	need(d.Log != nil, "Log")
	if d.Processor != nil && d.Processor.Mode() != d.Config.Mode.App {
		errs = append(errs, errors.New("compose: the processor's key is a "+string(d.Processor.Mode())+
			" key, but APP_MODE is "+string(d.Config.Mode.App)))
	}
	return errors.Join(errs...)
}
