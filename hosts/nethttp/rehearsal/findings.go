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

// Kind is the kind of a finding: a problem that prevents a charge or makes an amount unreliable.
type Kind string

// Kinds of findings. With the first three, the charge will certainly fail.
const (
	CardExpires   Kind = "card_expires"   // expires before the charge
	CardMissing   Kind = "card_missing"   // unknown to the processor
	CardDetached  Kind = "card_detached"  // belongs to no customer or to another one
	CardUnread    Kind = "card_unread"    // the card lookup failed; the card is assumed to be good
	PromiseBroken Kind = "promise_broken" // the campaign file breaks a promise to supporters, which holds the settlement
	PassedOver    Kind = "passed_over"    // settlement skips the pledge, with the reason
	AmountDiffers Kind = "amount_differs" // a pledge's amount differs from the sum of its lines
	SumDiffers    Kind = "sum_differs"    // the campaign's totals differ from the sum of its pledges
	Drifted       Kind = "drifted"        // public totals differ from the campaign's
	BookDiffers   Kind = "book_differs"   // after the settlement, the books would differ from the processor's
)

// Finding is a problem to review before the settlement.
type Finding struct {
	Kind     Kind        `json:"kind"`
	Email    string      `json:"email,omitempty"`
	OrderIDs []string    `json:"orderIds,omitempty"`
	Amount   money.Cents `json:"amount"`
	Message  string      `json:"message"`
}

func (f *Forecast) addFinding(finding Finding) { f.Findings = append(f.Findings, finding) }

// acceptPromises reports the campaign file's broken promises and accepts them in the copy.
func (s *stage) acceptPromises(ctx context.Context) error {
	c, err := s.Options.Catalogue.Campaign(s.forecast.CampaignSlug)
	if err != nil {
		return err
	}
	broken, err := s.Settlement.BrokenPromises(ctx, c)
	if err != nil {
		return err
	}
	for _, p := range broken {
		s.forecast.addFinding(Finding{Kind: PromiseBroken,
			Message: fmt.Sprintf("Pledges that rely on the deadline %s and the goal %s: %d",
				p.EndsAt.Format(time.RFC3339), p.Goal, p.Pledges)})
	}
	_, err = s.Settlement.Accept(ctx, c.Slug, "a rehearsal")
	return err
}

// concurrentLookups is how many cards are looked up at a time.
const concurrentLookups = 16

// inspect looks up the cards of the supporters to be charged, and adds each to the simulated
// processor with the expected behavior.
func (s *stage) inspect(ctx context.Context, preview settlement.Report) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	done, turns := 0, make(chan struct{}, concurrentLookups)
	for _, who := range preview.Supporters {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			finding, err := s.lookUp(ctx, who)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				failed = err
			}
			if finding.Kind != "" {
				s.forecast.addFinding(finding)
			}
			if done++; s.Progress != nil {
				s.Progress(done, preview.SupporterCount)
			}
		})
	}
	wg.Wait()
	slices.SortFunc(s.forecast.Findings,
		func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Email, b.Email)) })
	return failed
}

// lookUp looks up one supporter's card and adds it to the simulated processor. The Kind of the
// returned finding is "" if the card has no problem.
func (s *stage) lookUp(ctx context.Context, who settlement.Supporter) (Finding, error) {
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
		method = "" // the simulated processor gets only the customer
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
		return CardUnread, "The card could not be read: " + publicMessage(err)
	case card.CustomerID == "":
		return CardDetached, "The card was detached from its customer"
	case card.CustomerID != charged.CustomerID:
		return CardDetached, "The card belongs to another customer"
	case card.Expired(s.forecast.At):
		return CardExpires, fmt.Sprintf("The card expires at the end of %d-%02d", card.ExpiresYear, card.ExpiresMonth)
	}
	return "", ""
}

// pageSize is how many pledges are read at a time.
const pageSize = 500

// addUp adds up the pledges after the settlement and compares the sums with the campaign's totals.
func (s *stage) addUp(ctx context.Context) error {
	f := &s.forecast
	var collected, all money.Cents
	for from := 0; ; from += pageSize {
		ids, err := s.Checkout.Inventory.Listed(ctx, f.CampaignSlug, from, pageSize)
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
		if len(ids) < pageSize {
			break
		}
	}
	f.MayFail = max(0, f.CountedCollected-f.Goal)
	if all != f.Funds.Pledged || collected != f.Funds.Collected {
		f.addFinding(Finding{Kind: SumDiffers, Amount: f.Funds.Pledged - all,
			Message: fmt.Sprintf("The campaign's totals are %s pledged and %s collected, but its pledges add up to %s and %s",
				f.Funds.Pledged, f.Funds.Collected, all, collected)})
	}
	return nil
}

// checkTotals compares the public totals with the campaign's before the settlement rewrites them,
// and adds a finding if they differ.
func (s *stage) checkTotals(ctx context.Context) error {
	d, err := s.Projector.Check(ctx, s.forecast.CampaignSlug)
	if err == nil && !d.InSync {
		s.forecast.addFinding(Finding{Kind: Drifted,
			Message: fmt.Sprintf("%d public totals have drifted. Run pledged rebuild", len(d.Differences))})
	}
	return err
}

// checkLines recomputes a pledge's totals from its lines, and adds a finding if they differ.
func (f *Forecast) checkLines(p *pledge.Pledge) {
	recomputed, err := pledge.CalculateTotals(p.Lines, p.Tax, p.Shipping, p.Tip())
	if err == nil && recomputed == p.Totals {
		return
	}
	f.addFinding(Finding{Kind: AmountDiffers, Email: p.Email, OrderIDs: []string{p.OrderID}, Amount: p.Amount,
		Message: fmt.Sprintf("The pledge's amount is %s, but its lines add up to %s", p.Amount, recomputed.Amount)})
}

// reconcile compares the rehearsed books with the simulated processor's.
func (s *stage) reconcile(ctx context.Context) error {
	r := reconcile.Report{Truncated: true}
	for r.Truncated {
		var err error
		if r, err = s.Reconcile.Run(ctx, s.forecast.CampaignSlug, reconcile.MaxRetrievals); err != nil {
			return err
		}
	}
	for _, b := range r.Breaks {
		s.forecast.addFinding(Finding{Kind: BookDiffers, OrderIDs: b.OrderIDs, Amount: b.Booked,
			Message: string(b.Kind) + ": " + b.Message})
	}
	return nil
}
