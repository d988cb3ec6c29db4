package refund

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Client sends commands to one campaign's settlement object.
type Client struct {
	Coordinator kv.Coordinator
	Object      kv.Object
}

// Key returns the idempotency key of a refund's request. account is the processor's account.
func Key(account, id string) string { return "refund:" + account + ":" + id + ":1" }

// Grant decides a refund. Unless it is confirmed, a second operator has to confirm it if one operator alone
// has decided more than limit of the payment's refunds, in cents. A repeated request with the same ID
// returns the first refund. It fails with code Conflict if less remains of the payment, and with
// NotFound if the ledger does not have the payment.
func (c Client) Grant(ctx context.Context, r Refund, limit money.Cents) (Refund, error) {
	return c.send(ctx, "refund-grant:"+r.ID, grant{Refund: r, Limit: limit})
}

// Adopt records a refund that the processor has, with the result of the lookup that found it. A known
// refund is returned unchanged. It fails with code NotFound if the ledger does not have the payment.
func (c Client) Adopt(ctx context.Context, r Refund, f Result) (Refund, error) {
	return c.send(ctx, "refund-adopt:"+r.ID, adopt{Refund: r, Result: f})
}

// Confirm records a second operator's consent. It fails with code Conflict for the operator who granted
// the refund.
func (c Client) Confirm(ctx context.Context, id, by string) (Refund, error) {
	return c.send(ctx, "refund-confirm:"+id+":"+by, confirm{ID: id, By: by})
}

// Withdraw ends a refund that the processor does not have. It fails with code Conflict if it may have
// it.
func (c Client) Withdraw(ctx context.Context, id string) (Refund, error) {
	return c.send(ctx, "refund-withdraw:"+id, withdraw{ID: id})
}

// Attempt counts the next request of a refund before it is sent. It fails with code Conflict if it
// must not be sent now.
func (c Client) Attempt(ctx context.Context, r Refund) (Refund, error) {
	n := r.Attempts + 1
	return c.send(ctx, fmt.Sprintf("refund-attempt:%s:%d", r.ID, n), attempt{ID: r.ID, Number: n})
}

// RecordResult records a result of the processor; repeating it changes nothing.
func (c Client) RecordResult(ctx context.Context, r Refund, f Result) (Refund, error) {
	id := fmt.Sprintf("refund-tell:%s:%d:%s:%s", r.ID, r.Attempts, f.Status, f.State)
	return c.send(ctx, id, recordResult{ID: r.ID, Result: f})
}

// MarkUnanswered stops the requests of a refund whose key is too old to send it again.
func (c Client) MarkUnanswered(ctx context.Context, id string) (Refund, error) {
	return c.send(ctx, "refund-alarm:"+id, markUnanswered{ID: id})
}

// MarkTold records that the pledges show a status, and the supporter was emailed about it.
func (c Client) MarkTold(ctx context.Context, id string, s Status) (Refund, error) {
	return c.send(ctx, "refund-told:"+id+":"+string(s), markTold{ID: id, Status: s})
}

// MarkRepaid records an operator's statement that a failed refund was paid in another way. The refund
// is Repaid once a second operator states it.
func (c Client) MarkRepaid(ctx context.Context, id, by string) (Refund, error) {
	return c.send(ctx, "refund-repaid:"+id+":"+by, markRepaid{ID: id, By: by})
}

func (c Client) send(ctx context.Context, id string, cmd kv.Command) (Refund, error) {
	return kv.Send[Refund](ctx, c.Coordinator, c.Object, id, cmd)
}

// Page is a page of refunds, by ID; Next is "" on the last page.
type Page struct {
	Refunds []Refund `json:"refunds"`
	Next    string   `json:"next"`
}

// OfPayment is what remains of a payment, with its refunds by ID.
type OfPayment struct {
	Outstanding ledger.Outstanding `json:"outstanding"`
	Refunds     []Refund           `json:"refunds"`
}

type get struct {
	ID string `json:"id"`
}

func (get) Kind() string { return "refund-get" }

func runGet(tx kv.Tx, _ time.Time, q get) (Refund, error) { return load(tx, q.ID) }

// list requests a page of all refunds, or of those that wait for a person.
type list struct {
	Attention bool   `json:"attention,omitempty"`
	After     string `json:"after"`
	Limit     int    `json:"limit"`
}

func (list) Kind() string { return "refund-list" }

func runList(tx kv.Tx, _ time.Time, q list) (Page, error) {
	prefix := refundPrefix
	if q.Attention {
		prefix = attentionPrefix
	}
	after := ""
	if q.After != "" {
		after = prefix + q.After
	}
	refunds, err := loadAll(tx, prefix, after, q.Limit)
	page := Page{Refunds: refunds}
	if n := len(refunds); n > 0 && n == q.Limit {
		page.Next = refunds[n-1].ID
	}
	return page, err
}

// due requests the refunds whose next step is due.
type due struct {
	Limit int `json:"limit"`
	// Later includes the refunds whose next step is due later.
	Later bool `json:"later,omitempty"`
}

func (due) Kind() string { return "refund-due" }

func runDue(tx kv.Tx, now time.Time, q due) ([]Refund, error) {
	rows, err := tx.List(duePrefix, "", q.Limit)
	if err != nil {
		return nil, err
	}
	all, last := []Refund{}, dueKey(now, "~")
	for _, row := range rows {
		if row.Key > last && !q.Later {
			break
		}
		_, id, _ := strings.Cut(strings.TrimPrefix(row.Key, duePrefix), "/")
		r, err := load(tx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// loadAll loads the refunds of a list, after a key.
func loadAll(tx kv.Tx, prefix, after string, limit int) ([]Refund, error) {
	all := []Refund{}
	rows, err := tx.List(prefix, after, limit)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		r, err := load(tx, strings.TrimPrefix(row.Key, prefix))
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

type ofPayment struct {
	PaymentID string `json:"paymentIntentId"`
}

func (ofPayment) Kind() string { return "refund-of-payment" }

func runOfPayment(tx kv.Tx, _ time.Time, q ofPayment) (OfPayment, error) {
	o, err := ledger.ReadOutstanding(tx, q.PaymentID)
	if err != nil {
		return OfPayment{}, err
	}
	refunds, err := loadAll(tx, paymentPrefix+q.PaymentID+"/", "", kv.MaxPage)
	return OfPayment{Outstanding: o, Refunds: refunds}, err
}

// Get returns a refund. It fails with code NotFound if there is none.
func (c Client) Get(ctx context.Context, id string) (Refund, error) {
	return kv.Ask[Refund](ctx, c.Coordinator, c.Object, get{ID: id})
}

// List returns at most limit refunds after an ID, or only those that wait for a person.
func (c Client) List(ctx context.Context, attention bool, after string, limit int) (Page, error) {
	return kv.Ask[Page](ctx, c.Coordinator, c.Object, list{Attention: attention, After: after, Limit: limit})
}

// Due returns at most limit refunds whose next step is due, those that are due longest first.
func (c Client) Due(ctx context.Context, limit int) ([]Refund, error) {
	return kv.Ask[[]Refund](ctx, c.Coordinator, c.Object, due{Limit: limit})
}

// Open reports whether a refund has a next step, now or later, or a run is open.
func (c Client) Open(ctx context.Context) (bool, error) {
	all, err := kv.Ask[[]Refund](ctx, c.Coordinator, c.Object, due{Limit: 1, Later: true})
	if err != nil || len(all) > 0 {
		return err == nil, err
	}
	r, err := c.Run(ctx)
	return r.Open(), err
}

// OfPayment returns what remains of a payment, and its refunds.
func (c Client) OfPayment(ctx context.Context, paymentID string) (OfPayment, error) {
	return kv.Ask[OfPayment](ctx, c.Coordinator, c.Object, ofPayment{PaymentID: paymentID})
}

// GrantInRun decides a refund of a run. It fails as Grant does, and with code Conflict if the run is no longer
// active.
func (c Client) GrantInRun(ctx context.Context, r Refund, run string) (Refund, error) {
	return c.send(ctx, "refund-grant:"+r.ID, grant{Refund: r, Run: run})
}

// StartRun decides a run, which waits for a second operator. A repeated request returns the same run. It
// fails with code Conflict while another run is open, and for the ID of an earlier run.
func (c Client) StartRun(ctx context.Context, r Run) (Run, error) {
	return kv.Send[Run](ctx, c.Coordinator, c.Object, "refund-run-start:"+r.ID, startRun{Run: r})
}

// ChangeRun changes the run; a repeat changes nothing. It fails with code Invalid for an unknown change, with
// NotFound if the last run has another ID, and with Conflict if the run's status does not permit the change, or
// the operator who started it confirms it.
func (c Client) ChangeRun(ctx context.Context, id, by string, change RunChange) (Run, error) {
	return kv.Send[Run](ctx, c.Coordinator, c.Object, "refund-run-change:"+id+":"+string(change)+":"+by,
		changeRun{ID: id, By: by, Change: change})
}

// RecordVisit records the visit to the next payment of the run; repeating it changes nothing.
func (c Client) RecordVisit(ctx context.Context, id string, v Visit) (Run, error) {
	return kv.Send[Run](ctx, c.Coordinator, c.Object, fmt.Sprintf("refund-run-visit:%s:%d", id, v.Entry),
		recordVisit{ID: id, Visit: v})
}

// FinishRun ends an active run after its last payment.
func (c Client) FinishRun(ctx context.Context, id string) (Run, error) {
	return kv.Send[Run](ctx, c.Coordinator, c.Object, "refund-run-finish:"+id, finishRun{ID: id})
}

// Run returns the last run, the zero Run if there was none.
func (c Client) Run(ctx context.Context) (Run, error) {
	return kv.Ask[Run](ctx, c.Coordinator, c.Object, getRun{})
}

// Payments returns the payments among the limit entries of the ledger after a number.
func (c Client) Payments(ctx context.Context, after, limit int) (PaymentPage, error) {
	return kv.Ask[PaymentPage](ctx, c.Coordinator, c.Object, listPayments{After: after, Limit: limit})
}
