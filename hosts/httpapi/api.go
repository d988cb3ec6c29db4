package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv"
)

// Options are what the edge needs beside the services.
type Options struct {
	// SignatureHeader is the canonical name of the header in which the processor
	// signs its webhooks; "" is "Psp-Signature".
	SignatureHeader string
	// SaveCard completes a setup session as a supporter with a good card would.
	// Only a simulated processor can; without it POST /test/setup is unavailable.
	SaveCard func(ctx context.Context, sessionID string) error
	// Version is the program's, shown by /healthz.
	Version string
	// Fetch asks how much of the plan was used; nil where nobody can be asked.
	Fetch fetch.Sender
	// Means adds what the host can look at its health with; it may be nil.
	Means func(*health.Means)
	// Rehearsals plays settlements on copies; nil where the host can't.
	Rehearsals Rehearsals
}

// API answers requests. It is safe for concurrent use.
type API struct {
	services *compose.Services
	opts     Options

	routes   []Route
	tree     tree
	document func() ([]byte, error) // made when it is first asked for

	testMode   bool
	site       string // the public site's origin, "" for none
	base       string // of the service itself
	corsOrigin string
	secrets    config.Secrets
	rateLimit  kv.Store // nil: limited routes answer 503

	// Headers that every answer of a kind shares.
	open, closed, signedIn Header
	lasting                map[*Route]Header

	meter *meter
	now   func() time.Time
	log   *slog.Logger
}

// New returns the edge of the services.
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

// Routes returns the table, for tools that check it.
func (a *API) Routes() []Route { return a.routes }
