// Package compose puts the services together: dependencies in, services out.
// It is the only constructor of the whole; hosts differ in what they hand it.
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
	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/challenge"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Stores are the namespaces of keys.
type Stores struct {
	Pledges kv.Store // PLEDGES, the primary one
	// RateLimit is RATELIMIT. Where it is nil, every limited route answers 503.
	RateLimit kv.Store
	// Votes is VOTES. Where it is nil, the deployment has no votes.
	Votes kv.Store
}

// Deps are what a host provides. Those that may be absent say so.
type Deps struct {
	Stores Stores
	// Coordinator runs the objects of Classes.
	Coordinator kv.Coordinator
	// CheckWrite writes a test record and fails with the reason if nothing can be written. It
	// may be nil: then readiness only reads, for hosts that pay for each write.
	CheckWrite func(ctx context.Context) error
	Processor  psp.Processor
	Sender     notify.Sender
	// Reports reads what the mail provider reports. It may be nil: then there is no route
	// for it.
	Reports notify.Listener
	// NewsOf is notify.NewsOf, and nil on a host that sends no broadcasts: their Markdown
	// takes a reader that is too large for a worker.
	NewsOf func(notify.News, *campaign.Campaign, notify.Links) (notify.Message, error)
	// Reporter writes the reports for those who run campaigns. It may be nil: then there are
	// none.
	Reporter Reporter
	// Challenge may be nil where the configuration asks for none.
	Challenge challenge.Check
	// VerifyKey checks signatures of passkeys.
	VerifyKey passkey.Verify
	// Tax and Shipping may be nil: then the configuration chooses.
	Tax      tax.Provider
	Shipping shipping.Policy
	// TaxLookup is asked about addresses: New Mexico's for the provider nm_grt, where
	// it may be nil, and North America's for local_tax_api, where it may not.
	TaxLookup tax.Lookup
	// Carrier prices parcels. It is needed where the configuration enables one.
	Carrier shipping.Carrier
	// Repository is where campaigns are kept. It may be nil: then nothing is published.
	Repository repository.Repository
	// Films is a second place, for films and recordings. It may be nil.
	Films Films
	// Local reads a file of the content that is served, and CheckSettings looks whether the
	// site's settings could be so. They may be nil on a host that edits nothing.
	Local         func(path string) ([]byte, error)
	CheckSettings func(src []byte) error
	// DrawPage draws the page of a campaign that may not be public, in a language. It may be
	// nil on a host that draws none.
	DrawPage func(c *campaign.Campaign, lang string) ([]byte, error)
	// CheckPages makes a campaign's public pages as the site does, and fails with Problems if they
	// cannot be made. It may be nil on a host that makes none.
	CheckPages func(c *campaign.Campaign) error
	// Campaigns returns the catalogue as it is now.
	Campaigns func() *campaign.Catalogue
	Config    config.Config
	Now       func() time.Time
	// Clock keeps a server with a wrong clock from changing anything. It may be nil, for
	// hosts whose clock is always right.
	Clock *Clock
	Rand  io.Reader
	Log   *slog.Logger
	// Next has the next batch of a campaign's settlement run soon, after the
	// caller has returned. It may be nil: then the cron goes on with it.
	Next func(ctx context.Context, slug string) error
	// Together runs charges of different supporters side by side: see
	// settlement.Service. It may be nil.
	Together func(n int, do func(i int))
	// Node and Incarnation let a program that was started again take over its own
	// leases at once: see settlement.Holder. They may be empty. A host without an
	// incarnation is alone: it leads.
	Node, Incarnation string
	// Leases are what this process remembers of the settlements it has done. A host that
	// makes Services anew for each piece of work keeps them in between; without them that
	// work begins with a list of the processor's payments.
	Leases *settlement.Leases
	// Sizes may be zero.
	Sizes Sizes
	// Budget is this server's part of the processor's limits, where several servers
	// share them. It may be nil.
	Budget Budget
}

// Sizes bound how much is taken up at once; what is 0 is as the service has it that it
// is for. A host with little time for a call wants less of Batch, Sweep and Page.
type Sizes struct {
	Batch   int // settlement.Service's BatchSize
	Sweep   int // settlement.Service's SweepSize
	Page    int // reconcile.Service's PageSize
	Segment int // projection.Deps' SegmentSize, the same on every server
	Search  int // pledges that a minute makes searchable
}

// Services is the whole, ready to be used. It is safe for concurrent use.
type Services struct {
	Deps
	pledgeworks.Services
	// Suppressions are who gets no more mails, Unsubscribing makes the links by which readers
	// say so, and Feedback applies what providers report.
	Suppressions  *suppression.List
	Unsubscribing suppression.Links
	Feedback      *feedback.Service
	Broadcasts    *broadcast.Service
	Drafts        *broadcast.Drafts
	// Launches and Carts remind people of what they asked to be reminded of.
	Launches *reminder.Launches
	Carts    *reminder.Carts
	// Audit records what operators do, and Access knows who they are.
	Audit  *audit.Log
	Access *access.Service
	// ResumeActs goes on with what operators began and a crash cut off. Who serves operators
	// sets it; it may be nil.
	ResumeActs func(ctx context.Context) error
	// Referrals are who tells of campaigns, and Analytics sums up what campaigns bring.
	Referrals *marketing.Referrals
	Analytics *analytics.Service
	// Supporters finds them.
	Supporters *supporters.Service
	// Fulfilment packs and sends what supporters were charged for.
	Fulfilment Fulfilment
	// PledgeHealth finds pledges that will fail, before the deadline.
	PledgeHealth *pledgehealth.Service
	// Content changes what campaigns say.
	Content Editing
	// Media keeps pictures, films and recordings for them.
	Media Media
	// Previews show campaigns to some before everybody sees them.
	Previews Previews
	// Visits count those who open the page of a campaign.
	Visits Visits
	// Membership is how several servers know each other.
	Membership *Membership

	links notify.Links
	asked psp.Processor // as it is, with nothing recorded

	readiness *readiness
}

// auditName is the object that keeps the audit chain, and accessName the one of those who
// run campaigns. No slug has a star.
const (
	auditName  = "*audit"
	accessName = "*access"
)

// Classes are the kinds of object that a host's coordinator has to run.
func Classes() []*kv.Class {
	return append(pledgeworks.Classes(registerMembers, audit.Register, access.Register, marketing.Register, registerPreviews, registerVisits), broadcast.Class())
}

// New puts the services together. It names every dependency that is missing
// or does not fit the configuration.
func New(d Deps) (*Services, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if err := d.choose(); err != nil {
		return nil, err
	}
	d.guard()
	membership := NewMembership(d.Coordinator, d.Node, d.Incarnation, d.Budget)
	core, err := pledgeworks.New(d.parts(membership.Holder))
	if err != nil {
		return nil, err
	}
	asked := d.Processor
	d.Processor = core.Settlement.Processor
	s := &Services{Deps: d, Services: *core, asked: asked, Membership: membership, readiness: &readiness{turn: make(chan struct{}, 1)}}
	zone, base := d.Config.Site.Timezone.Location(), string(d.Config.Site.Base)
	links, orders := core.Checkout.Links, core.Checkout.Orders
	signer := links.Signer
	s.Referrals = &marketing.Referrals{Store: d.Stores.Pledges, Coordinator: d.Coordinator, Class: settlement.ClassName, SiteBase: base, Rand: d.Rand}
	s.Analytics = &analytics.Service{Page: s.Projector.IndexPage, Zone: zone}
	s.Audit = &audit.Log{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Rand: d.Rand, Log: d.Log,
		Object: kv.Object{Class: settlement.ClassName, Name: auditName},
	}
	networks, _ := emailHash(d.Config.Secrets)
	s.Access = &access.Service{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Outbox: s.Outbox, Links: links, Signer: signedBy(d.Config.Secrets.AdminSession, signer),
		Object: kv.Object{Class: settlement.ClassName, Name: accessName}, Key: networks,
		Site: passkey.Site{Origin: base}, Verify: d.VerifyKey, DemandPasskeys: d.Config.SignIn.Passkeys,
		Now: d.Now, Rand: d.Rand, Log: d.Log,
	}
	s.mails(signer, links)
	s.reminders(orders)
	s.Supporters = &supporters.Service{
		Index: s.Projector.Search(), Outbox: s.Outbox, Suppressions: s.Suppressions, Votes: vote.Client{Coordinator: d.Coordinator}, Catalogue: d.Campaigns,
	}
	s.PledgeHealth = &pledgehealth.Service{
		Settlement: s.Settlement, Card: asked.Card, Outbox: s.Outbox, Suppressions: s.Suppressions, Links: links, Zone: zone, Now: d.Now,
	}
	s.Outbox.Verifier = s.verifier()
	s.Checkout.Carts = s.Carts
	s.Media = s.media()
	s.Content = s.editing()
	s.Previews = s.previews()
	s.Visits = s.visits()
	s.Fulfilment = s.fulfilment()
	return s, nil
}

// parts are those of the core, as the configuration has them.
func (d *Deps) parts(holder func() settlement.Holder) pledgeworks.Parts {
	c := d.Config
	return pledgeworks.Parts{
		Store: d.Stores.Pledges, Coordinator: d.Coordinator, Processor: d.Processor, Sender: d.Sender,
		Tax: d.Tax, Shipping: d.Shipping, Catalogue: d.Campaigns, Now: d.Now, Rand: d.Rand, Log: d.Log,
		From: c.Site.PledgesSender(), News: c.Site.UpdatesSender(), ReplyTo: c.Site.SupportEmail,
		Site: string(c.Site.Base), Zone: c.Site.Timezone.Location(),
		Platform: notify.Platform{Name: c.Site.Name, Company: c.Site.Company, Address: c.Site.PostalAddress},
		Secret:   []byte(c.Secrets.MagicLink.Reveal()), IntentSecret: []byte(c.Secrets.CheckoutIntent.Reveal()),
		WebhookSecret: c.PSPWebhookSecret().Reveal(), PublishableKey: c.Processor.PublishableKey,
		Votes:      d.Stores.Votes, // without it there are no votes to count
		DefaultTip: c.Pricing.DefaultTipPercent, MaxTip: c.Pricing.MaxTipPercent,
		Grouping: c.Settlement.Grouping, Hold: !c.Settlement.Enabled, Next: d.Next, Together: d.Together, Holder: holder, Leases: d.Leases,
		BatchSize: d.Sizes.Batch, SweepSize: d.Sizes.Sweep, PageSize: d.Sizes.Page, SegmentSize: d.Sizes.Segment,
	}
}

// check names what is missing.
func (d *Deps) check() error {
	var missing []error
	need := func(there bool, name string) {
		if !there {
			missing = append(missing, errors.New("compose: "+name+" is required"))
		}
	}
	need(d.Stores.Pledges != nil, "Stores.Pledges (the binding PLEDGES)")
	need(d.Coordinator != nil, "Coordinator (the bindings CHECKOUT_INTENTS, TIER_INVENTORY_COORDINATOR and SETTLEMENT_COORDINATOR)")
	need(d.Processor != nil, "Processor")
	need(d.Sender != nil, "Sender")
	need(d.Campaigns != nil, "Campaigns")
	need(d.Challenge != nil || !d.Config.Challenged() && !d.Config.SignInChallenged(), "Challenge, which CHALLENGE_SECRET_KEY asks for,")
	need(d.VerifyKey != nil, "VerifyKey")
	need(d.Now != nil, "Now")
	need(d.Rand != nil, "Rand")
	need(d.Log != nil, "Log")
	if d.Processor != nil && d.Processor.Mode() != d.Config.Mode.App {
		missing = append(missing, errors.New("compose: the processor's key is of "+string(d.Processor.Mode())+" mode and APP_MODE is "+string(d.Config.Mode.App)))
	}
	return errors.Join(missing...)
}
