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
	refreshInterval = time.Minute // regardless of the number of scrapes
	readTimeout     = 20 * time.Second
)

// vitals writes the service's vitals, which are the same on every server.
type vitals struct {
	read func(context.Context) (compose.Vitals, error)
	log  *slog.Logger

	mu   sync.Mutex
	at   time.Time
	last compose.Vitals
}

// Watch adds the service's vitals to the metrics.
func (t *Telemetry) Watch(look func(context.Context) (compose.Vitals, error), log *slog.Logger) {
	t.metrics.RegisterMetricsWriter((&vitals{read: look, log: log}).write)
}

func (v *vitals) write(w io.Writer) {
	now, g := v.recent(), gauges{w}
	g.gauge("outbox_waiting", "Mails waiting to be sent.", float64(now.Outbox))
	g.gauge("content_problems", "Content problems: files whose current version is not published, and parts of the site that cannot be rendered.", float64(now.ContentProblems))
	if now.LastCron != nil {
		g.gauge("cron_last_run_timestamp_seconds", "Time of the last hourly run.", float64(now.LastCron.Unix()))
	}
	g.head("projections_in_sync", "1 if a campaign's public totals match its object.")
	for _, c := range now.Campaigns {
		g.one("projections_in_sync", number(c.InSync), "campaign", c.Slug)
	}
	g.head("reconciliation_breaks_open", "Open differences from the processor's books.")
	for _, c := range now.Campaigns {
		g.one("reconciliation_breaks_open", float64(c.OpenBreaks-c.CriticalBreaks), "campaign", c.Slug, "severity", "warning")
		g.one("reconciliation_breaks_open", float64(c.CriticalBreaks), "campaign", c.Slug, "severity", "critical")
	}
	g.head("settlement_running", "1 while a settlement is running.")
	for _, c := range now.Campaigns {
		if c.Job != nil {
			g.one("settlement_running", number(c.Job.EndedAt == nil), "campaign", c.Slug)
		}
	}
	g.head("settlement_pledges", "Pledges of the last settlement by result; total is the number of all.")
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

// recent returns the vitals, refreshing them if they are older than lookEvery.
func (v *vitals) recent() compose.Vitals {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.at.IsZero() && time.Since(v.at) < refreshInterval {
		return v.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	now, err := v.read(ctx)
	if err != nil {
		v.log.Warn("could not read all vitals", "error", err.Error())
	}
	v.last, v.at = now, time.Now()
	return now
}
