package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement"
)

type resolveCommand struct {
	Slug           string `arg:"" help:"The campaign."`
	Group          string `arg:"" optional:"" help:"The charge; none lists those that need attention."`
	Payment        string `help:"The payment that the charge was made by." placeholder:"pi_…" xor:"what"`
	NothingCharged bool   `help:"There is no payment: nothing was charged." xor:"what"`
}

// Run takes the operator's key from the environment, where no other process sees it.
func (c resolveCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		if c.Group == "" {
			return c.list(ctx, w, a)
		}
		key, _ := w.lookup("OPERATOR_KEY")
		if key == "" {
			return errors.New("set OPERATOR_KEY to your operator's key")
		}
		operator, err := a.Services.Operator(key)
		if err != nil {
			return err
		}
		st := settlement.Statement{Group: c.Group, PaymentID: c.Payment, NothingCharged: c.NothingCharged}
		g, err := a.Services.Settlement.Resolve(ctx, c.Slug, operator, st)
		if err != nil {
			return err
		}
		if g.Status == settlement.NeedsAttention {
			_, err = fmt.Fprintf(w.out, "Recorded for %s. It takes effect when another operator says the same.\n", operator)
			return err
		}
		_, err = fmt.Fprintf(w.out, "Confirmed by %s. The charge is %s, attempt %d.\n", operator, g.Status, g.Generation)
		return err
	})
}

func (c resolveCommand) list(ctx context.Context, w *world, a *app.App) error {
	waiting, err := a.Services.Settlement.Attention(ctx, c.Slug)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "GROUP\tAMOUNT\tWHY\tATTEMPT\tCUSTOMER\tPAYMENT\tSAID\n")
	for _, g := range waiting {
		said := ""
		if n := len(g.Resolutions); n > 0 {
			said = g.Resolutions[n-1].StatedBy
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", g.Hash, g.Amount, g.Reason, g.Generation, g.CustomerID, g.PaymentIntentID, said)
	}
	return t.Flush()
}

type operatorCommand struct {
	Name string `arg:"" help:"What the operator is called in the records: letters, digits, dots and hyphens."`
}

// Run shows a key once. The configuration holds its sum alone.
func (c operatorCommand) Run(w *world) error {
	key := rand.Text()
	entry := config.Operators(c.Name + ":" + config.KeySum(key))
	if err := entry.UnmarshalText([]byte(entry)); err != nil {
		return errors.New("an operator's name has at most 40 letters, digits, dots and hyphens")
	}
	_, err := fmt.Fprintf(w.out, "OPERATOR_KEY for %s alone, shown only once: %s\nFor every server's ADMIN_OPERATORS: %s\n", c.Name, key, entry)
	return err
}
