package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// english words a mail. A further language is one more function like it.
func english(k Kind, l letter) (subject, text string) {
	switch k {
	case Confirmation:
		return "Your pledge to " + l.title + " is confirmed", paragraphs(
			fmt.Sprintf("Thank you for your pledge to %s.", l.title),
			l.content(),
			"Nothing has been charged yet. "+l.rule(),
			l.beside(),
			"See, change or cancel your pledge until then:\n"+l.link,
			l.orders())
	case Modified:
		return "Your pledge to " + l.title + " was changed", paragraphs(
			fmt.Sprintf("Your pledge to %s was changed. This is what it holds now.", l.title),
			l.content(),
			"Nothing has been charged yet. "+l.rule(),
			"See, change or cancel your pledge until then:\n"+l.link,
			l.orders())
	case Cancelled:
		return "Your pledge to " + l.title + " is cancelled", paragraphs(
			fmt.Sprintf("Your pledge of %s to %s is cancelled. Your card was not charged for it and will not be.", l.total, l.title),
			"See it here:\n"+l.link,
			l.orders())
	case Charged:
		return l.title + ": your card was charged " + l.total.String(), paragraphs(
			fmt.Sprintf("%s reached its goal, and your card was charged %s. Thank you.", l.title, l.total),
			l.content(),
			"See your pledge here:\n"+l.link,
			l.orders())
	case UpdateCard:
		return "Your card could not be charged for " + l.title, paragraphs(
			fmt.Sprintf("%s reached its goal, but your card could not be charged %s. No money was taken.", l.title, l.total),
			l.repair(),
			l.orders())
	case Dropped:
		return "Your pledge to " + l.title + " was dropped", paragraphs(
			fmt.Sprintf("Your card could not be charged %s for %s, and the time to repair the payment is over. "+
				"The pledge is dropped: no money was taken, and we will not try again.", l.total, l.title),
			"See it here:\n"+l.link,
			l.orders())
	case LostOrder, LinksAgain: // are worded in again.go
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
		return "You pledged with a link from us, so this pledge goes into one payment with your other pledges to " +
			l.title + " that you joined. Of the cards that you saved with such a link, the newest pays for all."
	}
	return fmt.Sprintf("There are other pledges to %s under this email address. This one is charged separately, "+
		"to the card that was saved with it, and no other card pays for it.", l.title) +
		"\n\nIs it yours? You can have it charged in one payment with your others. The page shows what that comes to and which card pays, before anything changes:\n" +
		l.link + "&do=join" +
		"\n\nIs it not yours? Refuse it, and nothing is charged for it:\n" + l.link + "&do=cancel"
}

// rule is the promise under which a card was saved.
func (l letter) rule() string {
	return fmt.Sprintf("Your card is charged %s after %s, only if the campaign reaches its goal of %s.",
		l.total, l.deadline(), l.campaign.Goal)
}

// repair says what the supporter can do about a charge that failed, and until
// when. It is worded by the first pledge, since all of a charge go the same way.
func (l letter) repair() string {
	r := l.pledges[0].Recovery
	if r == nil {
		return "Please save another card, or the same one again. We then try once more at once:\n" + l.link
	}
	until := l.day(r.Until)
	switch r.Lane {
	case pledge.Approve:
		return fmt.Sprintf("Your bank wants you to approve this payment yourself. Please approve it, or save another card, until %s:\n%s", until, l.link)
	case pledge.Wait:
		return fmt.Sprintf("You need not do anything: we try the same card again on %s. To settle it sooner, save another card, until %s:\n%s",
			l.day(*r.RetryAt), until, l.link)
	case pledge.NewCard, pledge.Dropped:
	}
	return fmt.Sprintf("Please save another card until %s. We then try again at once:\n%s", until, l.link)
}

func (l letter) day(t time.Time) string { return t.In(l.zone).Format("January 2, 2006, 3:04 PM MST") }

// deadline is the last second of the campaign, on the platform's clock.
func (l letter) deadline() string {
	if l.campaign.Deadline.IsZero() {
		return "the campaign's deadline"
	}
	return l.day(l.campaign.EndsAt(l.zone).Add(-time.Second))
}

// content lists what was pledged, with every amount that makes up the total.
func (l letter) content() string {
	var b strings.Builder
	if l.brief {
		row(&b, fmt.Sprintf("Total of your %d pledges", len(l.pledges)), l.total)
		return strings.TrimRight(b.String(), "\n")
	}
	for i, p := range l.pledges {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("What you pledged\n")
		for _, line := range p.Lines {
			row(&b, label(line), line.Amount)
		}
		totals(&b, p)
	}
	if len(l.pledges) > 1 {
		b.WriteString("\n")
		row(&b, "Total of your pledges", l.total)
	}
	return strings.TrimRight(b.String(), "\n")
}

func totals(b *strings.Builder, p *pledge.Pledge) {
	b.WriteString("\n")
	row(b, "Subtotal", p.Subtotal)
	if p.Shipping != 0 {
		row(b, "Shipping", p.Shipping)
	}
	if p.Tax != 0 {
		row(b, "Tax", p.Tax)
	}
	if p.TipAmount != 0 {
		row(b, fmt.Sprintf("Platform tip (%d%%)", p.TipPercent), p.TipAmount)
	}
	row(b, "Total", p.Amount)
}

func row(b *strings.Builder, label string, amount money.Cents) {
	fmt.Fprintf(b, "  %s: %s\n", label, amount)
}

func label(l pledge.Line) string {
	name := plain(l.Name)
	if l.VariantName != "" {
		name += " (" + plain(l.VariantName) + ")"
	}
	if l.Quantity > 1 {
		name = fmt.Sprintf("%d × %s", l.Quantity, name)
	}
	return name
}

func (l letter) orders() string {
	if l.brief {
		return fmt.Sprintf("%d orders, the first of them %s", len(l.pledges), l.pledges[0].OrderID)
	}
	ids := make([]string, 0, len(l.pledges))
	for _, p := range l.pledges {
		ids = append(ids, p.OrderID)
	}
	return "Order " + strings.Join(ids, ", ")
}
