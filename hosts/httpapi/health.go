package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/admin/usage"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Look does every check of the service's health that the host has means for. It writes
// nothing.
func (a *API) Look(ctx context.Context) (health.Report, error) {
	m := a.services.Means()
	m.Version, m.Webhooks = a.opts.Version, a.webhookHealth
	if a.opts.Means != nil {
		a.opts.Means(&m)
	}
	return m.Look(ctx, a.services.Together), nil
}

// langQuery chooses the language of what is said to operators.
var langQuery = []Param{{"lang", "The language of the texts: en, which is the default, or es", false}}

func langOf(x *exchange) (string, error) {
	switch lang := x.query().Get("lang"); lang {
	case "", "en":
		return "en", nil
	case "es":
		return lang, nil
	}
	return "", fault.New(fault.Invalid, "The languages are en and es").In("lang")
}

func (a *API) lookIn(ctx context.Context, x *exchange) (any, error) {
	lang, err := langOf(x)
	if err != nil {
		return nil, err
	}
	r, err := a.Look(ctx)
	return r.In(lang), err
}

// webhookHealth is how the processor's deliveries of the last days ended.
func (a *API) webhookHealth(ctx context.Context) (health.Webhooks, error) {
	o, err := a.meter.read(ctx, a.now(), defaultDays)
	if err != nil {
		return health.Webhooks{}, err
	}
	w := health.Webhooks{Days: defaultDays, Signatures: o.Webhooks[webhookSignature], Mode: o.Webhooks[webhookMismatch]}
	if len(o.Recent) > 0 {
		w.Last, w.Postponed = &o.Recent[0].At, o.Recent[0].Outcome == webhookPostponed
	}
	return w, nil
}

func (a *API) healthRoutes() []Route {
	return []Route{{
		Method: "GET", Pattern: "/admin/plan-usage", Tag: "operations",
		Summary: "How much of its plan the account at Cloudflare has used",
		Rules:   Rules{Operator: access.Platform},
		Out:     "PlanUsage", Errors: []int{503},
		handle: plain(a.planUsage),
	}, {
		Method: "GET", Pattern: "/admin/health", Tag: "operations",
		Summary: "What is wrong with the service and what it needs, and how that is put right",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
		Out:     "HealthReport", Errors: []int{400},
		Query:  langQuery,
		handle: a.lookIn,
	}}
}

// planUsage asks the provider, and nobody where a setting is missing.
func (a *API) planUsage(ctx context.Context) (usage.Report, error) {
	if a.opts.Fetch == nil {
		return usage.Report{}, fault.New(fault.Unavailable, "This host asks nobody how much of a plan was used")
	}
	cfg := a.services.Config
	return usage.Service{
		Fetch: a.opts.Fetch, Now: a.now, Token: cfg.Secrets.UsageToken().Reveal(), Account: cfg.PlanUsage.Account, Plan: usage.Plan(cfg.PlanUsage.Plan),
	}.Report(ctx)
}
