// Package app puts a server together: configuration, content and a data folder
// in, a running service out. The commands of pledged share it.
package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media/s3"
	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/rehearsal"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/usps"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/live"
)

// Options are what an App is made of.
type Options struct {
	Config  config.Config
	Content fs.FS // the content repository
	// Folder is where Content lies, to be watched for changes; "" is not watched.
	Folder string
	// Load reads the configuration with other settings of the site, to see whether it could
	// be so. It may be nil: then settings are not edited.
	Load    func(site fs.FS) error
	Now     func() time.Time
	Log     *slog.Logger
	Version string
}

// App is a service that is ready to run.
type App struct {
	Config    config.Config
	Services  *compose.Services
	API       *httpapi.API
	Sim       *sim.Sim // nil with a real processor
	Mails     Folder
	reloading sync.Mutex // held while the content is loaded: it guards the loader and the settings
	loader    campaignfile.Loader
	published *published
	settings  []byte // the site file that the site was made with
	// unpublished holds the problems of files that are not published as they are.
	unpublished atomic.Pointer[campaign.Problems]
	content     fs.FS
	folder      string
	Processor   psp.Processor // as it is, with nothing recorded
	Engine      *Engine

	log       *slog.Logger
	worker    *nethttp.Worker
	simulator *simulator
	node      node
	site      *site.Server
	events    nethttp.Events
	telemetry *telemetry.Telemetry
	rehearsed *rehearsal.Room
	budget    compose.Budget // nil where the processor has no limits
	outside   outside
	copy      *copied            // of a repository at a host; nil where the content is no copy
	plain     *folder.Repository // nil where the content is kept elsewhere
	films     *s3.Store          // nil where they are files of the repository
}

// Open opens the data folder and puts the service together. Close it.
func Open(ctx context.Context, o Options) (*App, error) {
	a := &App{Config: o.Config, log: o.Log, worker: nethttp.NewWorker(o.Log), content: o.Content, folder: o.Folder}
	if err := a.open(ctx, o); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context, o Options) error {
	dir := o.Config.Server.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	var err error
	if a.node, err = claimNode(dir); err != nil {
		return err
	}
	if err := a.openSite(o); err != nil {
		return err
	}
	clock := compose.NewClock(o.Now, o.Log)
	a.Engine, err = OpenEngine(ctx, EngineOptions{
		DatabaseURL: o.Config.Secrets.Database.Reveal(), Connections: o.Config.Server.DatabaseConnections,
		DataDir: dir, Now: o.Now, MaySweep: clock.IsRight, Log: o.Log,
	})
	if err != nil {
		return err
	}
	if a.Processor, err = a.processor(o); err != nil {
		return err
	}
	a.Mails = Folder{Dir: filepath.Join(dir, "mails"), Now: o.Now}
	lookup, err := a.taxLookup(o)
	if err != nil {
		return err
	}
	carrier, err := carrierOf(o)
	if err != nil {
		return err
	}
	reports, err := openReports(o.Config, o.Now)
	if err != nil {
		return err
	}
	kept, err := a.openRepository(ctx, o)
	if err != nil {
		return err
	}
	if a.films, err = openFilms(o); err != nil {
		return err
	}
	a.Services, err = compose.New(compose.Deps{
		Stores: compose.Stores{
			Pledges: a.Engine.store("pledges"), Votes: a.Engine.store("votes"), RateLimit: a.Engine.rateLimit,
		},
		Coordinator: a.Engine.coordinator, CheckWrite: a.Engine.checkWrite, Processor: a.Processor, Sender: a.sender(o.Now), Reports: reports, NewsOf: notify.NewsOf, Reporter: report.Mails, Challenge: openChallenge(o.Config), VerifyKey: publickey.Verify, TaxLookup: lookup, Carrier: carrier, Repository: kept, Films: filmsOf(a.films),
		Local: a.local, CheckSettings: checkSettings(o.Load), DrawPage: a.drawPage, CheckPages: a.checkPages,
		Campaigns: a.Catalogue,
		Config:    o.Config, Now: o.Now, Clock: clock, Rand: rand.Reader, Log: o.Log, Next: a.worker.Next,
		Node: a.node.name, Incarnation: a.node.incarnation, Together: together, Budget: a.budget,
	})
	if err != nil {
		return err
	}
	a.rehearsed = rehearsal.NewRoom(a.Rehearsal, o.Log)
	if a.API, err = httpapi.New(a.Services, a.edge(o.Version)); err != nil {
		return err
	}
	a.events.Live, a.events.TrustedHeader = a.Services.Projector.Live, a.Config.Server.TrustedProxyHeader
	return a.watchVitals(o.Version)
}

func (a *App) watchVitals(version string) (err error) {
	if a.telemetry, err = telemetry.New(version, os.LookupEnv); err != nil {
		return err
	}
	a.Services.Evidence.Observe = a.telemetry.Call
	a.telemetry.Watch(a.vitals, a.log)
	return nil
}

// vitals are the service's, with the content's.
func (a *App) vitals(ctx context.Context) (compose.Vitals, error) {
	v, err := a.Services.Vitals(ctx)
	v.ContentProblems = len(a.problems())
	return v, err
}

// OwnsFolder reports whether this process is the one that runs on the data folder.
func (a *App) OwnsFolder() bool { return a.node.name != "" }

// Clock is the service's time as its operators read it, in the platform's zone.
func (a *App) Clock() string { return Moment(a.Services.Now().In(a.Config.Site.Timezone.Location())) }

// Moment is a time as operators read it: "November 22, 2026, 1:15 AM MST".
func Moment(t time.Time) string { return t.Format("January 2, 2006, 3:04 PM MST") }

// taxLookup is who is asked about addresses, where the provider asks anybody.
func (a *App) taxLookup(o Options) (tax.Lookup, error) {
	c := o.Config
	switch c.Tax.Provider {
	case config.TaxNMGRT:
		s, err := live.NewEDAC(live.Options{Base: cmp.Or(string(c.Tax.NMGRTAPI), live.EDACBase), Now: o.Now})
		if err != nil {
			return nil, fmt.Errorf("NM_GRT_API_BASE: %w", err)
		}
		return s, nil
	case config.TaxLocal:
		s, err := live.NewZIPTax(live.Options{
			Base: cmp.Or(string(c.Tax.LocalAPI), live.ZIPTaxBase), Key: c.Secrets.LocalTaxAPIKey.Reveal(), Now: o.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("LOCAL_TAX_API_BASE: %w", err)
		}
		return s, nil
	}
	return nil, nil
}

// carrierOf is who prices parcels, where the configuration enables anybody.
func carrierOf(o Options) (shipping.Carrier, error) {
	c := o.Config.Carrier
	if !c.Enabled {
		return nil, nil
	}
	carrier, err := usps.New(usps.Options{
		Base: string(c.API), ClientID: c.ClientID, ClientSecret: o.Config.Secrets.CarrierClient.Reveal(),
		OriginCountry: string(o.Config.Shipping.OriginCountry), OriginZIP: o.Config.Shipping.OriginZIP, Commercial: c.PriceType == config.CommercialPrices, Timeout: c.Timeout, QuoteTTL: c.QuoteTTL,
		FailureCooldown: c.FailureCooldown, RateLimitCooldown: c.RateLimitCooldown, Now: o.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("CARRIER_ENABLED: %w", err)
	}
	return carrier, nil
}

// processor chooses the payment processor.
func (a *App) processor(o Options) (psp.Processor, error) {
	switch o.Config.Processor.Provider {
	case config.Sim:
		var err error
		worker := string(o.Config.Site.Worker)
		a.simulator, err = openSimulator(o.Config.Server.DataDir, sim.Options{
			Mode: o.Config.Mode.App, Now: o.Now, BaseURL: worker,
			NoLimits:      true, // nobody shares this processor
			WebhookSecret: o.Config.PSPWebhookSecret().Reveal(), WebhookURL: worker + "/webhooks/psp",
		})
		if err != nil {
			return nil, err
		}
		a.Sim = a.simulator.Sim
		return a.simulator.processor(), nil
	case config.Stripe:
		p, err := openStripe(o)
		if err != nil {
			return nil, err
		}
		return a.paced(p), nil
	}
	return nil, fmt.Errorf("there is no payment processor %q", o.Config.Processor.Provider)
}

// usagePatience is how long somebody waits for the plan's usage.
const usagePatience = 15 * time.Second

// Rehearsal is what rehearsals of this service are made of.
func (a *App) Rehearsal() rehearsal.Options {
	return rehearsal.Options{
		Backup: a.Engine.Backup, Dir: a.Config.Server.DataDir, Processor: a.Processor, Config: a.Config, Catalogue: a.Catalogue(), Now: a.Services.Now,
	}
}

// edge tells the API about the processor.
func (a *App) edge(version string) httpapi.Options {
	o := httpapi.Options{Version: version, Means: a.means, Fetch: overhttp.New(nil, usagePatience), Rehearsals: a.rehearsed}
	if a.simulator == nil {
		o.SignatureHeader = signatureHeader
		return o
	}
	o.SaveCard = func(_ context.Context, sessionID string) error {
		if err := a.Sim.Complete(sessionID, sim.CardOK); err != nil {
			return err
		}
		return a.simulator.save()
	}
	return o
}

func (a *App) sender(now func() time.Time) notify.Sender {
	if a.Config.Mode.App != psp.Live && a.Config.Mail.API == "" {
		return a.Mails
	}
	s, err := openMail(a.Config, now)
	if err != nil {
		a.log.Warn("mails are held back", "reason", err.Error())
		return notify.Held{}
	}
	return s
}

// Handler serves the site, the API and, with the simulated processor, its pages.
func (a *App) Handler() http.Handler {
	return a.site.Visits(a.site.Handler(a.service()), a.Services.Visits.Count)
}

func (a *App) service() http.Handler {
	trusted := a.Config.Server.TrustedProxyHeader
	admission := nethttp.NewAdmission(a.capacity(), trusted)
	api := nethttp.Handler(a.API, nethttp.Options{TrustedHeader: trusted, Admission: admission, Begin: a.telemetry.Begin})
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle("GET /live/{slug}/events", &a.events)
	if a.copy != nil && a.Config.Secrets.ContentWebhook.IsSet() {
		mux.Handle("POST /webhooks/content", admission.Admit(http.HandlerFunc(a.pushed)))
	}
	if a.simulator != nil {
		mux.Handle("/_sim/", a.simulator.handler())
	}
	return mux
}

// capacity is what the settings allow requests to use.
func (a *App) capacity() nethttp.Capacity {
	s := a.Config.Server
	return nethttp.Capacity{
		BodyBytes: int64(s.BodyBudget) << 20, RequestsPerClient: s.RequestsPerClient,
		Connections: s.Connections, PerClient: s.ConnectionsPerClient,
	}
}

// Run serves on the listener and does the scheduled work until ctx is done and
// everything begun is finished.
func (a *App) Run(ctx context.Context, l net.Listener, h http.Handler) error {
	if err := a.start(ctx); err != nil {
		return err
	}
	if _, err := a.Services.Settlement.Bind(ctx); fault.Is(err, fault.Unavailable) {
		a.log.Warn("whose database this is can't be asked now", "error", err.Error()) // each settlement asks again
	} else if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served, rest := context.WithCancel(context.WithoutCancel(ctx)) // other servers count on this one until the last answer
	var background sync.WaitGroup
	background.Go(func() { a.worker.Run(served, a.Services) })
	background.Go(func() {
		if err := a.reload(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("the content cannot be read", "error", err.Error())
		}
	})
	background.Go(func() { a.watch(ctx) })
	if a.copy != nil {
		background.Go(func() { a.copy.run(ctx) })
	}
	background.Go(func() {
		<-ctx.Done() // streams would hold up the end for as long as somebody looks
		a.events.Stop()
	})
	if a.simulator != nil {
		background.Go(func() { a.simulator.pump(ctx) })
	}
	if address := a.Config.Server.MetricsListen; address != "" {
		background.Go(func() { a.telemetry.Serve(ctx, address, a.log) })
	}
	err := nethttp.Serve(ctx, l, h, nethttp.Serving{StrictTransport: a.Config.Mode.StrictTransport(), Drain: a.Config.Server.DrainTimeout, Patience: a.Config.Server.ShutdownTimeout,
		Capacity: a.capacity(), Proxied: a.Config.Server.TrustedProxyHeader != ""})
	stop()
	rest()
	background.Wait()
	return err
}

// dropped returns the error of a last write, nil if the write was refused because of a wrong
// clock: its times are wrong too.
func dropped(err error) error {
	if errors.Is(err, compose.ErrClock) {
		return nil
	}
	return err
}

// Close closes the data folder.
func (a *App) Close() error {
	var errs []error
	if a.site != nil {
		a.site.Close()
	}
	if a.rehearsed != nil {
		a.rehearsed.Close()
	}
	if a.simulator != nil {
		errs = append(errs, a.simulator.close())
	}
	if a.Services != nil {
		errs = append(errs, dropped(a.Services.Evidence.Flush(context.Background())))
	}
	if a.API != nil {
		errs = append(errs, dropped(a.API.Flush(context.Background())))
	}
	if a.telemetry != nil {
		errs = append(errs, a.telemetry.Close(context.Background()))
	}
	if a.plain != nil {
		errs = append(errs, a.plain.Close())
	}
	if a.Engine != nil {
		errs = append(errs, a.Engine.Close())
	}
	return errors.Join(append(errs, a.node.leave())...)
}
