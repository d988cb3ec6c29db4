// Package memory runs the complete service in one process for tests: with in-memory storage, the
// simulated processor, recorded mails, and a clock that moves only on request.
//
//	h, err := memory.New(memory.Options{Campaigns: os.DirFS("content")})
//	// ...
//	_, err = h.Pledge(ctx, checkout.StartRequest{Cart: cart, Email: "ada@example.org"}, sim.CardOK)
//	err = h.Pass(ctx, 30*24*time.Hour)
//	mails, err := h.Mails(ctx)
//
// The project's own tests use it, and so can programs that embed the service.
package memory

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/challenge"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Options configure a Host. Campaigns or Catalogue is required.
type Options struct {
	// Campaigns is a content repository: campaigns/*.md, add-ons.yml, site.yml.
	Campaigns fs.FS
	// Catalogue is the catalogue of Campaigns, if it is already loaded. It is used until the
	// content changes.
	Catalogue *campaign.Catalogue
	// Env contains environment variables in addition to those of config.Demo.
	Env map[string]string
	// Start is the initial time; zero means DefaultStart.
	Start time.Time
	// Seed determines all identifiers and secrets, which makes runs reproducible.
	Seed uint64
	// Fail and Stale are the options of the same names in memkv.Options.
	Fail  func(memkv.Op) error
	Stale time.Duration
	// BookLate makes the simulator record payments only after it has responded to the charge.
	BookLate bool
	// Outside, if set, is called before each effect outside of the stores: a processor request, a
	// commit or a mail. If it returns an error, the effect does not happen.
	Outside func() error
	// WithoutRateLimit and WithoutVotes omit these stores, and WithoutRepository disables
	// publishing.
	WithoutRateLimit, WithoutVotes, WithoutRepository bool
	Films                                             compose.Films // nil for none
	Reports                                           notify.Listener
	Challenge                                         challenge.Check
	TaxLookup                                         tax.Lookup   // for providers that look up rates
	Log                                               *slog.Logger // nil discards
}

// DefaultStart is the evening of November 20, 2026, in Denver, when the example campaigns are live.
var DefaultStart = time.Date(2026, time.November, 21, 1, 0, 0, 0, time.UTC)

// Host is the service with its dependencies.
type Host struct {
	Config   config.Config
	Services *compose.Services
	API      *httpapi.API
	DB       *memkv.DB
	Sim      *sim.Sim

	options Options
	files   *content
	random  io.Reader

	mu      sync.Mutex
	now     time.Time
	mails   []notify.Mail
	pending []string // slugs with a requested settlement batch
}

// New returns a host with empty stores. If campaigns, settings or variables are invalid, the error
// contains all problems.
func New(o Options) (*Host, error) {
	if o.Start.IsZero() {
		o.Start = DefaultStart
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	files, err := o.content()
	if err != nil {
		return nil, err
	}
	h := &Host{now: o.Start, options: o, files: files, random: newRandom(o.Seed)}
	if h.Config, err = config.Demo(h.random, o.Campaigns, o.Env); err != nil {
		return nil, err
	}
	h.DB = memkv.New(memkv.Options{Now: h.Now, Classes: compose.Classes(), Fail: o.Fail, Stale: o.Stale})
	h.Sim = sim.New(sim.Options{
		Now: h.Now, Seed: o.Seed, BaseURL: string(h.Config.Site.Worker),
		BookLate:      o.BookLate,
		NoLimits:      true, // rate limits are refilled as time passes, but this clock may stand still
		WebhookSecret: h.Config.PSPWebhookSecret().Reveal(), WebhookURL: string(h.Config.Site.Worker) + "/webhooks/psp",
	})
	err = h.Restart()
	return h, err
}

// Restart creates new services with the stored data. Everything in memory is lost, as in a restart
// of the program.
func (h *Host) Restart() (err error) {
	o := h.options
	h.mu.Lock()
	h.pending = nil
	h.mu.Unlock()
	h.Services, err = compose.New(compose.Deps{
		Stores: h.stores(o), Coordinator: h.DB.Coordinator(), Processor: processor{h.Sim.Processor(), o},
		Sender: h, Reports: o.Reports, Challenge: o.Challenge, TaxLookup: o.TaxLookup, VerifyKey: publickey.Verify,
		Repository: h.files.repository(o), Films: o.Films, Local: h.files.readLocal,
		CheckSettings: o.checkSettings, Campaigns: h.files.currentCatalogue,
		Config: h.Config, Now: h.Now, Rand: h.random, Log: o.Log, Next: h.scheduleBatch,
	})
	if err != nil {
		return err
	}
	h.API, err = httpapi.New(h.Services, httpapi.Options{SaveCard: func(_ context.Context, sessionID string) error {
		return h.Sim.Complete(sessionID, sim.CardOK)
	}})
	return err
}

func (o Options) content() (*content, error) {
	switch {
	case o.Campaigns != nil:
		return openContent(o.Campaigns, o.Catalogue)
	case o.Catalogue != nil:
		return &content{catalogue: o.Catalogue}, nil
	}
	return nil, errors.New("memory: Options.Campaigns is required unless Catalogue is set")
}

func (h *Host) stores(o Options) compose.Stores {
	s := compose.Stores{Pledges: h.DB.Store("PLEDGES"), RateLimit: h.DB.Store("RATELIMIT"), Votes: h.DB.Store("VOTES")}
	if o.WithoutRateLimit {
		s.RateLimit = nil
	}
	if o.WithoutVotes {
		s.Votes = nil
	}
	return s
}

// Now returns the host's time.
func (h *Host) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// Advance moves the clock by d, which may be negative.
func (h *Host) Advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// Send implements notify.Sender by recording the mail. A mail with the key of an earlier one is
// accepted but not recorded again.
func (h *Host) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	if err := h.options.checkOutside(); err != nil {
		return notify.Receipt{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, sent := range h.mails {
		if sent.Key == m.Key {
			return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
		}
	}
	h.mails = append(h.mails, m)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}

// Mails sends the due mails and returns all mails that were ever sent, oldest first.
func (h *Host) Mails(ctx context.Context) ([]notify.Mail, error) {
	_, err := h.Services.Outbox.Drain(ctx, kv.MaxPage)
	if err == nil {
		_, err = h.Services.SendMails(ctx, kv.MaxPage)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]notify.Mail(nil), h.mails...), err
}

func (h *Host) scheduleBatch(_ context.Context, slug string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = append(h.pending, slug)
	return nil
}

// Settle runs the requested settlement batches, and those that they request in turn, until none are
// left.
func (h *Host) Settle(ctx context.Context) error {
	for {
		h.mu.Lock()
		if len(h.pending) == 0 {
			h.mu.Unlock()
			return nil
		}
		slug := h.pending[0]
		h.pending = h.pending[1:]
		h.mu.Unlock()
		if _, err := h.Services.Settlement.Batch(ctx, settlement.BatchRequest{CampaignSlug: slug}); err != nil {
			return err
		}
	}
}

// Deliver delivers the processor's due webhooks to the service. It returns how many the service
// accepted with a status below 300.
func (h *Host) Deliver(ctx context.Context) int {
	accepted := 0
	for _, d := range h.Sim.Due() {
		r := h.API.Serve(ctx, httpapi.Request{
			Method: "POST", Path: "/webhooks/psp", Body: d.Body, ClientIP: "127.0.0.1",
			Header: headers(map[string]string{"Psp-Signature": d.Signature}),
		})
		h.Sim.RecordResponse(d, r.Status)
		if r.Status < 300 {
			accepted++
		}
	}
	return accepted
}

func headers(h map[string]string) func(string) string {
	return func(name string) string { return h[name] }
}

// newRandom returns a reproducible random source that is safe for concurrent use.
func newRandom(seed uint64) io.Reader {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return &random{source: rand.NewChaCha8(key)}
}

type random struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (r *random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
