//go:build !demo

package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

const (
	lookEvery  = time.Minute // however often somebody asks
	lookWithin = 20 * time.Second
)

// vitals are the service's, which every server tells alike.
type vitals struct {
	look func(context.Context) (compose.Vitals, error)
	log  *slog.Logger

	mu   sync.Mutex
	at   time.Time
	last compose.Vitals
}

// Watch has the service's vitals told with the metrics.
func (t *Telemetry) Watch(look func(context.Context) (compose.Vitals, error), log *slog.Logger) {
	t.metrics.RegisterMetricsWriter((&vitals{look: look, log: log}).write)
}

func (v *vitals) write(w io.Writer) {
	now, g := v.recent(), gauges{w}
	g.tell("outbox_waiting", "Mails that wait to be sent.", float64(now.Outbox))
	g.tell("content_problems", "Problems of the content: files that are not published as they are, and parts of the site that cannot be shown.", float64(now.ContentProblems))
	if now.LastCron != nil {
		g.tell("cron_last_run_timestamp_seconds", "When the hour's work ran last.", float64(now.LastCron.Unix()))
	}
	g.head("projections_in_sync", "1 where a campaign's public numbers are what its object says.")
	for _, c := range now.Campaigns {
		g.one("projections_in_sync", number(c.InSync), "campaign", c.Slug)
	}
	g.head("reconciliation_breaks_open", "Open differences from the processor's books.")
	for _, c := range now.Campaigns {
		g.one("reconciliation_breaks_open", float64(c.OpenBreaks-c.CriticalBreaks), "campaign", c.Slug, "severity", "warning")
		g.one("reconciliation_breaks_open", float64(c.CriticalBreaks), "campaign", c.Slug, "severity", "critical")
	}
	g.head("settlement_running", "1 while a settlement is under way.")
	for _, c := range now.Campaigns {
		if c.Job != nil {
			g.one("settlement_running", number(c.Job.EndedAt == nil), "campaign", c.Slug)
		}
	}
	g.head("settlement_pledges", "Pledges of the last settlement by what became of them; total is all of them.")
	for _, c := range now.Campaigns {
		if j := c.Job; j != nil {
			for _, s := range []struct {
				state string
				n     int
			}{
				{"total", j.Total}, {"processed", j.Processed}, {"charged", j.TotalCharged}, {"failed", j.TotalFailed},
				{"dropped", j.TotalDropped}, {"skipped", j.TotalSkipped}, {"attention", j.TotalNeedsAttention},
			} {
				g.one("settlement_pledges", float64(s.n), "campaign", c.Slug, "state", s.state)
			}
		}
	}
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// recent looks again when that is due.
func (v *vitals) recent() compose.Vitals {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.at.IsZero() && time.Since(v.at) < lookEvery {
		return v.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookWithin)
	defer cancel()
	now, err := v.look(ctx)
	if err != nil {
		v.log.Warn("some vitals are not known", "error", err.Error())
	}
	v.last, v.at = now, time.Now()
	return now
}
