package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/payouts"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

type payoutsCommand struct {
	Limit int  `help:"Maximum number of payouts." default:"100"`
	JSON  bool `help:"Print the payouts as JSON."`
}

// Run imports payouts first, so that the list is current even if the service does not run.
func (c payoutsCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if _, err := a.Services.Settlement.ImportPayouts(ctx); err != nil {
			fmt.Fprintf(w.err, "The processor's payouts could not be read: %v\n", err)
		}
		all, err := a.Services.Payouts.All(ctx, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			return show(w, all)
		}
		return w.printPayouts(all, a.Services.Config.Site.Timezone.Location())
	})
}

func (w *environ) printPayouts(all []payouts.Payout, zone *time.Location) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PAYOUT\tDATE\tSTATUS\tAMOUNT\tEXPLAINED\tSHARES")
	for _, p := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.ID, p.CreatedAt.In(zone).Format(time.DateOnly), p.Status,
			p.Whole.Amount, explanations[p.Explanation], sharesOf(p))
	}
	return t.Flush()
}

var explanations = map[payout.Explanation]string{
	payout.Waiting: "not yet", payout.Explained: "yes", payout.Unexplained: "no", payout.NotExplainable: "cannot be",
}

// sharesOf returns a payout's shares in one line.
func sharesOf(p payouts.Payout) string {
	if p.Explanation == payout.Waiting || p.Explanation == payout.NotExplainable {
		return "-"
	}
	var parts []string
	for _, s := range p.Shares {
		part := fmt.Sprintf("%s %s", s.Slug, s.Amount)
		if s.Unmatched > 0 {
			part += fmt.Sprintf(" (%d not in the ledger: %s)", s.Unmatched, strings.Join(s.Examples, " "))
		}
		parts = append(parts, part)
	}
	if p.Whole.Other != 0 {
		parts = append(parts, fmt.Sprintf("other %s", p.Whole.Other))
	}
	if p.Whole.Difference != 0 {
		parts = append(parts, fmt.Sprintf("unexplained %s", p.Whole.Difference))
	}
	return strings.Join(parts, ", ")
}
