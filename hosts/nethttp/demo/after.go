package demo

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

func (s *scriptRun) settleTooEarly(ctx context.Context) error {
	err := s.want(ctx, 409, "POST", "/admin/settle/"+game, nil, nil, s.settler()...)
	if err != nil {
		return err
	}
	charges, err := s.charges(ctx)
	if err == nil && len(charges) > 0 {
		err = fmt.Errorf("%d charges were made before the deadline", len(charges))
	}
	if err != nil {
		return err
	}
	s.printStep("settlement before the deadline is refused; nobody is charged")
	return nil
}

func (s *scriptRun) passDeadline(ctx context.Context) error {
	stats, err := s.stats(ctx, game)
	if err != nil {
		return err
	}
	if err := s.moveClock(ctx, stats.GoalDeadline.Add(settlement.Margin)); err != nil {
		return err
	}
	s.printStep("the clock passes the deadline of %s: %s of %s, %d %%", game, stats.PledgedAmount,
		stats.GoalAmount, stats.PercentFunded)
	return nil
}

// settle starts the settlement and waits until no pledge to the game is active.
func (s *scriptRun) settle(ctx context.Context) error {
	if err := s.post(ctx, "/admin/settle-dispatch/"+game, nil, nil, s.settler()...); err != nil {
		return err
	}
	err := waitUntil(ctx, "the settlement's batches", func() (bool, error) {
		open, err := s.pledgesWith(ctx, game, pledge.Active)
		return len(open) == 0, err
	})
	if err != nil {
		return err
	}
	charges, err := s.charges(ctx)
	if err != nil {
		return err
	}
	failed, err := s.pledgesWith(ctx, game, pledge.PaymentFailed)
	if err != nil {
		return err
	}
	lanes := map[string]pledge.Lane{}
	for _, v := range failed {
		lanes[v.Email] = v.Recovery.Lane
	}
	if len(lanes) != 2 || lanes["declined@example.com"] != pledge.NewCard ||
		lanes["strict@example.com"] != pledge.Approve {
		return fmt.Errorf("the charges that failed are %v, not the one with the bad card and the one with the strict bank",
			lanes)
	}
	s.printStep("settlement runs in batches: %d charges, %s; declined@example.com is asked for another card, strict@example.com to approve the charge",
		len(charges), total(charges))
	return nil
}

// pledgesWith returns the script's pledges to a campaign with the given status.
func (s *scriptRun) pledgesWith(ctx context.Context, slug string, status pledge.Status) ([]checkout.PledgeView, error) {
	var out []checkout.PledgeView
	for _, m := range s.books {
		for _, token := range m.tokens {
			v, err := s.view(ctx, token)
			if err != nil {
				return nil, err
			}
			if v.CampaignSlug == slug && v.Status == status {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

func (s *scriptRun) findMade(email string) made {
	for _, m := range s.books {
		if m.email == email {
			return m
		}
	}
	return made{}
}

func (s *scriptRun) replaceCard(ctx context.Context) error {
	m := s.findMade("declined@example.com")
	var card checkout.CardStarted
	if err := s.post(ctx, "/pledge/payment-method/start", checkout.CardRequest{Token: m.only()}, &card); err != nil {
		return err
	}
	if err := s.saveCard(ctx, card.SessionID, sim.CardOK); err != nil {
		return err
	}
	var view checkout.PledgeView
	err := waitUntil(ctx, "the new card to be charged", func() (bool, error) {
		var err error
		view, err = s.view(ctx, m.only())
		return view.Charged, err
	})
	if err != nil {
		return err
	}
	s.printStep("declined@example.com opens the link in the mail, saves another card and is charged %s at once",
		view.Amount)
	return nil
}

// approve approves the payment as the processor's script on the page and the bank do.
func (s *scriptRun) approve(ctx context.Context) error {
	m := s.findMade("strict@example.com")
	var a checkout.ApprovalStarted
	if err := s.post(ctx, "/pledge/payment/approve", checkout.ApprovalRequest{Token: m.only()}, &a); err != nil {
		return err
	}
	if err := s.post(ctx, "/_sim/authenticate", map[string]string{"payment": a.PaymentID}, nil); err != nil {
		return err
	}
	var view checkout.PledgeView
	err := waitUntil(ctx, "the approved payment to be booked", func() (bool, error) {
		err := s.post(ctx, "/pledge/payment/approved", checkout.ApprovalRequest{Token: m.only()}, &view)
		return view.Charged, err
	})
	if err != nil {
		return err
	}
	s.printStep("strict@example.com approves the same payment with the bank and is charged %s", view.Amount)
	return nil
}

func (s *scriptRun) settleAgain(ctx context.Context) error {
	before, err := s.charges(ctx)
	if err != nil {
		return err
	}
	// The run that charged the new card may hold the campaign's lease a little longer.
	err = waitUntil(ctx, "the campaign's lock", func() (bool, error) {
		a, err := s.call(ctx, "POST", "/admin/settle/"+game, nil, s.settler()...)
		return a.Status == 200, err
	})
	if err != nil {
		return err
	}
	after, err := s.charges(ctx)
	if err == nil && len(after) != len(before) {
		err = fmt.Errorf("settling again made %d more charges", len(after)-len(before))
	}
	if err != nil {
		return err
	}
	s.printStep("settling again changes nothing: still %d charges", len(after))
	return nil
}

func (s *scriptRun) endUnfunded(ctx context.Context) error {
	stats, err := s.stats(ctx, film)
	if err != nil {
		return err
	}
	if err := s.moveClock(ctx, stats.GoalDeadline.Add(settlement.Margin)); err != nil {
		return err
	}
	if err := s.want(ctx, 409, "POST", "/admin/settle/"+film, nil, nil, s.settler()...); err != nil {
		return err
	}
	charged, err := s.pledgesWith(ctx, film, pledge.Charged)
	if err == nil && len(charged) > 0 {
		err = fmt.Errorf("%d supporters of an unfunded campaign were charged", len(charged))
	}
	if err != nil {
		return err
	}
	s.printStep("%s ends with %s of %s: it is not funded and nobody is charged", film,
		stats.PledgedAmount, stats.GoalAmount)
	return nil
}

// compareBooks compares the campaign's books with the processor's, for each supporter and to the
// cent.
func (s *scriptRun) compareBooks(ctx context.Context) error {
	charged, err := s.pledgesWith(ctx, game, pledge.Charged)
	if err != nil {
		return err
	}
	charges, err := s.charges(ctx)
	if err != nil {
		return err
	}
	owed := map[string]money.Cents{}
	var ours money.Cents
	for _, v := range charged {
		owed[v.Email] += v.Amount
		ours += v.Amount
	}
	if len(charges) != len(owed) {
		return fmt.Errorf("%d supporters are charged and the processor has %d charges", len(owed), len(charges))
	}
	var fees money.Cents
	for _, c := range charges {
		fees += c.Fee
	}
	s.printStep("the books")
	_, err = fmt.Fprintf(s.out,
		"\n    %-34s %12s\n    %-34s %12s\n    %-34s %12s\n    %-34s %12s\n    %-34s %12s\n    %-34s %12d\n    %-34s %12d\n",
		"campaign: charged pledges", ours, "processor: gross", total(charges),
		"difference", ours-total(charges), "processor: fees", fees, "available after fees", total(charges)-fees,
		"supporters charged", len(owed), "charges", len(charges))
	if err != nil {
		return err
	}
	if ours != total(charges) {
		return fmt.Errorf("the books differ: %s charged, %s at the processor", ours, total(charges))
	}
	return s.checkChargedOnce(owed, charges)
}

// checkChargedOnce checks that each supporter has exactly one charge of the owed amount.
func (s *scriptRun) checkChargedOnce(owed map[string]money.Cents, charges []sim.Entry) error {
	amounts, groups := map[money.Cents]int{}, map[string]bool{}
	for _, c := range charges {
		if groups[c.Group] {
			return fmt.Errorf("a supporter was charged twice: %s", c.PaymentID)
		}
		groups[c.Group] = true
		amounts[c.Amount]++
	}
	for email, amount := range owed {
		if amounts[amount]--; amounts[amount] < 0 {
			return fmt.Errorf("no charge of %s belongs to %s", amount, email)
		}
	}
	_, err := fmt.Fprintf(s.out, "\nEvery supporter was charged once, and the books agree to the cent.\n")
	return err
}
