package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/admin/usage"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// CheckHealth runs every health check that the host supports. It writes nothing except the test
// record of readiness checks.
func (a *API) CheckHealth(ctx context.Context) (health.Report, error) {
	m := a.services.HealthDeps()
	m.Version, m.Webhooks = a.opts.Version, a.webhookHealth
	if a.opts.HealthDeps != nil {
		a.opts.HealthDeps(&m)
	}
	return m.Run(ctx, a.services.Together), nil
}

// langQuery is the query parameter for the language of texts for operators.
var langQuery = []Param{{"lang", "Language of the texts, en or es; default en", false}}

func langOf(x *exchange) (string, error) { return supportedLang(x.query().Get("lang")) }

// supportedLang returns "en" or "es"; an empty lang means English. It fails with code Invalid for
// other languages.
func supportedLang(lang string) (string, error) {
	switch lang {
	case "", "en":
		return "en", nil
	case "es":
		return lang, nil
	}
	return "", fault.New(fault.Invalid, "The language must be en or es").In("lang")
}

func (a *API) healthReport(ctx context.Context, x *exchange) (any, error) {
	lang, err := langOf(x)
	if err != nil {
		return nil, err
	}
	r, err := a.CheckHealth(ctx)
	translated := r.In(lang)
	return translated.ByUrgency(), err
}

// webhookHealth returns the results of the processor's webhook deliveries in the last defaultDays
// days.
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
		Summary: "Plan usage of the Cloudflare account",
		Rules:   Rules{Operator: access.Platform},
		Out:     "PlanUsage", Errors: []int{503},
		handle: plain(a.planUsage),
	}, {
		Method: "GET", Pattern: "/admin/health", Tag: "operations",
		Summary: "Health findings about the service and its dependencies, with remedies",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
		Out:     "HealthReport", Errors: []int{400},
		Query:  langQuery,
		handle: a.healthReport,
	}}
}

// planUsage reads the plan usage from the provider. It fails with code Unavailable if the host does
// not support it.
func (a *API) planUsage(ctx context.Context) (usage.Report, error) {
	if a.opts.Fetch == nil {
		return usage.Report{}, fault.New(fault.Unavailable, "This host does not support plan usage")
	}
	cfg := a.services.Config
	return usage.Service{
		Fetch: a.opts.Fetch, Now: a.now, Token: cfg.Secrets.UsageToken().Reveal(), Account: cfg.PlanUsage.Account,
		Plan: usage.Plan(cfg.PlanUsage.Plan),
	}.Report(ctx)
}
