package dispute

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
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
}

// ObservedWarning returns the observation of a warning that the processor reported to a request, which was
// sent at askedAt.
func ObservedWarning(w psp.FraudWarning, slug, group string, askedAt time.Time) Warning {
	return Warning{Version: Version, ID: w.ID, CampaignSlug: slug, Group: group, PaymentID: w.PaymentID,
		ChargeID: w.ChargeID, Actionable: w.Actionable, Reason: w.Reason, WarnedAt: w.CreatedAt, AskedAt: askedAt}
}
