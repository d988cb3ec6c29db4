package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type disputesCommand struct {
	Slug string `arg:"" help:"The campaign."`
	Open bool   `help:"List only disputes that are not decided."`
	JSON bool   `help:"Print the disputes as JSON."`
}

// Run imports disputes first, so that the list is current even if the service does not run.
func (c disputesCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if _, err := a.Services.Settlement.ImportDisputes(ctx); err != nil {
			fmt.Fprintf(w.err, "The processor's disputes could not be read: %v\n", err)
		}
		all, err := a.Services.Disputes.All(ctx, c.Slug, c.Open)
		if err != nil {
			return err
		}
		if c.JSON {
			return show(w, all)
		}
		return w.printDisputes(all, a.Services.Config.Site.Timezone.Location())
	})
}

func (w *environ) printDisputes(all []disputes.Dispute, zone *time.Location) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DISPUTE\tSTATUS\tAMOUNT\tREASON\tANSWER BY\tPLEDGES")
	for _, d := range all {
		due := "-"
		if d.AnswerBy != nil {
			due = d.AnswerBy.In(zone).Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, d.Status, d.Amount, d.Reason, due, strings.Join(d.Pledges, " "))
	}
	return t.Flush()
}
