package settlement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// metadata is a processor that returns refunds with changed metadata.
type metadata struct {
	psp.Processor
	change func(all []psp.Refund) // by amount
}

func (m metadata) Reversals(ctx context.Context, id string) (psp.Reversals, error) {
	at, err := m.Processor.Reversals(ctx, id)
	slices.SortFunc(at.Refunds, func(a, b psp.Refund) int { return int(a.Amount - b.Amount) })
	m.change(at.Refunds)
	return at, err
}

// Refunds made at the processor are recorded whatever their metadata has: an ID that another refund has too, an
// invalid one, or one of another campaign, and parts of other pledges or below zero.
func TestRefund_AdoptedWithHostileMetadata(t *testing.T) {
	first := "" // a pledge of the payment
	each := func(change func(i int, r *psp.Refund)) func(all []psp.Refund) {
		return func(all []psp.Refund) {
			for i := range all {
				change(i, &all[i])
			}
		}
	}
	for name, change := range map[string]func(all []psp.Refund){
		"the same ID":        each(func(_ int, r *psp.Refund) { r.OurID = "refund-1" }),
		"long":               each(func(_ int, r *psp.Refund) { r.OurID = strings.Repeat("x", 5000) }),
		"control characters": each(func(_ int, r *psp.Refund) { r.OurID = "refund\x00\n\u202e-1" }),
		"path":               each(func(_ int, r *psp.Refund) { r.OurID = "../../refund-due/1" }),
		"another campaign's": each(func(i int, r *psp.Refund) { r.OurID = fmt.Sprintf("album-refund-%d", i) }),
		"the other's processor ID": func(all []psp.Refund) {
			if len(all) == 2 {
				all[0].OurID = all[1].ID
			}
		},
		"each other's processor IDs": func(all []psp.Refund) {
			if len(all) == 2 {
				all[0].OurID, all[1].OurID = all[1].ID, all[0].ID
			}
		},
		"parts of another pledge": each(func(_ int, r *psp.Refund) {
			r.Parts = fmt.Sprintf(`[{"pledge":"pw-other:film","pledges":%d}]`, r.Amount)
		}),
		"parts below zero": each(func(_ int, r *psp.Refund) {
			r.Parts = fmt.Sprintf(`[{"pledge":%q,"pledges":%d,"tax":-700}]`, first, r.Amount+700)
		}),
		"parts that are no list": each(func(_ int, r *psp.Refund) { r.Parts = `{"__proto__":1}` }),
	} {
		t.Run(name, func(t *testing.T) {
			w := chargedFixture(t, sim.CardOK)
			first = w.pledgesOf["ana"][0]
			w.svc.Processor = metadata{w.svc.Processor, change}
			id := w.anas(0).PaymentIntentID
			for _, amount := range []money.Cents{600, 900} {
				_, err := w.sim.Refund(id, amount)
				w.ok(err)
			}
			for range 3 {
				w.ok(w.svc.UpdateRefunds(w.ctx, id))
				w.runRefunds()
			}
			page, err := w.svc.Refunds(w.ctx, "film", false, "", 10)
			w.ok(err)
			ids, amounts := map[string]bool{}, map[money.Cents]int{}
			for _, r := range page.Refunds {
				ids[r.RefundID] = true
				amounts[r.Amount]++
				if !refund.ValidID(r.ID) || r.Status != refund.Succeeded || !r.Adopted {
					t.Errorf("recorded %+v", r)
				}
				for _, p := range r.Parts {
					if !p.Covers(ledger.Components{}) {
						t.Errorf("a component below zero: %+v", p)
					}
				}
			}
			if diff := cmp.Diff(map[money.Cents]int{600: 1, 900: 1}, amounts); diff != "" || len(ids) != 2 {
				t.Errorf("refunds of the processor %v (-want +got):\n%s", ids, diff)
			}
			if a, b := w.anas(0).Refunded(), w.anas(1).Refunded(); a+b != 1500 || a < 0 || b < 0 {
				t.Errorf("the pledges show %s and %s", a, b)
			}
			v, err := w.svc.VerifyLedger(w.ctx, "film")
			w.ok(err)
			if total, _ := w.sim.Balance(); w.ledgerBalance(ledger.Clearing) != total {
				t.Errorf("clearing is %s, the processor's balance %s", v.Balances[ledger.Clearing], total)
			}
		})
	}
}
