package mailtext

import (
	"cmp"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// pledgeMail holds the data of a mail about one or more pledges of a supporter to a campaign.
type pledgeMail struct {
	language
	campaign   *campaign.Campaign
	title      string           // the campaign's title, on one line
	pledges    []*pledge.Pledge // at least one
	total      money.Cents      // of all pledges; for Charged, the charged amount
	agreed     money.Cents      // of all pledges, as agreed
	refunded   money.Cents      // by the refund that the mail is about
	manageLink string           // manage link of the first pledge
	joinLink   string           // link to join all pledges of the address; "" unless hasOthers
	zone       *time.Location
	hasOthers  bool // the address has other pledges to the campaign
	joint      *groupPayment
	platform   string
	extra      group // blocks that only this kind has
	brief      bool  // leave out the pledges' lines and all order numbers except the first
}

// groupPayment describes the joint payment of a new pledge that is charged together with others
// although they were not joined.
type groupPayment struct {
	by     pledge.Grouping
	others int         // number of other pledges, at least one
	total  money.Cents // of the joint payment
}

// formatPledge is like Format, with the values that every message about a pledge can use.
func (l pledgeMail) formatPledge(id string, pairs ...string) string {
	return l.Format(id, append(pairs, "title", l.title, "total", l.amount(l.total), "refunded", l.amount(l.refunded), "card", l.card(), "link",
		l.manageLink, "goal", l.price(l.campaign.Goal), "deadline", l.deadline())...)
}

// draft builds the mail of a kind from the messages with the kind's name. It begins with the
// payment status, followed by one button and the bill.
func (l pledgeMail) draft(k notify.Kind) draft {
	d := draft{language: l.language, subject: l.formatPledge(string(k) + "_subject"),
		footer: group{small(l.formatPledge("why_pledge"))}}
	switch k {
	case notify.Confirmation:
		d.headline, d.preview = l.formatPledge("confirmation_title"), l.chargeTerms()
		d.blocks = nonEmpty(l.rule(), textParagraph(l.Format("until_then")), l.seePledge(),
			l.contents("order", "total_due"), l.shipTo(), l.chargingNote())
	case notify.Modified:
		d.headline, d.preview = d.subject, l.chargeTerms()
		d.blocks = nonEmpty(l.rule(), textParagraph(l.Format("until_then")), l.seePledge(),
			l.contents("order", "total_due"), l.shipTo())
	case notify.CardReplaced:
		d.headline, d.preview = l.formatPledge("card_replaced_title"), l.formatPledge("card_replaced")
		d.blocks = l.withOrders(textParagraph(d.preview), l.rule(), l.seePledge(),
			textParagraph(l.Format("card_replaced_tail")))
	case notify.Charged:
		d.headline, d.preview = l.formatPledge("charged_title"), l.charged()
		d.blocks = nonEmpty(paragraph{{Words: d.preview, Strong: true}}, l.amountChanged(), l.seePledge(),
			l.contents("receipt", "total_charged"), l.shipTo(), l.deliveries())
	case notify.UpdateCard:
		d.headline, d.preview = l.Format("update_card_title"), l.formatPledge("update_card")
		d.blocks = nonEmpty(l.declined(d.preview), l.nextStep(), l.amountsDue())
	case notify.Missed:
		d.headline, d.preview = l.formatPledge("missed_title"), l.formatPledge("missed_charge")
		freed := box{good, paragraph{{Words: d.preview, Strong: true}, {Words: " " + l.Format("missed_card")}}}
		d.blocks = l.withOrders(textParagraph(l.formatPledge("missed")), freed, l.seePledge())
	case notify.ParcelSent, notify.Readdressed, notify.Refunded, notify.RefundFailed:
		d.preview = l.formatPledge(string(k))
		d.blocks = l.withOrders(textParagraph(d.preview), l.extra, l.seePledge())
	case notify.Cancelled, notify.Dropped:
		d.preview = l.formatPledge(string(k))
		d.blocks = l.withOrders(textParagraph(d.preview), l.seePledge())
	default: // other kinds have their own functions
	}
	return d
}

// withOrders returns the blocks that have text, followed by the order numbers.
func (l pledgeMail) withOrders(blocks ...block) group {
	return nonEmpty(append(blocks, small(l.orders()))...)
}

// seePledge returns the button that opens the pledge.
func (l pledgeMail) seePledge() block {
	return action{Label: l.Format("see_button"), Link: l.manageLink}
}

// rule returns a box that states that nothing was charged yet, and when the card will be charged.
func (l pledgeMail) rule() block {
	return box{good, paragraph{{Words: l.Format("nothing_charged"), Strong: true}, {Words: " " + l.chargeTerms()}}}
}

// chargingNote returns an explanation of whether a new pledge is charged together with others of
// the supporter, or no block if there are none.
func (l pledgeMail) chargingNote() block {
	cancel := aside{l.Format("beside_cancel"), l.manageLink + "&do=cancel"}
	switch {
	case l.joint != nil:
		return group{textParagraph(l.formatPledge(l.joint.messageID(), "count", fmt.Sprint(l.joint.others),
			"sum", l.amount(l.joint.total))), cancel}
	case !l.hasOthers:
		return group{}
	case l.pledges[0].JoinedAt != nil:
		return textParagraph(l.formatPledge("together"))
	}
	id := "beside"
	if l.campaign.Deadline.IsZero() {
		id = "beside_undated"
	}
	return group{
		paragraph{{Words: l.formatPledge(id), Strong: true}, {Words: " " + l.Format("beside_separate")}},
		aside{l.Format("beside_join"), l.joinLink}, cancel,
	}
}

// messageID returns the ID of the message about the joint payment.
func (c *groupPayment) messageID() string {
	if c.by == pledge.ByEmail {
		return "by_email"
	}
	return "session"
}

// chargeTerms returns the sentence about when the saved card will be charged.
func (l pledgeMail) chargeTerms() string {
	if l.campaign.Deadline.IsZero() {
		return l.formatPledge("rule_undated")
	}
	return l.formatPledge("rule")
}

// charged returns the sentence about the charge, with its date if it is known.
func (l pledgeMail) charged() string {
	if at := l.chargedAt(); at != "" {
		return l.formatPledge("charged", "date", at)
	}
	return l.formatPledge("charged_undated")
}

// chargedAt returns the formatted date of the charge, or "" if it is unknown.
func (l pledgeMail) chargedAt() string {
	if at := l.pledges[0].ChargedAt; at != nil {
		return l.language.day(at.In(l.zone))
	}
	return ""
}

// card returns the name of the card that is charged, the newest of the pledges' cards.
func (l pledgeMail) card() string {
	newest := l.pledges[0]
	for _, p := range l.pledges {
		if p.Card != nil && (newest.Card == nil || p.CardSavedAt.After(newest.CardSavedAt)) {
			newest = p
		}
	}
	if newest.Card == nil {
		return l.Format("card")
	}
	brand := cmp.Or(notify.PlainLine(newest.Card.BrandName()), l.Format("card"))
	return l.Format("card_ending", "brand", brand, "last4", notify.PlainLine(newest.Card.Last4))
}

// declined returns the paragraph about the failed charge, with the bank's reason if it is known.
func (l pledgeMail) declined(lead string) block {
	words := paragraph{{Words: lead + " "}}
	if f := l.pledges[0].LastFailure; f != nil {
		words = append(words, span{Words: l.formatPledge("reason_" + string(f.Reason())), Strong: true}, span{Words: " "})
	}
	return append(words, span{Words: l.Format("no_money_taken")})
}

// nextStep returns the blocks that explain what the supporter can do about a failed charge, until
// when, and what happens after that. All pledges of a charge have the same recovery, so the first
// one's is used.
func (l pledgeMail) nextStep() block {
	pay := action{Label: l.Format("repair_button"), Link: l.manageLink}
	note := small(l.formatPledge("repair_note"))
	r := l.pledges[0].Recovery
	if r == nil {
		return group{pay, note}
	}
	until := l.day(r.Until)
	then := span{Words: " " + l.Format("then_dropped")}
	switch r.Lane {
	case pledge.Approve:
		approve := action{Label: l.Format("repair_approve_button"), Link: l.manageLink}
		return group{box{bad, paragraph{{Words: l.Format("until_approve", "until", until), Strong: true}, then}}, approve}
	case pledge.Wait:
		retry := l.Format("until_wait", "retry", l.day(*r.RetryAt))
		otherwise := span{Words: " " + l.formatPledge("until_wait_else", "until", until)}
		return group{box{bad, paragraph{{Words: retry, Strong: true}, otherwise}}, pay, note}
	case pledge.NewCard, pledge.Dropped:
	}
	return group{box{bad, paragraph{{Words: l.Format("until_new_card", "until", until), Strong: true}, then}}, pay, note}
}

func (l pledgeMail) day(t time.Time) string { return l.moment(t.In(l.zone)) }

// deadline returns the formatted time of the campaign's last second in the platform's zone, or ""
// if the campaign has no deadline.
func (l pledgeMail) deadline() string {
	if l.campaign.Deadline.IsZero() {
		return ""
	}
	return l.day(l.campaign.EndsAt(l.zone).Add(-time.Second))
}

// orders returns the sentence with the order numbers; in the brief form, with their count and the
// first one.
func (l pledgeMail) orders() string {
	if l.brief {
		return l.Format("orders_brief", "count", fmt.Sprint(len(l.pledges)), "order", l.pledges[0].OrderID)
	}
	ids := make([]string, 0, len(l.pledges))
	for _, p := range l.pledges {
		ids = append(ids, p.OrderID)
	}
	return l.Format("orders", "count", fmt.Sprint(len(ids)), "orders", l.list(ids))
}
