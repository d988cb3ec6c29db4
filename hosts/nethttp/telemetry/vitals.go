//go:build !demo

package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("pledgeworks_"+name, help, labels, nil)
}

var (
	outboxWaiting  = describe("outbox_waiting", "Mails that wait to be sent.")
	cronLastRun    = describe("cron_last_run_timestamp_seconds", "When the hour's work ran last.")
	projectionSync = describe("projections_in_sync", "1 where a campaign's public numbers are what its object says.", "campaign")
	settlementDone = describe("settlement_pledges", "Pledges of the last settlement by what became of them; total is all of them.", "campaign", "state")
	settlementRuns = describe("settlement_running", "1 while a settlement is under way.", "campaign")
	openBreaks     = describe("reconciliation_breaks_open", "Open differences from the processor's books.", "campaign", "severity")
)

// Watch has the service's vitals told with the metrics.
func (t *Telemetry) Watch(look func(context.Context) (compose.Vitals, error), log *slog.Logger) {
	t.registry.MustRegister(&vitals{look: look, log: log})
}

// Describe implements prometheus.Collector.
func (v *vitals) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{outboxWaiting, cronLastRun, projectionSync, settlementDone, settlementRuns, openBreaks} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (v *vitals) Collect(out chan<- prometheus.Metric) {
	now := v.recent()
	tell := func(d *prometheus.Desc, n float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n, labels...)
	}
	tell(outboxWaiting, float64(now.Outbox))
	if now.LastCron != nil {
		tell(cronLastRun, float64(now.LastCron.Unix()))
	}
	for _, c := range now.Campaigns {
		tell(projectionSync, number(c.InSync), c.Slug)
		tell(openBreaks, float64(c.OpenBreaks-c.CriticalBreaks), c.Slug, "warning")
		tell(openBreaks, float64(c.CriticalBreaks), c.Slug, "critical")
		if j := c.Job; j != nil {
			tell(settlementRuns, number(j.EndedAt == nil), c.Slug)
			for state, n := range map[string]int{
				"total": j.Total, "processed": j.Processed, "charged": j.TotalCharged, "failed": j.TotalFailed,
				"dropped": j.TotalDropped, "skipped": j.TotalSkipped, "attention": j.TotalNeedsAttention,
			} {
				tell(settlementDone, float64(n), c.Slug, state)
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
