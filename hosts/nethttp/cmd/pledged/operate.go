package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

type settleCommand struct {
	Slug    string `arg:"" help:"Campaign slug."`
	DryRun  bool   `help:"Only show who would be charged."`
	JSON    bool   `help:"Print the report as JSON."`
	Release bool   `help:"First release a settlement that was held because too many charges failed."`
	Accept  string `placeholder:"WHY" help:"First accept that the campaign file breaks promises to supporters, with a reason."`
}

func (c settleCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if err := c.releaseHolds(ctx, w, a); err != nil {
			return err
		}
		if err := c.checkDeadline(a); err != nil {
			return err
		}
		stop := w.watchSettling(ctx, a, c.Slug)
		report, err := a.Services.Settlement.Settle(ctx, c.Slug, c.DryRun)
		stop()
		if err != nil {
			return err
		}
		if c.JSON {
			return show(w, report)
		}
		return printSettlement(w.out, report)
	})
}

// releaseHolds releases the settlement and accepts broken promises, if requested. Both are separate
// actions that are not undone if the settlement fails.
func (c settleCommand) releaseHolds(ctx context.Context, w *environ, a *app.App) error {
	if c.Release {
		err := w.record(ctx, a, audit.Act{Action: "settlement.release", CampaignSlug: c.Slug}, func() error {
			_, err := a.Services.Settlement.Release(ctx, c.Slug)
			return err
		})
		if err != nil {
			return err
		}
	}
	if c.Accept == "" {
		return nil
	}
	return w.record(ctx, a, audit.Act{Action: "settlement.accept", CampaignSlug: c.Slug, Reason: c.Accept}, func() error {
		_, err := a.Services.Settlement.Accept(ctx, c.Slug, c.Accept)
		return err
	})
}

// checkDeadline returns an error if there is no such campaign, or if its settlement cannot start
// yet. The latter contains the start time.
func (c settleCommand) checkDeadline(a *app.App) error {
	campaign, err := a.Catalogue().Campaign(c.Slug)
	if err != nil {
		return err
	}
	ends := campaign.EndsAt(a.Config.Site.Timezone.Location())
	begins := ends.Add(settlement.Margin)
	if !a.Services.Now().Before(begins) {
		return nil
	}
	return fault.New(fault.Conflict,
		"%s accepts pledges until %s, and settlement can start on %s. To see who would be charged, run pledged rehearse %s",
		campaign.Title, app.Moment(ends.Add(-time.Second)), app.Moment(begins), c.Slug)
}

type stopCommand struct {
	Reason   string `arg:"" optional:"" help:"Reason, shown to other operators. Required without --restored."`
	Restored bool   `help:"The database was restored without pledged restore, such as to a point in time: also hold the queued emails, and let pledged resume check for lost data."`
}

func (c stopCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s, err := c.stop(ctx, a)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Charging has been stopped since %s: %s\n", s.Since.UTC().Format(time.RFC3339), s.Reason)
		return err
	})
}

func (c stopCommand) stop(ctx context.Context, a *app.App) (*state.Stopped, error) {
	if c.Restored {
		return a.Services.StopForRestore(ctx)
	}
	s, err := a.Services.Settlement.Switch().Stop(ctx, c.Reason)
	return &s, err
}

type resumeCommand struct {
	Anyway string `help:"Reason to resume charging after a restore despite open decisions; stored as evidence."`
}

func (c resumeCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		was, err := a.Services.ResumeCharging(ctx, c.Anyway)
		if err != nil {
			return err
		}
		if was == nil {
			_, err = fmt.Fprintln(w.out, "Charging was not stopped.")
			return err
		}
		_, err = fmt.Fprintf(w.out, "Charging has resumed. It had been stopped since %s: %s\n",
			was.Since.UTC().Format(time.RFC3339), was.Reason)
		return err
	})
}

type rebuildCommand struct {
	Slug string `arg:"" optional:"" help:"Campaign. Default: all."`
	JSON bool   `help:"Print the result as JSON."`
}

func (c rebuildCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		began := time.Now()
		rebuilt, err := c.rebuild(ctx, a)
		if c.JSON {
			return errors.Join(err, show(w, rebuilt))
		}
		return errors.Join(err, printRebuilt(w.out, rebuilt, time.Since(began)))
	})
}

func (c rebuildCommand) rebuild(ctx context.Context, a *app.App) ([]projection.Rebuilt, error) {
	if c.Slug == "" {
		return a.Services.Projector.RebuildAll(ctx)
	}
	one, err := a.Services.Projector.Rebuild(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	return []projection.Rebuilt{one}, nil
}

func printRebuilt(out io.Writer, all []projection.Rebuilt, took time.Duration) error {
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "CAMPAIGN\tPLEDGES\tRESTORED\tOTHER RECORDS\n")
	for _, r := range all {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", r.CampaignSlug, r.Pledges, r.Added, r.Records)
	}
	fmt.Fprintf(t, "\nRebuilt in %s.\n", formatDuration(took))
	return t.Flush()
}

// formatDuration formats a duration rounded to seconds.
func formatDuration(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	return d.Round(time.Second).String()
}

func show(w *environ, v any) error {
	e := json.NewEncoder(w.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
