package mailtext

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// RefundedMail composes the mail about a refund of a pledge that is on its way, with the operator's
// message, "" for none.
func RefundedMail(p *pledge.Pledge, r pledge.Refund, message string, c *campaign.Campaign, l Links,
	now time.Time) (notify.Message, error) {
	return refundMail(notify.Refunded, p, r, message, c, l, now)
}

// RefundFailedMail composes the mail about a refund that the bank returned: the supporter does not have
// the money.
func RefundFailedMail(p *pledge.Pledge, r pledge.Refund, c *campaign.Campaign, l Links,
	now time.Time) (notify.Message, error) {
	return refundMail(notify.RefundFailed, p, r, "", c, l, now)
}

func refundMail(k notify.Kind, p *pledge.Pledge, r pledge.Refund, message string, c *campaign.Campaign, l Links,
	now time.Time) (notify.Message, error) {
	w := languageFor(p.PreferredLang)
	extra := group{textParagraph(w.Format(string(k) + "_next"))}
	if message != "" {
		extra = append(extra, textParagraph(w.Format("refund_message")))
		for text := range strings.SplitSeq(message, "\n\n") {
			extra = append(extra, textParagraph(text))
		}
	}
	m, err := composePledgeMail(k, string(k)+":"+r.ID+":"+p.OrderID,
		pledgeMail{campaign: c, pledges: []*pledge.Pledge{p}, zone: time.UTC, refunded: r.Amount, extra: extra}, l, now)
	m.Claim = &notify.Claim{Pledges: []string{p.OrderID}, RefundID: r.ID}
	return m, err
}
