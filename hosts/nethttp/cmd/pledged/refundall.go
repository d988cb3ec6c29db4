package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

type refundAllCommand struct {
	Slug     string `arg:"" help:"The campaign."`
	Start    bool   `help:"Ask to refund what remains of every payment. Another operator has to confirm it." xor:"what"`
	Tips     bool   `help:"Include tips to the platform." default:"true" negatable:""`
	Reason   string `help:"Reason: undelivered, mistake or other." default:"undelivered"`
	Message  string `help:"Message to the supporters."`
	Confirm  bool   `help:"Confirm what another operator asked for." xor:"what"`
	Pause    bool   `help:"Pause the refunds." xor:"what"`
	Continue bool   `help:"Continue paused refunds." xor:"what"`
	End      bool   `help:"End the refunds. Payments that were refunded stay refunded." xor:"what"`
}

// Run reads the operator key from the environment, where other processes cannot see it.
func (c refundAllCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s := a.Services.Settlement
		run, err := s.RefundRun(ctx, c.Slug)
		if err != nil {
			return err
		}
		if c.changesNothing() {
			return c.print(ctx, w, s, run)
		}
		operator, err := w.operator(a)
		if err != nil {
			return err
		}
		if run, err = c.change(ctx, s, operator, run); err != nil {
			return err
		}
		return printRun(w, run)
	})
}

func (c refundAllCommand) changesNothing() bool { return !c.Start && c.decision() == "" }

func (c refundAllCommand) decision() refund.RunChange {
	switch {
	case c.Confirm:
		return refund.ConfirmRun
	case c.Continue:
		return refund.ContinueRun
	case c.Pause:
		return refund.PauseRun
	case c.End:
		return refund.EndRun
	}
	return ""
}

func (c refundAllCommand) change(ctx context.Context, s *settlement.Service, operator string, run refund.Run,
) (refund.Run, error) {
	if c.Start {
		return s.StartRefundRun(ctx, c.Slug, operator, refund.Run{ID: strings.ToLower(rand.Text()), Tip: c.Tips,
			Reason: refund.Reason(c.Reason), Message: c.Message})
	}
	return s.ChangeRefundRun(ctx, c.Slug, operator, run.ID, c.decision())
}

func (c refundAllCommand) print(ctx context.Context, w *environ, s *settlement.Service, run refund.Run) error {
	if run.ID != "" {
		if err := printRun(w, run); err != nil {
			return err
		}
	}
	p, err := s.PreviewRefundRun(ctx, c.Slug, c.Tips)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%d payments can be refunded, %s in all. Nothing remains of %d others.\n", p.Payments,
		p.Amount, p.Refunded)
	return err
}

func printRun(w *environ, r refund.Run) error {
	_, err := fmt.Fprintf(w.out, "The refund of all payments is %s: %d payments refunded, %s in all, %d skipped.\n",
		r.Status, r.Refunded, r.Amount, r.Skipped)
	return err
}
