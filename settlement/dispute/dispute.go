package dispute

import (
	"cmp"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Version is the version of the records.
const Version = 1

// Phase classifies a dispute's status.
type Phase string

// The phases.
const (
	Inquiry    Phase = "inquiry"    // a question of the bank; no money moved
	Chargeback Phase = "chargeback" // the money is withdrawn and the dispute is not decided
	Won        Phase = "won"
	Lost       Phase = "lost"
	Closed     Phase = "closed"  // ended without a decision: an inquiry, or prevented
	Unknown    Phase = "unknown" // a status that this release does not know
)

var phases = map[psp.DisputeStatus]Phase{
	psp.DisputeStatusWarningNeedsResponse: Inquiry, psp.DisputeStatusWarningUnderReview: Inquiry,
	psp.DisputeStatusWarningClosed: Closed, psp.DisputeStatusPrevented: Closed,
	psp.DisputeStatusNeedsResponse: Chargeback, psp.DisputeStatusUnderReview: Chargeback,
	psp.DisputeStatusWon: Won, psp.DisputeStatusLost: Lost,
}

// Movement is a change of the processor's balance that a dispute caused. Amount is negative for a
// withdrawal and does not include Fee. Amounts are in cents.
type Movement struct {
	ID       string              `json:"id" kv:"id"` // of the balance transaction
	Category psp.BalanceCategory `json:"category"`
	Amount   money.Cents         `json:"amount"`
	Fee      money.Cents         `json:"fee"`
	Currency string              `json:"currency"`
	At       time.Time           `json:"at"`
}

// Dispute is the mirror of a processor's dispute.
type Dispute struct {
	Version      int               `json:"version" kv:"version"`
	ID           string            `json:"id" kv:"id"` // the processor's
	CampaignSlug string            `json:"campaignSlug"`
	Group        string            `json:"group"` // hash of the charge group
	PaymentID    string            `json:"paymentIntentId"`
	ChargeID     string            `json:"chargeId,omitempty"`
	Status       psp.DisputeStatus `json:"status"`
	Amount       money.Cents       `json:"amount"` // cents
	Currency     string            `json:"currency"`
	Reason       string            `json:"reason"`
	// NetworkReasonCode is the card network's reason, such as "13.1".
	NetworkReasonCode string `json:"networkReasonCode,omitempty"`
	// Refundable reports whether the payment can be refunded although the dispute is open.
	Refundable bool       `json:"refundable,omitempty"`
	OpenedAt   time.Time  `json:"openedAt"`
	DueBy      *time.Time `json:"dueBy,omitempty"`     // for evidence; nil if none can be submitted
	DecidedAt  *time.Time `json:"decidedAt,omitempty"` // when a final status was first observed
	Movements  []Movement `json:"movements,omitempty"`
	// Loss is the amount that the ledger records as lost, in cents, and LossEntries the number of its
	// entries.
	Loss        money.Cents `json:"loss,omitempty"`
	LossEntries int         `json:"lossEntries,omitempty"`
	// AskedAt is when the observation of the status was asked for.
	AskedAt   time.Time `json:"askedAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Phase returns the phase of the dispute's status.
func (d *Dispute) Phase() Phase { return phaseOf(d.Status) }

func phaseOf(s psp.DisputeStatus) Phase {
	if p, ok := phases[s]; ok {
		return p
	}
	return Unknown
}

// IsOpen reports whether the dispute may still be decided.
func (d *Dispute) IsOpen() bool {
	p := d.Phase()
	return p == Inquiry || p == Chargeback || p == Unknown
}

// BlocksRefunds reports whether the processor refuses refunds of the payment: while the dispute is open,
// unless the inquiry allows them, and after it was lost.
func (d *Dispute) BlocksRefunds() bool { return d.IsOpen() && !d.Refundable || d.Phase() == Lost }

// AnswerDue returns the deadline for an answer that was not submitted yet; ok is false if none is awaited.
// The deadline may have passed.
func (d *Dispute) AnswerDue() (by time.Time, ok bool) {
	answered := d.Status == psp.DisputeStatusUnderReview || d.Status == psp.DisputeStatusWarningUnderReview
	if d.DueBy == nil || !d.IsOpen() || answered {
		return time.Time{}, false
	}
	return *d.DueBy, true
}

// Withdrawn returns what the dispute has taken from the balance and not returned, in cents, without fees.
func (d *Dispute) Withdrawn() (sum money.Cents) {
	for _, m := range d.Movements {
		if m.isDisputed() {
			sum -= m.Amount
		}
	}
	return sum
}

// Fees returns the fees for the dispute, in cents.
func (d *Dispute) Fees() (sum money.Cents) {
	for _, m := range d.Movements {
		sum += m.Fee
		if m.Category == psp.BalanceFee {
			sum -= m.Amount
		}
	}
	return sum
}

// Disputed returns the balance of the ledger's account "disputed" for this dispute, in cents: the
// amount that was withdrawn and is neither returned nor lost.
func (d *Dispute) Disputed() money.Cents { return d.Withdrawn() - d.Loss }

func (m Movement) isDisputed() bool {
	return m.Currency == money.USD && (m.Category == psp.BalanceDispute || m.Category == psp.BalanceDisputeReversal)
}

const (
	// askOpen is how often an open dispute is looked up, and askDecided one that was decided less than
	// watched ago: banks sometimes change their decision, and the money may move days after it.
	askOpen, askDecided = time.Hour, 24 * time.Hour
	watched             = 60 * 24 * time.Hour
)

// NextLookup returns when the dispute is to be looked up next; ok is false for never.
func (d *Dispute) NextLookup() (at time.Time, ok bool) {
	if d.IsOpen() {
		return d.AskedAt.Add(askOpen), true
	}
	at = d.AskedAt.Add(askDecided)
	return at, d.DecidedAt != nil && at.Before(d.DecidedAt.Add(watched))
}

// Observed returns the observation of a dispute that the processor reported to a request, which was sent at
// askedAt. group is the hash of the payment's charge group.
func Observed(d psp.Dispute, slug, group string, askedAt time.Time) Dispute {
	out := Dispute{Version: Version, ID: d.ID, CampaignSlug: slug, Group: group, PaymentID: d.PaymentID,
		ChargeID: d.ChargeID, Status: d.Status, Amount: d.Amount, Currency: d.Currency, Reason: d.Reason,
		NetworkReasonCode: d.NetworkReasonCode, Refundable: d.Refundable, OpenedAt: d.CreatedAt, AskedAt: askedAt}
	if !d.EvidenceDueBy.IsZero() {
		out.DueBy = &d.EvidenceDueBy
	}
	for _, b := range d.Movements {
		out.Movements = append(out.Movements, Movement{ID: b.ID, Category: b.Category, Amount: b.Amount, Fee: b.Fee,
			Currency: b.Currency, At: b.CreatedAt})
	}
	return out
}

// clockError is how much the clocks of two servers may differ. Two observations that are closer together
// are ordered by their statuses, which seldom go backwards.
const clockError = 30 * time.Minute

// isNewer reports whether an observation is newer than the recorded one.
func (d *Dispute) isNewer(o Dispute) bool {
	progress := rank(o.Status) - rank(d.Status)
	return o.AskedAt.After(d.AskedAt.Add(-time.Duration(progress) * clockError))
}

// rank returns how far a dispute has come, from -1 to 1 relative to a chargeback.
func rank(s psp.DisputeStatus) int {
	switch phaseOf(s) {
	case Inquiry:
		return -1
	case Won, Lost, Closed:
		return 1
	case Chargeback, Unknown:
	}
	return 0
}

// apply records an observation. Its movements are added even if it is older than the recorded one.
func (d *Dispute) apply(o Dispute, now time.Time) {
	moved := slices.Clone(d.Movements)
	for _, m := range o.Movements {
		if !slices.ContainsFunc(moved, func(k Movement) bool { return k.ID == m.ID }) {
			moved = append(moved, m)
		}
	}
	slices.SortFunc(moved, func(a, b Movement) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	wrongClock := d.AskedAt.After(now.Add(24 * time.Hour))
	if d.ID == "" || wrongClock || d.isNewer(o) {
		o.Loss, o.LossEntries, o.DecidedAt, o.UpdatedAt = d.Loss, d.LossEntries, d.DecidedAt, d.UpdatedAt
		if o.IsOpen() {
			o.DecidedAt = nil
		} else if o.DecidedAt == nil {
			o.DecidedAt = &now
		}
		*d = o
	}
	d.Movements = moved
}
