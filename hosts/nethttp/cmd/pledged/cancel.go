package main

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type cancelCommand struct {
	Pledge string `arg:"" help:"The pledge."`
}

func (c cancelCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		p, err := a.Services.Settlement.GiveUp(ctx, c.Pledge)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Pledge %s of %s is cancelled. Its supporter gets a mail.\n", p.OrderID, p.Amount)
		return err
	})
}
