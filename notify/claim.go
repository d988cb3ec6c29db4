package notify

import (
	"context"
	"time"
)

// Claim is what has to hold when a mail is sent. Mails of the kinds Charged, UpdateCard, Dropped,
// Missed and Cancelled state the outcome of a charge or of a campaign. Those of the kind
// RunnerReport have a reader who may see the report.
type Claim struct {
	Pledges []string `json:"pledges,omitempty"` // IDs, of one campaign
	// PaymentID is the payment, with Charged; Generation is the attempt that failed, with
	// UpdateCard.
	PaymentID  string `json:"paymentIntentId,omitempty"`
	Generation int    `json:"generation,omitempty"`
	// Reader is the address that gets the report, with RunnerReport.
	Reader string      `json:"reader,omitempty"`
	Report ReportTopic `json:"report,omitempty"`
}

// Verdict says what to do with a mail that states an outcome.
type Verdict string

// The verdicts.
const (
	SendNow Verdict = "send"
	Wait    Verdict = "wait" // it cannot be verified now; try again later
	Discard Verdict = "discard"
)

// Verifier checks mails with a claim just before they are sent: what was true when they were
// queued may no longer be, for example after a restore.
type Verifier interface {
	// VerifyClaim returns what to do with a mail of a kind about a campaign. reason says
	// why it is not sent.
	VerifyClaim(ctx context.Context, k Kind, slug string, c Claim) (v Verdict, reason string, err error)
}

// verifyLater is when a mail that could not be verified is tried again.
const verifyLater = time.Hour

// verify checks a mail before an attempt. sendIt is false if the mail was put off or ended. An
// attempt that may have reached the provider is repeated without a check, under its key.
func (t *try) verify(ctx context.Context, now time.Time) (sendIt bool, err error) {
	if t.Verifier == nil || t.Claim == nil || t.PossiblySent || t.Sending {
		return true, nil
	}
	verdict, reason, err := t.Verifier.VerifyClaim(ctx, t.Mail.Kind, t.Mail.Campaign, *t.Claim)
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	if err != nil { // other mails are sent all the same
		verdict = Wait
	}
	switch verdict {
	case Wait:
		t.done.Waiting++
		t.DueAt = now.Add(verifyLater)
		return false, t.put(ctx)
	case Discard:
		t.done.Discarded++
		return false, t.end(ctx, Discarded, Receipt{Reason: reason})
	case SendNow:
	}
	return true, nil
}
