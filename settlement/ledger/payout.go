package ledger

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// PayoutIdentity returns the identity of the entry of a campaign's share of a payout.
func PayoutIdentity(payoutID string) string { return "payout:" + payoutID }

// PayoutFailureIdentity returns the identity of the entry of the share's return.
func PayoutFailureIdentity(payoutID string) string { return "payout-failed:" + payoutID }

// NewPayout returns the entry of a campaign's share of a payout, which left the processor's balance at a
// time. A negative share reduced the payout: it was paid from other campaigns' money.
func NewPayout(payoutID string, at time.Time, share money.Cents) Entry {
	return Entry{Kind: Payout, Identity: PayoutIdentity(payoutID), ValueAt: at, PayoutID: payoutID,
		Lines: []Line{{Account: Bank, Amount: share}, {Account: Clearing, Amount: -share}}}
}

// NewPayoutFailure returns the entry of a share that came back to the processor's balance, because the
// payout failed or was canceled.
func NewPayoutFailure(payoutID string, at time.Time, share money.Cents) Entry {
	return Entry{Kind: PayoutFailure, Identity: PayoutFailureIdentity(payoutID), ValueAt: at, PayoutID: payoutID,
		Lines: []Line{{Account: Clearing, Amount: share}, {Account: Bank, Amount: -share}}}
}
