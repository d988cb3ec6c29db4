package refund

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// partsNote returns what a refund takes, for its metadata at the processor, so that its record can be
// rebuilt after a restore. It returns "" if that is too long for the metadata.
func (r *Refund) partsNote() string {
	b, err := json.Marshal(r.Parts)
	if err != nil || len(b) > maxNote {
		return ""
	}
	return string(b)
}

// maxNote is the maximum length of a metadata value at Stripe, in bytes.
const maxNote = 500

// Request returns the frozen request of a refund.
func (r *Refund) Request() psp.NewRefund {
	n := psp.NewRefund{Key: r.Key, ID: r.ID, PaymentID: r.PaymentID, Amount: r.Amount,
		Metadata: map[string]string{psp.CampaignKey: r.CampaignSlug}}
	if note := r.partsNote(); note != "" {
		n.Metadata[psp.RefundPartsKey] = note
	}
	if r.FirstSentAt != nil {
		n.NotAfter = r.FirstSentAt.Add(psp.SafeAge)
	}
	return n
}

// Found returns the record of a refund that the processor has, to adopt it.
func Found(f psp.Refund, slug, group string) Refund {
	r := Refund{ID: f.OurID, CampaignSlug: slug, Group: group, PaymentID: f.PaymentID, Amount: f.Amount,
		RefundID: f.ID, Reason: OtherReason, Adopted: true}
	if !ValidID(r.ID) {
		r.ID = f.ID
	}
	if json.Unmarshal([]byte(f.Parts), &r.Parts) != nil || ledger.SumOf(r.Parts) != f.Amount {
		r.Parts = nil
	}
	return r
}

// adopt records a refund that the processor has and the campaign does not.
type adopt struct {
	Refund Refund `json:"refund"`
	Result Result `json:"result"`
}

func (adopt) Kind() string { return "refund-adopt" }

// runAdopt takes the parts that the refund names, or its share of what remains, and records the
// movement. A refund that is known stays as it is.
func runAdopt(tx kv.Tx, now time.Time, cmd adopt) (Refund, error) {
	r := cmd.Refund
	known, ok, err := kv.Load[Refund](tx, refundPrefix+r.ID)
	if err != nil || ok {
		return known, err
	}
	if len(r.Parts) == 0 || ledger.Take(tx, r.PaymentID, r.Parts) != nil {
		if r.Parts, err = ledger.Claim(tx, r.PaymentID, r.Amount); err != nil {
			return Refund{}, err
		}
	}
	r.Version, r.Status, r.GrantedAt = Version, Submitted, now
	r.apply(cmd.Result, now)
	if err := tx.Put(paymentPrefix+r.PaymentID+"/"+r.ID, []byte{}); err != nil {
		return Refund{}, err
	}
	if !r.Holds() {
		return r, fault.New(fault.Conflict, "The refund %s has failed", r.RefundID)
	}
	if err := appendMovement(tx, r, now); err != nil {
		return Refund{}, err
	}
	return save(tx, r, now)
}
