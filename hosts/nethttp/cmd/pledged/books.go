package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

type reconcileCommand struct {
	Slug string `arg:"" help:"The campaign."`
	JSON bool   `help:"Print the report as JSON."`
}

// Errors that make the command fail, for use in scripts.
var (
	errBreaks = errors.New("there are open critical breaks: find the cause before charging anything else")
	errUnseen = errors.New("the processor's list lacks payments of charged pledges, so the result is inconclusive: check this machine's clock, the processor's account and its key, and reconcile again")
)

// Run reconciles until the pass is complete. It prints the progress to standard error.
func (c reconcileCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		r := reconcile.Report{Truncated: true}
		for r.Truncated {
			var err error
			if r, err = a.Services.Reconcile.Run(ctx, c.Slug, reconcile.MaxRetrievals); err != nil {
				return err
			}
			if r.Truncated {
				fmt.Fprintf(w.err, "%d pledges, %d payments read, %d listed\n", r.Checked, r.Retrieved, r.Listed)
			}
		}
		drift, err := a.Services.Projector.Check(ctx, c.Slug)
		if err != nil {
			return err
		}
		if c.JSON {
			err = show(w, r)
		} else {
			err = printBooks(w.out, r, drift.InSync)
		}
		if err != nil {
			return err
		}
		return verdict(r)
	})
}

// verdict returns errBreaks if a complete pass found critical breaks, and errUnseen if the total of
// the processor's list is less than that of the books without any break. A larger total is not an
// error: the list contains payments that are not booked yet, or a break explains the difference.
func verdict(r reconcile.Report) error {
	switch {
	case r.Critical > 0:
		return errBreaks
	case r.Difference < 0 && r.OpenBreaks == 0:
		return errUnseen
	}
	return nil
}

func printBooks(out io.Writer, r reconcile.Report, inSync bool) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Campaign\t%s\n", r.CampaignSlug)
	fmt.Fprintf(t, "Pledges checked\t%d\n", r.Checked)
	fmt.Fprintf(t, "Payments\t%d looked up, %d on the processor's list\n", r.Retrieved, r.Listed)
	printFunds(t, r.Funds)
	fmt.Fprintf(t, "Charged pledges\t%s\n", r.Booked)
	fmt.Fprintf(t, "Processor's payments\t%s\n", r.Processor)
	fmt.Fprintf(t, "Difference\t%s\n", r.Difference)
	fmt.Fprintf(t, "Projections\t%s\n",
		map[bool]string{true: "in sync", false: "out of sync: run pledged rebuild"}[inSync])
	fmt.Fprintf(t, "Open breaks\t%d, %d of them critical\n", r.OpenBreaks, r.Critical)
	if r.Difference > 0 && r.OpenBreaks == 0 {
		fmt.Fprintf(t, "Not booked yet\t%s, settlement is still updating the pledges\n", r.Difference)
	}
	if r.OldestBreak != nil {
		fmt.Fprintf(t, "Oldest break\t%s\n", r.OldestBreak.UTC().Format(time.RFC3339))
	}
	if len(r.Breaks) > 0 {
		fmt.Fprintf(t, "\nBREAK\tSEEN\tBOOKED\tPROCESSOR\tPAYMENT\tPLEDGES\tDETAIL\n")
	}
	for _, b := range r.Breaks {
		fmt.Fprintf(t, "%s\t%d times\t%s\t%s\t%s\t%s\t%s\n", b.Kind, b.Occurrences, b.Booked,
			b.Finding.Processor, b.PaymentID,
			strings.Join(b.OrderIDs, " "), b.Message)
	}
	return t.Flush()
}

// printFunds prints a campaign's totals: pledged, collectable, collected and available after fees.
func printFunds(t io.Writer, f inventory.Funds) {
	fmt.Fprintf(t, "Pledged\t%s\n", f.Pledged)
	fmt.Fprintf(t, "Collectable\t%s\n", f.Collectable)
	fmt.Fprintf(t, "Collected\t%s\n", f.Collected)
	fmt.Fprintf(t, "Available after fees\t%s\n", f.Available)
}

// printSettlement prints the preview of a dry run or the result of a settlement.
func printSettlement(out io.Writer, r settlement.Report) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if p := r.Preview; p != nil {
		fmt.Fprintf(t, "SUPPORTER\tPLEDGES\tWOULD BE CHARGED\n")
		for _, s := range p.Supporters {
			fmt.Fprintf(t, "%s\t%d\t%s\n", s.Email, s.PledgeCount, s.TotalAmount)
		}
		fmt.Fprintf(t, "%d supporters\t%d\t%s\n", p.SupporterCount, p.PledgeCount, p.TotalAmount)
	}
	if d := r.Result; d != nil {
		fmt.Fprintf(t, "Charged\t%d supporters\t%s\n", d.SupportersCharged, d.TotalCharged)
		fmt.Fprintf(t, "Failed\t%d supporters\n", d.SupportersFailed)
		fmt.Fprintf(t, "Dropped\t%d supporters\n", d.SupportersDropped)
		fmt.Fprintf(t, "Pending\t%d supporters\n", d.Pending)
		fmt.Fprintf(t, "Need an operator\t%d supporters\n", d.NeedsAttention)
		if d.CompletedAt != nil {
			fmt.Fprintf(t, "Completed\t%s\n", d.CompletedAt.UTC().Format(time.RFC3339))
		}
	}
	fmt.Fprintln(t)
	printFunds(t, r.Funds)
	for _, d := range r.Skipped {
		fmt.Fprintf(t, "Skipped pledges\t%d\t%s\t%s\t%s\n", len(d.OrderIDs), d.Email, d.Status, d.Reason)
	}
	return t.Flush()
}
