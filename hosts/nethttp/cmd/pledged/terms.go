package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

type termsCommand struct {
	Slug   string `arg:"" help:"The campaign."`
	Pledge string `arg:"" optional:"" help:"Pledge to decide about. Without it, list all."`
	Charge string `help:"Charge the pledge the amount in our records, with a reason." placeholder:"WHY"`
}

// Run reads the operator key from the environment, like resolve.
func (c termsCommand) Run(w *environ) error {
	if (c.Pledge == "") != (c.Charge == "") {
		return errors.New("pass a pledge and --charge with a reason, or neither to list them; to cancel a pledge, use pledged cancel")
	}
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if c.Pledge == "" {
			return c.list(ctx, w, a)
		}
		operator, err := w.operator(a)
		if err != nil {
			return err
		}
		d, err := a.Services.Settlement.AcceptTerms(ctx, c.Slug, operator, c.Pledge, c.Charge)
		if err != nil {
			return err
		}
		if !d.Accepted() {
			_, err = fmt.Fprintf(w.out, "Recorded for %s. It takes effect when another operator confirms it.\n", operator)
			return err
		}
		_, err = fmt.Fprintf(w.out, "Confirmed by %s. The next run charges the pledge %s.\n", d.ConfirmedBy, d.Amount)
		return err
	})
}

func (c termsCommand) list(ctx context.Context, w *environ, a *app.App) error {
	campaign, err := a.Catalogue().Campaign(c.Slug)
	if err != nil {
		return err
	}
	found, err := a.Services.Settlement.FindDisagreements(ctx, campaign)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "PLEDGE\tIN OUR RECORDS\tAT THE PROCESSOR\tSINCE\tDECISION\n")
	for _, d := range found {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.PledgeID, d.Amount, termsText(d.Recorded),
			d.FoundAt.UTC().Format(time.RFC3339), decisionText(d))
	}
	return t.Flush()
}

func termsText(t agreement.Terms) string {
	if t.Cancelled {
		return "cancelled"
	}
	return t.Amount.String()
}

func decisionText(d state.Disagreement) string {
	switch {
	case d.Accepted():
		return fmt.Sprintf("charge: %s, confirmed by %s (%s)", d.StatedBy, d.ConfirmedBy, d.Reason)
	case d.StatedBy != "":
		return fmt.Sprintf("charge: %s, not confirmed (%s)", d.StatedBy, d.Reason)
	}
	return "none"
}

type reopenCommand struct {
	Slug   string `arg:"" help:"The campaign."`
	Reason string `arg:"" help:"Reason why the campaign should not have been closed."`
}

// Run reads the operator key from the environment, like resolve.
func (c reopenCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		operator, err := w.operator(a)
		if err != nil {
			return err
		}
		r, err := a.Services.Settlement.Reopen(ctx, c.Slug, operator, c.Reason)
		if err != nil {
			return err
		}
		if r.ConfirmedBy == "" {
			_, err = fmt.Fprintf(w.out, "Recorded for %s. It takes effect when another operator confirms it.\n", operator)
			return err
		}
		_, err = fmt.Fprintf(w.out, "Confirmed by %s. The campaign is open, and the next run uses its file.\n", r.ConfirmedBy)
		return err
	})
}
