package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
)

//go:embed pages.html
var pagesHTML string

var pages = template.Must(template.New("pages").
	Funcs(template.FuncMap{"min": func(a, b int) int { return min(a, b) }}).Parse(pagesHTML))

const maxBody = 64 << 10

// shown is a campaign as shown on the front page.
type shown struct {
	*campaign.Campaign
	Stats  projection.PublicStats
	Ends   string
	Early  bool // settlement cannot start yet
	Begins string
}

type frontPage struct {
	Now       string
	Campaigns []shown
	Charges   []sim.Entry
	Gross     money.Cents
	Cards     [][2]string
	Bank      bankData
}

func (d *Demo) front(w http.ResponseWriter, r *http.Request) {
	zone := d.App.Config.Site.Timezone.Location()
	page := frontPage{Now: d.App.Clock(), Cards: sim.Cards(), Charges: d.App.Sim.Entries()}
	for _, c := range d.App.Catalogue().Campaigns() {
		body, err := d.App.Services.Projector.Stats(r.Context(), c.Slug)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		begins := c.EndsAt(zone).Add(settlement.Margin)
		one := shown{Campaign: c, Ends: c.EndsAt(zone).Add(-time.Second).Format("January 2, 2006, 3:04 PM MST"),
			Early: d.Clock.Now().Before(begins), Begins: begins.Format("January 2, 3:04 PM MST")}
		if err == nil {
			err = json.Unmarshal(body, &one.Stats)
		}
		if err != nil {
			d.problem(w, err)
			return
		}
		page.Campaigns = append(page.Campaigns, one)
	}
	for _, c := range page.Charges {
		page.Gross += c.Amount
	}
	var err error
	if page.Bank, err = d.bank(r.Context(), page.Charges); err != nil {
		d.problem(w, err)
		return
	}
	show(w, "front", page)
}

// events lists the processor's events as its API does.
func (d *Demo) events(w http.ResponseWriter, r *http.Request) {
	query := url.Values{"limit": {"100"}}
	if kind := r.URL.Query().Get("type"); kind != "" {
		query.Set("type", kind)
	}
	a := d.App.Sim.Serve(sim.Call{
		Method: http.MethodGet, Path: "/v1/events", Form: query.Encode(),
		APIKey: d.App.Config.PSPSecretKey().Reveal(), Version: psp.Version,
	})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

func (d *Demo) readClock(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"now": d.Clock.Now(), "zone": d.App.Config.Site.Timezone.String(), "text": d.shownClock(r.URL.Query().Get("lang")),
	})
}

// moveClock accepts {"advance":"36h"} or {"to":"2026-11-22T08:00:00-07:00"}. With "run":true it
// also does the scheduled work of the skipped time.
func (d *Demo) moveClock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Advance string     `json:"advance"`
		To      *time.Time `json:"to"`
		Run     bool       `json:"run"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		reply(w, http.StatusBadRequest,
			map[string]string{"error": `Send {"advance":"36h"} or {"to":"2026-11-22T08:00:00-07:00"}`})
		return
	}
	by, err := time.ParseDuration(in.Advance)
	switch {
	case in.To != nil:
		by = in.To.Sub(d.Clock.Now())
	case err != nil:
		reply(w, http.StatusBadRequest, map[string]string{"error": "A duration looks like 36h or 90m", "field": "advance"})
		return
	}
	d.staySignedIn(w, r, by)
	if in.Run {
		err = d.advanceInSteps(context.WithoutCancel(r.Context()), d.Clock.Now().Add(by))
	} else {
		err = d.Clock.Advance(by)
	}
	if err != nil {
		d.problem(w, err)
		return
	}
	d.readClock(w, r)
}

func (d *Demo) problem(w http.ResponseWriter, err error) {
	message, status := "Something went wrong", http.StatusInternalServerError
	if f := fault.Of(err); f != nil && f.Code != fault.Internal {
		message, status = f.Message, http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, "problem", message)
}

func show(w http.ResponseWriter, name string, data any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "The page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	_, _ = b.WriteTo(w) // fails if the browser has disconnected
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
