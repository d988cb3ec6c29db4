package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/shipping"
)

type settleCommand struct {
	Slug    string `arg:"" help:"The campaign."`
	DryRun  bool   `help:"Only show who would be charged."`
	JSON    bool   `help:"Print the report as JSON."`
	Release bool   `help:"First release a settlement that was held because too many charges failed."`
	Accept  string `placeholder:"WHY" help:"First accept that the campaign's file promises something else than its pledges rely on, and say why."`
}

func (c settleCommand) Run(w *world) error {
	return w.using(func(ctx context.Context, a *app.App) error {
		if c.Release {
			if _, err := a.Services.Settlement.Release(ctx, c.Slug); err != nil {
				return err
			}
		}
		if c.Accept != "" {
			if _, err := a.Services.Settlement.Accept(ctx, c.Slug, c.Accept); err != nil {
				return err
			}
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

type stopCommand struct {
	Reason string `arg:"" help:"Why, for whoever meets it."`
}

func (c stopCommand) Run(w *world) error {
	return w.using(func(ctx context.Context, a *app.App) error {
		s, err := a.Services.Settlement.Switch().Stop(ctx, c.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "charging is stopped since %s: %s\n", s.Since.UTC().Format(time.RFC3339), s.Reason)
		return err
	})
}

type resumeCommand struct {
	Anyway string `help:"Why charging goes on after a restore although something still waits for an operator; kept as evidence."`
}

func (c resumeCommand) Run(w *world) error {
	return w.using(func(ctx context.Context, a *app.App) error {
		was, err := a.Services.ResumeCharging(ctx, c.Anyway)
		if err != nil {
			return err
		}
		if was == nil {
			_, err = fmt.Fprintln(w.out, "charging was not stopped")
			return err
		}
		_, err = fmt.Fprintf(w.out, "charging goes on; it was stopped since %s: %s\n", was.Since.UTC().Format(time.RFC3339), was.Reason)
		return err
	})
}

type rebuildCommand struct {
	Slug string `arg:"" optional:"" help:"The campaign; none is all of them."`
}

func (c rebuildCommand) Run(w *world) error {
	return w.using(func(ctx context.Context, a *app.App) error {
		if c.Slug == "" {
			all, err := a.Services.Projector.RebuildAll(ctx)
			return errors.Join(err, show(w, all))
		}
		one, err := a.Services.Projector.Rebuild(ctx, c.Slug)
		if err != nil {
			return err
		}
		return show(w, []projection.Rebuilt{one})
	})
}

type checkCommand struct {
	Content string `help:"The content repository; CONTENT_DIR, or the folder one is in." type:"path"`
}

// Run reports everything that is wrong with content and configuration at once.
func (c checkCommand) Run(w *world) error {
	cfg, dir, faulty := w.load(c.Content)
	catalogue, broken := campaign.Load(os.DirFS(dir))
	if broken == nil && len(catalogue.Campaigns()) == 0 {
		broken = fmt.Errorf("%s holds no campaigns/*.md; set CONTENT_DIR to the content repository", dir)
	}
	if broken == nil {
		broken = catalogue.Validate(shipping.PresetNames())
	}
	report := func(title string, err error) {
		if err != nil {
			fmt.Fprintf(w.err, "%s:\n%s\n\n", title, err)
		}
	}
	report("The content has problems", broken)
	report("The configuration has problems", faulty)
	for _, warning := range cfg.Warnings {
		fmt.Fprintln(w.out, "warning:", warning.Error())
	}
	if broken != nil || faulty != nil {
		return errors.New("nothing was changed; mend what is listed above and check again")
	}
	for _, c := range catalogue.Campaigns() {
		for _, p := range c.Warnings {
			fmt.Fprintln(w.out, "warning:", p)
		}
	}
	_, err := fmt.Fprintf(w.out, "%d campaigns and the configuration are in order\n", len(catalogue.Campaigns()))
	return err
}

func show(w *world, v any) error {
	e := json.NewEncoder(w.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
