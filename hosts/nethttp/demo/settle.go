package demo

import (
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/settlement"
)

// settle handles the settle button. If necessary it first moves the clock to the earliest possible
// settlement time, which the button mentions.
func (d *Demo) settle(w http.ResponseWriter, r *http.Request) {
	c, err := d.App.Catalogue().Campaign(r.PathValue("slug"))
	if err != nil {
		d.problem(w, err)
		return
	}
	begins := c.EndsAt(d.App.Config.Site.Timezone.Location()).Add(settlement.Margin)
	if d.Clock.Now().Before(begins) {
		if err := d.Clock.To(begins.Add(time.Second)); err != nil {
			d.problem(w, err)
			return
		}
	}
	report, err := d.App.Services.Settlement.Settle(r.Context(), c.Slug, false)
	if err != nil {
		d.problem(w, err)
		return
	}
	show(w, "settled", settled{Title: c.Title, Report: report})
}

// settled is the result of a settlement.
type settled struct {
	Title string
	settlement.Report
}

// sameSite rejects a request that changes something unless it comes from the demo's own pages or
// from a terminal.
func (d *Demo) sameSite(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, d.Base) {
			reply(w, http.StatusForbidden, map[string]string{"error": "Use the demo's own pages"})
			return
		}
		next(w, r)
	}
}
