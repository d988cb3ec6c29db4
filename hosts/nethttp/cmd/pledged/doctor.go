package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// openTimeout is how long opening the database may take.
const openTimeout = 15 * time.Second

type doctorCommand struct {
	JSON bool `help:"Print the report as JSON."`
}

// Run runs all health checks and exits with a status for the most severe finding. If it runs in a
// server for another process, it only prints the report, and that process sets the exit status.
func (c doctorCommand) Run(w *environ) error {
	if w.app != nil {
		r, err := w.app.API.CheckHealth(w.ctx)
		return errors.Join(err, show(w, r))
	}
	r, err := c.collect(w)
	if err != nil {
		return err
	}
	if c.JSON {
		err = show(w, r)
	} else {
		err = printHealth(w.out, r)
	}
	if err != nil {
		return err
	}
	return statusOf(r)
}

// statusOf returns nil if there is nothing to do, exit status 1 for warnings, and 2 for critical
// findings.
func statusOf(r health.Report) error {
	switch r.Severity {
	case health.Critical:
		return exitError(2)
	case health.Warning:
		return exitError(1)
	case health.OK, health.Notice:
	}
	return nil
}

// collect requests the report from the server of the data directory or, if none runs, runs the
// checks itself. If the service cannot be opened, that is a finding.
func (c doctorCommand) collect(w *environ) (health.Report, error) {
	if server, err := w.dial(); err == nil {
		r, err := c.askReport(w, func(w *environ) error { return w.runInServer(server, c) })
		if err == nil {
			return r, nil
		}
		return w.examine(health.ServerSilent(err))
	}
	o, err := w.engine()
	if err != nil {
		return w.examine(health.Closed(err))
	}
	if _, err := os.Stat(filepath.Join(o.DataDir, app.StoreFile)); err != nil && o.DatabaseURL == "" {
		return w.examine(health.DatabaseMissing(o.DataDir))
	}
	within := *w
	var stop context.CancelFunc
	within.ctx, stop = context.WithTimeout(w.ctx, openTimeout)
	defer stop()
	if _, _, err := w.load(""); err != nil {
		return w.examine()
	}
	a, err := within.open()
	if err != nil {
		return w.examine(health.Closed(err))
	}
	fmt.Fprintf(w.err, "No server runs on %s, using the database directly. The time is %s.\n",
		a.Config.Server.DataDir, a.Clock())
	r, err := a.API.CheckHealth(w.ctx)
	return r, errors.Join(err, a.Close())
}

// askReport requests the report from a server and parses it.
func (c doctorCommand) askReport(w *environ, ask func(*environ) error) (r health.Report, err error) {
	var output bytes.Buffer
	captured := *w
	captured.out = &output
	if err := ask(&captured); err != nil {
		return r, err
	}
	err = json.Unmarshal(output.Bytes(), &r)
	return r, err
}

// examine runs the checks that do not need the service and adds the given findings.
func (w *environ) examine(found ...health.Finding) (health.Report, error) {
	cfg, content, err := w.load("")
	var faults config.SettingErrors
	if err != nil && !errors.As(err, &faults) {
		return health.Report{}, err
	}
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.Name+" "+f.Problem)
	}
	o := app.Options{Config: cfg, Content: os.DirFS(content), Now: clock(cfg.Server.ClockOffset),
		Log: logger(w.err, cfg.Server), Version: versionText()}
	return app.Examine(w.ctx, o, texts, found...), nil
}

// printHealth prints one line per finding, followed by its remedy.
func printHealth(out io.Writer, r health.Report) error {
	wide, counts := 0, map[health.Severity]int{}
	for _, f := range r.Findings {
		wide = max(wide, len(f.ID))
		counts[f.Severity]++
	}
	var text strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&text, "%-8s  %-*s  %s\n", f.Severity, wide, f.ID, f.Found)
		if f.Remedy != "" {
			fmt.Fprintf(&text, "%-8s  %-*s  %s\n", "", wide, "", "→ "+f.Remedy)
		}
	}
	fmt.Fprintf(&text, "\n%d critical, %s, %s, %d fine. Version %s\n", counts[health.Critical],
		formatCount(counts[health.Warning], "warning", "warnings"),
		formatCount(counts[health.Notice], "notice", "notices"), counts[health.OK], r.Version)
	_, err := io.WriteString(out, text.String())
	return err
}
