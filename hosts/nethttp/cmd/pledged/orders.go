package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

type ordersCommand struct {
	Days int `help:"Number of days to look back." default:"45"`
}

// Run lists saved cards without a pledge.
func (c ordersCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		lost, err := a.Services.Checkout.LostOrders(ctx, a.Services.Now().AddDate(0, 0, -c.Days))
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "SESSION\tORDER\tCAMPAIGN\tCENTS\tLOST\n")
		for _, l := range lost {
			what := map[bool]string{true: "its pledges", false: "the whole order"}[l.Known]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.SessionID, l.OrderID, l.CampaignSlug, l.AmountCents, what)
		}
		return t.Flush()
	})
}

type recoverCommand struct {
	Session  string `arg:"" help:"Checkout session in which the card was saved."`
	Manifest string `help:"File with the order's manifest, if the database has lost it." type:"path" xor:"how"`
	Backup   string `help:"Backup that contains the order." type:"path" xor:"how"`
	Ask      bool   `help:"Ask the supporter by email to pledge again, if the order cannot be restored." xor:"how"`
}

// Run resolves a lost order.
func (c recoverCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		service := a.Services.Checkout
		switch {
		case c.Ask:
			if err := service.AskToPledgeAgain(ctx, c.Session); err != nil {
				return err
			}
			_, err := fmt.Fprintln(w.out, "The supporter gets an email asking them to pledge again. The card is not charged.")
			return err
		case c.Manifest == "" && c.Backup == "":
			done, err := service.Recover(ctx, checkout.RecoverRequest{SessionID: c.Session})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.out, "Restored the pledges of order %s.\n", done.OrderID)
			return err
		}
		m, err := c.manifest(ctx, a)
		if err != nil {
			return err
		}
		o, err := service.Adopt(ctx, c.Session, m)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Restored the pledges of order %s.\n", o.Manifest.OrderID)
		return err
	})
}

func (c recoverCommand) manifest(ctx context.Context, a *app.App) (m order.Accepted, err error) {
	if c.Backup == "" {
		b, err := os.ReadFile(c.Manifest)
		if err != nil {
			return m, err
		}
		return order.ReadAccepted(b)
	}
	lost, err := a.Services.Checkout.LostOrders(ctx, a.Services.Now().Add(-365*24*time.Hour))
	if err != nil {
		return m, err
	}
	for _, l := range lost {
		if l.SessionID == c.Session {
			return app.ManifestIn(ctx, c.Backup, l.OrderID, a.Services.Now)
		}
	}
	return m, errors.New("no lost order for this session: list them with pledged orders")
}
