package dispute

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Client sends commands to one campaign's settlement object.
type Client struct {
	Coordinator kv.Coordinator
	Object      kv.Object
}

// Observe records observations of disputes and warnings, in any order and any number of times.
func (c Client) Observe(ctx context.Context, disputes []Dispute, warnings []Warning) (Recorded, error) {
	id := "dispute-observe"
	if len(disputes) > 0 {
		id += fmt.Sprintf(":%s:%d", disputes[0].ID, disputes[0].AskedAt.UnixNano())
	}
	return kv.Send[Recorded](ctx, c.Coordinator, c.Object, id, observe{Disputes: disputes, Warnings: warnings})
}

// Page is a page of disputes, by ID. Next is the last ID, "" on an empty page.
type Page struct {
	Disputes []Dispute `json:"disputes"`
	Next     string    `json:"next"`
}

// OfPayment are a payment's disputes and early fraud warnings, by ID.
type OfPayment struct {
	Disputes []Dispute `json:"disputes"`
	Warnings []Warning `json:"warnings"`
}

type get struct {
	ID string `json:"id"`
}

func (get) Kind() string { return "dispute-get" }

func runGet(tx kv.Tx, _ time.Time, q get) (Dispute, error) {
	d, ok, err := kv.Load[Dispute](tx, disputePrefix+q.ID)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "There is no dispute %s", q.ID)
	}
	return d, err
}

// list requests a page of all disputes, or of the open ones.
type list struct {
	Open  bool   `json:"open,omitempty"`
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (list) Kind() string { return "dispute-list" }

func runList(tx kv.Tx, _ time.Time, q list) (Page, error) {
	prefix := disputePrefix
	if q.Open {
		prefix = openPrefix
	}
	page, after := Page{Disputes: []Dispute{}}, ""
	if q.After != "" {
		after = prefix + q.After
	}
	rows, err := tx.List(prefix, after, q.Limit)
	if err != nil {
		return Page{}, err
	}
	for _, row := range rows {
		d, err := runGet(tx, time.Time{}, get{ID: strings.TrimPrefix(row.Key, prefix)})
		if err != nil {
			return Page{}, err
		}
		page.Disputes, page.Next = append(page.Disputes, d), d.ID
	}
	return page, nil
}

// getOfPayment requests a payment's disputes and warnings.
type getOfPayment struct {
	PaymentID string `json:"paymentIntentId"`
}

func (getOfPayment) Kind() string { return "dispute-of-payment" }

func runOfPayment(tx kv.Tx, _ time.Time, q getOfPayment) (OfPayment, error) {
	out := OfPayment{Warnings: []Warning{}}
	var err error
	if out.Disputes, err = ofPayment(tx, q.PaymentID); err != nil {
		return OfPayment{}, err
	}
	prefix := warningPaymentPrefix + q.PaymentID + "/"
	rows, err := tx.List(prefix, "", kv.MaxPage)
	if err != nil {
		return OfPayment{}, err
	}
	for _, row := range rows {
		w, ok, err := kv.Load[Warning](tx, warningPrefix+strings.TrimPrefix(row.Key, prefix))
		if err != nil {
			return OfPayment{}, err
		}
		if ok {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out, nil
}

// ofPayment loads the disputes of a payment, by ID.
func ofPayment(tx kv.Tx, paymentID string) ([]Dispute, error) {
	all := []Dispute{}
	prefix := paymentPrefix + paymentID + "/"
	rows, err := tx.List(prefix, "", kv.MaxPage)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		d, err := runGet(tx, time.Time{}, get{ID: strings.TrimPrefix(row.Key, prefix)})
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Sums are the ledger's accounts of disputes, in cents, and what the recorded disputes explain of them.
type Sums struct {
	Disputed money.Cents `json:"disputed"` // of all disputes (see Dispute.Disputed)
	Lost     money.Cents `json:"lost"`
	// The balances of the accounts "disputed", "losses" and "suspense".
	LedgerDisputed money.Cents `json:"ledgerDisputed"`
	LedgerLost     money.Cents `json:"ledgerLost"`
	Suspense       money.Cents `json:"suspense"`
}

type getSums struct{}

func (getSums) Kind() string { return "dispute-sums" }

// runSums reads both sides in one transaction, so that a change in between does not appear as a difference.
func runSums(tx kv.Tx, _ time.Time, _ getSums) (Sums, error) {
	head, err := ledger.ReadHead(tx)
	if err != nil {
		return Sums{}, err
	}
	s := Sums{LedgerDisputed: head.Balances[ledger.Disputed], LedgerLost: head.Balances[ledger.Losses],
		Suspense: head.Balances[ledger.Suspense]}
	for after := ""; ; {
		rows, err := tx.List(disputePrefix, after, kv.MaxPage)
		if err != nil || len(rows) == 0 {
			return s, err
		}
		for _, row := range rows {
			d, err := kv.Decode[Dispute](row.Key, row.Value)
			if err != nil {
				return Sums{}, err
			}
			s.Disputed, s.Lost, after = s.Disputed+d.Disputed(), s.Lost+d.Loss, row.Key
		}
	}
}

// Get returns a dispute. It fails with code NotFound if there is none.
func (c Client) Get(ctx context.Context, id string) (Dispute, error) {
	return kv.Ask[Dispute](ctx, c.Coordinator, c.Object, get{ID: id})
}

// List returns at most limit disputes after an ID, or of the open ones only.
func (c Client) List(ctx context.Context, open bool, after string, limit int) (Page, error) {
	return kv.Ask[Page](ctx, c.Coordinator, c.Object, list{Open: open, After: after, Limit: limit})
}

// OfPayment returns the disputes and early fraud warnings of a payment.
func (c Client) OfPayment(ctx context.Context, paymentID string) (OfPayment, error) {
	return kv.Ask[OfPayment](ctx, c.Coordinator, c.Object, getOfPayment{PaymentID: paymentID})
}

// AwaitedWarnings returns the warnings that await a decision, by ID.
func (c Client) AwaitedWarnings(ctx context.Context) ([]Warning, error) {
	return kv.Ask[[]Warning](ctx, c.Coordinator, c.Object, listWarnings{})
}

// Acknowledge records that an operator leaves the payment of a warning as it is; a repeat changes nothing. It
// fails with code NotFound if there is no such warning.
func (c Client) Acknowledge(ctx context.Context, id, operator string) (Warning, error) {
	return kv.Send[Warning](ctx, c.Coordinator, c.Object, "dispute-acknowledge:"+id, acknowledge{ID: id, By: operator})
}

// Sums compares the ledger's accounts with the recorded disputes. It fails with code Internal if the ledger is
// damaged.
func (c Client) Sums(ctx context.Context) (Sums, error) {
	return kv.Ask[Sums](ctx, c.Coordinator, c.Object, getSums{})
}
