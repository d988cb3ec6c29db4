// Package app assembles a server from its configuration, the content repository and the data
// directory. The commands of pledged share it:
//
//	a, err := app.Open(ctx, app.Options{Config: cfg, Content: content, Now: time.Now, Log: log})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	err = a.Run(ctx, listener, a.Handler())
//
// Open creates the storage engine, the payment processor, the mail sender and the content
// repository from the configuration, and passes them to compose.New. Run serves requests, does the
// scheduled work and reloads the content when it changes.
package app

import (
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
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/rehearsal"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
	"github.com/pledgeworks/pledgeworks/hosts/providers"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options are the inputs of an App.
type Options struct {
	Config  config.Config
	Content fs.FS // the content repository
	// Folder is the directory of Content, which is watched for changes; "" disables watching.
	Folder string
	// Load validates the configuration with other site settings. If it is nil, settings cannot be
	// edited.
	Load func(site fs.FS) error
	// TaxTables makes the tax provider nm_grt use its built-in table instead of the state's service.
	TaxTables bool
	Now       func() time.Time
	Log       *slog.Logger
	Version   string
}

// App is an opened service.
type App struct {
	Config    config.Config
	Services  *compose.Services
	API       *httpapi.API
	Sim       *sim.Sim // nil with a real processor
	Mails     Folder
	reloading sync.Mutex // held while the content is loaded; guards the loader and the settings
	loader    campaignfile.Loader
	published *publishedFiles
	settings  []byte // the site file of the current site
	// unpublished contains the problems of files whose current version is not published.
	unpublished atomic.Pointer[campaign.Problems]
	content     fs.FS
	folder      string
	Processor   psp.Processor // without recording of requests
	Engine      *Engine

	log       *slog.Logger
	worker    *nethttp.Worker
	simulator *simulator
	node      node
	site      *site.Server
	events    nethttp.Events
	telemetry *telemetry.Telemetry
	rehearsed *rehearsal.Runner
	budget    compose.Budget // nil if the processor has no rate limits
	outside   outside
	copy      *remoteCopy        // nil unless the content is a copy of a remote repository
	plain     *folder.Repository // nil unless the repository is a plain folder
	films     *s3.Store          // nil if media is stored in the repository
}

// Open opens the data directory and assembles the service. The caller must close it.
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
		return fmt.Errorf("creating the data directory: %w", err)
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
	open := o.providers()
	lookup, err := open.TaxLookup(o.TaxTables)
	if err != nil {
		return err
	}
	carrier, err := open.Carrier()
	if err != nil {
		return err
	}
	reports, err := open.MailReports()
	if err != nil {
		return err
	}
	kept, err := a.openRepository(ctx, o)
	if err != nil {
		return err
	}
	if a.films, err = open.Films(); err != nil {
		return err
	}
	a.Services, err = compose.New(compose.Deps{
		Stores: compose.Stores{
			Pledges: a.Engine.store("pledges"), Votes: a.Engine.store("votes"), RateLimit: a.Engine.rateLimit,
		},
		Coordinator: a.Engine.coordinator, CheckWrite: a.Engine.checkWrite, VerifyKey: publickey.Verify,
		Processor: a.Processor, PaymentPage: paymentPage(o.Config),
		RefundAccount: refundAccount(o), TaxLookup: lookup, Carrier: carrier,
		Sender: a.sender(open), Reports: reports, Challenge: open.Challenge(),
		Repository: kept, Films: filmsOf(a.films),
		Local: a.readLocal, CheckSettings: checkSettings(o.Load), DrawPage: a.drawPage, CheckPages: a.checkPages,
		Campaigns: a.Catalogue,
		Config:    o.Config, Now: o.Now, Clock: clock, Rand: rand.Reader, Log: o.Log, Next: a.worker.ScheduleBatch,
		Node: a.node.name, Incarnation: a.node.incarnation, Together: runParallel, Budget: a.budget,
		MailWidth: a.mailWidth(), Sleep: sleep,
	})
	if err != nil {
		return err
	}
	a.rehearsed = rehearsal.NewRunner(a.Rehearsal, o.Log)
	if a.API, err = httpapi.New(a.Services, a.apiOptions(o.Version)); err != nil {
		return err
	}
	a.events.Live, a.events.TrustedHeader = a.Services.Projector.Live, a.Config.Server.TrustedProxyHeader
	return a.openTelemetry(o.Version)
}

func (a *App) openTelemetry(version string) (err error) {
	if a.telemetry, err = telemetry.New(version); err != nil {
		return err
	}
	a.Services.Evidence.Observe = a.telemetry.RecordCall
	a.telemetry.Watch(a.vitals, a.log)
	return nil
}

// vitals returns the service's vitals including those of this server.
func (a *App) vitals(ctx context.Context) (compose.Vitals, error) {
	v, err := a.Services.Vitals(ctx)
	v.ContentProblems = len(a.problems())
	if free, size, err := diskSpace(a.Config.Server.DataDir); err == nil {
		v.DiskFree, v.DiskSize = free, size
	}
	return v, err
}

// OwnsFolder reports whether this process holds the lock of the data directory.
func (a *App) OwnsFolder() bool { return a.node.name != "" }

// Clock returns the service's time for operators, in the platform's time zone.
func (a *App) Clock() string { return Moment(a.Services.Now().In(a.Config.Site.Timezone.Location())) }

// Moment formats a time for operators: "November 22, 2026, 1:15 AM MST".
func Moment(t time.Time) string { return t.Format("January 2, 2006, 3:04 PM MST") }

// providers opens the clients of external services over net/http.
func (o Options) providers() providers.Providers {
	return providers.Providers{
		Config: o.Config, Now: o.Now, System: time.Now,
		Fetch: func(timeout time.Duration, maxBody int64) fetch.Sender {
			return overhttp.New(nil, timeout).Reading(maxBody)
		},
	}
}

// processor opens the configured payment processor. With the simulated one, it also sets
// a.simulator and a.Sim.
func (a *App) processor(o Options) (psp.Processor, error) {
	switch o.Config.Processor.Provider {
	case config.Sim:
		var err error
		worker := string(o.Config.Site.Worker)
		a.simulator, err = openSimulator(o.Config.Server.DataDir, sim.Options{
			Mode: o.Config.Mode.App, Now: o.Now, BaseURL: worker,
			NoLimits:      true, // not shared with other clients
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
		return a.rateLimited(p), nil
	}
	return nil, fmt.Errorf("unknown payment processor %q", o.Config.Processor.Provider)
}

// usageTimeout is the timeout of plan usage requests.
const usageTimeout = 15 * time.Second

// Rehearsal returns the options for rehearsals of this service.
func (a *App) Rehearsal() rehearsal.Options {
	return rehearsal.Options{
		Backup: a.Engine.Backup, Dir: a.Config.Server.DataDir, Processor: a.Processor, Config: a.Config,
		Catalogue: a.Catalogue(), Now: a.Services.Now,
	}
}

// apiOptions returns the options of the API for this host.
func (a *App) apiOptions(version string) httpapi.Options {
	o := httpapi.Options{
		Version: version, HealthDeps: a.healthDeps, Fetch: overhttp.New(nil, usageTimeout), Rehearsals: a.rehearsed,
	}
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

func (a *App) sender(open providers.Providers) notify.Sender {
	if a.keepsMails() {
		return a.Mails
	}
	s, err := openMail(open)
	if err != nil {
		a.log.Warn("mails are not sent", "reason", err.Error())
		return notify.Held{}
	}
	return s
}

// maxMails is how many mails are sent at the same time: enough for 500 a second if the provider
// answers within a tenth of a second. A mail server gets a connection for each mail, so at most
// maxConnections.
const maxMails, maxConnections = 64, 8

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (a *App) mailWidth() int {
	switch {
	case a.keepsMails():
		return 1
	case a.Config.Secrets.SMTP.IsSet():
		return maxConnections
	}
	return maxMails
}

// Handler serves the site, the API and, with the simulated processor, the processor's pages.
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
		mux.Handle("POST /webhooks/content", admission.Admit(http.HandlerFunc(a.handlePush)))
	}
	if a.keepsMails() {
		mux.Handle(TestMailPath, a.readMails())
		mux.Handle(TestMailPath+"/", a.readMails())
	}
	if a.simulator != nil {
		mux.Handle("/_sim/", a.simulator.handler())
	}
	return mux
}

// capacity returns the configured limits of requests.
func (a *App) capacity() nethttp.Capacity {
	s := a.Config.Server
	return nethttp.Capacity{
		BodyBytes: int64(s.BodyBudget) << 20, RequestsPerClient: s.RequestsPerClient,
		Connections: s.Connections, PerClient: s.ConnectionsPerClient,
	}
}

// Run serves on the listener and does the scheduled work until ctx is done and all running work has
// finished.
func (a *App) Run(ctx context.Context, l net.Listener, h http.Handler) error {
	if err := a.resolveStartConflicts(ctx); err != nil {
		return err
	}
	if _, err := a.Services.Settlement.Bind(ctx); fault.Is(err, fault.Unavailable) {
		// Each settlement retries.
		a.log.Warn("cannot verify which processor account this database belongs to", "error", err.Error())
	} else if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx)) // ends after the last response
	var background sync.WaitGroup
	background.Go(func() { a.worker.Run(serving, a.Services) })
	background.Go(func() {
		if err := a.Reload(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("could not load the content", "error", err.Error())
		}
	})
	background.Go(func() { a.watch(ctx) })
	if a.copy != nil {
		background.Go(func() { a.copy.run(ctx) })
	}
	background.Go(func() {
		<-ctx.Done() // streams would otherwise delay the shutdown
		a.events.Stop()
	})
	if a.simulator != nil {
		background.Go(func() { a.simulator.pump(ctx) })
	}
	if address := a.Config.Server.MetricsListen; address != "" {
		background.Go(func() { a.telemetry.Serve(ctx, address, a.log) })
	}
	err := nethttp.Serve(ctx, l, h, nethttp.Serving{
		StrictTransport: a.Config.Mode.StrictTransport(),
		DrainDelay:      a.Config.Server.DrainTimeout, ShutdownTimeout: a.Config.Server.ShutdownTimeout,
		Capacity: a.capacity(), Proxied: a.Config.Server.TrustedProxyHeader != "",
	})
	stop()
	stopServing()
	background.Wait()
	return err
}

// ignoreClock returns the error of a final write, or nil if the write was rejected because the
// clock is wrong: the times in it would be wrong, too.
func ignoreClock(err error) error {
	if errors.Is(err, compose.ErrClock) {
		return nil
	}
	return err
}

// Close writes records that are not yet stored, closes the database and releases the data
// directory.
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
		errs = append(errs, ignoreClock(a.Services.Evidence.Flush(context.Background())))
	}
	if a.API != nil {
		errs = append(errs, ignoreClock(a.API.Flush(context.Background())))
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
	return errors.Join(append(errs, a.node.release())...)
}
