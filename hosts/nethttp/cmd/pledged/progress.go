package main

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// progress returns a function that draws a progress bar, or nil if standard error is not a
// terminal.
func (w *environ) progress(what string) func(done, of int) {
	file, ok := w.err.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	var bar *progressbar.ProgressBar
	return func(done, of int) {
		if bar == nil {
			bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done) // a failed progress bar does not matter
	}
}

// watchSettling draws a progress bar with the number of a campaign's settled pledges until the
// returned function is called.
func (w *environ) watchSettling(ctx context.Context, a *app.App, slug string) (stop func()) {
	draw := w.progress("settling")
	if draw == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			snap, err := a.Services.Checkout.Inventory.Snapshot(ctx, slug)
			if st := snap.Totals; err == nil && st.Pledges() > 0 {
				draw(st.Statuses[pledge.Charged]+st.Statuses[pledge.PaymentFailed], st.Pledges())
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() { cancel(); watching.Wait() }
}
