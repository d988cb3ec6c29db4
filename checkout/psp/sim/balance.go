package sim

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// balanceTxn is one change of the balance. At most one of Charge, Refund, Dispute and Payout is set; a
// change without any of them is an adjustment and has a Category.
type balanceTxn struct {
	ID, Charge         string
	Refund, Dispute    string
	Payout             string
	Category           string
	Amount, Fee, Net   money.Cents
	Created, Available time.Time
	PaidOut            string // the automatic payout that includes the change
}

// addBalanceTxn changes the balance and returns the change's ID. Unless the change has another time,
// it is available immediately.
func (s *Sim) addBalanceTxn(now time.Time, b balanceTxn) string {
	b.ID, b.Created = s.st.newID("txn_", 24), now
	if b.Available.IsZero() {
		b.Available = now
	}
	s.st.BalanceTxns[b.ID] = &b
	s.st.Balance += b.Net
	return b.ID
}

// Balance returns the account's balance, and the part of it that can be paid out.
func (s *Sim) Balance() (total, available money.Cents) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	for _, b := range s.st.BalanceTxns {
		if !b.Available.After(now) {
			available += b.Net
		}
	}
	return s.st.Balance, available
}

// ownCategories are the categories of changes that have their own objects.
var ownCategories = []psp.BalanceCategory{psp.BalanceCharge, psp.BalanceRefund, psp.BalanceRefundFailure,
	psp.BalanceDispute, psp.BalanceDisputeReversal, psp.BalancePayout, psp.BalancePayoutReversal}

// Adjust changes the balance without a charge, refund, dispute or payout, such as by an account fee. The
// category may be one that does not exist. It fails with Invalid for no category, and for one of changes
// that have their own control.
func (s *Sim) Adjust(category string, amount, fee money.Cents) (txnID string, err error) {
	if category == "" || slices.Contains(ownCategories, psp.BalanceCategory(category)) {
		return "", fault.New(fault.Invalid, "An adjustment cannot have the category %q", category).In("category")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	return s.addBalanceTxn(now, balanceTxn{Category: category, Amount: amount, Fee: fee, Net: amount - fee}), nil
}

func (b *balanceTxn) render(future func(time.Time) bool) object {
	if b == nil {
		return nil
	}
	kind, category, source := b.origin()
	status := "available"
	if future(b.Available) {
		status = "pending"
	}
	return object{"id": b.ID, "object": "balance_transaction", "amount": b.Amount, "fee": b.Fee, "net": b.Net,
		"currency": money.USD, "type": kind, "reporting_category": category, "source": nullIfEmpty(source),
		"status": status, "created": unix(b.Created), "available_on": unix(b.Available),
		"fee_details": []object{{"amount": b.Fee, "currency": money.USD, "type": "processing_fee",
			"description": "Processing fees"}}}
}

// origin returns a balance transaction's type, reporting category and source, as
// named by the API.
func (b *balanceTxn) origin() (kind, category, source string) {
	switch {
	case b.Category == string(psp.BalanceFee):
		return "stripe_fee", b.Category, ""
	case b.Category != "":
		return "adjustment", b.Category, ""
	case b.Refund != "" && b.Amount > 0:
		return "refund_failure", "refund_failure", b.Refund
	case b.Refund != "":
		return "refund", "refund", b.Refund
	case b.Dispute != "" && b.Amount > 0:
		return "adjustment", "dispute_reversal", b.Dispute
	case b.Dispute != "":
		return "adjustment", "dispute", b.Dispute
	case b.Payout != "" && b.Amount > 0:
		return "payout_failure", "payout_reversal", b.Payout
	case b.Payout != "":
		return "payout", "payout", b.Payout
	}
	return "charge", "charge", b.Charge
}

// listBalanceTxns filters by source, except by dispute, for which the processor finds nothing, and by
// payout, which must be automatic and reconciled.
func (s *Sim) listBalanceTxns(r request) (work, *apiError) {
	from, to, e := createdRange(r)
	if e != nil {
		return nil, e
	}
	payoutID := r.form.Get("payout")
	if payoutID != "" {
		po := s.st.Payouts[payoutID]
		switch {
		case po == nil:
			return nil, missing("payout", "payout", payoutID)
		case !po.Automatic:
			return nil, invalid("payout", "",
				"Balance transaction history can only be filtered on automatic transfers, not manual.")
		}
	}
	wanted := r.form.Get("source")
	return s.page(r, "txn_", func(id string) bool {
		b := s.st.BalanceTxns[id]
		_, _, source := b.origin()
		created := b.Created.Unix()
		return (wanted == "" || wanted == source && b.Dispute == "") && created >= from && created < to &&
			(payoutID == "" || b.PaidOut == payoutID && s.st.Payouts[payoutID].reconciled())
	})
}

// BalanceTransactions implements psp.Processor.
func (p processor) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	form := pageForm(q.From, q.To, q.After, q.Limit)
	form.Set("expand[]", "data.source")
	set(form, "payout", q.PayoutID)
	var out psp.BalancePage
	var err error
	out.Transactions, out.Next, err = readPage(ctx, p, "/v1/balance_transactions", form, wireBalanceTxn.transaction)
	return out, err
}

// pageForm returns the parameters of a list of objects created in the interval [from, to). A zero time
// does not limit it.
func pageForm(from, to time.Time, after string, limit int) url.Values {
	form := url.Values{"limit": {strconv.Itoa(limit)}}
	if !from.IsZero() {
		form.Set("created[gte]", strconv.FormatInt(from.Unix(), 10))
	}
	if !to.IsZero() {
		form.Set("created[lt]", strconv.FormatInt(to.Unix(), 10))
	}
	set(form, "starting_after", after)
	return form
}

type wireBalanceTxn struct {
	listed
	Category  psp.BalanceCategory `json:"reporting_category"`
	Amount    money.Cents         `json:"amount"`
	Fee       money.Cents         `json:"fee"`
	Net       money.Cents         `json:"net"`
	Currency  string              `json:"currency"`
	Created   int64               `json:"created"`
	Available int64               `json:"available_on"`
	Source    ref[struct {
		listed
		Object  string `json:"object"`
		Payment string `json:"payment_intent"`
		Charge  string `json:"charge"`
	}] `json:"source"`
}

func (w wireBalanceTxn) transaction() psp.BalanceTransaction {
	out := psp.BalanceTransaction{ID: w.ID, Category: w.Category, Amount: w.Amount, Fee: w.Fee, Net: w.Net,
		Currency: w.Currency, SourceID: w.Source.id, CreatedAt: time.Unix(w.Created, 0).UTC(),
		AvailableAt: time.Unix(w.Available, 0).UTC()}
	if w.Source.full == nil {
		return out
	}
	out.PaymentID, out.ChargeID = w.Source.full.Payment, w.Source.full.Charge
	switch w.Source.full.Object {
	case "charge":
		out.ChargeID = w.Source.id
	case "refund":
		out.RefundID = w.Source.id
	case "dispute":
		out.DisputeID = w.Source.id
	case "payout":
		out.PayoutID = w.Source.id
	}
	return out
}
