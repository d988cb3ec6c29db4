package mailtext

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// contents returns a bill for each pledge with all amounts, which add up to the total; in the brief
// form, it returns only the totals. title and total are the IDs of the messages for the bills'
// heading and for the label of the grand total.
func (l pledgeMail) contents(title, total string) block {
	if l.brief {
		return group{l.sum(l.agreed, l.Format("total_brief", "count", fmt.Sprint(len(l.pledges))), ""),
			l.chargedTotal(), small(l.orders())}
	}
	single := len(l.pledges) == 1 && l.total == l.agreed
	var all group
	for _, p := range l.pledges {
		b := bill{Lang: l.Code(), Title: l.Format(title, "order", p.OrderID)}
		for _, line := range p.Lines {
			b.Rows = append(b.Rows, amount{Label: l.label(line), Note: l.delivery(line), Cents: line.Amount})
		}
		b.Rows = append(b.Rows, l.extras(p)...)
		last := amount{Label: l.Format("total"), Cents: p.Amount, Total: true}
		if single {
			last.Label, last.Note = l.Format(total), l.totalNote(total)
		}
		b.Rows = append(b.Rows, last)
		all = append(all, b)
	}
	switch {
	case single:
		return all
	case l.total == l.agreed:
		return append(all, l.sum(l.total, l.Format(total), l.totalNote(total)))
	case len(l.pledges) > 1:
		all = append(all, l.sum(l.agreed, l.Format("total_all"), ""))
	}
	return append(all, l.chargedTotal())
}

// totalNote returns the currency of a grand total, with its condition or its date.
func (l pledgeMail) totalNote(total string) string {
	switch date := l.chargedAt(); {
	case total == "total_due":
		return l.Format("currency_if_funded")
	case total == "total_charged" && date != "":
		return l.Format("currency_on", "date", date)
	}
	return l.Format("currency")
}

// extras returns the rows for shipping, tax and tip, without those that are 0.
func (l pledgeMail) extras(p *pledge.Pledge) []amount {
	rows := []amount{
		{Label: l.Format("shipping"), Cents: p.Shipping},
		{Label: l.Format("tax"), Note: l.taxNote(p), Cents: p.Tax},
		{Label: l.tip(), Cents: p.TipAmount},
	}
	return slices.DeleteFunc(rows, func(r amount) bool { return r.Cents == 0 })
}

func (l pledgeMail) tip() string {
	if l.platform == "" {
		return l.Format("tip")
	}
	return l.Format("tip_for", "platform", l.platform)
}

// taxNote returns a note with the rate and the base of the tax, or "" unless exactly one rate
// applies.
func (l pledgeMail) taxNote(p *pledge.Pledge) string {
	var taxes []pledge.Derivation
	for _, d := range p.Explanation {
		if d.Amount == "tax" && d.Rate != "" {
			taxes = append(taxes, d)
		}
	}
	if len(taxes) != 1 {
		return ""
	}
	rate, err := money.ReadRate(taxes[0].Rate)
	if err != nil {
		return ""
	}
	return l.Format("tax_of", "rate", rate.Percent(l.Code()), "base", l.amount(taxes[0].Base))
}

// amountsDue returns a short bill for each pledge that could not be charged, and the amount due for
// all of them.
func (l pledgeMail) amountsDue() block {
	due := amount{Label: l.Format("total_unpaid"), Note: l.Format("currency"), Cents: l.total, Total: true}
	if l.brief {
		return group{bill{Lang: l.Code(), Rows: []amount{due}}, small(l.orders())}
	}
	var all group
	for _, p := range l.pledges {
		b := bill{Lang: l.Code(), Title: l.Format("order", "order", p.OrderID)}
		var names []string
		for _, line := range p.Lines {
			names = append(names, l.label(line))
		}
		b.Rows = append(b.Rows, amount{Label: strings.Join(names, "; "), Cents: p.Subtotal})
		if rest := p.Amount - p.Subtotal; rest != 0 {
			b.Rows = append(b.Rows, amount{Label: l.Format("extras"), Cents: rest})
		}
		all = append(all, b)
	}
	last, _ := all[len(all)-1].(bill)
	last.Rows = append(last.Rows, due)
	all[len(all)-1] = last
	return all
}

// sum returns a bill with a single amount, the total of all pledges.
func (l pledgeMail) sum(of money.Cents, label, note string) block {
	return bill{Lang: l.Code(), Rows: []amount{{Label: label, Note: note, Cents: of, Total: true}}}
}

// chargedTotal returns a bill with the charged amount, or no block if it is the agreed total.
func (l pledgeMail) chargedTotal() block {
	if l.total == l.agreed {
		return group{}
	}
	return l.sum(l.total, l.Format("total_charged"), l.totalNote("total_charged"))
}

// amountChanged returns an explanation of a charged amount that differs from the agreed one, or no
// block if they are the same.
func (l pledgeMail) amountChanged() block {
	if l.total == l.agreed {
		return group{}
	}
	return textParagraph(l.formatPledge("charged_differs", "agreed", l.amount(l.agreed)))
}

// label returns the name of a line, with its quantity if it is more than one.
func (l pledgeMail) label(line pledge.Line) string {
	name := l.name(line)
	if line.Quantity > 1 {
		name = fmt.Sprintf("%d × %s", line.Quantity, name)
	}
	return name
}

func (l pledgeMail) name(line pledge.Line) string {
	if line.Kind == pledge.CustomLine {
		return l.Format("contribution")
	}
	name := notify.PlainLine(line.Name)
	if line.VariantName != "" {
		name += ", " + notify.PlainLine(line.VariantName)
	}
	return name
}

// shipTo returns a table of the pledges' shipping addresses with their delivery options, or no
// block in the brief form.
func (l pledgeMail) shipTo() block {
	f := facts{Title: l.Format("ship_to")}
	for _, p := range l.pledges {
		if p.ShippingAddress == nil {
			continue
		}
		row := fact{Label: strings.Join(l.address(p.ShippingAddress), "\n"), Note: l.optionName(p.ShippingOption)}
		if !slices.Contains(f.Rows, row) {
			f.Rows = append(f.Rows, row)
		}
	}
	if l.brief {
		return group{}
	}
	return f
}

// optionName returns the name of a shipping option, or "" for an unknown one.
func (l pledgeMail) optionName(id string) string {
	switch id {
	case "", "standard":
		return l.Format("option_standard")
	case "signature_required", "adult_signature_required":
		return l.Format("option_" + id)
	}
	return ""
}

// address returns the lines of an address, with the country's name and the phone number.
func (w language) address(a *pledge.Address) []string {
	lines := a.Lines()
	if name := pledge.CountryName(a.Country, w.Code()); name != "" {
		lines = append(lines, name)
	}
	if a.Phone != "" {
		lines = append(lines, a.Phone)
	}
	for i, line := range lines {
		lines[i] = notify.PlainLine(line)
	}
	return lines
}

// delivery returns a note with the month in which a reward is expected, and with the promised month
// if that differs; "" if there is neither.
func (l pledgeMail) delivery(line pledge.Line) string {
	month, _ := l.expected(line)
	switch promised := line.PromisedDelivery; {
	case month == "" && promised == "":
		return ""
	case month == "":
		return l.Format("delivery_promised", "promised", l.yearMonth(promised))
	case promised != "" && promised != month:
		return l.Format("delivery_moved", "month", l.yearMonth(month), "promised", l.yearMonth(promised))
	}
	return l.Format("delivery", "month", l.yearMonth(month))
}

// expected returns the month in which a reward is expected, such as "2027-05", and whether it is
// sent. The month is "" for other lines and for rewards without an estimate.
func (l pledgeMail) expected(line pledge.Line) (month string, sent bool) {
	i := slices.IndexFunc(l.campaign.Tiers, func(t campaign.Tier) bool { return t.ID == line.ID })
	if line.Kind != pledge.TierLine || i < 0 {
		return "", false
	}
	return l.campaign.Tiers[i].EstimatedDelivery, l.campaign.Tiers[i].Category == campaign.Physical
}

// yearMonth formats a month such as "2027-05".
func (w language) yearMonth(month string) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return w.Format("year_month", "month", w.Format(fmt.Sprintf("month%d", t.Month())), "year", fmt.Sprint(t.Year()))
}

// deliveries returns a table of the expected deliveries, earliest first, or no block in the brief
// form.
func (l pledgeMail) deliveries() block {
	type parcel struct {
		month string
		sent  bool
	}
	names := map[parcel][]string{}
	for _, p := range l.pledges {
		for _, line := range p.Lines {
			month, sent := l.expected(line)
			if key := (parcel{month, sent}); month != "" && !slices.Contains(names[key], l.name(line)) {
				names[key] = append(names[key], l.name(line))
			}
		}
	}
	if len(names) == 0 || l.brief {
		return group{}
	}
	keys := slices.SortedFunc(maps.Keys(names), func(a, b parcel) int {
		return cmp.Or(cmp.Compare(a.month, b.month), map[bool]int{true: 1, false: -1}[a.sent])
	})
	f := facts{Title: l.Format("next")}
	for _, k := range keys {
		value := "next_download"
		if k.sent {
			value = "next_parcel"
		}
		f.Rows = append(f.Rows, fact{Label: l.yearMonth(k.month), Note: l.list(names[k]), Value: l.Format(value)})
	}
	return f
}
