package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// figuresWait is how long a build of the site waits for a campaign's figures.
const figuresWait = 2 * time.Second

// figures returns a campaign's totals and stock for its pages. If they cannot be read, it returns
// the zero value, and browsers load them later.
func (a *App) figures(slug string) site.Figures {
	if a.Services == nil { // while the server starts
		return site.Figures{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), figuresWait)
	defer cancel()
	body, err := a.Services.Projector.Live(ctx, slug)
	if err != nil {
		return site.Figures{}
	}
	var live projection.LiveCampaign
	if err := json.Unmarshal(body, &live); err != nil {
		return site.Figures{}
	}
	f := site.Figures{Pledged: live.Stats.PledgedAmount, Supporters: live.Stats.Supporters,
		Remaining: map[string]int{}, At: live.Now}
	for id, unit := range live.Inventory.Tiers {
		f.Remaining[id] = unit.Remaining
	}
	return f
}
