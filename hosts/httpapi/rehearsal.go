package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// Rehearsals plays settlements on copies of what is kept, one at a time.
type Rehearsals interface {
	// Start begins one of a campaign's settlement, and answers at once. It fails with code
	// Conflict while another one runs.
	Start(slug string) error
	// Last is how the last one of a campaign stands.
	Last(slug string) Rehearsal
}

// RehearsalStatus says how far a rehearsal is.
type RehearsalStatus string

// The statuses.
const (
	RehearsalUnavailable RehearsalStatus = "unavailable" // this host can't play any
	RehearsalNone        RehearsalStatus = "none"        // this server has played none
	RehearsalRunning     RehearsalStatus = "running"
	RehearsalDone        RehearsalStatus = "done"
	RehearsalFailed      RehearsalStatus = "failed"
)

// Rehearsal is the answer of GET /admin/settle-rehearsal/{slug}.
type Rehearsal struct {
	CampaignSlug string          `json:"campaignSlug"`
	Status       RehearsalStatus `json:"status"`
	// Read is how many cards of Cards have been read; both are zero before the first.
	Read      int        `json:"read"`
	Cards     int        `json:"cards"`
	StartedAt *time.Time `json:"startedAt,omitempty"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	Error     string     `json:"error,omitempty"`
	// Forecast is what it came to, as the host that played it tells it.
	Forecast any `json:"forecast,omitempty"`
}

func (a *API) rehearsalRoutes() []Route {
	look := Rules{Secret: SettlementSecret, Operator: access.Platform}
	start := look
	start.NoBody, start.Fresh, start.Action = true, true, "settlement.rehearse"
	return []Route{
		{
			Method: "POST", Pattern: "/admin/settle-rehearsal/:slug", Tag: "settlement",
			Summary:  "Begin to play a campaign's settlement on a copy: nobody is charged or told",
			Personal: []Whose{Supporters},
			Rules:    start, Out: "Rehearsal", Errors: []int{404, 409, 503},
			handle: bySlug(a.rehearse),
		},
		{
			Method: "GET", Pattern: "/admin/settle-rehearsal/:slug", Tag: "settlement",
			Summary:  "How the last rehearsal of a campaign's settlement stands, and what it came to",
			Personal: []Whose{Supporters},
			Rules:    look, Out: "Rehearsal", Errors: []int{404},
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
