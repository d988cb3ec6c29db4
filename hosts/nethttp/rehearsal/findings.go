package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// Kind names what stands in the way of a charge, or makes a sum doubtful.
type Kind string

// The kinds. The first three make the charge fail for sure.
const (
	CardExpires   Kind = "card_expires"   // it will have run out by then
	CardMissing   Kind = "card_missing"   // the processor does not know it
	CardDetached  Kind = "card_detached"  // it belongs to no customer any more, or to another
	CardUnread    Kind = "card_unread"    // the processor did not answer; taken for good
	PromiseBroken Kind = "promise_broken" // the campaign's file has another deadline or goal than pledges rely on, so that its settlement is held
	PassedOver    Kind = "passed_over"    // settlement begins nothing, for the reason that it names
	AmountDiffers Kind = "amount_differs" // a pledge is not what its lines come to
	SumDiffers    Kind = "sum_differs"    // the campaign's accounts are not what its pledges come to
	Drifted       Kind = "drifted"        // what the public sees is not what the accounts say
	BookDiffers   Kind = "book_differs"   // after the settlement, books and processor would differ
)

// Finding is one thing that somebody should know before the night.
type Finding struct {
	Kind     Kind        `json:"kind"`
	Email    string      `json:"email,omitempty"`
	OrderIDs []string    `json:"orderIds,omitempty"`
	Amount   money.Cents `json:"amount"`
	Message  string      `json:"message"`
}

func (f *Forecast) found(finding Finding) { f.Findings = append(f.Findings, finding) }

// promises tells what the campaign's file breaks, and has the copy settled all the same.
func (s *stage) promises(ctx context.Context) error {
	c, err := s.Options.Catalogue.Campaign(s.forecast.CampaignSlug)
	if err != nil {
		return err
	}
	broken, err := s.Settlement.Broken(ctx, c)
	if err != nil {
		return err
	}
	for _, p := range broken {
		s.forecast.found(Finding{Kind: PromiseBroken, Message: fmt.Sprintf("%d were promised the deadline %s and the goal %s",
			p.Pledges, p.EndsAt.Format(time.RFC3339), p.Goal)})
	}
	_, err = s.Settlement.Accept(ctx, c.Slug, "a rehearsal")
	return err
}

// atOnce is how many cards are read at a time.
const atOnce = 16

// inspect reads the cards of those who would be charged, and gives the simulated
// processor each as it will be.
func (s *stage) inspect(ctx context.Context, preview settlement.Report) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	done, turns := 0, make(chan struct{}, atOnce)
	for _, who := range preview.Supporters {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			finding, err := s.look(ctx, who)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				failed = err
			}
			if finding.Kind != "" {
				s.forecast.found(finding)
			}
			if done++; s.Progress != nil {
				s.Progress(done, preview.SupporterCount)
			}
		})
	}
	wg.Wait()
	slices.SortFunc(s.forecast.Findings, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Email, b.Email)) })
	return failed
}

// look reads one supporter's card.
func (s *stage) look(ctx context.Context, who settlement.Supporter) (Finding, error) {
	charged, err := s.Checkout.Orders.Pledge(ctx, who.CardOrderID)
	if err != nil {
		return Finding{}, err
	}
	card, err := s.Processor.Card(ctx, charged.PaymentMethodID)
	if ctx.Err() != nil {
		return Finding{}, ctx.Err()
	}
	kind, message := s.judge(charged, card, err)
	method, behaves := charged.PaymentMethodID, sim.CardOK
	if kind == CardMissing || kind == CardDetached {
		method = "" // the simulated processor knows the customer alone
	}
	if kind == CardExpires {
		behaves = sim.CardExpired
	}
	err = s.simulated.Adopt(charged.CustomerID, method, behaves)
	return Finding{Kind: kind, Email: who.Email, OrderIDs: who.OrderIDs, Amount: who.TotalAmount, Message: message}, err
}

func (s *stage) judge(charged *pledge.Pledge, card psp.Card, err error) (Kind, string) {
	switch {
	case fault.Is(err, fault.NotFound):
		return CardMissing, "The processor does not know the card"
	case err != nil:
		return CardUnread, "The card could not be read: " + words(err)
	case card.CustomerID == "":
		return CardDetached, "The card was detached from its customer"
	case card.CustomerID != charged.CustomerID:
		return CardDetached, "The card belongs to another customer"
	case card.Expired(s.forecast.At):
		return CardExpires, fmt.Sprintf("The card runs out with %d-%02d", card.ExpiresYear, card.ExpiresMonth)
	}
	return "", ""
}

// listAtOnce is how many pledges are read in one part.
const listAtOnce = 500

// weigh adds up again what the pledges come to after the settlement, and holds it
// against the accounts.
func (s *stage) weigh(ctx context.Context) error {
	f := &s.forecast
	var collected, all money.Cents
	for from := 0; ; from += listAtOnce {
		ids, err := s.Checkout.Inventory.Listed(ctx, f.CampaignSlug, from, listAtOnce)
		if err != nil {
			return err
		}
		for _, id := range ids {
			p, err := s.Checkout.Orders.Pledge(ctx, id)
			if err != nil {
				return err
			}
			if p.Status == pledge.Cancelled {
				continue
			}
			all += p.Amount
			if p.Charged {
				f.CountedCollected += p.CampaignSubtotal
				collected += p.Paid()
			}
			f.checkLines(p)
		}
		if len(ids) < listAtOnce {
			break
		}
	}
	f.MayFail = max(0, f.CountedCollected-f.Goal)
	if all != f.Funds.Pledged || collected != f.Funds.Collected {
		f.found(Finding{Kind: SumDiffers, Amount: f.Funds.Pledged - all,
			Message: fmt.Sprintf("The accounts say %s pledged and %s collected, the pledges come to %s and %s", f.Funds.Pledged, f.Funds.Collected, all, collected)})
	}
	return nil
}

// drift looks whether the public sees what the accounts say, before the settlement
// writes it anew.
func (s *stage) drift(ctx context.Context) error {
	d, err := s.Projector.Check(ctx, s.forecast.CampaignSlug)
	if err == nil && !d.InSync {
		s.forecast.found(Finding{Kind: Drifted, Message: fmt.Sprintf("%d figures that the public sees have drifted: run pledged rebuild", len(d.Differences))})
	}
	return err
}

// checkLines adds a pledge's lines up again.
func (f *Forecast) checkLines(p *pledge.Pledge) {
	again, err := pledge.Add(p.Lines, p.Tax, p.Shipping, p.TipPercent)
	if err == nil && again == p.Totals {
		return
	}
	f.found(Finding{Kind: AmountDiffers, Email: p.Email, OrderIDs: []string{p.OrderID}, Amount: p.Amount,
		Message: fmt.Sprintf("The pledge is of %s and its lines come to %s", p.Amount, again.Amount)})
}

// reconcile holds the rehearsed books against the simulated processor's.
func (s *stage) reconcile(ctx context.Context) error {
	r := reconcile.Report{Truncated: true}
	for r.Truncated {
		var err error
		if r, err = s.Reconcile.Run(ctx, s.forecast.CampaignSlug, reconcile.MaxRetrievals); err != nil {
			return err
		}
	}
	for _, b := range r.Breaks {
		s.forecast.found(Finding{Kind: BookDiffers, OrderIDs: b.OrderIDs, Amount: b.Booked, Message: string(b.Kind) + ": " + b.Message})
	}
	return nil
}
