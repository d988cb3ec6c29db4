package settlement

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Status is where a group stands.
type Status string

// The statuses. Succeeded is final; after Failed a new generation may follow.
const (
	Submitted      Status = "submitted"      // frozen, and no known outcome
	Succeeded      Status = "succeeded"      // the money moved
	Failed         Status = "failed"         // known not to have happened
	NeedsAttention Status = "needsAttention" // nothing is sent any more; the processor is still asked
)

// Why a group needs attention.
const (
	NoAnswer         = "no_answer"         // the key is too old to be sent again
	KeyMismatch      = "key_mismatch"      // the processor knows the key with another request
	AmountDiffers    = "amount_differs"    // the payment found is not the one asked for
	EarlierSucceeded = "earlier_succeeded" // an attempt known as failed turns out to have succeeded
	AnswerDiffers    = "answer_differs"    // the processor's answer is about another charge; Code names the field
)

const groupVersion = 1

// maxHistory is how many earlier generations a group remembers.
const maxHistory = 20

// Group is one supporter's charge in one campaign. Everything that is sent to
// the processor is frozen with it, for as long as its generation lasts.
type Group struct {
	Version      int    `json:"version" kv:"version"`
	CampaignSlug string `json:"campaignSlug"`
	Hash         string `json:"hash"`
	Supporter    string `json:"supporter"` // pledge.EmailHash

	Status     Status `json:"status"`
	Reason     string `json:"reason,omitempty"`   // with NeedsAttention
	Generation int    `json:"generation" kv:"id"` // from 1

	Key    string      `json:"idempotencyKey"`
	Orders []Part      `json:"orders"`
	Amount money.Cents `json:"amount"` // cents
	// Requested is what was asked for if two operators accepted another Amount; 0 otherwise.
	Requested money.Cents `json:"requestedAmount,omitempty"`
	// Received is the amount that the processor received, in cents, if it is not Amount.
	Received        money.Cents `json:"receivedAmount,omitempty"`
	Currency        string      `json:"currency"`
	Description     string      `json:"description,omitempty"`  // what the supporter's bank shows
	NamesPledges    bool        `json:"namesPledges,omitempty"` // at the processor; groups of earlier releases do not
	CustomerID      string      `json:"pspCustomerId"`
	PaymentMethodID string      `json:"pspPaymentMethodId"`
	CardSavedAt     time.Time   `json:"cardSavedAt"`

	SubmittedAt time.Time `json:"submittedAt"`
	// FirstSubmittedAt is when the key was first sent by a request that may have arrived. It
	// is never refreshed. NotStarted counts the attempts that are known to have begun nothing.
	FirstSubmittedAt *time.Time `json:"firstSubmittedAt,omitempty"`
	NotStarted       int        `json:"notStarted,omitempty"`
	LastAttemptAt    *time.Time `json:"lastAttemptAt,omitempty"`
	Attempts         int        `json:"attempts"`
	NextAttemptAt    time.Time  `json:"nextAttemptAt"`
	// AskedAt is when the processor was last asked what became of it, Asks how
	// often, and AskedAfter how many attempts had been made by then.
	AskedAt    *time.Time `json:"askedAt,omitempty"`
	Asks       int        `json:"asks"`
	AskedAfter int        `json:"askedAfter"`

	PaymentIntentID      string      `json:"paymentIntentId,omitempty"`
	ProcessorStatus      psp.Status  `json:"processorStatus,omitempty"`
	ChargeID             string      `json:"chargeId,omitempty"`
	BalanceTransactionID string      `json:"balanceTransactionId,omitempty"`
	Fee                  money.Cents `json:"feeAmount"` // cents, with a BalanceTransactionID
	Net                  money.Cents `json:"netAmount"`
	AvailableAt          *time.Time  `json:"processorAvailableAt,omitempty"`
	Code                 string      `json:"errorCode,omitempty"`
	DeclineCode          string      `json:"declineCode,omitempty"`
	// MayPass says that a refusal may pass with the same card, and Confirmable
	// that the supporter may still confirm the payment that failed.
	MayPass     bool `json:"mayPass,omitempty"`
	Confirmable bool `json:"confirmable,omitempty"`
	// Refused reports whether the processor did not accept the request itself, which is no
	// decision about the card. The supporter is not told for a while (see refusedPause).
	Refused   bool   `json:"refused,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	// SettledAt is when the outcome became known, and Booked whether the pledges
	// and the supporter know it.
	SettledAt *time.Time `json:"settledAt,omitempty"`
	Booked    bool       `json:"booked"`
	UpdatedAt time.Time  `json:"updatedAt"`
	// FirstFailedAt is when the first generation that failed did, and DroppedAt
	// when the group was given up.
	FirstFailedAt *time.Time `json:"firstFailedAt,omitempty"`
	DroppedAt     *time.Time `json:"droppedAt,omitempty"`

	// Lease is the number of the one in which the generation was last frozen or sent, and
	// Learned are its last facts, newest last: by them a command that is delivered again
	// is known.
	Lease   int64    `json:"term,omitempty"`
	Learned []string `json:"learned,omitempty"`
	// Resolutions are what operators have said of attempts that needed attention, and Void
	// says that this one ended by it without a charge.
	Resolutions []Resolution `json:"resolutions,omitempty"`
	Void        bool         `json:"void,omitempty"`

	// Differences are the last answers that were about another charge, newest last.
	Differences []Difference `json:"differences,omitempty"`

	History []Attempt `json:"history,omitempty"` // earlier generations, newest last
}

// Difference is an answer of the processor that was not about the charge that was requested.
type Difference struct {
	At        time.Time `json:"at" kv:"id"`
	PaymentID string    `json:"paymentIntentId,omitempty"`
	Field     string    `json:"field"` // the first one that differed, such as "customer"
}

const maxDifferences = 5

// Part is a pledge in a group, with the amount it had when it was frozen.
type Part struct {
	ID     string      `json:"id" kv:"id"`
	Amount money.Cents `json:"amount"` // cents
}

// Attempt is what is remembered of an earlier generation.
type Attempt struct {
	Generation       int         `json:"generation" kv:"id"`
	Status           Status      `json:"status"`
	Key              string      `json:"idempotencyKey"`
	Amount           money.Cents `json:"amount"`
	PaymentIntentID  string      `json:"paymentIntentId,omitempty"`
	Code             string      `json:"errorCode,omitempty"`
	DeclineCode      string      `json:"declineCode,omitempty"`
	FirstSubmittedAt *time.Time  `json:"firstSubmittedAt,omitempty"`
	SettledAt        *time.Time  `json:"settledAt,omitempty"`
	Void             bool        `json:"void,omitempty"`    // it charged nothing, and nobody was told
	Refused          bool        `json:"refused,omitempty"` // the processor did not accept the request
}

// done reports whether nothing is left to do for the generation.
func (g *Group) done() bool {
	return g.Booked && (g.Status == Succeeded || g.Status == Failed)
}

// has reports whether the group knows what matters of a payment: who is charged already is
// charged no more, whatever else there is, and of an earlier attempt only a success counts.
func (g *Group) has(p paid) bool {
	if g.Status == Succeeded || p.Refunded && g.isVoid(p.Generation) {
		return true
	}
	if p.Generation == g.Generation {
		return g.PaymentIntentID == p.PaymentID && !g.lacks(p) && (g.Status != Failed || p.Status != psp.Succeeded)
	}
	for _, a := range g.History {
		if a.Generation == p.Generation && a.Status == Succeeded {
			return true
		}
	}
	return p.Generation < g.Generation && p.Status != psp.Succeeded
}

// lacks reports whether the group waits for pledges that a payment names: their orders were lost
// when it was taken in, and may have been brought back since.
func (g *Group) lacks(p paid) bool {
	return g.Status == NeedsAttention && g.Reason == AmountDiffers && g.Generation == p.Generation && len(g.Orders) < p.Pledges
}

// isVoid reports whether two operators established that an attempt charged nothing.
func (g *Group) isVoid(generation int) bool {
	return slices.ContainsFunc(g.Resolutions, func(r Resolution) bool {
		return r.Generation == generation && r.PaymentID == "" && r.ConfirmedBy != ""
	})
}

// outcome is what there is to tell of the generation, "" while nothing is.
func (g *Group) outcome() string {
	switch {
	case g.DroppedAt != nil:
		return "dropped"
	case g.Status == Succeeded || g.Status == Failed:
		return string(g.Status)
	}
	return ""
}

// void ends a failed attempt of which nobody is told: the next one follows with the same card.
func (g *Group) void(now time.Time) {
	g.Void, g.Booked, g.UpdatedAt, g.FirstFailedAt = true, true, now, g.earlierFailure()
}

// recovering reports whether the charge has failed and may still be made good.
func (g *Group) recovering() bool { return g.Status == Failed && g.Booked && g.DroppedAt == nil }

// unbooked reports whether everybody knows of a success whose figures the
// processor had not booked yet.
func (g *Group) unbooked() bool {
	return g.Status == Succeeded && g.Booked && g.BalanceTransactionID == ""
}

// orderIDs lists the pledges of the group.
func (g *Group) orderIDs() []string {
	ids := make([]string, 0, len(g.Orders))
	for _, o := range g.Orders {
		ids = append(ids, o.ID)
	}
	return ids
}
