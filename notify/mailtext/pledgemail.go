package mailtext

import (
	"fmt"
	"strings"
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
	manageLink string           // manage link of the first pledge
	joinLink   string           // link that joins the pledge with all others of its address
	zone       *time.Location
	hasOthers  bool // the address has other pledges to the campaign
	joint      *groupPayment
	extra      group // blocks that only this kind has
	brief      bool  // leave out the pledges' lines and all order numbers except the first
}

// groupPayment describes the joint payment of a new pledge that is charged with others without
// having been joined.
type groupPayment struct {
	by     pledge.Grouping
	others int         // number of other pledges, at least one
	total  money.Cents // of the joint payment
}

// formatPledge is format with the values that every message about a pledge can use.
func (l pledgeMail) formatPledge(id string, pairs ...string) string {
	return l.Format(id, append(pairs, "title", l.title, "total", l.amount(l.total), "link", l.manageLink, "goal", l.price(l.campaign.Goal))...)
}

// draft builds the mail of a kind from the messages with the kind's name.
func (l pledgeMail) draft(k notify.Kind) draft {
	lead := l.formatPledge(string(k), "deadline", l.deadline())
	d := draft{language: l.language, subject: l.formatPledge(string(k) + "_subject"), preview: lead}
	switch k {
	case notify.Confirmation:
		d.preview = l.chargeTerms()
		d.blocks = l.withOrders(textParagraph(lead), l.contents(), textParagraph(d.preview), l.chargingNote(), l.action("change_link"))
	case notify.Modified:
		d.preview = l.chargeTerms()
		d.blocks = l.withOrders(textParagraph(lead), l.contents(), textParagraph(d.preview), l.action("change_link"))
	case notify.Charged:
		d.blocks = l.withOrders(textParagraph(lead), l.amountChanged(), l.contents(), l.action("see_link"))
	case notify.UpdateCard:
		d.blocks = l.withOrders(textParagraph(lead), textParagraph(l.declineReason()), l.nextStep())
	case notify.ParcelSent, notify.Readdressed:
		d.blocks = l.withOrders(textParagraph(lead), l.extra, l.action("see_link"))
	case notify.Cancelled, notify.Dropped, notify.Missed:
		d.blocks = l.withOrders(textParagraph(lead), l.action("see_link"))
	default: // other kinds have their own functions
	}
	return d
}

// withOrders drops empty blocks and appends the order numbers.
func (l pledgeMail) withOrders(blocks ...block) group {
	return nonEmpty(append(blocks, small(l.orders()))...)
}

// action returns a message that ends with a link, as a button.
func (l pledgeMail) action(id string, pairs ...string) block {
	return newAction(l.formatPledge(id, pairs...), l.Format(id+"_button"))
}

// chargingNote explains how a new pledge is charged relative to others of its address.
func (l pledgeMail) chargingNote() block {
	switch {
	case l.joint != nil:
		return group{textParagraph(l.formatPledge(l.joint.messageID(), "count", fmt.Sprint(l.joint.others), "sum", l.amount(l.joint.total))), l.action("beside_cancel")}
	case !l.hasOthers:
		return group{}
	case l.pledges[0].JoinedAt != nil:
		return textParagraph(l.formatPledge("together"))
	}
	return group{textParagraph(l.formatPledge("beside")), l.action("beside_join", "join", l.joinLink), l.action("beside_cancel")}
}

// messageID returns the ID of the message about the joint payment.
func (c *groupPayment) messageID() string {
	if c.by == pledge.ByEmail {
		return "by_email"
	}
	return "session"
}

// chargeTerms states when the saved card will be charged.
func (l pledgeMail) chargeTerms() string {
	if l.campaign.Deadline.IsZero() {
		return l.formatPledge("rule_undated")
	}
	return l.formatPledge("rule", "deadline", l.deadline())
}

// declineReason explains why the bank declined, as far as known.
func (l pledgeMail) declineReason() string {
	f := l.pledges[0].LastFailure
	if f == nil {
		return ""
	}
	return l.formatPledge("reason_" + string(f.Reason()))
}

// nextStep explains what the supporter can do about a failed charge, and until when. All
// pledges of a charge have the same recovery, so the first one decides.
func (l pledgeMail) nextStep() block {
	r := l.pledges[0].Recovery
	if r == nil {
		return l.action("repair")
	}
	until := l.day(r.Until)
	switch r.Lane {
	case pledge.Approve:
		return l.action("repair_approve", "until", until)
	case pledge.Wait:
		return l.action("repair_wait", "until", until, "retry", l.day(*r.RetryAt))
	case pledge.NewCard, pledge.Dropped:
	}
	return l.action("repair_new_card", "until", until)
}

func (l pledgeMail) day(t time.Time) string { return l.moment(t.In(l.zone)) }

// deadline returns the campaign's last second, in the platform's zone.
func (l pledgeMail) deadline() string {
	if l.campaign.Deadline.IsZero() {
		return ""
	}
	return l.day(l.campaign.EndsAt(l.zone).Add(-time.Second))
}

// contents lists the pledged items, with all amounts that add up to the total.
func (l pledgeMail) contents() block {
	if l.brief {
		return group{l.sum(l.agreed, "total_brief", "count", fmt.Sprint(len(l.pledges))), l.chargedTotal()}
	}
	var all group
	for _, p := range l.pledges {
		lines := bill{Lang: l.Code(), Title: l.Format("content")}
		for _, line := range p.Lines {
			lines.Rows = append(lines.Rows, amount{Label: l.label(line), Cents: line.Amount})
		}
		all = append(all, lines, l.totals(p))
	}
	if len(l.pledges) > 1 {
		all = append(all, l.sum(l.agreed, "total_all"))
	}
	return append(all, l.chargedTotal())
}

// sum returns a total over all pledges.
func (l pledgeMail) sum(of money.Cents, id string, pairs ...string) block {
	return bill{Lang: l.Code(), Rows: []amount{{l.Format(id, pairs...), of, true}}}
}

// chargedTotal returns the charged amount if it differs from the agreed total.
func (l pledgeMail) chargedTotal() block {
	if l.total == l.agreed {
		return group{}
	}
	return l.sum(l.total, "total_charged")
}

// amountChanged explains a charged amount that differs from the agreed one.
func (l pledgeMail) amountChanged() block {
	if l.total == l.agreed {
		return group{}
	}
	return textParagraph(l.formatPledge("charged_differs", "agreed", l.amount(l.agreed)))
}

func (l pledgeMail) totals(p *pledge.Pledge) block {
	rows := []amount{{Label: l.Format("subtotal"), Cents: p.Subtotal}}
	for _, r := range []amount{
		{Label: l.Format("shipping"), Cents: p.Shipping},
		{Label: l.Format("tax"), Cents: p.Tax},
		{Label: l.Format("tip", "percent", fmt.Sprint(p.TipPercent)), Cents: p.TipAmount},
	} {
		if r.Cents != 0 {
			rows = append(rows, r)
		}
	}
	return bill{Lang: l.Code(), Rows: append(rows, amount{l.Format("total"), p.Amount, true})}
}

func (l pledgeMail) label(line pledge.Line) string {
	name := notify.PlainLine(line.Name)
	if line.Kind == pledge.CustomLine {
		name = l.Format("contribution")
	}
	if line.VariantName != "" {
		name += ", " + notify.PlainLine(line.VariantName)
	}
	if line.Quantity > 1 {
		name = fmt.Sprintf("%d × %s", line.Quantity, name)
	}
	return name
}

func (l pledgeMail) orders() string {
	if l.brief {
		return l.Format("orders_brief", "count", fmt.Sprint(len(l.pledges)), "order", l.pledges[0].OrderID)
	}
	ids := make([]string, 0, len(l.pledges))
	for _, p := range l.pledges {
		ids = append(ids, p.OrderID)
	}
	return l.Format("orders", "orders", strings.Join(ids, ", "))
}
