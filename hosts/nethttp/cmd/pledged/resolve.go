package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

type resolveCommand struct {
	Slug           string `arg:"" help:"The campaign."`
	Group          string `arg:"" optional:"" help:"Charge to resolve. Without it, list the charges that need attention."`
	Payment        string `help:"Payment that made the charge." placeholder:"pi_…" xor:"what"`
	AcceptAmount   bool   `help:"Book the payment although its amount differs from the requested one."`
	NothingCharged bool   `help:"State that nothing was charged." xor:"what"`
}

// Run reads the operator key from the environment, where other processes cannot see it.
func (c resolveCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if c.Group == "" {
			return c.list(ctx, w, a)
		}
		operator, err := w.operator(a)
		if err != nil {
			return err
		}
		st := state.Statement{Group: c.Group, PaymentID: c.Payment, AcceptAmount: c.AcceptAmount,
			NothingCharged: c.NothingCharged}
		g, err := a.Services.Settlement.Resolve(ctx, c.Slug, operator, st)
		if err != nil {
			return err
		}
		if g.Status == state.NeedsAttention {
			_, err = fmt.Fprintf(w.out, "Recorded for %s. It takes effect when another operator confirms it.\n", operator)
			return err
		}
		_, err = fmt.Fprintf(w.out, "Confirmed by %s. The charge is %s, attempt %d.\n", operator, g.Status, g.Generation)
		return err
	})
}

// operator returns the name of the operator whose key is in the environment.
func (w *environ) operator(a *app.App) (string, error) {
	key, _ := w.lookup("OPERATOR_KEY")
	if key == "" {
		return "", errors.New("set OPERATOR_KEY to your operator key")
	}
	return a.Services.Operator(key)
}

func (c resolveCommand) list(ctx context.Context, w *environ, a *app.App) error {
	waiting, err := a.Services.Settlement.Attention(ctx, c.Slug)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "GROUP\tREQUESTED\tRECEIVED\tWHY\tATTEMPT\tCUSTOMER\tPAYMENT\tSTATED\n")
	for _, g := range waiting {
		received := ""
		if g.Reason == state.AmountDiffers {
			received = g.Received.String()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", g.Hash, g.Amount, received, g.Reason,
			g.Generation, g.CustomerID, g.PaymentIntentID, stated(g))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range waiting {
		for _, d := range g.Differences {
			fmt.Fprintf(w.out, "%s: on %s the processor returned payment %s, which differs in %s\n", g.Hash,
				d.At.UTC().Format(time.RFC3339), d.PaymentID, d.Field)
		}
	}
	return nil
}

// stated describes the unconfirmed statement about a charge, or returns "" if there is none.
func stated(g state.Group) string {
	if len(g.Resolutions) == 0 {
		return ""
	}
	last := g.Resolutions[len(g.Resolutions)-1]
	what := "nothing charged"
	switch {
	case last.ConfirmedBy != "" || last.Generation != g.Generation:
		return ""
	case last.AcceptAmount:
		what = last.PaymentID + ", amount accepted"
	case last.PaymentID != "":
		what = last.PaymentID
	}
	return last.StatedBy + ": " + what
}

type operatorCommand struct {
	Name string `arg:"" help:"Name of the operator in the records: letters, digits, dots and hyphens."`
}

// Run prints a new key once. The configuration contains only its hash.
func (c operatorCommand) Run(w *environ) error {
	key := rand.Text()
	entry := config.Operators(c.Name + ":" + config.KeySum(key))
	if err := entry.UnmarshalText([]byte(entry)); err != nil {
		return errors.New("an operator name can have at most 40 letters, digits, dots and hyphens")
	}
	_, err := fmt.Fprintf(w.out, "OPERATOR_KEY for %s, shown only once: %s\nADMIN_OPERATORS entry for every server: %s\n",
		c.Name, key, entry)
	return err
}
