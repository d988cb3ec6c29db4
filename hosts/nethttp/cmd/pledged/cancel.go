package main

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type cancelCommand struct {
	Pledge string `arg:"" help:"ID of the pledge."`
}

func (c cancelCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		p, err := a.Services.Settlement.CancelUnchargeable(ctx, c.Pledge)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Cancelled pledge %s of %s. The supporter gets an email.\n", p.OrderID, p.Amount)
		return err
	})
}
