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
	return w.using(func(ctx context.Context, a *app.App) error {
		p, err := a.Services.Settlement.GiveUp(ctx, c.Pledge)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s of %s is cancelled, and its supporter will be told\n", p.OrderID, p.Amount)
		return err
	})
}
