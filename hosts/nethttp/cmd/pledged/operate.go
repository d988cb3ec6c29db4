package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
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

func show(w *world, v any) error {
	e := json.NewEncoder(w.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
