package ledger

import "github.com/pledgeworks/pledgeworks/pledge/money"

// Sums are the totals of a campaign's money, in cents. Net is Collected without the other amounts, and at
// most Collected.
type Sums struct {
	Collected money.Cents `json:"collected"` // charged
	Refunded  money.Cents `json:"refunded"`  // paid back to supporters
	Owed      money.Cents `json:"owed"`      // failed refunds, owed to supporters
	Disputed  money.Cents `json:"disputed"`  // withdrawn for disputes that are not decided
	Lost      money.Cents `json:"lost"`      // lost in disputes
	Fees      money.Cents `json:"fees"`      // of the processor, with those for disputes
	// Unexplained are changes of the processor's balance whose reason is not known.
	Unexplained money.Cents `json:"unexplained"`
	Net         money.Cents `json:"net"`
}

// Sums returns the totals of a campaign's ledger.
func (h *Head) Sums() Sums {
	s := Sums{
		Collected: h.Clearing[Charge] + h.Clearing[Opening], Refunded: h.Balances[Owed] - h.Clearing[Refund],
		Owed: -h.Balances[Owed], Disputed: h.Balances[Disputed], Lost: h.Balances[Losses], Fees: h.Balances[Fees],
		Unexplained: h.Balances[Suspense],
	}
	rest := s.Collected - s.Refunded - s.Owed - s.Disputed - s.Lost - s.Fees - s.Unexplained
	s.Net = min(s.Collected, rest)
	return s
}

// HasReversals reports whether a charge of the campaign was refunded or disputed.
func (h *Head) HasReversals() bool {
	return h.Clearing[Refund] != 0 || h.Clearing[Dispute] != 0
}
