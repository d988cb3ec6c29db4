package mailtext

import (
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// FraudWarningMail composes the mail to an operator about a payment to a campaign whose bank suspects fraud. Its
// link leads to the payment in the dashboard. It contains nothing about the supporter.
func FraudWarningMail(s SignIn, title string, amount money.Cents, p Platform) (notify.Message, error) {
	if !isAbsolute(s.Link) {
		return notify.Message{}, fault.New(fault.Invalid, "A mail about a fraud warning needs an absolute link").In("link")
	}
	w := languageFor(s.Lang)
	values := []string{"title", notify.PlainLine(title), "amount", amount.Amount(s.Lang)}
	lead := w.Format("fraud_warning", values...)
	return s.messageWith(w.Format("fraud_warning_subject", values...), notify.AdminDispute, p, group{
		textParagraph(lead),
		textParagraph(w.Format("fraud_warning_what")),
		newAction(w.Format("fraud_warning_open", "link", s.Link), w.Format("fraud_warning_button")),
	}, lead)
}
