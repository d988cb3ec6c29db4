package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/kv"
)

// Options configure the API in addition to the services.
type Options struct {
	// SignatureHeader is the canonical name of the header that contains the webhook signature; ""
	// means "Psp-Signature".
	SignatureHeader string
	// SaveCard completes a setup session as a supporter with a valid card would. Only a simulated
	// processor supports it. If it is nil, POST /test/setup is unavailable.
	SaveCard func(ctx context.Context, sessionID string) error
	// Version is the program's version, returned by /healthz.
	Version string
	// Fetch sends the plan usage requests. If it is nil, plan usage is unavailable.
	Fetch fetch.Sender
	// HealthDeps adds the host's own health checks; it may be nil.
	HealthDeps func(*health.Deps)
	// Rehearsals runs settlements on copies of the data; nil if the host does not support it.
	Rehearsals Rehearsals
}

// API answers requests. It is safe for concurrent use.
type API struct {
	services *compose.Services
	opts     Options

	routes   []Route
	tree     tree
	document func() ([]byte, error) // computed on first use

	testMode   bool
	site       string // origin of the public site, "" for none
	base       string // origin of this service
	corsOrigin string
	secrets    config.Secrets
	rateLimit  kv.Store // if nil, rate-limited routes return 503

	// Prepared headers, shared by responses.
	open, closed, signedIn Header
	lasting                map[*Route]Header

	meter *meter
	now   func() time.Time
	log   *slog.Logger
}

// New returns the API of the services.
func New(s *compose.Services, opts Options) (*API, error) {
	if s == nil {
		return nil, errors.New("httpapi: no services")
	}
	if opts.SignatureHeader == "" {
		opts.SignatureHeader = "Psp-Signature"
	}
	cfg := s.Config
	a := &API{
		services:   s,
		opts:       opts,
		testMode:   cfg.Mode.App == psp.Test,
		site:       string(cfg.Site.Base),
		base:       string(cfg.Site.Worker),
		corsOrigin: string(cfg.Site.CORSOrigin),
		secrets:    cfg.Secrets,
		rateLimit:  s.Stores.RateLimit,
		now:        s.Now,
		log:        s.Log,
	}
	var err error
	if a.meter, err = newMeter(s.Stores.Pledges, s.Rand, s.Now()); err != nil {
		return nil, err
	}
	a.routes = a.table()
	a.tree = newTree(a.routes)
	a.prepareHeaders()
	a.document = sync.OnceValues(a.describe)
	s.ResumeActs = a.resume
	return a, nil
}

// Routes returns all routes, for tools that check them.
func (a *API) Routes() []Route { return a.routes }
