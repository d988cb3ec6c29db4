package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// Rehearsals runs settlements on copies of the data, one at a time.
type Rehearsals interface {
	// Start starts a rehearsal of a campaign's settlement in the background. It fails with code
	// Conflict if one is running.
	Start(slug string) error
	// Last returns the campaign's last rehearsal on this server, with status RehearsalNone if there
	// is none.
	Last(slug string) Rehearsal
}

// RehearsalStatus is the status of a rehearsal.
type RehearsalStatus string

// Statuses of a rehearsal.
const (
	RehearsalUnavailable RehearsalStatus = "unavailable" // this host does not support rehearsals
	RehearsalNone        RehearsalStatus = "none"        // this server has not run any
	RehearsalRunning     RehearsalStatus = "running"
	RehearsalDone        RehearsalStatus = "done"
	RehearsalFailed      RehearsalStatus = "failed"
)

// Rehearsal is the response of GET /admin/settle-rehearsal/{slug}.
type Rehearsal struct {
	CampaignSlug string          `json:"campaignSlug"`
	Status       RehearsalStatus `json:"status"`
	// Read is the number of cards looked up so far, and Cards their total number. Both are zero
	// before the first lookup.
	Read      int        `json:"read"`
	Cards     int        `json:"cards"`
	StartedAt *time.Time `json:"startedAt,omitempty"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	Error     string     `json:"error,omitempty"`
	// Forecast is the result. Its type depends on the host.
	Forecast any `json:"forecast,omitempty"`
}

func (a *API) rehearsalRoutes() []Route {
	view := Rules{Secret: SettlementSecret, Operator: access.Platform}
	start := view
	start.NoBody, start.Fresh, start.Action = true, true, "settlement.rehearse"
	return []Route{
		{
			Method: "POST", Pattern: "/admin/settle-rehearsal/:slug", Tag: "settlement",
			Summary:  "Start a rehearsal of a campaign's settlement on a copy, without charges or emails",
			Personal: []Whose{Supporters},
			Rules:    start, Out: "Rehearsal", Errors: []int{404, 409, 503},
			handle: bySlug(a.rehearse),
		},
		{
			Method: "GET", Pattern: "/admin/settle-rehearsal/:slug", Tag: "settlement",
			Summary:  "Status and result of the last rehearsal of a campaign's settlement",
			Personal: []Whose{Supporters},
			Rules:    view, Out: "Rehearsal", Errors: []int{404},
			handle: bySlug(a.lastRehearsal),
		},
	}
}

func (a *API) rehearse(ctx context.Context, slug string) (Rehearsal, error) {
	last, err := a.lastRehearsal(ctx, slug)
	if err != nil || last.Status == RehearsalUnavailable {
		return last, err
	}
	if err := a.opts.Rehearsals.Start(slug); err != nil {
		return Rehearsal{}, err
	}
	return a.opts.Rehearsals.Last(slug), nil
}

func (a *API) lastRehearsal(_ context.Context, slug string) (Rehearsal, error) {
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return Rehearsal{}, err
	}
	if a.opts.Rehearsals == nil {
		return Rehearsal{CampaignSlug: slug, Status: RehearsalUnavailable}, nil
	}
	return a.opts.Rehearsals.Last(slug), nil
}
