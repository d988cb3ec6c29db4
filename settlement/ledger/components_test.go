package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/seed"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

func TestDivide(t *testing.T) {
	reward := ledger.Components{Pledges: 2500, Tax: 197}
	for name, tc := range map[string]struct {
		amount    money.Cents
		remaining []ledger.PledgeComponents
		want      []ledger.PledgeComponents
	}{
		"everything": {2697, []ledger.PledgeComponents{{"a", reward}}, []ledger.PledgeComponents{{"a", reward}}},
		"a cent goes to the largest component": {1, []ledger.PledgeComponents{{"a", reward}},
			[]ledger.PledgeComponents{{"a", ledger.Components{Pledges: 1}}}},
		"tax in proportion": {1000, []ledger.PledgeComponents{{"a", reward}},
			[]ledger.PledgeComponents{{"a", ledger.Components{Pledges: 927, Tax: 73}}}},
		"two pledges": {3000, []ledger.PledgeComponents{{"a", ledger.Components{Pledges: 4000}}, {"b", ledger.Components{AddOns: 1000, Shipping: 1000}}},
			[]ledger.PledgeComponents{{"a", ledger.Components{Pledges: 2000}}, {"b", ledger.Components{AddOns: 500, Shipping: 500}}}},
		"nothing remains of one": {5, []ledger.PledgeComponents{{"a", ledger.Components{}}, {"b", ledger.Components{Tips: 5}}},
			[]ledger.PledgeComponents{{"b", ledger.Components{Tips: 5}}}},
	} {
		if diff := cmp.Diff(tc.want, ledger.Divide(tc.amount, tc.remaining)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// In 200,000 random sequences of refunds no refund takes more of a component than remains, each
// takes exactly its amount, and the last one leaves zero in every component.
func TestDivide_SequencesEndAtZero(t *testing.T) {
	r := seed.Rand(t)
	cents := func(most int) money.Cents { return money.Cents(r.IntN(most) * r.IntN(2)) }
	for range 200_000 {
		var remaining []ledger.PledgeComponents
		for i := range 1 + r.IntN(3) {
			remaining = append(remaining, ledger.PledgeComponents{Pledge: string(rune('a' + i)), Components: ledger.Components{
				Pledges: 1 + money.Cents(r.IntN(20_000)), AddOns: cents(5000), Shipping: cents(3000),
				Tips: cents(2000), Tax: cents(2000)}})
		}
		for left := ledger.SumOf(remaining); left > 0; left = ledger.SumOf(remaining) {
			amount := 1 + money.Cents(r.Int64N(int64(left)))
			if r.IntN(4) == 0 {
				amount = left
			}
			taken := ledger.Divide(amount, remaining)
			if got := ledger.SumOf(taken); got != amount {
				t.Fatalf("a refund of %s takes %s of %+v", amount, got, remaining)
			}
			for _, p := range taken {
				at := int(p.Pledge[0] - 'a')
				if !remaining[at].Covers(p.Components) {
					t.Fatalf("a refund takes %+v of %+v", p.Components, remaining[at].Components)
				}
				remaining[at].Components = remaining[at].Minus(p.Components)
			}
		}
		for _, p := range remaining {
			if (p.Components != ledger.Components{}) {
				t.Fatalf("all was refunded, but %+v remains", p)
			}
		}
	}
}

func TestComponents(t *testing.T) {
	totals := pledge.Totals{Subtotal: 6000, CampaignSubtotal: 5000, Shipping: 700, TipAmount: 300, Tax: 500, Amount: 7500}
	p := ledger.ComponentsOf(totals)
	if want := (ledger.Components{Pledges: 5000, AddOns: 1000, Shipping: 700, Tips: 300, Tax: 500}); p != want || p.Sum() != totals.Amount {
		t.Errorf("components of %+v: %+v", totals, p)
	}
	if half := p.Scale(3750); half != (ledger.Components{Pledges: 2500, AddOns: 500, Shipping: 350, Tips: 150, Tax: 250}) {
		t.Errorf("half of the amount: %+v", half)
	}
	if p.Covers(ledger.Components{Pledges: 5001}) || p.Covers(ledger.Components{Tax: -1}) || !p.Covers(p) {
		t.Error("Covers compares the sums instead of the components")
	}
}
