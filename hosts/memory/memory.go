// Package memory is the whole service in one process, under a clock that moves
// only when it is told to: in-memory storage, the simulated processor, mails
// that can be read. It is what the project's own tests run on, and the test
// kit of a program that embeds the service.
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
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/challenge"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
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

// Options say what a Host is to be. Campaigns or Catalogue is required.
type Options struct {
	// Campaigns is a content repository: campaigns/*.md, add-ons.yml, site.yml.
	Campaigns fs.FS
	// Catalogue, where set, is used instead of what Campaigns holds, until that changes.
	Catalogue *campaign.Catalogue
	// Env are variables on top of those of config.Demo.
	Env map[string]string
	// Start is where the clock begins; zero is DefaultStart.
	Start time.Time
	// Seed decides every identifier and secret, so that a run can be repeated.
	Seed uint64
	// Fail and Stale are memkv's faults.
	Fail  func(memkv.Op) error
	Stale time.Duration
	// BookLate is the simulator's: payments are booked later than they are answered.
	BookLate bool
	// Outside, where set, is asked before each effect beyond the stores: what is asked of the
	// processor, a commit, a mail. An error means that it does not happen.
	Outside func() error
	// WithoutRateLimit and WithoutVotes leave those namespaces out, and WithoutRepository
	// has nothing to publish to.
	WithoutRateLimit, WithoutVotes, WithoutRepository bool
	Films                                             compose.Films // nil for none
	Reports                                           notify.Listener
	Challenge                                         challenge.Check
	TaxLookup                                         tax.Lookup   // of the providers that ask for rates
	Log                                               *slog.Logger // nil discards
}

// DefaultStart is an evening on which the example campaigns are under way.
var DefaultStart = time.Date(2026, time.November, 21, 1, 0, 0, 0, time.UTC)

// Host is the service with everything it stands on.
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
	pending []string // slugs whose next settlement batch is wanted
}

// New returns a host with empty stores. It fails for campaigns or variables
// that are refused, with everything that is wrong with them.
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
		NoLimits:      true, // they are refilled by time, and this clock may stand
		WebhookSecret: h.Config.PSPWebhookSecret().Reveal(), WebhookURL: string(h.Config.Site.Worker) + "/webhooks/psp",
	})
	return h, h.Restart()
}

// Restart puts the services together anew on what is stored, as a program does that is
// started again: what only memory held is gone.
func (h *Host) Restart() (err error) {
	o := h.options
	h.mu.Lock()
	h.pending = nil
	h.mu.Unlock()
	h.Services, err = compose.New(compose.Deps{
		Stores: h.stores(o), Coordinator: h.DB.Coordinator(), Processor: processor{h.Sim.Processor(), o}, Sender: h, Reports: o.Reports, NewsOf: notify.NewsOf, Reporter: report.Mails, Challenge: o.Challenge, TaxLookup: o.TaxLookup, VerifyKey: publickey.Verify,
		Repository: h.files.repository(o), Films: o.Films, Local: h.files.local, CheckSettings: o.checkSettings, Campaigns: h.files.current,
		Config: h.Config, Now: h.Now, Rand: h.random, Log: o.Log, Next: h.next,
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
	return nil, errors.New("memory: Options.Campaigns is required")
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

// Now is the host's time.
func (h *Host) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// Advance moves the clock, forward or back.
func (h *Host) Advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// Send is notify.Sender: it keeps the mail.
func (h *Host) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	if err := h.options.outside(); err != nil {
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

// Mails sends what is due and returns every mail sent so far, oldest first.
func (h *Host) Mails(ctx context.Context) ([]notify.Mail, error) {
	_, err := h.Services.Outbox.Drain(ctx, kv.MaxPage)
	if err == nil {
		_, err = h.Services.Mails(ctx, kv.MaxPage)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]notify.Mail(nil), h.mails...), err
}

func (h *Host) next(_ context.Context, slug string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = append(h.pending, slug)
	return nil
}

// Settle runs the settlement batches that are wanted, and those that they ask
// for, until none is left.
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

// Deliver hands the processor's webhooks that are due to the service and
// returns how many it accepted.
func (h *Host) Deliver(ctx context.Context) int {
	accepted := 0
	for _, d := range h.Sim.Due() {
		r := h.API.Serve(ctx, httpapi.Request{
			Method: "POST", Path: "/webhooks/psp", Body: d.Body, ClientIP: "127.0.0.1",
			Header: headers(map[string]string{"Psp-Signature": d.Signature}),
		})
		h.Sim.Done(d, r.Status)
		if r.Status < 300 {
			accepted++
		}
	}
	return accepted
}

func headers(h map[string]string) func(string) string {
	return func(name string) string { return h[name] }
}

// newRandom is randomness that a seed repeats, safe for concurrent use.
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
