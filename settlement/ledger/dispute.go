package ledger

import (
	"fmt"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Change is a change of the processor's balance. Fee is not part of Amount; a negative Fee is returned.
type Change struct {
	ID          string
	Amount, Fee money.Cents // cents
}

// DisputeIdentity returns the identity of the entry of a change of the balance.
func DisputeIdentity(balanceTransactionID string) string { return "txn:" + balanceTransactionID }

// NewDispute returns the entry of a change of the balance that a dispute caused. account is the one that
// explains its amount: Disputed for the withdrawal and its return, Fees for a fee, otherwise Suspense.
func NewDispute(p Payment, disputeID string, c Change, account Account) Entry {
	lines := []Line{{Account: account, Amount: -c.Amount}, {Account: Fees, Amount: c.Fee},
		{Account: Clearing, Amount: c.Amount - c.Fee}}
	if account == Fees {
		lines = []Line{{Account: Fees, Amount: c.Fee - c.Amount}, {Account: Clearing, Amount: c.Amount - c.Fee}}
	}
	return Entry{Kind: Dispute, Identity: DisputeIdentity(c.ID), ValueAt: p.At, PaymentID: p.ID, ChargeID: p.ChargeID,
		BalanceTransactionID: c.ID, DisputeID: disputeID,
		Lines: slices.DeleteFunc(lines, func(l Line) bool { return l.Amount == 0 })}
}

// NewDisputeLoss returns the entry of an amount that was lost in a dispute; a negative amount is no longer
// lost. number counts the dispute's losses, from 1: a decision may be changed.
func NewDisputeLoss(p Payment, disputeID string, number int, amount money.Cents) Entry {
	e := Entry{Kind: DisputeLost, Identity: "dispute:" + disputeID + ":lost", ValueAt: p.At, PaymentID: p.ID,
		ChargeID: p.ChargeID, DisputeID: disputeID,
		Lines: []Line{{Account: Losses, Amount: amount}, {Account: Disputed, Amount: -amount}}}
	if number > 1 {
		e.Identity += fmt.Sprintf(":%d", number)
	}
	if amount < 0 {
		e.Kind = DisputeLossReversed
	}
	return e
}
