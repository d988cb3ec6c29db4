package workers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/providers"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Bindings of the KV namespaces, and of the public site's files if they are a part of the deployment.
const (
	pledges   = "PLEDGES"
	rateLimit = "RATELIMIT"
	votes     = "VOTES"
	assets    = "ASSETS"
	steps     = "STEPS" // only the background worker has it
)

// Options configure a Host. All fields but SiteFile are required.
type Options struct {
	Bridge Bridge
	// Lookup returns the value of a variable or a secret.
	Lookup config.Lookup
	// SiteFile is the content's site file (site.yml) at the time of the deployment. It may be
	// empty.
	SiteFile []byte
	// Now returns the system time, without the configured clock offset.
	Now  func() time.Time
	Rand io.Reader
	Log  io.Writer
}

// Host is Pledgeworks in one instance of the program. It handles one request at a time.
type Host struct {
	opts     Options
	config   config.Config
	now      func() time.Time
	log      *slog.Logger
	services *compose.Services
	api      *httpapi.API
	content  content
}

// New loads the configuration and composes a Host. Its error lists all invalid variables or, if
// there are none, all settings that Workers do not support.
func New(ctx context.Context, o Options) (*Host, error) {
	cfg, err := config.Load(o.Lookup, config.SiteContent(o.SiteFile))
	if err != nil {
		return nil, err
	}
	if err := unsupported(cfg); err != nil {
		return nil, err
	}
	h := &Host{opts: o, config: cfg, log: slog.New(slog.NewJSONHandler(o.Log, &slog.HandlerOptions{Level: cfg.Server.LogLevel}))}
	h.now = func() time.Time { return o.Now().Add(cfg.Server.ClockOffset) }
	present, err := h.present(ctx)
	if err != nil {
		return nil, err
	}
	open := h.providers()
	h.content = content{published: h.published(present[assets]), log: h.log}
	if host := open.GitHost(); host != nil {
		h.content.repository = host
	}
	if err := h.content.refresh(ctx, false); err != nil {
		return nil, err
	}
	processor, err := h.stripe(cfg.PSPSecretKey(), cfg.PSPRefundKey())
	if err != nil {
		return nil, err
	}
	if h.services, err = h.compose(open, processor, present); err != nil {
		return nil, err
	}
	h.api, err = httpapi.New(h.services, httpapi.Options{SignatureHeader: rest.SignatureHeader, Fetch: fetcher{bridge: o.Bridge}})
	return h, err
}

// stripe returns a client for Stripe with a key, and another one for refunds, "" for none.
func (h *Host) stripe(key, refundKey config.Secret) (*rest.Processor, error) {
	return rest.New(rest.Options{Key: key.Reveal(), RefundKey: refundKey.Reveal(), BaseURL: string(h.config.Processor.API),
		Now: h.now, Sender: fetcher{bridge: h.opts.Bridge}, Wait: wait})
}

// published returns the catalogue of the public site, which is a part of the deployment or not.
func (h *Host) published(deployed bool) catalogue {
	c := catalogue{site: fetcher{bridge: h.opts.Bridge}, base: string(h.config.Site.Base), deployed: deployed, now: h.opts.Now, log: h.log}
	if deployed {
		c.site.binding = assets
	}
	return c
}

func (h *Host) compose(open providers.Providers, processor psp.Processor, present map[string]bool) (*compose.Services, error) {
	sender, err := h.sender(open)
	if err != nil {
		return nil, err
	}
	reports, err := open.MailReports()
	if err != nil {
		return nil, err
	}
	lookup, err := open.TaxLookup(false)
	if err != nil {
		return nil, err
	}
	carrier, err := open.Carrier()
	if err != nil {
		return nil, err
	}
	films, err := open.Films()
	if err != nil {
		return nil, err
	}
	d := compose.Deps{
		Stores: h.stores(present), Coordinator: NewCoordinator(h.opts.Bridge, Bindings(), h.now),
		Processor: processor, TaxLookup: lookup, Carrier: carrier,
		Sender: sender, Reports: reports, Challenge: open.Challenge(), VerifyKey: verifier{h.opts.Bridge}.verify,
		Campaigns: h.content.current, Repository: h.content.repository,
		CheckSettings: h.checkSettings, DrawPage: h.drawPage, CheckPages: h.checkPages,
		Config: h.config, Now: h.now, Rand: h.opts.Rand, Log: h.log, Together: parallel,
		Sizes: compose.Sizes{Search: searchBatch},
	}
	if films != nil {
		d.Films = films
	}
	if key := h.config.PSPRefundKey(); key.IsSet() {
		refunding, err := h.stripe(key, "")
		if err != nil {
			return nil, err
		}
		d.RefundAccount = refunding.Account
	}
	if present[steps] {
		d.Next = h.nextBatch
	}
	return compose.New(d)
}

// providers opens the clients of external services over Cloudflare's fetch.
func (h *Host) providers() providers.Providers {
	return providers.Providers{
		Config: h.config, Now: h.now, System: h.opts.Now, Transport: transport{h.opts.Bridge},
		Fetch: func(timeout time.Duration, maxBody int64) fetch.Sender {
			return fetcher{bridge: h.opts.Bridge, timeout: timeout, maxBody: maxBody, immutable: isGitObject}
		},
	}
}

// isGitObject reports whether a URL of a Git host addresses a file by its hash, so that the
// response never changes.
func isGitObject(url string) bool {
	return strings.Contains(url, "/git/blobs/")
}

// unsupported reports all configured features that are not supported on Workers.
func unsupported(cfg config.Config) error {
	var errs []error
	rejectIf := func(configured bool, text string) {
		if configured {
			errs = append(errs, errors.New(text))
		}
	}
	rejectIf(cfg.Processor.Provider != config.Stripe, "PSP_PROVIDER: the built-in simulator is not supported on Workers; set PSP_API_BASE to the URL of a simulator instead")
	rejectIf(cfg.Secrets.SMTP.IsSet(), "SMTP_URL: Workers cannot connect to mail servers; set EMAIL_API_KEY, POSTMARK_SERVER_TOKEN or SES_SECRET_ACCESS_KEY instead")
	place, _ := cfg.Content.Place()
	rejectIf(place != "" && !cfg.Content.Remote(), "CONTENT_REPOSITORY: Workers have no folder; use github:owner/name or gitea:https://host/owner/name")
	return errors.Join(errs...)
}

// present returns the set of available bindings. It fails if required ones are missing.
func (h *Host) present(ctx context.Context) (map[string]bool, error) {
	var names []string
	if err := h.opts.Bridge.Call(ctx, opPresent, nil, &names); err != nil {
		return nil, err
	}
	available := map[string]bool{}
	for _, name := range names {
		available[name] = true
	}
	var errs []error
	required := []string{pledges}
	for _, binding := range Bindings() {
		required = append(required, binding)
	}
	for _, name := range required {
		if !available[name] {
			errs = append(errs, errors.New("the binding "+name+" is missing"))
		}
	}
	return available, errors.Join(errs...)
}

func (h *Host) stores(present map[string]bool) compose.Stores {
	store := func(name string) kv.Store {
		if !present[name] {
			return nil
		}
		return NewStore(h.opts.Bridge, name, h.now)
	}
	return compose.Stores{Pledges: store(pledges), RateLimit: store(rateLimit), Votes: store(votes)}
}

func (h *Host) sender(open providers.Providers) (notify.Sender, error) {
	if h.config.Mode.App != psp.Live {
		return testSender{NewStore(h.opts.Bridge, pledges, h.now), h.now}, nil
	}
	sender, err := open.Mail()
	if sender == nil && err == nil {
		h.log.Warn("no mail provider is configured, emails stay in the outbox")
		return notify.Held{}, nil
	}
	return sender, err
}

// testSender is the mail sender of test mode. It stores each mail for a day under "test-mail:" and
// its key, where operators can read it.
type testSender struct {
	store kv.Store
	now   func() time.Time
}

func (s testSender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	now := s.now().UTC()
	w, err := kv.Record("test-mail:"+m.Key, struct {
		notify.Mail
		SentAt time.Time `json:"sentAt"`
	}{m, now}, now.Add(24*time.Hour))
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, s.store.Apply(ctx, []kv.Write{w})
}

// Request is an HTTP request, as passed by worker/worker.mjs.
type Request struct {
	ID       string            `json:"id"`
	Method   string            `json:"method"`
	Path     string            `json:"path"` // decoded
	Query    string            `json:"query"`
	Header   map[string]string `json:"header"` // names in lower case
	ClientIP string            `json:"clientIP"`
	Length   int64             `json:"length"` // of the body in bytes, 0 if it is unknown
	// Body is read only if the request is allowed. It may be nil.
	Body io.Reader `json:"-"`
}

// Response is the response to a Request.
type Response struct {
	Status int            `json:"status"`
	Header httpapi.Header `json:"header"`
	Body   text           `json:"body"`
	// Shared reports whether the response is public, so that the worker may cache it briefly.
	Shared bool `json:"shared,omitempty"`
}

// Handle handles a request. It returns an error if no response could be produced.
func (h *Host) Handle(ctx context.Context, r Request) (Response, error) {
	if err := h.content.refresh(ctx, isOperators(r.Path)); err != nil {
		return Response{}, err
	}
	out := h.api.Serve(ctx, httpapi.Request{
		ID: r.ID, Method: r.Method, Path: r.Path, RawQuery: r.Query, Stream: r.Body, Length: r.Length, ClientIP: r.ClientIP,
		Header: func(name string) string { return r.Header[strings.ToLower(name)] },
	})
	if err := out.Gather(); err != nil {
		return Response{}, err
	}
	if r.Method != "GET" {
		// Flush now: this instance may never be used again.
		if err := h.services.Evidence.Flush(ctx); err != nil {
			h.log.WarnContext(ctx, "could not write evidence", "error", err.Error())
		}
	}
	return Response{Status: out.Status, Header: out.Header, Body: textOf(out.Body), Shared: r.Method == "GET" && out.Status == 200 && h.api.Public(r.Method, r.Path)}, nil
}

// isOperators reports whether the path is one of the operators' routes, whose responses must show
// the newest revision of the content.
func isOperators(path string) bool { return strings.HasPrefix(path, "/admin/") }

// Hourly runs all scheduled work. The hourly cron trigger calls it.
func (h *Host) Hourly(ctx context.Context) error {
	if err := h.content.refresh(ctx, true); err != nil {
		return err
	}
	report, err := h.services.Cron(ctx)
	text, marshal := json.Marshal(report)
	h.log.InfoContext(ctx, "cron", "report", json.RawMessage(text))
	return errors.Join(err, marshal)
}

// Minutely runs the periodic work that cannot wait for the next hour. The minutely cron trigger
// calls it.
func (h *Host) Minutely(ctx context.Context) error {
	if err := h.content.refresh(ctx, true); err != nil {
		return err
	}
	return errors.Join(h.services.Minute(ctx), h.api.Flush(ctx))
}

// nextBatch schedules Settle to run in a separate invocation. It implements compose.Deps.Next.
func (h *Host) nextBatch(ctx context.Context, slug string) error {
	in := map[string]string{"name": "settle:" + slug, "op": "settle", "input": slug}
	return unavailable(h.opts.Bridge.Call(ctx, opStep, in, nil))
}

// Settle runs the next batch of a campaign's settlement. It returns an error only if a repetition can
// succeed.
func (h *Host) Settle(ctx context.Context, slug string) error {
	if err := h.content.refresh(ctx, true); err != nil {
		return err
	}
	_, err := h.services.Settlement.Batch(ctx, settlement.BatchRequest{CampaignSlug: slug})
	if err == nil || fault.Is(err, fault.Unavailable) || fault.Of(err) == nil {
		return err
	}
	if !fault.Is(err, fault.Busy) { // another run is active and continues itself
		h.log.WarnContext(ctx, "settlement batch was rejected", "campaign", slug, "error", err.Error())
	}
	return nil
}

// searchBatch is how many pledges are added to the search index per minute. Each needs about six KV
// calls, and an invocation may make a thousand.
const searchBatch = 50

// maxParallel is how many supporters are charged in parallel. A Worker can have six open
// connections.
const maxParallel = 5

// parallel calls do for 0 to n-1, at most maxParallel at a time, and waits for all calls.
func parallel(n int, do func(i int)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			do(i)
			<-slots
		})
	}
	all.Wait()
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
