package main

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type linksCommand struct {
	Email string `arg:"" help:"Email address of the supporter."`
}

func (c linksCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if _, err := a.Services.Checkout.SendLinks(ctx, checkout.LinksRequest{Email: c.Email}); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.out, "If %s has pledges, an email with their links is on its way.\n", c.Email)
		return err
	})
}
