package demo

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// settle handles the settle button. If necessary, it first moves the clock to the earliest possible
// settlement time, which is shown on the button.
func (d *Demo) settle(w http.ResponseWriter, r *http.Request) {
	c, err := d.App.Catalogue().Campaign(r.PathValue("slug"))
	if err != nil {
		d.problem(w, err)
		return
	}
	ctx := context.WithoutCancel(r.Context())
	begins := c.EndsAt(d.App.Config.Site.Timezone.Location()).Add(settlement.Margin)
	if by := begins.Add(time.Second).Sub(d.Clock.Now()); by > 0 {
		d.staySignedIn(w, r, by)
		if err := d.Clock.Advance(by); err != nil {
			d.problem(w, err)
			return
		}
	}
	report, err := d.App.Services.Settlement.Settle(ctx, c.Slug, false)
	if err != nil && !fault.Is(err, fault.Conflict) {
		d.problem(w, err)
		return
	}
	if missed := d.runScheduled(ctx); missed != nil {
		d.problem(w, missed)
		return
	}
	if err != nil {
		show(w, "missed", c.Title)
		return
	}
	show(w, "settled", settled{Title: c.Title, Report: report})
}

// settled is the data of the page that shows a settlement's result.
type settled struct {
	Title string
	settlement.Report
}

// sameSite rejects requests with the Origin of another site. Terminals send no Origin.
func (d *Demo) sameSite(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, d.Base) {
			reply(w, http.StatusForbidden, map[string]string{"error": "Use the demo's own pages"})
			return
		}
		next(w, r)
	}
}
