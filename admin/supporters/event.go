package supporters

import (
	"cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// EventKind classifies an Event.
type EventKind string

// The kinds of events.
const (
	Pledged        EventKind = "pledged"
	Changed        EventKind = "changed"
	Combined       EventKind = "combined" // charged together with other pledges from then on
	Cancelled      EventKind = "canceled"
	CardReplaced   EventKind = "card_replaced"
	Charged        EventKind = "charged"
	ChargeDeclined EventKind = "charge_declined"
	Dropped        EventKind = "dropped"
	CardDeleted    EventKind = "card_deleted"
	ParcelPacked   EventKind = "parcel_packed"
	ParcelSent     EventKind = "parcel_sent"
	ParcelReopened EventKind = "parcel_reopened"
	AddressChanged EventKind = "address_changed"
	Refunded       EventKind = "refunded"
	RefundPending  EventKind = "refund_pending"
	RefundFailed   EventKind = "refund_failed" // it came back, and is still owed
	RefundRepaid   EventKind = "refund_repaid" // it came back, and was paid in another way
	RefundEnded    EventKind = "refund_ended"  // it failed before anything moved
	DisputeOpened  EventKind = "dispute_opened"
	DisputeWon     EventKind = "dispute_won"
	DisputeLost    EventKind = "dispute_lost"
	DisputeClosed  EventKind = "dispute_closed" // without a decision
	ParcelsHeld    EventKind = "parcels_held"
	ParcelsFreed   EventKind = "parcels_released"
	Noted          EventKind = "note"
	Attempted      EventKind = "charge_attempt" // see Event.Outcome and Event.Reason
	Emailed        EventKind = "email"          // see Event.Email and Event.Outcome
	OtherEvent     EventKind = "other"          // of a later release
)

// kinds maps the types of history entries and of operators' actions to kinds of events.
var kinds = map[string]EventKind{
	"created": Pledged, "modified": Changed, "joined": Combined, "cancelled": Cancelled,
	"card_updated": CardReplaced, "charged": Charged,
	"payment_failed": ChargeDeclined, "dropped": Dropped, "card_forgotten": CardDeleted,
	"parcel_packed": ParcelPacked, "parcel_sent": ParcelSent,
	"refund_succeeded": Refunded, "refund_pending": RefundPending, "refund_failed": RefundFailed,
	"refund_repaid": RefundRepaid, "refund_ended": RefundEnded,
	"dispute_open": DisputeOpened, "dispute_won": DisputeWon, "dispute_lost": DisputeLost, "dispute_closed": DisputeClosed,
	pledge.ParcelsHeld: ParcelsHeld, pledge.ParcelsReleased: ParcelsFreed,
	"parcel_reopened": ParcelReopened, "address_changed": AddressChanged, order.Noted: Noted,
}

// EventKinds returns all kinds of events.
func EventKinds() []EventKind {
	return []EventKind{Pledged, Changed, Combined, Cancelled, CardReplaced, Charged, ChargeDeclined, Dropped, CardDeleted,
		ParcelPacked, ParcelSent, ParcelReopened, AddressChanged, Refunded, RefundPending, RefundFailed,
		RefundRepaid, RefundEnded, DisputeOpened, DisputeWon, DisputeLost, DisputeClosed, ParcelsHeld, ParcelsFreed, Noted, Attempted, Emailed, OtherEvent}
}

func kindOf(historyType string) EventKind { return cmp.Or(kinds[historyType], OtherEvent) }

// Outcome is the result of a charge attempt or of an email.
type Outcome string

// The outcomes. An attempt is pending, succeeded, declined or unclear.
const (
	Pending    Outcome = "pending"
	Succeeded  Outcome = "succeeded"
	Declined   Outcome = "declined"
	Unclear    Outcome = "unclear"    // not known whether the card was charged or the email was sent
	Queued     Outcome = "queued"     // not sent yet
	Sent       Outcome = "sent"       // accepted by the email provider
	Delivered  Outcome = "delivered"  // accepted by the recipient's server
	Bounced    Outcome = "bounced"    // the address permanently rejects email
	Returned   Outcome = "returned"   // this email was returned, for example because the mailbox is full
	Complained Outcome = "complained" // marked as spam
	NotSent    Outcome = "not_sent"   // rejected, expired, suppressed or outdated
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Pending, Succeeded, Declined, Unclear, Queued, Sent, Delivered,
		Bounced, Returned, Complained, NotSent}
}

var attemptOutcomes = map[state.GroupStatus]Outcome{
	state.Submitted: Pending, state.Succeeded: Succeeded, state.Failed: Declined, state.NeedsAttention: Unclear,
}

// emailOutcome returns the outcome of an email. A report from the provider is newer than the
// status.
func emailOutcome(d notify.Delivery) Outcome {
	if d.Last != nil {
		switch d.Last.Kind {
		case notify.Delivered:
			return Delivered
		case notify.Bounced:
			return Bounced
		case notify.Returned:
			return Returned
		case notify.Complained:
			return Complained
		case notify.Unsent:
			return NotSent
		case notify.Taken, notify.Delayed:
			return Sent
		}
	}
	switch d.Status {
	case notify.Queued:
		return Queued
	case notify.Sent:
		return Sent
	case notify.Unclear:
		return Unclear
	case notify.Failed, notify.Expired, notify.Suppressed, notify.Discarded:
	}
	return NotSent
}

// declineReason returns the reason for a declined attempt, "" for other outcomes.
func declineReason(outcome Outcome, declineCode, code string) pledge.Reason {
	if outcome != Declined {
		return ""
	}
	return (&pledge.Failure{DeclineCode: declineCode, Code: code}).Reason()
}

// lastDecline returns the reason for a pledge's last declined charge, "" for none.
func lastDecline(p *pledge.Pledge) pledge.Reason {
	if p.LastFailure == nil || p.Status != pledge.PaymentFailed {
		return ""
	}
	return p.LastFailure.Reason()
}
