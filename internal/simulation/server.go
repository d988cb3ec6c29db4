package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// server is one machine on the common store.
type server struct {
	w           *history
	db          Storage
	name        string
	skew        time.Duration
	incarnation int
	// leases is its process's memory of settlements.
	leases *settlement.Leases
	// idle are the unused programs, the most recently used last.
	idle []*program
	down bool
}

// program is one composition of the service. Two concurrent pieces of work never
// share one. The seed draws whether the next piece of work reuses a program with
// its memory or gets a new one, as on a host without shared memory.
type program struct {
	*compose.Services
	edge *httpapi.API // nil until the first request
}

// spawnWork starts a proc of a server.
func (s *server) spawnWork(name string, after time.Duration, body func(*compose.Services)) {
	s.spawnProgram(name, after, func(p *program) { body(p.Services) })
}

func (s *server) spawnProgram(name string, after time.Duration, body func(*program)) *proc {
	return s.w.spawn(s.name+" "+name, s, after, func() {
		incarnation := s.incarnation
		p := s.program()
		body(p)
		if !s.w.scenario.cold && s.incarnation == incarnation {
			s.idle = append(s.idle, p)
		}
	})
}

// program returns the most recently used program, or a new one.
func (s *server) program() *program {
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p
	}
	services, err := s.compose()
	if err != nil {
		panic(err)
	}
	return &program{Services: services}
}

func (p *program) api() *httpapi.API {
	if p.edge == nil {
		edge, err := httpapi.New(p.Services, httpapi.Options{})
		if err != nil {
			panic(err)
		}
		p.edge = edge
	}
	return p.edge
}

func (s *server) compose() (*compose.Services, error) {
	processor, err := s.processor()
	if err != nil {
		return nil, err
	}
	mails, err := s.w.mailer.sender()
	if err != nil {
		return nil, err
	}
	reports, err := s.listener()
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(s.w.logs, nil))
	return compose.New(compose.Deps{
		Clock: s.clock(log), VerifyKey: publickey.Verify,
		Stores:      compose.Stores{Pledges: s.db.Store(pledges), RateLimit: s.db.Store(rateLimit), Votes: s.db.Store(votes)},
		Coordinator: s.db.Coordinator(), Processor: limitedPages{processor, s.w.scenario.listing}, Sender: mails,
		Reports:   reports,
		Campaigns: func() *campaign.Catalogue { return s.w.published },
		Config:    s.w.config, Now: s.now, Rand: s.w.ids,
		Log:  log,
		Next: s.spawnBatch,
		Node: s.name, Incarnation: fmt.Sprint(s.incarnation), Sizes: s.w.scenario.sizes, Leases: s.leases,
	})
}

// limitedPages limits the processor's pages of payments, of payouts and of a payout's rows to the size of
// its lists, because the client reads as many list pages as a requested page needs.
type limitedPages struct {
	psp.Processor
	most int // 0 for no limit
}

// Payments implements psp.Processor.
func (p limitedPages) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if p.most > 0 {
		q.Limit = min(q.Limit, p.most)
	}
	return p.Processor.Payments(ctx, q)
}

// Payouts implements psp.Processor.
func (p limitedPages) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	if p.most > 0 {
		q.Limit = min(q.Limit, p.most)
	}
	return p.Processor.Payouts(ctx, q)
}

// BalanceTransactions implements psp.Processor.
func (p limitedPages) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	if p.most > 0 && q.PayoutID != "" {
		q.Limit = min(q.Limit, p.most)
	}
	return p.Processor.BalanceTransactions(ctx, q)
}

// anyServer draws a server for a request, other than the one that is away.
func (w *history) anyServer() *server {
	s := w.servers[w.rng.IntN(len(w.servers))]
	if s == w.away {
		s = w.otherServer(s)
	}
	return s
}

// otherServer returns the other server.
func (w *history) otherServer(s *server) *server { return w.servers[1-slices.Index(w.servers, s)] }

// spawnBatch starts the next batch of a settlement run on this server. It does nothing while
// the server is away.
func (s *server) spawnBatch(_ context.Context, slug string) error {
	if s.w.away == s {
		return nil
	}
	s.spawnWork("batch "+slug, time.Second, func(c *compose.Services) {
		_, err := c.Settlement.Batch(s.w.ctx, settlement.BatchRequest{CampaignSlug: slug})
		s.w.note("batch of %s: %v", slug, err)
	})
	return nil
}

// requestsAtOnce is how many broadcast requests a server makes in a row.
const requestsAtOnce = 20

// boot starts a server with empty memory, and its timers.
func (s *server) boot() {
	s.down, s.leases, s.idle = false, nil, nil
	s.incarnation++
	if s.w.scenario.remembers {
		s.leases = &settlement.Leases{}
	}
	first := time.Duration(s.w.rng.IntN(60)) * time.Minute
	s.loop("cron", first, time.Hour, func(c *compose.Services) {
		r, err := c.Cron(s.w.ctx)
		s.w.note("cron: swept %+v settling %v mails %+v rebuilt %v: %v", r.Swept, r.Settling, r.Mails, r.Rebuilt, err)
		if err != nil && (strings.Contains(err.Error(), "charges failed (") ||
			strings.Contains(err.Error(), "charges as invalid (")) {
			s.releaseHeld(c)
		}
	})
	minute := 6 * time.Hour // most of its work is also done by the other loops
	if s.w.scenario.refunds {
		minute = 30 * time.Minute
	}
	s.loop("minute", first/3, minute, func(c *compose.Services) { s.w.note("minute: %v", c.Minute(s.w.ctx)) })
	mails := 20 * time.Minute
	if s.w.scenario.prompt {
		mails = 2 * time.Minute // so that the mails were written just before
	}
	s.loop("mail", first/2, mails, func(c *compose.Services) {
		for {
			run, err := c.SendMails(s.w.ctx, requestsAtOnce)
			s.w.note("mails: %v, the next in %s", err, run.Wait)
			if err != nil || run.Wait <= 0 || run.Wait > time.Minute {
				return
			}
			s.w.pause(run.Wait) // for the provider's rate limit, as in a server's worker
		}
	})
}

// releaseHeld simulates an operator who releases settlements that are held because of many
// declined or rejected cards, which are normal in a crowd with bad cards. After charges without a
// response, settlement resumes automatically.
func (s *server) releaseHeld(c *compose.Services) {
	for _, one := range c.Campaigns().Campaigns() {
		held, err := c.Settlement.Release(s.w.ctx, one.Slug)
		s.w.note("released %s: %+v, %v", one.Slug, held, err)
	}
}
