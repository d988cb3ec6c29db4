package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// A Result is what the processor reported about one attempt: the response to the charge request,
// or the answer to a later lookup. Status is "" if a lookup found no payment.
type Result struct {
	Status     psp.Status  `json:"status,omitempty"`
	FromLookup bool        `json:"asked,omitempty"` // from a lookup, not from the charge request
	PaymentID  string      `json:"paymentId,omitempty"`
	Amount     money.Cents `json:"amount,omitempty"`
	Received   money.Cents `json:"received,omitempty"`
	// Differs names the field in which the payment differs from the request, "" for none. Such a
	// result is kept as evidence and never booked.
	Differs     string `json:"differs,omitempty"`
	Currency    string `json:"currency,omitempty"`
	ChargeID    string `json:"chargeId,omitempty"`
	Code        string `json:"code,omitempty"`
	DeclineCode string `json:"declineCode,omitempty"`
	MayPass     bool   `json:"mayPass,omitempty"`
	RequestID   string `json:"requestId,omitempty"`
	RetryAfter  int64  `json:"retryAfter,omitempty"` // seconds
	Barred      bool   `json:"barred,omitempty"`     // the processor refused our API key or account

	BalanceTransactionID string      `json:"balanceTransactionId,omitempty"`
	Fee                  money.Cents `json:"fee,omitempty"`
	Net                  money.Cents `json:"net,omitempty"`
	AvailableAt          *time.Time  `json:"availableAt,omitempty"`
	// FeesApplied reports whether the fees were copied to the pledges. Lookups made for another reason
	// leave it false, so that FillFinancials still updates the pledges.
	FeesApplied bool `json:"told,omitempty"`
}

// ChargeResult returns the result of a group's charge request.
func ChargeResult(g Group, o psp.Outcome, mode psp.Mode) Result {
	f := paymentResult(o.Payment)
	f.Differs = g.Compare(o.Payment, mode)
	f.Status, f.Code, f.DeclineCode, f.MayPass, f.RequestID = o.Status, o.Code, o.DeclineCode, o.MayPass, o.RequestID
	f.Barred = o.Barred
	f.RetryAfter = int64((o.RetryAfter + time.Second - 1) / time.Second)
	return f
}

// LookupResult reduces the payments that a lookup found for a group to one result: the succeeded
// payment if there is one, otherwise the newest.
func LookupResult(g Group, mode psp.Mode, found ...psp.Payment) Result {
	f := Result{}
	for i, p := range found {
		if i == 0 || p.Status == psp.Succeeded {
			f = paymentResult(p)
			f.Differs = g.Compare(p, mode)
		}
		if p.Status == psp.Succeeded {
			break
		}
	}
	f.FromLookup = true
	return f
}

// Compare returns the first field in which a payment differs from the group's request, "" for none.
// Amounts are compared when a success is recorded.
func (g *Group) Compare(p psp.Payment, mode psp.Mode) string {
	hash, generation, ours := ParseAttemptKey(p.Group, g.CampaignSlug)
	switch {
	case p.ID == "":
		return ""
	case p.Mode != mode:
		return "livemode"
	case !ours || hash != g.Hash || generation > g.Generation:
		return "metadata." + psp.GroupKey
	case p.Campaign != g.CampaignSlug:
		return "metadata." + psp.CampaignKey
	case p.CustomerID != g.CustomerID && generation == g.Generation:
		return "customer"
	case p.Status == psp.Succeeded && generation == g.Generation && g.PaymentMethodID != "" &&
		p.PaymentMethodID != g.PaymentMethodID:
		return "payment_method"
	}
	return ""
}

// paymentResult returns the result that a payment shows.
func paymentResult(p psp.Payment) Result {
	f := Result{Status: p.Status, PaymentID: p.ID, Amount: p.Amount, Received: p.Received,
		Currency: p.Currency, ChargeID: p.ChargeID,
		Code: p.Code, DeclineCode: p.DeclineCode, MayPass: p.MayPass}
	if b := p.Financials; b.BalanceTransactionID != "" {
		f.BalanceTransactionID, f.Fee, f.Net = b.BalanceTransactionID, b.Fee, b.Net
		if at := b.AvailableAt; !at.IsZero() {
			f.AvailableAt = &at
		}
	}
	return f
}

// maxFingerprints is how many results a generation remembers to recognize duplicates.
const maxFingerprints = 8

// resultCommand returns the command that records a result, with the state of the group in which it was
// received.
func resultCommand(g Group, f Result) recordResult {
	return recordResult{Hash: g.Hash, Generation: g.Generation, Fact: f, Attempts: g.Attempts, Asks: g.Asks}
}

// fingerprint identifies a result within its generation, by its content and by the number of
// requests and lookups before it.
func (t recordResult) fingerprint() string {
	b, _ := json.Marshal(t) // a struct of plain fields cannot fail
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// WithResult returns the group as the object has it after recording a result.
func (g *Group) WithResult(f Result, now time.Time) Group {
	next := *g
	next.record(resultCommand(next, f), now)
	return next
}

// record applies a result unless it is a duplicate, and reports whether it did.
func (g *Group) record(t recordResult, now time.Time) (new bool) {
	if slices.Contains(g.Learned, t.fingerprint()) {
		return false
	}
	g.Learned = append(slices.Clone(g.Learned), t.fingerprint())
	g.Learned = g.Learned[max(0, len(g.Learned)-maxFingerprints):]
	g.apply(t.Fact, now)
	return true
}

// apply merges a result of the current generation into the group. A success overrides anything
// recorded before.
func (g *Group) apply(f Result, now time.Time) {
	if f.FromLookup {
		g.AskedAt, g.AskedAfter = &now, g.Attempts
		g.Asks++
	}
	if g.repeatsAction(f) {
		return
	}
	g.UpdatedAt = now
	switch {
	case g.Status == Succeeded && f.FeesApplied:
		g.applyFees(f)
		return
	case g.Status == Succeeded, g.Status == Failed && (f.isInconclusive() || f.Differs != "" && !g.isOwn(f)):
		return
	case f.Differs != "":
		g.addDifference(f, now)
		if g.Reason != EarlierSucceeded {
			g.Status, g.Reason, g.Code = NeedsAttention, AnswerDiffers, f.Differs
		}
		return
	}
	g.copyDetails(f)
	switch f.Status {
	case psp.Succeeded:
		g.applySuccess(f, now)
	case psp.Declined, psp.NeedsAction, psp.Canceled, psp.Refused:
		g.applyFailure(f, now)
	case psp.Mismatch:
		if g.Reason != EarlierSucceeded {
			g.Status, g.Reason = NeedsAttention, KeyMismatch
		}
	case psp.NotStarted:
		if g.NotStarted++; g.NotStarted >= g.Attempts { // no request has arrived
			g.FirstSubmittedAt = nil
		}
		g.NextAttemptAt = now.Add(min(max(pause, time.Duration(f.RetryAfter)*time.Second), maxPause))
		g.AskedAt, g.AskedAfter = &now, g.Attempts // this request never arrived, so there is nothing to look up
	case psp.Unknown, psp.Pending, psp.Accepted: // Accepted is a refund's; no charge has it
		g.NextAttemptAt = now.Add(pause)
	}
}

// isOwn reports whether a result shows that the group's own payment succeeded.
func (g *Group) isOwn(f Result) bool {
	return f.Status == psp.Succeeded && f.PaymentID != "" && f.PaymentID == g.PaymentIntentID
}

// repeatsAction reports whether a result only repeats that a failed payment waits for its supporter.
func (g *Group) repeatsAction(f Result) bool {
	return g.Status == Failed && g.Confirmable && f.Differs == "" && f.Status == psp.NeedsAction &&
		f.PaymentID == g.PaymentIntentID
}

// addDifference keeps the last few results about another charge as evidence.
func (g *Group) addDifference(f Result, now time.Time) {
	g.Differences = append(slices.Clone(g.Differences), Difference{At: now, PaymentID: f.PaymentID, Field: f.Differs})
	g.Differences = g.Differences[max(0, len(g.Differences)-maxDifferences):]
}

// copyDetails copies what the processor reported. Code, DeclineCode and MayPass follow the
// status; empty IDs never replace known ones.
func (g *Group) copyDetails(f Result) {
	switch {
	case f.Status == psp.Canceled, f.Status == psp.Pending && g.Status == Failed:
		g.ProcessorStatus = f.Status // keep the reason of the failure
	case f.Status != "":
		g.ProcessorStatus, g.Code, g.DeclineCode, g.MayPass = f.Status, f.Code, f.DeclineCode, f.MayPass
	}
	if f.PaymentID != "" {
		g.PaymentIntentID = f.PaymentID
	}
	if f.ChargeID != "" {
		g.ChargeID = f.ChargeID
	}
	if f.RequestID != "" {
		g.RequestID = f.RequestID
	}
	if f.BalanceTransactionID != "" {
		g.BalanceTransactionID, g.Fee, g.Net, g.AvailableAt = f.BalanceTransactionID, f.Fee, f.Net, f.AvailableAt
	}
}

// isInconclusive reports whether a result leaves it open whether the charge succeeded. A
// delayed request may produce one after the outcome is known.
func (f Result) isInconclusive() bool { return f.Status == psp.Unknown || f.Status == psp.NotStarted }

// applyFees copies fees that arrived after the success and were already applied to the
// pledges.
func (g *Group) applyFees(f Result) {
	if !g.unbooked() || f.PaymentID != g.PaymentIntentID || f.BalanceTransactionID == "" {
		return
	}
	g.ChargeID = f.ChargeID
	g.BalanceTransactionID, g.Fee, g.Net, g.AvailableAt = f.BalanceTransactionID, f.Fee, f.Net, f.AvailableAt
}

// applySuccess records a success. The group needs attention if its failure may already have been
// emailed, or if the amount or currency differs from the request. It stays unchanged if an earlier
// generation has succeeded.
func (g *Group) applySuccess(f Result, now time.Time) {
	switch {
	case g.Reason == EarlierSucceeded:
	case g.Status == Failed && !g.Confirmable: // the supporter may have been emailed already
		g.Status, g.Reason = NeedsAttention, EarlierSucceeded
	case f.Amount != g.Amount || f.Received != g.Amount || f.Currency != g.Currency:
		g.Status, g.Reason, g.Received = NeedsAttention, AmountDiffers, f.Received
	default:
		g.Status, g.Reason, g.SettledAt, g.Booked, g.Confirmable = Succeeded, "", &now, false, false
	}
}

// applyFailure records a known failure. A payment that requires action can be confirmed by its
// supporter until it is canceled.
func (g *Group) applyFailure(f Result, now time.Time) {
	if g.Reason == EarlierSucceeded {
		return
	}
	if f.Status == psp.Canceled {
		g.Confirmable = false
	}
	if g.Status == Failed {
		return
	}
	g.Status, g.Reason, g.SettledAt = Failed, "", &now
	g.Confirmable = f.Status == psp.NeedsAction && g.PaymentIntentID != ""
	if g.Refused = f.Status == psp.Refused; g.Refused {
		g.MayPass = true // the same card may work once the request is accepted
	}
	if g.Confirmable {
		g.AskedAt, g.AskedAfter = &now, g.Attempts // the supporter cannot have confirmed it yet
	}
	if g.FirstFailedAt == nil {
		g.FirstFailedAt = &now
	}
}

// applyEarlier merges a result of an earlier generation. Only a success is relevant: nothing
// more may be charged then.
func (g *Group) applyEarlier(generation int, f Result, now time.Time) {
	if f.Status != psp.Succeeded || f.Differs != "" {
		return
	}
	for i := range g.History {
		if a := &g.History[i]; a.Generation == generation {
			if a.Status == Succeeded && a.PaymentIntentID == f.PaymentID {
				return
			}
			a.Status, a.PaymentIntentID = Succeeded, f.PaymentID
		}
	}
	g.Status, g.Reason, g.UpdatedAt = NeedsAttention, EarlierSucceeded, now
}

// startNext returns the group of the next generation, with this one in its history.
func (g *Group) startNext(n Group) Group {
	n.FirstFailedAt, n.Resolutions = g.FirstFailedAt, g.Resolutions
	n.History = append(n.History, g.History...)
	n.History = append(n.History, Attempt{
		Generation: g.Generation, Status: g.Status, Key: g.Key, Amount: g.Amount,
		PaymentIntentID: g.PaymentIntentID, Code: g.Code, DeclineCode: g.DeclineCode,
		FirstSubmittedAt: g.FirstSubmittedAt, SettledAt: g.SettledAt, Void: g.Void, Refused: g.Refused,
	})
	if extra := len(n.History) - maxHistory; extra > 0 {
		n.History = n.History[extra:]
	}
	return n
}
