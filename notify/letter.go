package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// letter is what a mail is written from.
type letter struct {
	words
	campaign *campaign.Campaign
	title    string           // the campaign's, in one plain line
	pledges  []*pledge.Pledge // at least one
	total    money.Cents      // over all of them
	link     string
	zone     *time.Location
	others   bool // there are others under the address
	brief    bool // without the lines and the numbers of many pledges
}

// tell is say with the values that every message may have.
func (l letter) tell(id string, pairs ...string) string {
	return l.say(id, append(pairs, "title", l.title, "total", l.total.String(), "link", l.link, "goal", l.campaign.Goal.String())...)
}

// write words a mail of a kind, whose messages are called after it.
func (l letter) write(k Kind) (subject, text string) {
	subject, lead := l.tell(string(k)+"_subject"), l.tell(string(k), "deadline", l.deadline())
	switch k {
	case Confirmation:
		return subject, paragraphs(lead, l.content(), l.rule(), l.beside(), l.tell("change_link"), l.orders())
	case Modified:
		return subject, paragraphs(lead, l.content(), l.rule(), l.tell("change_link"), l.orders())
	case Charged:
		return subject, paragraphs(lead, l.content(), l.tell("see_link"), l.orders())
	case UpdateCard:
		return subject, paragraphs(lead, l.reason(), l.repair(), l.orders())
	case Cancelled, Dropped, Missed:
		return subject, paragraphs(lead, l.tell("see_link"), l.orders())
	case LostOrder, LinksAgain: // are worded in again.go
	case LaunchReminder, AbandonedCart, Announcement, DiaryEntry, Milestone, Blast: // are about no pledge of their reader
	}
	return "", ""
}

// paragraphs leaves out what there is nothing to say about.
func paragraphs(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "\n\n") + "\n"
}

// beside says what a new pledge has to do with the others under its address.
func (l letter) beside() string {
	switch {
	case !l.others:
		return ""
	case l.pledges[0].JoinedAt != nil:
		return l.tell("together")
	}
	return l.tell("beside") + "\n\n" + l.tell("beside_join") + "\n\n" + l.tell("beside_cancel")
}

// rule is the promise under which a card was saved.
func (l letter) rule() string {
	if l.campaign.Deadline.IsZero() {
		return l.tell("rule_undated")
	}
	return l.tell("rule", "deadline", l.deadline())
}

// reason is why the bank declined, as far as it is known.
func (l letter) reason() string {
	f := l.pledges[0].LastFailure
	if f == nil {
		return ""
	}
	return l.tell("reason_" + string(f.Reason()))
}

// repair says what the supporter can do about a charge that failed, and until
// when. It is worded by the first pledge, since all of a charge go the same way.
func (l letter) repair() string {
	r := l.pledges[0].Recovery
	if r == nil {
		return l.tell("repair")
	}
	until := l.day(r.Until)
	switch r.Lane {
	case pledge.Approve:
		return l.tell("repair_approve", "until", until)
	case pledge.Wait:
		return l.tell("repair_wait", "until", until, "retry", l.day(*r.RetryAt))
	case pledge.NewCard, pledge.Dropped:
	}
	return l.tell("repair_new_card", "until", until)
}

func (l letter) day(t time.Time) string { return l.moment(t.In(l.zone)) }

// deadline is the last second of the campaign, on the platform's clock.
func (l letter) deadline() string {
	if l.campaign.Deadline.IsZero() {
		return ""
	}
	return l.day(l.campaign.EndsAt(l.zone).Add(-time.Second))
}

// content lists what was pledged, with every amount that makes up the total.
func (l letter) content() string {
	var b strings.Builder
	if l.brief {
		row(&b, l.say("total_brief", "count", fmt.Sprint(len(l.pledges))), l.total)
		return strings.TrimRight(b.String(), "\n")
	}
	for i, p := range l.pledges {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(l.say("content") + "\n")
		for _, line := range p.Lines {
			row(&b, l.label(line), line.Amount)
		}
		l.totals(&b, p)
	}
	if len(l.pledges) > 1 {
		b.WriteString("\n")
		row(&b, l.say("total_all"), l.total)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (l letter) totals(b *strings.Builder, p *pledge.Pledge) {
	b.WriteString("\n")
	row(b, l.say("subtotal"), p.Subtotal)
	if p.Shipping != 0 {
		row(b, l.say("shipping"), p.Shipping)
	}
	if p.Tax != 0 {
		row(b, l.say("tax"), p.Tax)
	}
	if p.TipAmount != 0 {
		row(b, l.say("tip", "percent", fmt.Sprint(p.TipPercent)), p.TipAmount)
	}
	row(b, l.say("total"), p.Amount)
}

func row(b *strings.Builder, label string, amount money.Cents) {
	fmt.Fprintf(b, "  %s: %s\n", label, amount)
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
