package main

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

type ledgerCommand struct {
	Slug string `arg:"" help:"The campaign."`
	JSON bool   `help:"Print the entries as JSON."`
}

// Run verifies the ledger before it prints the entries, so that the output is never part of a damaged
// ledger.
func (c ledgerCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		settlement := a.Services.Settlement
		if _, err := settlement.VerifyLedger(ctx, c.Slug); err != nil {
			return err
		}
		entries := settlement.LedgerEntries(ctx, c.Slug)
		if !c.JSON {
			zone := a.Services.Config.Site.Timezone.Location()
			return accounting.WriteLedger(w.out, c.Slug, entries, accounting.Names{}, zone)
		}
		all := []ledger.Entry{}
		for e, err := range entries {
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		return show(w, all)
	})
}
