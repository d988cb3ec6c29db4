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
	refreshInterval = time.Minute // regardless of the number of scrapes
	readTimeout     = 20 * time.Second
)

// The service's vitals.
var (
	outboxWaiting   = desc("outbox_waiting", "Emails waiting to be sent.")
	contentProblems = desc("content_problems",
		"Content problems: files whose current version is not published, and parts of the site that cannot be rendered.")
	cronLastRun     = desc("cron_last_run_timestamp_seconds", "Time of the last hourly run.")
	lastBackup      = desc("backup_last_timestamp_seconds", "Time of the last backup by pledged backup.")
	mailRefused     = desc("mail_refused", "1 if the mail provider refuses all emails from the account.")
	clockWrong      = desc("clock_wrong", "1 while the server's clock is wrong, so that it changes nothing.")
	chargingStopped = desc("charging_stopped", "1 while charging is stopped.")
	diskFree        = desc("disk_free_bytes", "Free bytes of the disk with the data directory.")
	diskSize        = desc("disk_size_bytes", "Size of the disk with the data directory, in bytes.")

	inSync     = desc("projections_in_sync", "1 if a campaign's public totals match its object.", "campaign")
	breaksOpen = desc("reconciliation_breaks_open", "Open differences from the processor's books.",
		"campaign", "severity")
	held = desc("settlement_held",
		"1 while a campaign's settlement is held because of declined or rejected charges.", "campaign")
	running = desc("settlement_running", "1 while a settlement is running.", "campaign")
	pledges = desc("settlement_pledges", "Pledges of the last settlement by result; total is the number of all.",
		"campaign", "state")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// vitals collects the service's vitals. Those of the disk and the clock are the server's own; the
// others are the same on every server.
type vitals struct {
	read func(context.Context) (compose.Vitals, error)
	log  *slog.Logger

	mu   sync.Mutex
	at   time.Time
	last compose.Vitals
}

// Watch adds the service's vitals to the metrics. It must be called at most once.
func (t *Telemetry) Watch(read func(context.Context) (compose.Vitals, error), log *slog.Logger) {
	t.metrics.registry.MustRegister(&vitals{read: read, log: log})
}

// Describe implements prometheus.Collector.
func (v *vitals) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{outboxWaiting, contentProblems, cronLastRun, lastBackup, mailRefused,
		clockWrong, chargingStopped, diskFree, diskSize, inSync, breaksOpen, held, running, pledges} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (v *vitals) Collect(to chan<- prometheus.Metric) {
	set := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	now := v.recent()
	set(outboxWaiting, float64(now.Outbox))
	set(contentProblems, float64(now.ContentProblems))
	if now.LastCron != nil {
		set(cronLastRun, float64(now.LastCron.Unix()))
	}
	if now.LastBackup != nil {
		set(lastBackup, float64(now.LastBackup.Unix()))
	}
	set(mailRefused, number(now.MailRefused))
	set(clockWrong, number(now.ClockWrong))
	set(chargingStopped, number(now.ChargingStopped))
	if now.DiskSize > 0 {
		set(diskFree, float64(now.DiskFree))
		set(diskSize, float64(now.DiskSize))
	}
	for _, c := range now.Campaigns {
		set(inSync, number(c.InSync), c.Slug)
		set(breaksOpen, float64(c.OpenBreaks-c.CriticalBreaks), c.Slug, "warning")
		set(breaksOpen, float64(c.CriticalBreaks), c.Slug, "critical")
		set(held, number(c.Held != nil), c.Slug)
		j := c.Job
		if j == nil {
			continue
		}
		set(running, number(j.EndedAt == nil), c.Slug)
		for state, n := range map[string]int{
			"total": j.Total, "processed": j.Processed, "charged": j.TotalCharged, "failed": j.TotalFailed,
			"dropped": j.TotalDropped, "skipped": j.TotalSkipped, "attention": j.TotalNeedsAttention,
		} {
			set(pledges, float64(n), c.Slug, state)
		}
	}
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// recent returns the vitals. It reads them again if they are older than refreshInterval.
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
