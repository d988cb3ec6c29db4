package mailtext

import (
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Dispute is a dispute that awaits an answer, in a mail to operators.
type Dispute struct {
	Title    string      // of the campaign
	Amount   money.Cents // cents
	Inquiry  bool        // the bank only asks; no money was withdrawn
	AnswerBy time.Time   // in the platform's time zone
	Reminder bool        // the answer is due soon
}

// DisputeMail composes the mail to an operator about a dispute. Its link leads to the dashboard. It contains
// nothing about the supporter.
func DisputeMail(s SignIn, d Dispute, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "A mail about a dispute needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	name := "admin_dispute"
	if d.Reminder {
		name = "dispute_due"
	}
	what := "dispute_chargeback"
	if d.Inquiry {
		what = "dispute_inquiry"
	}
	values := []string{"title", notify.PlainLine(d.Title), "amount", d.Amount.Amount(s.Lang), "until", Moment(s.Lang, d.AnswerBy)}
	lead := w.Format(name, values...)
	return s.messageWith(w.Format(name+"_subject", values...), notify.AdminDispute, p, group{
		textParagraph(lead),
		textParagraph(w.Format(what)),
		newAction(w.Format("invitation_open", "link", s.Link), w.Format("invitation_open_button")),
	}, lead)
}
