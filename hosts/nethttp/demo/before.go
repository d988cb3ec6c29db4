package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

func (s *scriptRun) pledgeOnce(ctx context.Context) error {
	m, err := s.pledge(ctx, "one@example.com", cart(film, film+"__digital-premiere"), sim.CardOK)
	if err != nil {
		return err
	}
	s.printStep("one@example.com pledges %s to one campaign, %s; the webhook makes the pledge, nothing is charged",
		m.started.Amount, film)
	return nil
}

func (s *scriptRun) pledgeBundle(ctx context.Context) error {
	c := cart(game, game+"__the-game")
	c.Items = append(c.Items, checkout.Item{ID: film + "__thank-you"}, checkout.Item{ID: "addon__pledge-sticker"})
	m, err := s.pledge(ctx, "bundle@example.com", c, sim.CardOK)
	if err != nil {
		return err
	}
	if len(m.tokens) != 2 {
		return fmt.Errorf("the bundle made %d pledges, not 2", len(m.tokens))
	}
	s.printStep("bundle@example.com pledges %s to two campaigns in one checkout: two pledges, each with its own link",
		m.started.Amount)
	return nil
}

func (s *scriptRun) pledgeFirst(ctx context.Context) error {
	m, err := s.pledge(ctx, "several@example.com", cart(game, game+"__the-game"), sim.CardOK)
	if err != nil {
		return err
	}
	s.several = m.tokens[m.started.Campaigns[0].OrderID]
	s.printStep("several@example.com pledges %s to %s", m.started.Amount, game)
	return nil
}

func (s *scriptRun) pledgeCrowd(ctx context.Context) error {
	for n := range crowd {
		if _, err := s.pledge(ctx, fmt.Sprintf("fan%02d@example.com", n+1), cart(game, game+"__the-game"),
			sim.CardOK); err != nil {
			return err
		}
	}
	s.printStep("%d others pledge to %s, more than one settlement batch", crowd, game)
	return nil
}

func (s *scriptRun) pledgeSecond(ctx context.Context) error {
	m, err := s.pledgeFrom(ctx, s.several, "several@example.com", cart(game, game+"__game-and-expansion"), sim.CardOK)
	if err != nil {
		return err
	}
	s.printStep(
		"several@example.com pledges once more by the link in the mail, %s: the two pledges are joined and charged together",
		m.started.Amount)
	return nil
}

func (s *scriptRun) pledgeWithBadCard(ctx context.Context) error {
	m, err := s.pledge(ctx, "declined@example.com", cart(game, game+"__the-game"), sim.CardChargeDeclined)
	if err != nil {
		return err
	}
	s.printStep("declined@example.com pledges %s with a card that can be saved and will be declined", m.started.Amount)
	return nil
}

func (s *scriptRun) pledgeWithStrictBank(ctx context.Context) error {
	m, err := s.pledge(ctx, "strict@example.com", cart(game, game+"__the-game"), sim.CardAuthAlways)
	if err != nil {
		return err
	}
	s.printStep("strict@example.com pledges %s with a card whose bank requires approval of every charge", m.started.Amount)
	return nil
}

// repeatWebhook delivers the webhook of one pledge again several times, signed like the
// processor's.
func (s *scriptRun) repeatWebhook(ctx context.Context) error {
	m, err := s.pledge(ctx, "webhooks@example.com", cart(game, game+"__the-game"), sim.CardOK)
	if err != nil {
		return err
	}
	event, err := s.completionEvent(ctx, m.started.SessionID)
	if err != nil {
		return err
	}
	for range repeats {
		err := s.post(ctx, "/webhooks/psp", event, nil, s.stage.SignatureHeader,
			sim.Sign(event, s.stage.WebhookSecret, s.stage.Now()))
		if err != nil {
			return err
		}
	}
	view, err := s.view(ctx, m.only())
	if err != nil {
		return err
	}
	if view.Revision != 1 || len(view.History) != 1 {
		return fmt.Errorf("the pledge has revision %d and %d entries in its history", view.Revision, len(view.History))
	}
	s.printStep("the webhook of webhooks@example.com is delivered %d more times: still one pledge, unchanged", repeats)
	return nil
}

// completionEvent returns the processor's event for a completed session.
func (s *scriptRun) completionEvent(ctx context.Context, sessionID string) ([]byte, error) {
	a, err := s.call(ctx, "GET", "/demo/events?type="+string(psp.SessionCompleted), nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := a.into(&list); err != nil {
		return nil, err
	}
	for _, e := range list.Data {
		var event struct {
			Data struct {
				Object struct {
					ID string `json:"id"`
				} `json:"object"`
			} `json:"data"`
		}
		if err := json.Unmarshal(e, &event); err != nil {
			return nil, err
		}
		if event.Data.Object.ID == sessionID {
			return e, nil
		}
	}
	return nil, fmt.Errorf("the processor has no event for %s", sessionID)
}

// startWithoutWebhook starts a checkout and saves its card. The webhook that would make the pledge
// is lost.
func (s *scriptRun) startWithoutWebhook(ctx context.Context, email string) (checkout.Started, error) {
	started, err := s.start(ctx, email, cart(game, game+"__the-game"))
	if err != nil {
		return started, err
	}
	lose := []sim.HookFault{{Kind: sim.LoseHook, Type: psp.SessionCompleted}}
	if err := s.post(ctx, "/_sim/hooks", lose, nil); err != nil {
		return started, err
	}
	return started, s.saveCard(ctx, started.SessionID, sim.CardOK)
}

func (s *scriptRun) completeWithoutWebhook(ctx context.Context) error {
	started, err := s.startWithoutWebhook(ctx, "lost@example.com")
	if err != nil {
		return err
	}
	var done checkout.Completed
	in := checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}
	if err := s.post(ctx, "/checkout-intent/complete", in, &done); err != nil {
		return err
	}
	if _, err := s.recordPledge(ctx, "lost@example.com", started); err != nil {
		return err
	}
	s.printStep("the webhook of lost@example.com is never delivered; the returning browser completes the checkout")
	return nil
}

func (s *scriptRun) recoverWithoutWebhook(ctx context.Context) error {
	started, err := s.startWithoutWebhook(ctx, "gone@example.com")
	if err != nil {
		return err
	}
	in := checkout.RecoverRequest{SessionID: started.SessionID}
	if err := s.post(ctx, "/admin/recover-checkout", in, nil, s.admin()...); err != nil {
		return err
	}
	if _, err := s.recordPledge(ctx, "gone@example.com", started); err != nil {
		return err
	}
	s.printStep("the webhook of gone@example.com is never delivered and the browser does not return; an operator recovers the checkout")
	return nil
}

func (s *scriptRun) changePledge(ctx context.Context) error {
	m, err := s.pledge(ctx, "changed@example.com", cart(game, game+"__the-game"), sim.CardOK)
	if err != nil {
		return err
	}
	two, tip := 2, 10
	items := []checkout.Item{{ID: game + "__the-game", Quantity: &two}}
	var out checkout.Modified
	in := checkout.ModifyRequest{Token: m.only(), Items: &items, TipPercent: &tip}
	if err := s.post(ctx, "/pledge/modify", in, &out); err != nil {
		return err
	}
	s.printStep("changed@example.com takes two games instead of one and tips %d %%: %s becomes %s",
		tip, out.Previous.Amount, out.Current.Amount)
	return nil
}

func (s *scriptRun) cancelPledge(ctx context.Context) error {
	before, err := s.stats(ctx, game)
	if err != nil {
		return err
	}
	m, err := s.pledge(ctx, "cancelled@example.com", cart(game, game+"__the-game"), sim.CardOK)
	if err != nil {
		return err
	}
	var out checkout.Cancelled
	if err := s.post(ctx, "/pledge/cancel", checkout.CancelRequest{Token: m.only()}, &out); err != nil {
		return err
	}
	after, err := s.stats(ctx, game)
	if err != nil {
		return err
	}
	if out.Pledge.Status != pledge.Cancelled || before.PledgedAmount != after.PledgedAmount {
		return fmt.Errorf("the cancelled pledge is %s and the campaign went from %s to %s",
			out.Pledge.Status, before.PledgedAmount, after.PledgedAmount)
	}
	s.printStep("cancelled@example.com pledges and cancels: the campaign total is %s as before", after.PledgedAmount)
	return nil
}

func (s *scriptRun) stats(ctx context.Context, slug string) (projection.PublicStats, error) {
	var p projection.PublicStats
	err := s.get(ctx, "/stats/"+slug, &p)
	return p, err
}

// requestLastUnit makes many clients request the last of three hand-painted sets at once.
func (s *scriptRun) requestLastUnit(ctx context.Context) error {
	set := cart(game, game+"__painted-set")
	for n := range 2 {
		if _, err := s.pledge(ctx, fmt.Sprintf("painted%d@example.com", n+1), set, sim.CardOK); err != nil {
			return err
		}
	}
	answers := make([]answer, rush)
	errs := make([]error, rush)
	var all sync.WaitGroup
	for n := range rush {
		all.Go(func() {
			in := checkout.StartRequest{Cart: set, Email: fmt.Sprintf("rush%02d@example.com", n)}
			answers[n], errs[n] = s.call(ctx, "POST", "/checkout-intent/start", in)
		})
	}
	all.Wait()
	return s.checkWinner(ctx, answers, errs)
}

func (s *scriptRun) checkWinner(ctx context.Context, answers []answer, errs []error) error {
	won := -1
	for n, a := range answers {
		switch {
		case errs[n] != nil:
			return errs[n]
		case a.Status == 200 && won >= 0:
			return fmt.Errorf("the last set was sold twice")
		case a.Status == 200:
			won = n
		case a.Status != 409:
			return fmt.Errorf("a client that was too late got status %d: %s", a.Status, a.reason())
		}
	}
	if won < 0 {
		return fmt.Errorf("no client got the last set")
	}
	var started checkout.Started
	if err := answers[won].into(&started); err != nil {
		return err
	}
	if err := s.saveCard(ctx, started.SessionID, sim.CardOK); err != nil {
		return err
	}
	if err := s.awaitWebhook(ctx, started); err != nil {
		return err
	}
	if _, err := s.recordPledge(ctx, fmt.Sprintf("rush%02d@example.com", won), started); err != nil {
		return err
	}
	s.printStep("%d clients request the last hand-painted set simultaneously: one gets it, %d are told it is sold out",
		rush, rush-1)
	return nil
}
