package refund

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// The keys of refunds in a settlement object.
const (
	refundPrefix    = "refund/"           // ID → Refund
	duePrefix       = "refund-due/"       // time, "/", ID → nothing, for refunds that have a next step
	attentionPrefix = "refund-attention/" // ID → nothing, for refunds that wait for a person
	paymentPrefix   = "refund-of/"        // payment ID, "/", ID → nothing
)

// Register adds the commands of refunds to settlement objects, which have the ledger.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runGrant)
	kv.OnRepeatable(c, runAdopt)
	kv.OnRepeatable(c, runConfirm)
	kv.OnRepeatable(c, runWithdraw)
	kv.OnRepeatable(c, runAttempt)
	kv.OnRepeatable(c, runRecordResult)
	kv.OnRepeatable(c, runMarkUnanswered)
	kv.OnRepeatable(c, runMarkTold)
	kv.OnRepeatable(c, runMarkRepaid)
	kv.OnRepeatable(c, runStartRun)
	kv.OnRepeatable(c, runChangeRun)
	kv.OnRepeatable(c, runRecordVisit)
	kv.OnRepeatable(c, runFinishRun)
	kv.OnQuery(c, runGet)
	kv.OnQuery(c, runList)
	kv.OnQuery(c, runDue)
	kv.OnQuery(c, runOfPayment)
	kv.OnQuery(c, runGetRun)
	kv.OnQuery(c, runListPayments)
}

// grant decides a refund. Unless a second operator has to confirm it, it can be sent at once.
type grant struct {
	Refund Refund      `json:"refund"`
	Limit  money.Cents `json:"limit"` // a second operator has to confirm what exceeds it; see Unconfirmed
	// Run is the ID of the run that grants the refund, which has to be active; "" for an operator.
	Run string `json:"run,omitempty"`
}

func (grant) Kind() string { return "refund-grant" }

// runGrant takes the refund's parts from what remains of its payment, so that no other refund can have
// them. A repeated command with the same ID returns the first refund; with another amount it is refused.
func runGrant(tx kv.Tx, now time.Time, cmd grant) (Refund, error) {
	r := cmd.Refund
	known, ok, err := kv.Load[Refund](tx, refundPrefix+r.ID)
	switch {
	case err != nil:
		return Refund{}, err
	case ok && known.PaymentID == r.PaymentID && slices.Equal(known.Parts, r.Parts):
		return known, nil
	case ok:
		return Refund{}, fault.New(fault.Conflict, "The refund %s is for another payment or amount", r.ID)
	}
	if cmd.Run != "" {
		run, err := loadRun(tx)
		if err != nil {
			return Refund{}, err
		}
		if run.ID != cmd.Run || run.Status != RunActive {
			return Refund{}, fault.New(fault.Conflict, "The run is %s", run.Status)
		}
	}
	if err := ledger.Take(tx, r.PaymentID, r.Parts); err != nil {
		return Refund{}, err
	}
	earlier, err := loadAll(tx, paymentPrefix+r.PaymentID+"/", "", kv.MaxPage)
	if err != nil {
		return Refund{}, err
	}
	r.Version, r.Status, r.GrantedAt, r.Amount = Version, Granted, now, ledger.SumOf(r.Parts)
	if r.ConfirmedBy == "" && Unconfirmed(earlier)+r.Amount > cmd.Limit {
		r.Status = Waiting
	}
	if err := tx.Put(paymentPrefix+r.PaymentID+"/"+r.ID, []byte{}); err != nil {
		return Refund{}, err
	}
	return save(tx, r, now)
}

// Unconfirmed returns the sum of the refunds that one operator alone has decided, in cents.
func Unconfirmed(all []Refund) (sum money.Cents) {
	for _, r := range all {
		if r.Holds() && !r.Adopted && r.ConfirmedBy == "" && r.Status != Waiting {
			sum += r.Amount
		}
	}
	return sum
}

// confirm is a second operator's consent.
type confirm struct {
	ID string `json:"id"`
	By string `json:"by"`
}

func (confirm) Kind() string { return "refund-confirm" }

func runConfirm(tx kv.Tx, now time.Time, cmd confirm) (Refund, error) {
	r, err := load(tx, cmd.ID)
	switch {
	case err != nil || r.ConfirmedBy == cmd.By:
		return r, err
	case r.Status != Waiting:
		return Refund{}, fault.New(fault.Conflict, "The refund needs no confirmation: it is %s", r.Status)
	case !areTwo(r.GrantedBy, cmd.By):
		return Refund{}, fault.New(fault.Conflict, "Another operator than the one who granted the refund has to confirm it")
	}
	r.Status, r.ConfirmedBy, r.ConfirmedAt = Granted, cmd.By, &now
	return save(tx, r, now)
}

// areTwo reports whether the operators are certainly two people. One person can have both an address
// and the name of an operator key.
func areTwo(a, b string) bool {
	return a != b && strings.Contains(a, "@") == strings.Contains(b, "@")
}

// withdraw ends a refund that the processor does not have.
type withdraw struct {
	ID string `json:"id"`
}

func (withdraw) Kind() string { return "refund-withdraw" }

func runWithdraw(tx kv.Tx, now time.Time, cmd withdraw) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil || r.Status == Withdrawn {
		return r, err
	}
	if !r.canWithdraw() {
		return Refund{}, fault.New(fault.Conflict, "The refund may have reached the processor: it is %s", r.Status)
	}
	r.settle(Withdrawn, now)
	if err := ledger.PutBack(tx, r.PaymentID, r.Parts); err != nil {
		return Refund{}, err
	}
	return save(tx, r, now)
}

// attempt counts a request before it is sent.
type attempt struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
}

func (attempt) Kind() string { return "refund-attempt" }

func runAttempt(tx kv.Tx, now time.Time, cmd attempt) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil {
		return Refund{}, err
	}
	if r.Status != Granted && r.Status != Submitted || r.Attempts != cmd.Number-1 || r.isKeyOld(now) {
		return Refund{}, fault.New(fault.Conflict, "The refund cannot be sent in its current state")
	}
	if r.FirstSentAt == nil {
		r.FirstSentAt = &now
	}
	r.Status, r.Attempts, r.NextAttemptAt = Submitted, cmd.Number, now.Add(pause)
	return save(tx, r, now)
}

// recordResult records a result of the processor.
type recordResult struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
}

func (recordResult) Kind() string { return "refund-tell" }

// runRecordResult records a result, and what it moved, in one transaction.
func runRecordResult(tx kv.Tx, now time.Time, cmd recordResult) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil {
		return Refund{}, err
	}
	held, was := r.Holds(), r.Status
	r.apply(cmd.Result, now)
	if held && !r.Holds() {
		if err := ledger.PutBack(tx, r.PaymentID, r.Parts); err != nil {
			return Refund{}, err
		}
	}
	if was != r.Status {
		if err := appendMovement(tx, r, now); err != nil {
			return Refund{}, err
		}
	}
	return save(tx, r, now)
}

// appendMovement records what a new status moved.
func appendMovement(tx kv.Tx, r Refund, now time.Time) error {
	p := ledger.Payment{ID: r.PaymentID, At: now}
	var e ledger.Entry
	switch r.Status {
	case Succeeded:
		e = ledger.NewRefund(p, r.RefundID, r.Parts)
	case Failed:
		if err := appendMissed(tx, r, p, now); err != nil {
			return err
		}
		e = ledger.NewRefundFailure(p, r.RefundID, r.Amount)
	case Repaid:
		e = ledger.NewRepayment(p, r.RefundID, r.Amount)
	default:
		return nil
	}
	_, err := ledger.Append(tx, now, e)
	return err
}

// appendMissed records a refund that came back before it was observed as succeeded.
func appendMissed(tx kv.Tx, r Refund, p ledger.Payment, now time.Time) error {
	known, err := ledger.Has(tx, ledger.RefundIdentity(r.RefundID))
	if err != nil || known {
		return err
	}
	_, err = ledger.Append(tx, now, ledger.NewRefund(p, r.RefundID, r.Parts))
	return err
}

// markUnanswered stops the requests of a refund whose key is too old.
type markUnanswered struct {
	ID string `json:"id"`
}

func (markUnanswered) Kind() string { return "refund-alarm" }

func runMarkUnanswered(tx kv.Tx, now time.Time, cmd markUnanswered) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil || r.Status != Submitted || !r.isKeyOld(now) {
		return r, err
	}
	r.settle(NeedsAttention, now)
	return save(tx, r, now)
}

// markTold records that the pledges show a status and the supporter was emailed about it.
type markTold struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
}

func (markTold) Kind() string { return "refund-told" }

func runMarkTold(tx kv.Tx, now time.Time, cmd markTold) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil || r.Status != cmd.Status {
		return r, err // it changed in the meantime
	}
	r.Told = cmd.Status
	return save(tx, r, now)
}

// markRepaid records an operator's statement that a failed refund was paid in another way.
type markRepaid struct {
	ID string `json:"id"`
	By string `json:"by"`
}

func (markRepaid) Kind() string { return "refund-repaid" }

func runMarkRepaid(tx kv.Tx, now time.Time, cmd markRepaid) (Refund, error) {
	r, err := load(tx, cmd.ID)
	if err != nil || r.Status == Repaid || r.RepaidBy == cmd.By {
		return r, err
	}
	if r.Status != Failed {
		return Refund{}, fault.New(fault.Conflict, "Only a failed refund can be paid in another way: it is %s", r.Status)
	}
	if r.RepaidBy == "" {
		r.RepaidBy = cmd.By
		return save(tx, r, now)
	}
	if !areTwo(r.RepaidBy, cmd.By) {
		return Refund{}, fault.New(fault.Conflict, "Another operator than the one who stated it first has to confirm it")
	}
	r.settle(Repaid, now)
	if err := appendMovement(tx, r, now); err != nil {
		return Refund{}, err
	}
	return save(tx, r, now)
}

func load(tx kv.Tx, id string) (Refund, error) {
	r, ok, err := kv.Load[Refund](tx, refundPrefix+id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "There is no refund %s", id)
	}
	return r, err
}

// save stores a refund and returns it as stored, with its entries in the lists of those that are due or wait for a person.
func save(tx kv.Tx, r Refund, now time.Time) (Refund, error) {
	if r.DueAt != nil {
		if err := tx.Delete(dueKey(*r.DueAt, r.ID)); err != nil {
			return r, err
		}
	}
	r.UpdatedAt, r.DueAt = now, nil
	if due, ok := dueAt(r, now); ok {
		r.DueAt = &due
		if err := tx.Put(dueKey(due, r.ID), []byte{}); err != nil {
			return r, err
		}
	}
	if err := kv.PutValue(tx, refundPrefix+r.ID, r); err != nil {
		return r, err
	}
	if !r.NeedsPerson() {
		return r, tx.Delete(attentionPrefix + r.ID)
	}
	return r, tx.Put(attentionPrefix+r.ID, []byte{})
}

func dueKey(at time.Time, id string) string {
	return duePrefix + at.UTC().Format("2006-01-02T15:04:05Z") + "/" + id
}
