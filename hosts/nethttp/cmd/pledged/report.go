package main

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// reportCommand contains the report commands.
type reportCommand struct {
	Pledges     pledgesReportCommand     `cmd:"" help:"Print a campaign's pledges as CSV."`
	Tax         taxReportCommand         `cmd:"" help:"Print a campaign's sales tax by month, place and rate as CSV, with refunds."`
	Fulfillment fulfillmentReportCommand `cmd:"" help:"Print the rewards to produce and ship for a charged campaign as CSV."`
}

type pledgesReportCommand struct {
	Slug string `arg:"" help:"The campaign."`
}

// Run prints row by row, because a campaign can have any number of pledges.
func (c pledgesReportCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		_, err := report.PledgeReport.WriteCSV(w.out, a.Services.Projector.Indexed(ctx, c.Slug))
		return err
	})
}

type taxReportCommand struct {
	Slug string `arg:"" help:"The campaign."`
}

func (c taxReportCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s := a.Services
		rows, err := accounting.CollectTax(s.Projector.Indexed(ctx, c.Slug), s.Settlement.LedgerEntries(ctx, c.Slug),
			s.Config.Site.Timezone.Location())
		if err != nil {
			return err
		}
		return accounting.WriteTax(w.out, rows)
	})
}

type fulfillmentReportCommand struct {
	Slug string `arg:"" help:"The campaign."`
	For  string `enum:"spreadsheet,carrier" default:"spreadsheet" help:"Target of the file: spreadsheet escapes formulas with an apostrophe, carrier leaves every cell as it is."`
}

func (c fulfillmentReportCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		write := report.Kind.WriteCSV
		if c.For == "carrier" {
			write = report.Kind.WriteCarrierCSV
		}
		s, err := write(report.FulfillmentReport, w.out, a.Services.Projector.Indexed(ctx, c.Slug))
		if err == nil && s.Held.Pledges > 0 {
			fmt.Fprintf(w.err, "Left out because of disputes: %d parcels whose dispute is open, %d whose dispute was lost\n",
				s.Held.Disputed, s.Held.Lost)
		}
		return err
	})
}
