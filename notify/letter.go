package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// letter holds the data of a mail about one or more pledges of a supporter to a campaign.
type letter struct {
	words
	campaign *campaign.Campaign
	title    string           // the campaign's title, on one line
	pledges  []*pledge.Pledge // at least one
	total    money.Cents      // of all pledges; for Charged, the charged amount
	agreed   money.Cents      // of all pledges, as agreed
	link     string           // manage link of the first pledge
	join     string           // link that joins the pledge with all others of its address
	zone     *time.Location
	others   bool // the address has other pledges to the campaign
	with     *company
	about    group // blocks that only this kind has
	brief    bool  // leave out the pledges' lines and all order numbers except the first
}

// company describes the joint payment of a new pledge that is charged with others without
// having been joined.
type company struct {
	by     pledge.Grouping
	others int         // number of other pledges, at least one
	total  money.Cents // of the joint payment
}

// tell is say with the values that every message can use.
func (l letter) tell(id string, pairs ...string) string {
	return l.say(id, append(pairs, "title", l.title, "total", l.total.String(), "link", l.link, "goal", l.campaign.Goal.String())...)
}

// write builds the mail of a kind from the messages with the kind's name.
func (l letter) write(k Kind) draft {
	lead := l.tell(string(k), "deadline", l.deadline())
	d := draft{words: l.words, subject: l.tell(string(k) + "_subject"), preview: lead}
	switch k {
	case Confirmation:
		d.preview = l.rule()
		d.blocks = l.parts(say(lead), l.content(), say(d.preview), l.beside(), l.action("change_link"))
	case Modified:
		d.preview = l.rule()
		d.blocks = l.parts(say(lead), l.content(), say(d.preview), l.action("change_link"))
	case Charged:
		d.blocks = l.parts(say(lead), l.differs(), l.content(), l.action("see_link"))
	case UpdateCard:
		d.blocks = l.parts(say(lead), say(l.reason()), l.repair())
	case ParcelSent, Readdressed:
		d.blocks = l.parts(say(lead), l.about, l.action("see_link"))
	case Cancelled, Dropped, Missed:
		d.blocks = l.parts(say(lead), l.action("see_link"))
	default: // other kinds have their own functions
	}
	return d
}

// parts drops empty blocks and appends the order numbers.
func (l letter) parts(blocks ...block) group { return saying(append(blocks, small(l.orders()))...) }

// action returns a message that ends with a link, as a button.
func (l letter) action(id string, pairs ...string) block {
	return actionOf(l.tell(id, pairs...), l.say(id+"_button"))
}

// beside explains how a new pledge is charged relative to others of its address.
func (l letter) beside() block {
	switch {
	case l.with != nil:
		return group{say(l.tell(l.with.message(), "count", fmt.Sprint(l.with.others), "sum", l.with.total.String())), l.action("beside_cancel")}
	case !l.others:
		return group{}
	case l.pledges[0].JoinedAt != nil:
		return say(l.tell("together"))
	}
	return group{say(l.tell("beside")), l.action("beside_join", "join", l.join), l.action("beside_cancel")}
}

// message returns the ID of the message about the joint payment.
func (c *company) message() string {
	if c.by == pledge.ByEmail {
		return "by_email"
	}
	return "session"
}

// rule states when the saved card will be charged.
func (l letter) rule() string {
	if l.campaign.Deadline.IsZero() {
		return l.tell("rule_undated")
	}
	return l.tell("rule", "deadline", l.deadline())
}

// reason explains why the bank declined, as far as known.
func (l letter) reason() string {
	f := l.pledges[0].LastFailure
	if f == nil {
		return ""
	}
	return l.tell("reason_" + string(f.Reason()))
}

// repair explains what the supporter can do about a failed charge, and until when. All
// pledges of a charge have the same recovery, so the first one decides.
func (l letter) repair() block {
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

func (l letter) day(t time.Time) string { return l.moment(t.In(l.zone)) }

// deadline returns the campaign's last second, in the platform's zone.
func (l letter) deadline() string {
	if l.campaign.Deadline.IsZero() {
		return ""
	}
	return l.day(l.campaign.EndsAt(l.zone).Add(-time.Second))
}

// content lists what was pledged, with all amounts that add up to the total.
func (l letter) content() block {
	if l.brief {
		return group{l.sum(l.agreed, "total_brief", "count", fmt.Sprint(len(l.pledges))), l.charged()}
	}
	var all group
	for _, p := range l.pledges {
		lines := bill{Title: l.say("content")}
		for _, line := range p.Lines {
			lines.Rows = append(lines.Rows, amount{Label: l.label(line), Cents: line.Amount})
		}
		all = append(all, lines, l.totals(p))
	}
	if len(l.pledges) > 1 {
		all = append(all, l.sum(l.agreed, "total_all"))
	}
	return append(all, l.charged())
}

// sum returns a total over all pledges.
func (l letter) sum(of money.Cents, id string, pairs ...string) block {
	return bill{Rows: []amount{{l.say(id, pairs...), of, true}}}
}

// charged returns the charged amount if it differs from the agreed total.
func (l letter) charged() block {
	if l.total == l.agreed {
		return group{}
	}
	return l.sum(l.total, "total_charged")
}

// differs explains a charged amount that differs from the agreed one.
func (l letter) differs() block {
	if l.total == l.agreed {
		return group{}
	}
	return say(l.tell("charged_differs", "agreed", l.agreed.String()))
}

func (l letter) totals(p *pledge.Pledge) block {
	rows := []amount{{Label: l.say("subtotal"), Cents: p.Subtotal}}
	for _, r := range []amount{
		{Label: l.say("shipping"), Cents: p.Shipping},
		{Label: l.say("tax"), Cents: p.Tax},
		{Label: l.say("tip", "percent", fmt.Sprint(p.TipPercent)), Cents: p.TipAmount},
	} {
		if r.Cents != 0 {
			rows = append(rows, r)
		}
	}
	return bill{Rows: append(rows, amount{l.say("total"), p.Amount, true})}
}

func (l letter) label(line pledge.Line) string {
	name := plain(line.Name)
	if line.Kind == pledge.CustomLine {
		name = l.say("contribution")
	}
	if line.VariantName != "" {
		name += " (" + plain(line.VariantName) + ")"
	}
	if line.Quantity > 1 {
		name = fmt.Sprintf("%d × %s", line.Quantity, name)
	}
	return name
}

func (l letter) orders() string {
	if l.brief {
		return l.say("orders_brief", "count", fmt.Sprint(len(l.pledges)), "order", l.pledges[0].OrderID)
	}
	ids := make([]string, 0, len(l.pledges))
	for _, p := range l.pledges {
		ids = append(ids, p.OrderID)
	}
	return l.say("orders", "orders", strings.Join(ids, ", "))
}
