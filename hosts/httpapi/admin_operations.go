package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// SettleRequest is the optional request body of POST /admin/settle/:slug.
type SettleRequest struct {
	DryRun bool `json:"dryRun"`
}

func (a *API) settle(ctx context.Context, x *exchange) (any, error) {
	var in SettleRequest
	if err := decodeOptional(x.Body, &in); err != nil {
		return nil, err
	}
	if err := x.allowOnly("dryRun"); err != nil {
		return nil, err
	}
	return a.services.Settlement.Settle(ctx, x.param, in.DryRun)
}

func (a *API) dispatch(ctx context.Context, x *exchange) (any, error) {
	if err := x.allowOnly(); err != nil {
		return nil, err
	}
	return a.services.Settlement.Dispatch(ctx, x.param)
}

// allowOnly fails with code Invalid if a request has query parameters or unknown body fields.
// Otherwise a misspelled dryRun, or a dryRun on a route without one, would be ignored and the
// campaign would be charged.
func (x *exchange) allowOnly(fields ...string) error {
	if asked := slices.Sorted(maps.Keys(x.query())); len(asked) > 0 {
		return fault.New(fault.Invalid, "This route has no query parameters").In(asked[0])
	}
	var body map[string]json.RawMessage
	_ = json.Unmarshal(x.Body, &body) // a body that is not an object has no fields
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if !slices.Contains(fields, name) {
			return fault.New(fault.Invalid, "Unknown field").In(name)
		}
	}
	return nil
}

// FailedCharge is a failed charge with the URL of its payment at the processor.
type FailedCharge struct {
	settlement.Failure
	PaymentURL string `json:"paymentUrl,omitempty"`
}

// Failures is the response of GET /admin/settlement/:slug/failures.
type Failures struct {
	Failures []FailedCharge `json:"failures"`
	Next     string         `json:"next"`
}

func (a *API) failures(ctx context.Context, x *exchange) (any, error) {
	page, err := a.services.Settlement.Failures(ctx, x.param, x.query().Get("cursor"))
	if err != nil {
		return nil, err
	}
	out := Failures{Failures: []FailedCharge{}, Next: page.Next}
	for _, f := range page.Failures {
		out.Failures = append(out.Failures, FailedCharge{f, a.paymentPage(f.PaymentID)})
	}
	return out, nil
}

// paymentPage returns the URL of a payment at the processor, or "" if it is not known.
func (a *API) paymentPage(paymentID string) string {
	if paymentID == "" || a.services.PaymentPage == nil {
		return ""
	}
	return a.services.PaymentPage(paymentID)
}

// RemindRequest is the request body of POST /admin/settlement/:slug/remind.
type RemindRequest struct {
	OrderID string `json:"orderId"` // "" for a page of failures
	Cursor  string `json:"cursor"`  // the next value of the previous page
	DryRun  *bool  `json:"dryRun"`  // required, because sent mails cannot be undone
}

func (a *API) remind(ctx context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	var in RemindRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	switch {
	case in.DryRun == nil:
		return nil, fault.New(fault.Invalid, "Missing dryRun").In("dryRun")
	case in.OrderID == "":
		return a.services.Settlement.Remind(ctx, x.param, in.Cursor, *in.DryRun)
	case in.Cursor != "":
		return nil, fault.New(fault.Invalid, "Set either orderId or cursor").In("cursor")
	}
	return a.services.Settlement.RemindOrder(ctx, x.param, in.OrderID, *in.DryRun)
}

// PauseRequest is the request body of POST /admin/settle-pause/:slug.
type PauseRequest struct {
	Reason string `json:"reason"`
}

// Paused is the response of POST /admin/settle-pause/:slug: the current hold.
type Paused struct {
	Success bool       `json:"success"`
	Held    state.Held `json:"held"`
}

func (a *API) pause(ctx context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	var in PauseRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	h, err := a.services.Settlement.Pause(ctx, x.param, in.Reason)
	return Paused{Success: err == nil, Held: h}, err
}

// Released is the response of POST /admin/settle-release/:slug: the hold that was released, if any.
type Released struct {
	Success bool        `json:"success"`
	Held    *state.Held `json:"held"`
}

func (a *API) release(ctx context.Context, slug string) (Released, error) {
	h, err := a.services.Settlement.Release(ctx, slug)
	return Released{Success: err == nil, Held: h}, err
}

// AcceptRequest is the request body of POST /admin/settle-accept.
type AcceptRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Reason       string `json:"reason"`
}

// Accepted is the response of POST /admin/settle-accept: the broken promises that were accepted, if
// any.
type Accepted struct {
	Success bool                 `json:"success"`
	Broken  []inventory.Promised `json:"broken"`
}

func (a *API) acceptTerms(ctx context.Context, r AcceptRequest) (Accepted, error) {
	broken, err := a.services.Settlement.Accept(ctx, r.CampaignSlug, r.Reason)
	return Accepted{Success: err == nil, Broken: append([]inventory.Promised{}, broken...)}, err
}

// StopRequest is the request body of POST /admin/settle-stop. The reason is required unless Restored
// is set, which means that the database was restored, such as to a point in time.
type StopRequest struct {
	Reason   string `json:"reason"`
	Restored bool   `json:"restored,omitempty"`
}

// Stopped is the response of POST /admin/settle-stop and POST /admin/settle-resume: the reason why
// charging is or was stopped, or null if it was not.
type Stopped struct {
	Success bool           `json:"success"`
	Stopped *state.Stopped `json:"stopped"`
}

func (a *API) stopCharging(ctx context.Context, r StopRequest) (Stopped, error) {
	if r.Restored {
		s, err := a.services.StopForRestore(ctx)
		return Stopped{Success: err == nil, Stopped: s}, err
	}
	s, err := a.services.Settlement.Switch().Stop(ctx, r.Reason)
	return Stopped{Success: err == nil, Stopped: &s}, err
}

// ResumeRequest is the optional request body of POST /admin/settle-resume.
type ResumeRequest struct {
	Anyway string `json:"anyway"`
}

func (a *API) resumeCharging(ctx context.Context, x *exchange) (any, error) {
	var in ResumeRequest
	if err := decodeOptional(x.Body, &in); err != nil {
		return nil, err
	}
	was, err := a.services.ResumeCharging(ctx, in.Anyway)
	return Stopped{Success: err == nil, Stopped: was}, err
}

// CheckedCampaign is the response of /stats/:slug/check.
type CheckedCampaign struct {
	Success bool `json:"success"`
	projection.Drift
}

func (a *API) checkCampaign(ctx context.Context, slug string) (CheckedCampaign, error) {
	d, err := a.services.Projector.Check(ctx, slug)
	return CheckedCampaign{Success: err == nil, Drift: d}, err
}

// CheckedAll is the response of /admin/projections/check.
type CheckedAll struct {
	InSync  bool               `json:"inSync"`
	Checked int                `json:"checkedCampaigns"`
	Drifted []string           `json:"driftedCampaigns"`
	Results []projection.Drift `json:"results"`
}

func (a *API) checkAll(ctx context.Context) (CheckedAll, error) {
	results, err := a.services.Projector.CheckAll(ctx)
	if err != nil {
		return CheckedAll{}, err
	}
	out := CheckedAll{InSync: true, Checked: len(results), Drifted: []string{}, Results: results}
	for _, d := range results {
		if !d.InSync {
			out.InSync = false
			out.Drifted = append(out.Drifted, d.CampaignSlug)
		}
	}
	if out.Results == nil {
		out.Results = []projection.Drift{}
	}
	return out, nil
}

// RebuildRequest selects the campaign to rebuild; "" means all campaigns.
type RebuildRequest struct {
	CampaignSlug string `json:"campaignSlug"`
}

// RebuiltAll is the response of /admin/projections/rebuild.
type RebuiltAll struct {
	Success bool                 `json:"success"`
	Results []projection.Rebuilt `json:"results"`
}

func (a *API) rebuild(ctx context.Context, x *exchange) (any, error) {
	var in RebuildRequest
	if err := decodeOptional(x.Body, &in); err != nil {
		return nil, err
	}
	if in.CampaignSlug != "" {
		one, err := a.services.Projector.Rebuild(ctx, in.CampaignSlug)
		return RebuiltAll{Success: true, Results: []projection.Rebuilt{one}}, err
	}
	all, err := a.services.Projector.RebuildAll(ctx)
	if all == nil {
		all = []projection.Rebuilt{}
	}
	return RebuiltAll{Success: true, Results: all}, err
}

func (a *API) cronStatus(ctx context.Context) (compose.CronStatus, error) {
	return a.services.CronStatus(ctx)
}

// Health is the response of /healthz and /readyz.
type Health struct {
	Status  string `json:"status"` // "ok"
	Version string `json:"version,omitempty"`
}

func (a *API) health(context.Context) (Health, error) {
	return Health{Status: "ok", Version: a.opts.Version}, nil
}

// ready fails with code Unavailable and the reason if the server has no storage for rate limits, or
// if Services.Ready fails.
func (a *API) ready(ctx context.Context) (Health, error) {
	if a.rateLimit == nil {
		return Health{}, fault.New(fault.Unavailable, "Rate limit storage not configured")
	}
	if err := a.services.Ready(ctx); err != nil {
		return Health{}, err
	}
	return Health{Status: "ok", Version: a.opts.Version}, nil
}

func (a *API) serveDocument(context.Context, *exchange) (any, error) {
	b, err := a.document()
	return Response{Status: 200, Body: b}, err
}

// decodeOptional decodes a JSON body that may be empty.
func decodeOptional(body []byte, into any) error {
	if len(body) == 0 {
		return nil
	}
	return decodeJSON(body, into)
}
