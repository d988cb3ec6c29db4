package state

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// GroupStatus is the state of a group.
type GroupStatus string

// The statuses of a group. Succeeded is final; a new generation may follow Failed.
const (
	Submitted      GroupStatus = "submitted"      // frozen, outcome unknown
	Succeeded      GroupStatus = "succeeded"      // the card was charged
	Failed         GroupStatus = "failed"         // the card was certainly not charged
	NeedsAttention GroupStatus = "needsAttention" // no more requests; lookups continue
)

// The reasons of NeedsAttention.
const (
	NoAnswer         = "no_answer"         // the key is too old to be sent again
	KeyMismatch      = "key_mismatch"      // the processor has the key with another request
	AmountDiffers    = "amount_differs"    // the payment found has another amount
	EarlierSucceeded = "earlier_succeeded" // an attempt that was recorded as failed succeeded
	AnswerDiffers    = "answer_differs"    // the processor answered about another charge; Code names the field
)

// GroupVersion is the version of a group's record.
const GroupVersion = 1

// maxHistory is how many earlier generations a group keeps.
const maxHistory = 20

// Group is one charge in one campaign. Its request to the processor is frozen for as long as its
// generation lasts.
type Group struct {
	Version      int    `json:"version" kv:"version"`
	CampaignSlug string `json:"campaignSlug"`
	Hash         string `json:"hash"`
	Supporter    string `json:"supporter"` // pledge.EmailHash

	Status     GroupStatus `json:"status"`
	Reason     string      `json:"reason,omitempty"`   // of NeedsAttention
	Generation int         `json:"generation" kv:"id"` // from 1

	Key    string      `json:"idempotencyKey"`
	Orders []Part      `json:"orders"`
	Amount money.Cents `json:"amount"` // cents
	// Requested is the amount of the request if two operators accepted another Amount, else 0.
	Requested money.Cents `json:"requestedAmount,omitempty"`
	// Received is the amount that the processor received, in cents, if it differs from Amount.
	Received    money.Cents `json:"receivedAmount,omitempty"`
	Currency    string      `json:"currency"`
	Description string      `json:"description,omitempty"` // the payment's description at the processor
	// whether the payment's metadata lists the pledges; false if release 0.1.0 froze the group
	NamesPledges    bool      `json:"namesPledges,omitempty"`
	CustomerID      string    `json:"pspCustomerId"`
	PaymentMethodID string    `json:"pspPaymentMethodId"`
	CardSavedAt     time.Time `json:"cardSavedAt"`

	SubmittedAt time.Time `json:"submittedAt"`
	// FirstSubmittedAt is when a request that may have arrived was first sent with the key.
	// Later requests do not change it. NotStarted counts the requests that certainly did not
	// arrive.
	FirstSubmittedAt *time.Time `json:"firstSubmittedAt,omitempty"`
	NotStarted       int        `json:"notStarted,omitempty"`
	LastAttemptAt    *time.Time `json:"lastAttemptAt,omitempty"`
	Attempts         int        `json:"attempts"`
	NextAttemptAt    time.Time  `json:"nextAttemptAt"`
	// AskedAt is the time of the last lookup, Asks the number of lookups, and AskedAfter the
	// number of requests before the last one.
	AskedAt    *time.Time `json:"askedAt,omitempty"`
	Asks       int        `json:"asks"`
	AskedAfter int        `json:"askedAfter"`

	PaymentIntentID      string      `json:"paymentIntentId,omitempty"`
	ProcessorStatus      psp.Status  `json:"processorStatus,omitempty"`
	ChargeID             string      `json:"chargeId,omitempty"`
	BalanceTransactionID string      `json:"balanceTransactionId,omitempty"`
	Fee                  money.Cents `json:"feeAmount"` // cents; valid with a BalanceTransactionID
	Net                  money.Cents `json:"netAmount"`
	AvailableAt          *time.Time  `json:"processorAvailableAt,omitempty"`
	Code                 string      `json:"errorCode,omitempty"`
	DeclineCode          string      `json:"declineCode,omitempty"`
	// MayPass reports whether the same card may succeed later, and Confirmable whether the
	// supporter can still confirm the failed payment.
	MayPass     bool `json:"mayPass,omitempty"`
	Confirmable bool `json:"confirmable,omitempty"`
	// Refused reports whether the processor rejected the request itself, which is not a decision
	// about the card. The supporter is emailed later (see refusedPause).
	Refused   bool   `json:"refused,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	// SettledAt is when the outcome became known. Booked reports whether the outcome was
	// recorded in the pledges and the supporter was emailed.
	SettledAt *time.Time `json:"settledAt,omitempty"`
	Booked    bool       `json:"booked"`
	UpdatedAt time.Time  `json:"updatedAt"`
	// FirstFailedAt is when the first failed generation failed, and DroppedAt when the group was
	// dropped.
	FirstFailedAt *time.Time `json:"firstFailedAt,omitempty"`
	DroppedAt     *time.Time `json:"droppedAt,omitempty"`

	// Lease is the number of the lease under which the generation was last frozen or sent.
	// Learned has the fingerprints of its last results, newest last, which identify repeated
	// commands.
	Lease   int64    `json:"term,omitempty"`
	Learned []string `json:"learned,omitempty"`
	// Resolutions are the operators' statements about attempts that needed attention. Void reports
	// whether this attempt ended without a charge and without an email: by a statement, because its
	// request was never sent, or because a rejected request is repeated.
	Resolutions []Resolution `json:"resolutions,omitempty"`
	Void        bool         `json:"void,omitempty"`

	// Differences are the last results about another charge, newest last.
	Differences []Difference `json:"differences,omitempty"`

	History []Attempt `json:"history,omitempty"` // earlier generations, newest last
}

// Difference is a response of the processor that was not about the requested charge.
type Difference struct {
	At        time.Time `json:"at" kv:"id"`
	PaymentID string    `json:"paymentIntentId,omitempty"`
	Field     string    `json:"field"` // the first field that differed, such as "customer"
}

const maxDifferences = 5

// Part is a pledge in a group, with its amount when the group was frozen.
type Part struct {
	ID     string      `json:"id" kv:"id"`
	Amount money.Cents `json:"amount"` // cents
	// Components divide Amount for the ledger; zero in groups that an earlier release froze.
	Components ledger.Components `json:"components,omitzero"`
}

// NewPart returns the part of a pledge with its current amount.
func NewPart(p *pledge.Pledge) Part {
	return Part{ID: p.OrderID, Amount: p.Amount, Components: ledger.ComponentsOf(p.Totals)}
}

// Attempt is the history entry of an earlier generation.
type Attempt struct {
	Generation       int         `json:"generation" kv:"id"`
	Status           GroupStatus `json:"status"`
	Key              string      `json:"idempotencyKey"`
	Amount           money.Cents `json:"amount"`
	PaymentIntentID  string      `json:"paymentIntentId,omitempty"`
	Code             string      `json:"errorCode,omitempty"`
	DeclineCode      string      `json:"declineCode,omitempty"`
	FirstSubmittedAt *time.Time  `json:"firstSubmittedAt,omitempty"`
	SettledAt        *time.Time  `json:"settledAt,omitempty"`
	Void             bool        `json:"void,omitempty"`    // ended without a charge or an email
	Refused          bool        `json:"refused,omitempty"` // the processor rejected the request
}

// Done reports whether the generation has ended and was booked.
func (g *Group) Done() bool {
	return g.Booked && (g.Status == Succeeded || g.Status == Failed)
}

// hasRecorded reports whether the group already records everything relevant about a payment.
// After a success no other payment is relevant, and for an earlier attempt only a success is.
func (g *Group) hasRecorded(p ListedPayment) bool {
	if g.Status == Succeeded || p.Refunded && g.isVoid(p.Generation) {
		return true
	}
	if p.Generation == g.Generation {
		return g.PaymentIntentID == p.PaymentID && !g.MissesPledges(p) && (g.Status != Failed || p.Status != psp.Succeeded)
	}
	for _, a := range g.History {
		if a.Generation == p.Generation && a.Status == Succeeded {
			return true
		}
	}
	return p.Generation < g.Generation && p.Status != psp.Succeeded
}

// MissesPledges reports whether the group lacks pledges that a payment names. Their orders
// were lost when the payment was imported and may have been restored since.
func (g *Group) MissesPledges(p ListedPayment) bool {
	return g.Status == NeedsAttention && g.Reason == AmountDiffers && g.Generation == p.Generation &&
		len(g.Orders) < p.Pledges
}

// isVoid reports whether two operators established that an attempt charged nothing.
func (g *Group) isVoid(generation int) bool {
	return slices.ContainsFunc(g.Resolutions, func(r Resolution) bool {
		return r.Generation == generation && r.PaymentID == "" && r.ConfirmedBy != ""
	})
}

// outcome returns the generation's outcome, "dropped", "succeeded" or "failed", and "" while it is
// not known.
func (g *Group) outcome() string {
	switch {
	case g.DroppedAt != nil:
		return "dropped"
	case g.Status == Succeeded || g.Status == Failed:
		return string(g.Status)
	}
	return ""
}

// void ends a failed attempt without an email; the next attempt uses the same card.
func (g *Group) void(now time.Time) {
	g.Void, g.Booked, g.UpdatedAt, g.FirstFailedAt = true, true, now, g.earlierFailure()
}

// Recovering reports whether the charge failed and can still be retried.
func (g *Group) Recovering() bool { return g.Status == Failed && g.Booked && g.DroppedAt == nil }

// unbooked reports whether a success is booked except for the processor's fees, which were not
// available yet.
func (g *Group) unbooked() bool {
	return g.Status == Succeeded && g.Booked && g.BalanceTransactionID == ""
}

// OrderIDs returns the IDs of the group's pledges.
func (g *Group) OrderIDs() []string {
	ids := make([]string, 0, len(g.Orders))
	for _, o := range g.Orders {
		ids = append(ids, o.ID)
	}
	return ids
}

// OutcomeAt returns when the outcome became known, or the time of the last update while it is not.
func (g *Group) OutcomeAt() time.Time {
	if g.SettledAt == nil {
		return g.UpdatedAt
	}
	return *g.SettledAt
}

// NextGeneration returns the generation after the group's last, 1 for a nil group.
func (g *Group) NextGeneration() int {
	if g == nil {
		return 1
	}
	return g.Generation + 1
}
