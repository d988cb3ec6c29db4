package payout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// book appends a campaign's share of a payout to its ledger and, if FailedAt is set, the share's return.
type book struct {
	ID       string      `json:"id"`
	Share    money.Cents `json:"share"`
	At       time.Time   `json:"at"`
	FailedAt *time.Time  `json:"failedAt,omitempty"`
}

func (book) Kind() string { return "payout-book" }

type none struct{}

// runBook appends the return only after the share, so that a late repetition of an earlier command changes
// nothing.
func runBook(tx kv.Tx, now time.Time, cmd book) (none, error) {
	if cmd.Share == 0 {
		return none{}, nil
	}
	if _, err := ledger.Append(tx, now, ledger.NewPayout(cmd.ID, cmd.At, cmd.Share)); err != nil {
		return none{}, err
	}
	if cmd.FailedAt == nil {
		return none{}, nil
	}
	_, err := ledger.Append(tx, now, ledger.NewPayoutFailure(cmd.ID, *cmd.FailedAt, cmd.Share))
	return none{}, err
}

// Row is a row of a payout: a change of the processor's balance.
type Row struct {
	ID        string      `json:"id"` // of the balance transaction
	Net       money.Cents `json:"net"`
	PaymentID string      `json:"paymentIntentId,omitempty"`
	RefundID  string      `json:"refundId,omitempty"`
	DisputeID string      `json:"disputeId,omitempty"`
}

// RowOf returns the row of a balance transaction.
func RowOf(b psp.BalanceTransaction) Row {
	return Row{ID: b.ID, Net: b.Net, PaymentID: b.PaymentID, RefundID: b.RefundID, DisputeID: b.DisputeID}
}

// identities returns the identities of the entries that record the row.
func (r Row) identities() []string {
	switch {
	case r.DisputeID != "":
		return []string{ledger.DisputeIdentity(r.ID)}
	case r.RefundID != "" && r.Net > 0:
		return []string{ledger.RefundFailureIdentity(r.RefundID)}
	case r.RefundID != "":
		return []string{ledger.RefundIdentity(r.RefundID)}
	}
	return []string{ledger.ChargeIdentity(r.PaymentID), ledger.FeeIdentity(r.ID)}
}

// Match is what a campaign's ledger has of a row.
type Match struct {
	Ours   bool `json:"ours"`   // the charge of its payment
	Booked bool `json:"booked"` // the row itself, with the same amount
}

type match struct {
	Rows []Row `json:"rows"`
}

func (match) Kind() string { return "payout-match" }

func runMatch(tx kv.Tx, _ time.Time, q match) ([]Match, error) {
	out := make([]Match, len(q.Rows))
	for i, r := range q.Rows {
		var err error
		if out[i].Ours, err = ledger.Has(tx, ledger.ChargeIdentity(r.PaymentID)); err != nil {
			return nil, err
		}
		if out[i].Booked, err = r.isBooked(tx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r Row) isBooked(tx kv.Tx) (bool, error) {
	var net money.Cents
	found := false
	for _, identity := range r.identities() {
		e, ok, err := ledger.Find(tx, identity)
		if err != nil {
			return false, err
		}
		found = found || ok
		net += e.Balance(ledger.Clearing)
	}
	return found && net == r.Net, nil
}

// Booked is what a campaign's ledger has of a payout, in cents.
type Booked struct {
	Share    money.Cents `json:"share"`
	Returned money.Cents `json:"returned"`
}

type getBooked struct {
	IDs []string `json:"ids"`
}

func (getBooked) Kind() string { return "payout-booked" }

func runGetBooked(tx kv.Tx, _ time.Time, q getBooked) (map[string]Booked, error) {
	out := map[string]Booked{}
	for _, id := range q.IDs {
		share, _, err := ledger.Find(tx, ledger.PayoutIdentity(id))
		if err != nil {
			return nil, err
		}
		returned, _, err := ledger.Find(tx, ledger.PayoutFailureIdentity(id))
		if err != nil {
			return nil, err
		}
		out[id] = Booked{Share: share.Balance(ledger.Bank), Returned: -returned.Balance(ledger.Bank)}
	}
	return out, nil
}
