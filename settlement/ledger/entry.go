package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Account is an account of the ledger.
type Account string

// The accounts.
const (
	Clearing Account = "clearing" // owed by the processor: charges less fees and refunds
	Fees     Account = "fees"     // the processor's fees
	Pledges  Account = "pledges"  // what counts toward the goal
	AddOns   Account = "addOns"   // platform add-ons
	Shipping Account = "shipping"
	Tips     Account = "tips"     // tips to the platform
	Tax      Account = "tax"      // owed to the tax authority
	Owed     Account = "owed"     // refunds that failed, owed to supporters
	Bank     Account = "bank"     // paid out by the processor, less payments from there
	Disputed Account = "disputed" // withdrawn for disputes that are not decided
	Losses   Account = "losses"   // lost in disputes
	Suspense Account = "suspense" // unexplained changes of the balance
)

// Accounts lists the accounts in the order of a journal's lines.
var Accounts = []Account{Clearing, Bank, Fees, Pledges, AddOns, Shipping, Tips, Tax, Owed, Disputed, Losses,
	Suspense}

// Kind classifies an entry.
type Kind string

// The kinds.
const (
	Charge  Kind = "charge"
	Opening Kind = "opening" // a charge from before there was a ledger
	Fee     Kind = "fee"
	Refund  Kind = "refund"
	// RefundFailure returns a refund to the balance: the amount is owed to the supporter. Repayment
	// ends that, paid in another way.
	RefundFailure Kind = "refund_failed"
	Repayment     Kind = "repayment"
	// Dispute is a change of the balance because of a dispute: the withdrawal of its amount and fee, or
	// their return. DisputeLost moves the withdrawn amount to the losses, and DisputeLossReversed moves it
	// back, because the decision was changed.
	Dispute             Kind = "dispute"
	DisputeLost         Kind = "dispute_lost"
	DisputeLossReversed Kind = "dispute_loss_reversed"
	// Payout is a campaign's share of a payout, and PayoutFailure its return.
	Payout        Kind = "payout"
	PayoutFailure Kind = "payout_failed"
)

// Kinds lists the kinds.
var Kinds = []Kind{Charge, Opening, Fee, Refund, RefundFailure, Repayment, Dispute, DisputeLost, DisputeLossReversed,
	Payout, PayoutFailure}

// Line is an amount in an account, in cents: debits are positive, credits negative.
type Line struct {
	Account Account     `json:"account"`
	Pledge  string      `json:"pledge,omitempty"` // its order ID, for income and tax
	Amount  money.Cents `json:"amount"`
}

// Entry is one movement of money.
type Entry struct {
	Number   int    `json:"number"`   // from 1, without gaps
	Identity string `json:"identity"` // of the movement
	Kind     Kind   `json:"kind"`
	// ValueAt is when the money moved at the processor, as far as it is known, and BookedAt when the
	// entry was appended.
	ValueAt  time.Time `json:"valueAt"`
	BookedAt time.Time `json:"bookedAt"`
	// The processor's IDs, as far as they concern the movement.
	PaymentID            string `json:"paymentIntentId,omitempty"`
	ChargeID             string `json:"chargeId,omitempty"`
	BalanceTransactionID string `json:"balanceTransactionId,omitempty"`
	RefundID             string `json:"refundId,omitempty"`
	DisputeID            string `json:"disputeId,omitempty"`
	PayoutID             string `json:"payoutId,omitempty"`
	Lines                []Line `json:"lines"`
	Before               string `json:"before"` // the hash of the entry before, "" for the first
	Hash                 string `json:"hash,omitempty"`
}

// Payment identifies a payment and its charge at the processor.
type Payment struct {
	ID       string
	ChargeID string
	At       time.Time // when it succeeded
}

// ChargeIdentity returns the identity of the entry of a payment.
func ChargeIdentity(paymentID string) string { return "charge:" + paymentID }

// NewCharge returns the entry of a payment that succeeded for pledges.
func NewCharge(p Payment, pledges []PledgeComponents) Entry {
	return Entry{Kind: Charge, Identity: ChargeIdentity(p.ID), ValueAt: p.At, PaymentID: p.ID, ChargeID: p.ChargeID,
		Lines: append([]Line{{Account: Clearing, Amount: SumOf(pledges)}}, incomeLines(pledges, -1)...)}
}

// NewOpening returns the entry of a payment that succeeded before the campaign had a ledger.
func NewOpening(p Payment, pledges []PledgeComponents) Entry {
	e := NewCharge(p, pledges)
	e.Kind = Opening
	return e
}

// FeeIdentity returns the identity of the entry of a fee.
func FeeIdentity(balanceTransactionID string) string { return "txn:" + balanceTransactionID }

// NewFee returns the entry of the processor's fee for a payment, which its balance transaction
// reports.
func NewFee(p Payment, balanceTransactionID string, fee money.Cents) Entry {
	return Entry{Kind: Fee, Identity: FeeIdentity(balanceTransactionID), ValueAt: p.At, PaymentID: p.ID,
		ChargeID: p.ChargeID, BalanceTransactionID: balanceTransactionID,
		Lines: []Line{{Account: Fees, Amount: fee}, {Account: Clearing, Amount: -fee}}}
}

// RefundIdentity returns the identity of the entry of a refund.
func RefundIdentity(refundID string) string { return "refund:" + refundID }

// RefundFailureIdentity returns the identity of the entry of a refund that came back.
func RefundFailureIdentity(refundID string) string { return "refund-failed:" + refundID }

// NewRefund returns the entry of a refund that the processor has paid back.
func NewRefund(p Payment, refundID string, parts []PledgeComponents) Entry {
	return Entry{Kind: Refund, Identity: RefundIdentity(refundID), ValueAt: p.At, PaymentID: p.ID, ChargeID: p.ChargeID,
		RefundID: refundID, Lines: append(incomeLines(parts, 1), Line{Account: Clearing, Amount: -SumOf(parts)})}
}

// NewRefundFailure returns the entry of a refund that came back to the processor's balance.
func NewRefundFailure(p Payment, refundID string, amount money.Cents) Entry {
	return Entry{Kind: RefundFailure, Identity: RefundFailureIdentity(refundID), ValueAt: p.At, PaymentID: p.ID,
		ChargeID: p.ChargeID, RefundID: refundID,
		Lines: []Line{{Account: Clearing, Amount: amount}, {Account: Owed, Amount: -amount}}}
}

// NewRepayment returns the entry of a failed refund that was paid in another way.
func NewRepayment(p Payment, refundID string, amount money.Cents) Entry {
	return Entry{Kind: Repayment, Identity: "repayment:" + refundID, ValueAt: p.At, PaymentID: p.ID,
		ChargeID: p.ChargeID, RefundID: refundID,
		Lines: []Line{{Account: Owed, Amount: amount}, {Account: Bank, Amount: -amount}}}
}

// incomeLines returns the lines of the components that are not zero, with a sign.
func incomeLines(pledges []PledgeComponents, sign money.Cents) (lines []Line) {
	for _, p := range pledges {
		for i, c := range p.list() {
			if c != 0 {
				lines = append(lines, Line{Account: incomeAccounts[i], Pledge: p.Pledge, Amount: sign * c})
			}
		}
	}
	return lines
}

// PledgesOf returns the components that an entry's lines record for each pledge.
func (e *Entry) PledgesOf() []PledgeComponents {
	var out []PledgeComponents
	for _, l := range e.Lines {
		if l.Pledge == "" {
			continue
		}
		at := slices.IndexFunc(out, func(p PledgeComponents) bool { return p.Pledge == l.Pledge })
		if at < 0 {
			at = len(out)
			out = append(out, PledgeComponents{Pledge: l.Pledge})
		}
		amounts := out[at].list()
		amounts[slices.Index(incomeAccounts, l.Account)] = -l.Amount
		out[at].Components = fromList(amounts)
	}
	return out
}

// Charged returns the amount that an entry of a charge records, in cents; 0 for other entries.
func (e *Entry) Charged() (sum money.Cents) {
	if e.Kind == Charge || e.Kind == Opening {
		sum = SumOf(e.PledgesOf())
	}
	return sum
}

// Balance returns the sum of an entry's lines in an account, in cents.
func (e *Entry) Balance(a Account) (sum money.Cents) {
	for _, l := range e.Lines {
		if l.Account == a {
			sum += l.Amount
		}
	}
	return sum
}

// check fails with code Internal unless the lines add up to zero and none of them is zero.
func (e *Entry) check() error {
	var sum money.Cents
	for _, l := range e.Lines {
		sum += l.Amount
		if l.Amount == 0 || !slices.Contains(Accounts, l.Account) {
			return fault.New(fault.Internal, "The entry %s has an invalid line: %+v", e.Identity, l)
		}
	}
	if sum != 0 || len(e.Lines) == 0 || e.Identity == "" {
		return fault.New(fault.Internal, "The lines of the entry %q add up to %s", e.Identity, sum)
	}
	return nil
}

// record is an entry as stored: the hashed bytes and their hash. A later release can add members to
// entries without changing the bytes of stored ones.
type record struct {
	Entry json.RawMessage `json:"entry"` // without its hash
	Hash  string          `json:"hash"`
}

func newRecord(e Entry) (record, error) {
	e.Hash = ""
	b, err := json.Marshal(e)
	return record{b, hashOf(b)}, err
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// entry decodes the record.
func (r record) entry() (e Entry, err error) {
	if err := json.Unmarshal(r.Entry, &e); err != nil {
		return e, fault.New(fault.Internal, "An entry of the ledger cannot be read: %v", err)
	}
	e.Hash = r.Hash
	return e, nil
}
