package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/rehearsal"
)

type rehearseCommand struct {
	Slug string `arg:"" help:"The campaign."`
	JSON bool   `help:"Print the forecast as JSON."`
}

// errShort makes the command fail, for use in scripts.
var errShort = errors.New("the collected amount would be below the goal")

func (c rehearseCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		o := a.Rehearsal()
		o.Progress = w.progress("reading cards")
		f, err := rehearsal.Run(ctx, o, c.Slug)
		if err != nil {
			return err
		}
		if c.JSON {
			err = show(w, f)
		} else {
			err = printForecast(w.out, f)
		}
		if err == nil && f.Funded && !f.StaysFunded() {
			err = errShort
		}
		return err
	})
}

func printForecast(out io.Writer, f rehearsal.Forecast) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Campaign\t%s\n", f.CampaignSlug)
	fmt.Fprintf(t, "Rehearsed for\t%s\n", f.At.UTC().Format(time.RFC3339))
	fmt.Fprintf(t, "Goal\t%s, %s pledged toward it: %s\n", f.Goal, f.Counted,
		map[bool]string{true: "funded", false: "not funded; the forecast assumes that it is"}[f.Funded])
	fmt.Fprintf(t, "Supporters\t%d: %d would be charged, %d would fail\n", f.Supporters, f.Charged, f.Failed)
	fmt.Fprintf(t, "Skipped pledges\t%d\n", f.PassedOver)
	fmt.Fprintf(t, "Emails\t%d\n", f.Mails)
	fmt.Fprintf(t, "Minimum duration\t%s\n\n", formatDuration(f.AtLeast))
	printFunds(t, f.Funds)
	fmt.Fprintf(t, "\nCollected toward the goal\t%s\n", f.CountedCollected)
	switch {
	case !f.Funded:
	case f.StaysFunded():
		fmt.Fprintf(t, "Tolerated declines\t%s before falling below the goal\n", f.MayFail)
	default:
		fmt.Fprintf(t, "Short of the goal\t%s\n", f.Goal-f.CountedCollected)
	}
	if len(f.Findings) > 0 {
		fmt.Fprintf(t, "\nFINDING\tSUPPORTER\tAMOUNT\tDETAIL\n")
	}
	for _, d := range f.Findings {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Kind, d.Email, d.Amount, d.Message)
	}
	return t.Flush()
}
