package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// A failed refund is owed until it is repaid. The amount of a dispute is withdrawn until it is won or lost, and
// its fee is kept. Payouts change no total. Net is never more than Collected.
func TestSums(t *testing.T) {
	part := func(amount int) []ledger.PledgeComponents {
		return []ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Tips: 5, Pledges: 100}},
			{Pledge: "pw-2", Components: ledger.Components{Tax: 1}}}[:amount]
	}
	withdrawn := ledger.NewDispute(paid, "du_1", ledger.Change{ID: "txn_2", Amount: -500, Fee: 1500}, ledger.Disputed)
	returned := ledger.NewDispute(paid, "du_1", ledger.Change{ID: "txn_3", Amount: 500}, ledger.Disputed)
	for _, tt := range []struct {
		name      string
		entries   []ledger.Entry
		want      ledger.Sums
		reversals bool
	}{
		{"no entries", nil, ledger.Sums{}, false},
		{"charge", []ledger.Entry{charge()}, ledger.Sums{Collected: 4197, Net: 4197}, false},
		{"fee and earlier charge", []ledger.Entry{charge(), ledger.NewFee(paid, "txn_1", 152),
			ledger.NewOpening(ledger.Payment{ID: "pi_2"}, part(1))},
			ledger.Sums{Collected: 4302, Fees: 152, Net: 4150}, false},
		{"refund", []ledger.Entry{charge(), ledger.NewRefund(paid, "rf-1", part(2))},
			ledger.Sums{Collected: 4197, Refunded: 106, Net: 4091}, true},
		{"failed refund", []ledger.Entry{charge(), ledger.NewRefund(paid, "rf-1", part(1)),
			ledger.NewRefundFailure(paid, "rf-1", 105)}, ledger.Sums{Collected: 4197, Owed: 105, Net: 4092}, true},
		{"repaid refund", []ledger.Entry{charge(), ledger.NewRefund(paid, "rf-1", part(1)),
			ledger.NewRefundFailure(paid, "rf-1", 105), ledger.NewRepayment(paid, "rf-1", 105)},
			ledger.Sums{Collected: 4197, Refunded: 105, Net: 4092}, true},
		{"open dispute", []ledger.Entry{charge(), withdrawn},
			ledger.Sums{Collected: 4197, Disputed: 500, Fees: 1500, Net: 2197}, true},
		{"won dispute", []ledger.Entry{charge(), withdrawn, returned},
			ledger.Sums{Collected: 4197, Fees: 1500, Net: 2697}, true},
		{"lost dispute", []ledger.Entry{charge(), withdrawn, ledger.NewDisputeLoss(paid, "du_1", 1, 500)},
			ledger.Sums{Collected: 4197, Lost: 500, Fees: 1500, Net: 2197}, true},
		{"return before the withdrawal", []ledger.Entry{charge(), returned},
			ledger.Sums{Collected: 4197, Disputed: -500, Net: 4197}, true},
		{"payout", []ledger.Entry{charge(), ledger.NewPayout("po_1", paid.At, 4000)},
			ledger.Sums{Collected: 4197, Net: 4197}, false},
		{"unexplained", []ledger.Entry{charge(),
			ledger.NewDispute(paid, "du_1", ledger.Change{ID: "txn_4", Amount: -7}, ledger.Suspense)},
			ledger.Sums{Collected: 4197, Unexplained: 7, Net: 4190}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newObject(t)
			for _, e := range tt.entries {
				if _, err := o.append(e); err != nil {
					t.Fatal(err)
				}
			}
			_, head := o.read()
			if diff := cmp.Diff(tt.want, head.Sums()); diff != "" {
				t.Errorf("sums (-want +got):\n%s", diff)
			}
			if got := head.HasReversals(); got != tt.reversals {
				t.Errorf("has reversals: %t", got)
			}
		})
	}
}
