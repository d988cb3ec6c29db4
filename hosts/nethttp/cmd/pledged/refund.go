package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

type refundCommand struct {
	Slug     string      `arg:"" help:"The campaign."`
	Pledge   string      `arg:"" optional:"" help:"Order ID of the pledge to refund. Without it, list the refunds."`
	All      bool        `help:"Refund everything that remains, with the tip." xor:"what"`
	Cents    money.Cents `help:"Amount to refund, in cents." xor:"what"`
	Reason   string      `help:"Reason: requested, undelivered, damaged, mistake or other." default:"requested"`
	Message  string      `help:"Message to the supporter."`
	ID       string      `help:"ID of the refund, to repeat an interrupted command."`
	Confirm  string      `help:"Confirm another operator's refund." placeholder:"ID" xor:"what"`
	Withdraw string      `help:"End a refund that the processor does not have." placeholder:"ID" xor:"what"`
	Repaid   string      `help:"State that a failed refund was paid in another way; a second operator has to state the same." placeholder:"ID" xor:"what"`
}

// Run reads the operator key from the environment, where other processes cannot see it.
func (c refundCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s := a.Services.Settlement
		if c.changesNothing() {
			return c.list(ctx, w, s)
		}
		operator, err := w.operator(a)
		if err != nil {
			return err
		}
		r, err := c.change(ctx, w, s, operator)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Refund %s of %s: %s.\n", r.ID, r.Amount, r.Status)
		return err
	})
}

func (c refundCommand) changesNothing() bool {
	return c.Pledge == "" && c.Confirm == "" && c.Withdraw == "" && c.Repaid == ""
}

func (c refundCommand) change(ctx context.Context, w *environ, s *settlement.Service, operator string,
) (refund.Refund, error) {
	switch {
	case c.Confirm != "":
		return s.ConfirmRefund(ctx, c.Slug, operator, c.Confirm)
	case c.Withdraw != "":
		return s.WithdrawRefund(ctx, c.Slug, c.Withdraw)
	case c.Repaid != "":
		return s.RepayRefund(ctx, c.Slug, operator, c.Repaid)
	case !c.All && c.Cents == 0:
		return refund.Refund{}, errors.New("choose --all or --cents")
	}
	id := c.ID
	if id == "" {
		id = strings.ToLower(rand.Text())
		if _, err := fmt.Fprintf(w.out, "To repeat this command after an error, add --id %s.\n", id); err != nil {
			return refund.Refund{}, err
		}
	}
	return s.GrantRefund(ctx, c.Slug, operator, settlement.RefundRequest{ID: id, PledgeID: c.Pledge,
		Choice: refund.Choice{All: c.All, Amount: c.Cents, Tip: true}, Reason: refund.Reason(c.Reason),
		Message: c.Message})
}

func (c refundCommand) list(ctx context.Context, w *environ, s *settlement.Service) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "REFUND\tSTATUS\tAMOUNT\tPLEDGES\tREASON\tBY\tPROCESSOR\n")
	for after := ""; ; {
		page, err := s.Refunds(ctx, c.Slug, false, after, kv.MaxPage)
		if err != nil {
			return err
		}
		for _, r := range page.Refunds {
			pledges := make([]string, 0, len(r.Parts))
			for _, p := range r.Parts {
				pledges = append(pledges, p.Pledge)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Amount, strings.Join(pledges, ","),
				r.Reason, r.GrantedBy, r.RefundID)
		}
		if after = page.Next; after == "" {
			return t.Flush()
		}
	}
}
