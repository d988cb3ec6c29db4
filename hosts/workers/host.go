package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/challenge/turnstile"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/resend"
)

// The bindings of keys.
const (
	pledges   = "PLEDGES"
	rateLimit = "RATELIMIT"
	votes     = "VOTES"
)

// Options are what a Host is made of. All are required.
type Options struct {
	Bridge Bridge
	// Lookup reads variables and secrets.
	Lookup config.Lookup
	// Now is the machine's clock.
	Now  func() time.Time
	Rand io.Reader
	Log  io.Writer
}

// Host is the service in one instance of the program. It answers one request at a time.
type Host struct {
	opts      Options
	now       func() time.Time
	log       *slog.Logger
	services  *compose.Services
	api       *httpapi.API
	catalogue catalogue
}

// New puts the service together. It fails for variables that are refused, with
// everything that is wrong with them.
func New(ctx context.Context, o Options) (*Host, error) {
	cfg, err := config.Load(o.Lookup, nil)
	if err != nil {
		return nil, err
	}
	if err := unsupported(cfg); err != nil {
		return nil, err
	}
	h := &Host{opts: o, log: slog.New(slog.NewJSONHandler(o.Log, &slog.HandlerOptions{Level: cfg.Server.LogLevel}))}
	h.now = func() time.Time { return o.Now().Add(cfg.Server.ClockOffset) }
	h.catalogue = catalogue{bridge: o.Bridge, base: string(cfg.Site.Base), now: o.Now, log: h.log}
	if err := h.catalogue.refresh(ctx); err != nil {
		return nil, err
	}
	processor, err := rest.New(rest.Options{
		Key: cfg.PSPSecretKey().Reveal(), BaseURL: string(cfg.Processor.API), Now: h.now, Sender: fetcher{o.Bridge}, Wait: wait,
	})
	if err != nil {
		return nil, err
	}
	present, err := h.present(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := h.reports(cfg)
	if err != nil {
		return nil, err
	}
	h.services, err = compose.New(compose.Deps{
		Stores:      h.stores(present),
		Coordinator: NewCoordinator(o.Bridge, Bindings(), h.now),
		Processor:   processor, Sender: h.sender(cfg), Reports: reports, Campaigns: h.catalogue.current,
		Challenge: turnstile.Checker{Secret: cfg.Secrets.Challenge.Reveal(), Fetch: fetcher{h.opts.Bridge}}.Check,
		VerifyKey: verifier{h.opts.Bridge}.verify,
		Config:    cfg, Now: h.now, Rand: o.Rand, Log: h.log, Together: together,
		Sizes: compose.Sizes{Search: searchable},
	})
	if err != nil {
		return nil, err
	}
	h.api, err = httpapi.New(h.services, httpapi.Options{SignatureHeader: rest.SignatureHeader, Fetch: fetcher{o.Bridge}})
	return h, err
}

// unsupported names what this host cannot do, of what is configured.
func unsupported(cfg config.Config) error {
	var errs []error
	refuse := func(is bool, text string) {
		if is {
			errs = append(errs, errors.New(text))
		}
	}
	refuse(cfg.Processor.Provider != config.Stripe, "PSP_PROVIDER: on Workers the processor is asked over the network; name a simulator with PSP_API_BASE")
	refuse(cfg.Tax.Provider == config.TaxLocal, "TAX_PROVIDER: "+config.TaxLocal+" needs a server; on Workers take flat, offline_rules or nm_grt")
	refuse(cfg.Carrier.Enabled, "CARRIER_ENABLED: the carrier's rates need a server; on Workers parcels have the flat rate")
	return errors.Join(errs...)
}

// present asks which bindings there are, and misses those that must be.
func (h *Host) present(ctx context.Context) (map[string]bool, error) {
	var names []string
	if err := h.opts.Bridge.Call(ctx, opPresent, nil, &names); err != nil {
		return nil, err
	}
	is := map[string]bool{}
	for _, name := range names {
		is[name] = true
	}
	var errs []error
	needed := []string{pledges}
	for _, binding := range Bindings() {
		needed = append(needed, binding)
	}
	for _, name := range needed {
		if !is[name] {
			errs = append(errs, errors.New("the binding "+name+" is missing"))
		}
	}
	return is, errors.Join(errs...)
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

func (h *Host) sender(cfg config.Config) notify.Sender {
	if cfg.Mode.App == psp.Live {
		if s, err := resend.New(resend.Options{Key: cfg.Secrets.EmailAPIKey.Reveal(), Fetch: fetcher{h.opts.Bridge}}); err == nil {
			return s
		}
		h.log.Warn("EMAIL_API_KEY is not set: mails stay in the outbox")
		return notify.Held{}
	}
	return kept{NewStore(h.opts.Bridge, pledges, h.now), h.now}
}

// reports returns what reads the mail provider's reports; nil where it is not set up.
func (h *Host) reports(cfg config.Config) (notify.Listener, error) {
	if !cfg.Secrets.EmailWebhook.IsSet() {
		return nil, nil
	}
	l, err := resend.NewListener(cfg.Secrets.EmailWebhook.Reveal(), h.now)
	if err != nil {
		return nil, fmt.Errorf("EMAIL_WEBHOOK_SECRET: %w", err)
	}
	return l, nil
}

// kept is the sender of test mode: a mail lies for a day under "test-mail:" and its key,
// where an operator finds it.
type kept struct {
	store kv.Store
	now   func() time.Time
}

func (k kept) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	now := k.now().UTC()
	w, err := kv.Record("test-mail:"+m.Key, struct {
		notify.Mail
		SentAt time.Time `json:"sentAt"`
	}{m, now}, now.Add(24*time.Hour))
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, k.store.Apply(ctx, []kv.Write{w})
}

// Request is one request as the worker hands it over.
type Request struct {
	ID       string            `json:"id"`
	Method   string            `json:"method"`
	Path     string            `json:"path"` // decoded
	Query    string            `json:"query"`
	Header   map[string]string `json:"header"` // names in lower case
	Body     string            `json:"body"`
	ClientIP string            `json:"clientIP"`
}

// Response is the answer to it.
type Response struct {
	Status int            `json:"status"`
	Header httpapi.Header `json:"header"`
	Body   string         `json:"body"`
	// Shared says that the answer is the same for everybody, so that the worker may give
	// it to others too, for a moment.
	Shared bool `json:"shared,omitempty"`
}

// Handle answers a request.
func (h *Host) Handle(ctx context.Context, r Request) (Response, error) {
	if err := h.catalogue.refresh(ctx); err != nil {
		return Response{}, err
	}
	out := h.api.Serve(ctx, httpapi.Request{
		ID: r.ID, Method: r.Method, Path: r.Path, RawQuery: r.Query, Body: []byte(r.Body), ClientIP: r.ClientIP,
		Header: func(name string) string { return r.Header[strings.ToLower(name)] },
	})
	if err := out.Gather(); err != nil {
		return Response{}, err
	}
	if r.Method != "GET" {
		// This instance may never be asked again.
		if err := h.services.Evidence.Flush(ctx); err != nil {
			h.log.WarnContext(ctx, "evidence is not written", "error", err.Error())
		}
	}
	return Response{Status: out.Status, Header: out.Header, Body: string(out.Body), Shared: r.Method == "GET" && out.Status == 200 && h.api.Public(r.Method, r.Path)}, nil
}

// Hourly does the hour's work, and Minutely what does not wait for it: they are what
// the cron triggers call.
func (h *Host) Hourly(ctx context.Context) error {
	if err := h.catalogue.refresh(ctx); err != nil {
		return err
	}
	report, err := h.services.Cron(ctx)
	text, marshal := json.Marshal(report)
	h.log.InfoContext(ctx, "cron", "report", json.RawMessage(text))
	return errors.Join(err, marshal)
}

// Minutely does the minute's work.
func (h *Host) Minutely(ctx context.Context) error {
	if err := h.catalogue.refresh(ctx); err != nil {
		return err
	}
	return errors.Join(h.services.Minute(ctx), h.api.Flush(ctx))
}

// searchable is how many pledges a minute makes searchable: each takes some six calls of
// KV, of the thousand that an invocation may make.
const searchable = 50

// sideBySide is how many supporters are charged at a time: a Worker has six connections
// open at most.
const sideBySide = 5

func together(n int, do func(i int)) {
	var all sync.WaitGroup
	turns := make(chan struct{}, sideBySide)
	for i := 0; i < n; i++ {
		turns <- struct{}{}
		all.Add(1)
		go func() {
			defer all.Done()
			do(i)
			<-turns
		}()
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
