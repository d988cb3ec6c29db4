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
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// server is one machine over the common store.
type server struct {
	w           *world
	db          Storage
	name        string
	skew        time.Duration
	incarnation int
	// leases is what its process remembers of the settlements it has done.
	leases *settlement.Leases
	// idle are the programs that have no work, the one that was used last at the end.
	idle []*program
	down bool
}

// program is the service as it is composed once. Two pieces of work at a time never share
// one. The seed has drawn whether the next gets what the last has left in memory, or one of
// its own, as on a host that shares nothing.
type program struct {
	*compose.Services
	edge *httpapi.API // nil until the first request
}

// work makes a proc of a server's.
func (s *server) work(name string, after time.Duration, body func(*compose.Services)) *proc {
	return s.run(name, after, func(p *program) { body(p.Services) })
}

func (s *server) run(name string, after time.Duration, body func(*program)) *proc {
	return s.w.spawn(s.name+" "+name, s, after, func() {
		incarnation := s.incarnation
		p := s.program()
		body(p)
		if !s.w.scenario.cold && s.incarnation == incarnation {
			s.idle = append(s.idle, p)
		}
	})
}

// program takes the one that was used last, or composes one.
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
		Coordinator: s.db.Coordinator(), Processor: paged{processor, s.w.scenario.listing}, Sender: mails, Reports: reports, NewsOf: notify.NewsOf,
		Campaigns: func() *campaign.Catalogue { return s.w.published },
		Config:    s.w.config, Now: s.now, Rand: s.w.ids,
		Log:  log,
		Next: s.next,
		Node: s.name, Incarnation: fmt.Sprint(s.incarnation), Sizes: s.w.scenario.sizes, Leases: s.leases,
	})
}

// paged is a processor whose pages of payments are as small as its lists: its client reads
// as many of those as make a page that was asked for.
type paged struct {
	psp.Processor
	most int // 0 is any number
}

// Payments implements psp.Processor.
func (p paged) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if p.most > 0 {
		q.Limit = min(q.Limit, p.most)
	}
	return p.Processor.Payments(ctx, q)
}

// anyServer is one that gets a request.
func (w *world) anyServer() *server {
	s := w.servers[w.rng.IntN(len(w.servers))]
	if s == w.away {
		s = w.beside(s)
	}
	return s
}

// beside is the other server.
func (w *world) beside(s *server) *server { return w.servers[1-slices.Index(w.servers, s)] }

// next has the next batch of a settlement run by this server.
func (s *server) next(_ context.Context, slug string) error {
	if s.w.away == s {
		return nil
	}
	s.work("batch "+slug, time.Second, func(c *compose.Services) {
		_, err := c.Settlement.Batch(s.w.ctx, settlement.BatchRequest{CampaignSlug: slug})
		s.w.note("batch of %s: %v", slug, err)
	})
	return nil
}

// requestsAtOnce is how many requests of broadcasts a server makes in a row.
const requestsAtOnce = 20

// boot starts a server's timers.
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
		if err != nil && (strings.Contains(err.Error(), "charges failed (") || strings.Contains(err.Error(), "charges as invalid (")) {
			s.release(c)
		}
	})
	mails := 20 * time.Minute
	if s.w.scenario.prompt {
		mails = 2 * time.Minute // so that what is sent was written just now
	}
	s.loop("mail", first/2, mails, func(c *compose.Services) {
		for {
			wait, err := c.Mails(s.w.ctx, requestsAtOnce)
			s.w.note("mails: %v, the next in %s", err, wait)
			if err != nil || wait <= 0 || wait > time.Minute {
				return
			}
			s.w.pause(wait) // for the provider's rate, as a server's worker does
		}
	})
}

// release is an operator who has read that settlements are held since so many cards were
// declined or refused, and lets them go on: in a crowd whose cards are bad, nothing is wrong. What got
// no answer goes on by itself.
func (s *server) release(c *compose.Services) {
	for _, one := range c.Campaigns().Campaigns() {
		held, err := c.Settlement.Release(s.w.ctx, one.Slug)
		s.w.note("released %s: %+v, %v", one.Slug, held, err)
	}
}
