package dispute

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Warning is the mirror of a card network's early fraud warning. It moves no money.
type Warning struct {
	Version      int    `json:"version" kv:"version"`
	ID           string `json:"id" kv:"id"` // the processor's
	CampaignSlug string `json:"campaignSlug"`
	Group        string `json:"group"` // hash of the charge group
	PaymentID    string `json:"paymentIntentId"`
	ChargeID     string `json:"chargeId,omitempty"`
	// Actionable reports whether a refund can still prevent a dispute.
	Actionable bool      `json:"actionable"`
	Reason     string    `json:"reason"` // as named by the processor
	WarnedAt   time.Time `json:"warnedAt"`
	AskedAt    time.Time `json:"askedAt"` // when the observation was asked for
	// AcknowledgedBy is the operator who left the payment as it is, "" for a program, at AcknowledgedAt.
	AcknowledgedBy string     `json:"acknowledgedBy,omitempty"`
	AcknowledgedAt *time.Time `json:"acknowledgedAt,omitempty"`
}

// ObservedWarning returns the observation of a warning that the processor reported to a request, which was
// sent at askedAt.
func ObservedWarning(w psp.FraudWarning, slug, group string, askedAt time.Time) Warning {
	return Warning{Version: Version, ID: w.ID, CampaignSlug: slug, Group: group, PaymentID: w.PaymentID,
		ChargeID: w.ChargeID, Actionable: w.Actionable, Reason: w.Reason, WarnedAt: w.CreatedAt, AskedAt: askedAt}
}

// recordWarning records an observation of a warning unless a newer one is recorded, and returns the warning
// as recorded. A warning that is no longer actionable may become so again, after a refund failed.
func recordWarning(tx kv.Tx, o Warning) (Warning, error) {
	was, known, err := kv.Load[Warning](tx, warningPrefix+o.ID)
	same := was.Actionable == o.Actionable && was.Reason == o.Reason
	if err != nil || known && (!o.AskedAt.After(was.AskedAt) || same) {
		return was, err
	}
	o.AcknowledgedBy, o.AcknowledgedAt = was.AcknowledgedBy, was.AcknowledgedAt
	if err := putWarning(tx, o); err != nil {
		return Warning{}, err
	}
	return o, tx.Put(warningPaymentPrefix+o.PaymentID+"/"+o.ID, []byte{})
}

// putWarning stores a warning, and lists it among those that may await a decision.
func putWarning(tx kv.Tx, w Warning) error {
	if err := kv.PutValue(tx, warningPrefix+w.ID, w); err != nil {
		return err
	}
	if w.Actionable && w.AcknowledgedAt == nil {
		return tx.Put(warningOpenPrefix+w.ID, []byte{})
	}
	return tx.Delete(warningOpenPrefix + w.ID)
}

// awaits reports whether a warning awaits a decision: it is neither acknowledged nor has the payment been
// disputed or refunded in full since.
func (w Warning) awaits(tx kv.Tx) (bool, error) {
	if !w.Actionable || w.AcknowledgedAt != nil {
		return false, nil
	}
	disputes, err := ofPayment(tx, w.PaymentID)
	if err != nil || len(disputes) > 0 {
		return false, err
	}
	left, err := ledger.ReadOutstanding(tx, w.PaymentID)
	if fault.Is(err, fault.NotFound) { // its charge is not recorded yet
		return true, nil
	}
	return ledger.SumOf(left.Remaining) > 0, err
}

// listWarnings requests the warnings that await a decision.
type listWarnings struct{}

func (listWarnings) Kind() string { return "dispute-warnings" }

func runListWarnings(tx kv.Tx, _ time.Time, _ listWarnings) ([]Warning, error) {
	all := []Warning{}
	for after := ""; ; {
		rows, err := tx.List(warningOpenPrefix, after, kv.MaxPage)
		if err != nil || len(rows) == 0 {
			return all, err
		}
		for _, row := range rows {
			after = row.Key
			w, _, err := kv.Load[Warning](tx, warningPrefix+strings.TrimPrefix(row.Key, warningOpenPrefix))
			if err != nil {
				return nil, err
			}
			awaits, err := w.awaits(tx)
			if err != nil {
				return nil, err
			}
			if awaits {
				all = append(all, w)
			}
		}
	}
}

// acknowledge records that an operator leaves a payment as it is.
type acknowledge struct {
	ID string `json:"id"`
	By string `json:"by"`
}

func (acknowledge) Kind() string { return "dispute-acknowledge-warning" }

func runAcknowledge(tx kv.Tx, now time.Time, cmd acknowledge) (Warning, error) {
	w, ok, err := kv.Load[Warning](tx, warningPrefix+cmd.ID)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "There is no such warning").In("warningId")
	}
	if err != nil || w.AcknowledgedAt != nil {
		return w, err
	}
	w.AcknowledgedBy, w.AcknowledgedAt = cmd.By, &now
	return w, putWarning(tx, w)
}
