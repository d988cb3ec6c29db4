package notify

import (
	"context"
	"time"
)

// Claim records the facts that a mail states, so that they can be checked just before it is sent.
// Mails of the kinds Charged, UpdateCard, Dropped, Missed, Cancelled, Refunded and RefundFailed state
// the outcome of a charge, a refund or a campaign. A RunnerReport claims that its reader may see the
// report.
type Claim struct {
	Pledges []string `json:"pledges,omitempty"` // IDs, of one campaign
	// PaymentID is the payment (Charged). Generation is the failed attempt (UpdateCard).
	PaymentID  string `json:"paymentIntentId,omitempty"`
	Generation int    `json:"generation,omitempty"`
	// RefundID is the service's ID of the refund (Refunded, RefundFailed).
	RefundID string `json:"refundId,omitempty"`
	// Reader is the report's recipient (RunnerReport).
	Reader string      `json:"reader,omitempty"`
	Report ReportTopic `json:"report,omitempty"`
}

// ReportTopic is the topic of a RunnerReport.
type ReportTopic string

// The topics.
const (
	PledgeReport      ReportTopic = "pledges"     // the pledges of a live campaign
	FulfillmentReport ReportTopic = "fulfillment" // the orders of a settled campaign
)

// Verdict is a Verifier's decision about a mail with a claim.
type Verdict string

// The verdicts.
const (
	SendNow Verdict = "send"
	Wait    Verdict = "wait" // cannot be verified now; try again later
	Discard Verdict = "discard"
)

// Verifier checks mails with a claim just before they are sent. A claim can become
// false while the mail is queued, for example through a restore.
type Verifier interface {
	// VerifyClaim returns the verdict for a mail of kind k about a campaign. reason explains
	// a verdict of Discard.
	VerifyClaim(ctx context.Context, k Kind, slug string, c Claim) (v Verdict, reason string, err error)
}

// verifyRetryWait is the delay before a mail that could not be verified is checked again.
const verifyRetryWait = time.Hour

// verify checks a mail's claim before an attempt. sendIt is false if the mail was postponed
// or discarded. An error of the Verifier postpones the mail, unless ctx has ended. A mail that may
// have reached the provider is not checked: it is retried under its key to learn the outcome.
func (a *attempt) verify(ctx context.Context, now time.Time) (sendIt bool, err error) {
	if a.Verifier == nil || a.Claim == nil || a.PossiblySent || a.Sending {
		return true, nil
	}
	verdict, reason, err := a.Verifier.VerifyClaim(ctx, a.Mail.Kind, a.Mail.Campaign, *a.Claim)
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	if err != nil { // the drain continues with the other mails
		verdict = Wait
	}
	switch verdict {
	case Wait:
		a.done.Waiting++
		a.DueAt = now.Add(verifyRetryWait)
		return false, a.reschedule(ctx)
	case Discard:
		a.done.Discarded++
		return false, a.finish(ctx, Discarded, Receipt{Reason: reason})
	case SendNow:
	}
	return true, nil
}
