package dispute

import (
	"reflect"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// The keys of disputes in a campaign's settlement object.
const (
	disputePrefix        = "dispute/"         // ID → Dispute
	openPrefix           = "dispute-open/"    // ID → nothing, for open disputes
	paymentPrefix        = "dispute-payment/" // payment ID, "/", ID → nothing
	warningPrefix        = "warning/"         // ID → Warning
	warningPaymentPrefix = "warning-payment/" // payment ID, "/", ID → nothing
	warningOpenPrefix    = "warning-open/"    // ID → nothing, for warnings that may await a decision
)

// Register adds the commands of disputes to settlement objects, which have the ledger.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runObserve)
	kv.OnQuery(c, runGet)
	kv.OnQuery(c, runList)
	kv.OnQuery(c, runOfPayment)
	kv.OnQuery(c, runSums)
	kv.OnQuery(c, runListWarnings)
	kv.OnRepeatable(c, runAcknowledge)
	kv.OnRepeatable(c, runSetPlaces)
	kv.OnRepeatable(c, runSetProgress)
	kv.OnQuery(c, runPlaces)
	kv.OnQuery(c, runImport)
}

// observe records what the processor reported about a campaign's payments.
type observe struct {
	Disputes []Dispute `json:"disputes,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

func (observe) Kind() string { return "dispute-observe" }

// Recorded are the observed disputes as recorded, and those of the observed warnings that await a decision.
type Recorded struct {
	Disputes []Dispute `json:"disputes"`
	Warnings []Warning `json:"warnings"`
}

// runObserve records observations, with the ledger entries of what the disputes moved.
func runObserve(tx kv.Tx, now time.Time, cmd observe) (Recorded, error) {
	var out Recorded
	for _, o := range cmd.Disputes {
		d, err := recordDispute(tx, o, now)
		if err != nil {
			return Recorded{}, err
		}
		out.Disputes = append(out.Disputes, d)
	}
	for _, o := range cmd.Warnings {
		w, err := recordWarning(tx, o)
		if err != nil {
			return Recorded{}, err
		}
		awaits, err := w.awaits(tx)
		if err != nil {
			return Recorded{}, err
		}
		if awaits {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out, nil
}

func recordDispute(tx kv.Tx, o Dispute, now time.Time) (Dispute, error) {
	was, _, err := kv.Load[Dispute](tx, disputePrefix+o.ID)
	if err != nil {
		return Dispute{}, err
	}
	d := was
	d.apply(o, now)
	if err := bookDispute(tx, &d, now); err != nil {
		return Dispute{}, err
	}
	if reflect.DeepEqual(d, was) {
		return d, nil
	}
	if changed(was, d) {
		d.UpdatedAt = now
	}
	if err := kv.PutValue(tx, disputePrefix+d.ID, d); err != nil {
		return Dispute{}, err
	}
	if err := tx.Put(paymentPrefix+d.PaymentID+"/"+d.ID, []byte{}); err != nil {
		return Dispute{}, err
	}
	if d.IsOpen() {
		return d, tx.Put(openPrefix+d.ID, []byte{})
	}
	return d, tx.Delete(openPrefix + d.ID)
}

// changed reports whether more than the time of the observation differs.
func changed(was, d Dispute) bool {
	was.AskedAt = d.AskedAt
	return !reflect.DeepEqual(was, d)
}

// bookDispute appends the entries that the ledger lacks. A damaged ledger does not prevent that a status is
// stored: reconciliation finds it, and the next observation tries again.
func bookDispute(tx kv.Tx, d *Dispute, now time.Time) error {
	err := appendMovements(tx, d, now)
	if err == nil {
		err = appendLoss(tx, d, now)
	}
	if fault.Of(err) == nil {
		return err
	}
	return nil
}

func appendMovements(tx kv.Tx, d *Dispute, now time.Time) error {
	for _, m := range d.Movements {
		known, err := ledger.Has(tx, ledger.DisputeIdentity(m.ID))
		if err != nil {
			return err
		}
		if known || m.Currency != money.USD || m.Amount == 0 && m.Fee == 0 {
			continue
		}
		account := ledger.Suspense
		switch {
		case m.isDisputed():
			account = ledger.Disputed
		case m.Category == psp.BalanceFee:
			account = ledger.Fees
		}
		e := ledger.NewDispute(d.payment(m.At), d.ID, ledger.Change{ID: m.ID, Amount: m.Amount, Fee: m.Fee}, account)
		if _, err := ledger.Append(tx, now, e); err != nil {
			return err
		}
	}
	return nil
}

// appendLoss makes the recorded loss equal to the amount that a lost dispute has withdrawn and not
// returned.
func appendLoss(tx kv.Tx, d *Dispute, now time.Time) error {
	var lost money.Cents
	if d.Phase() == Lost {
		lost = d.Withdrawn()
	}
	if lost == d.Loss {
		return nil
	}
	e := ledger.NewDisputeLoss(d.payment(now), d.ID, d.LossEntries+1, lost-d.Loss)
	if _, err := ledger.Append(tx, now, e); err != nil {
		return err
	}
	d.Loss, d.LossEntries = lost, d.LossEntries+1
	return nil
}

func (d *Dispute) payment(at time.Time) ledger.Payment {
	return ledger.Payment{ID: d.PaymentID, ChargeID: d.ChargeID, At: at}
}
