package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Pledges are those of a campaign, in the order in which they are to stand; a walk stops at
// the first error.
type Pledges = iter.Seq2[*pledge.Pledge, error]

// Summary counts what a report has.
type Summary struct {
	Rows     int
	Standing int         // pledges that were neither cancelled nor given up; of a fulfillment, that were charged
	Total    money.Cents // of those, charged or due
}

// Kind is what a report is of.
type Kind string

// The kinds.
const (
	PledgeReport      Kind = "pledges"     // what was pledged
	FulfillmentReport Kind = "fulfillment" // what is to be made and sent
	LeftToSend        Kind = "left"        // what of a fulfillment was not sent yet
)

var pledgeColumns = []string{
	"order_id", "created_at", "email", "status", "total", "currency", "subtotal", "shipping", "tax", "tip_percent", "tip",
	"items", "add_ons", "support", "charged_at", "referral", "utm_source", "utm_medium", "utm_campaign", "utm_content",
	"charged_total",
}

// The columns of an address are those that carriers' tools import.
var fulfillmentColumns = []string{
	"order_id", "fulfiller", "name", "address1", "address2", "city", "state", "postal_code", "country", "email",
	"shipping_option", "items", "add_ons", "fulfillment_type",
	"parcel", "packed_at", "sent_on", "carrier", "tracking_number",
}

// Columns are a report's, in their order. New ones come at the end.
func (k Kind) Columns() []string {
	if k == PledgeReport {
		return pledgeColumns
	}
	return fulfillmentColumns
}

// Rows are those of a pledge in a report: of pledges one, as it stands. Of a fulfillment
// there is one where it was charged, and one more where the platform has a part of it.
func (k Kind) Rows(p *pledge.Pledge) [][]string {
	switch k {
	case PledgeReport:
		return [][]string{pledgeRow(p)}
	case LeftToSend:
		return fulfillmentRows(p, func(parcel pledge.Parcel) bool { return parcel.Status != pledge.Sent })
	case FulfillmentReport:
	}
	return fulfillmentRows(p, func(pledge.Parcel) bool { return true })
}

func pledgeRow(p *pledge.Pledge) []string {
	a := p.Attribution
	return []string{
		p.OrderID, stamp(p.BookedAt), p.Email, status(p), dollars(p.Amount), strings.ToUpper(p.Currency),
		dollars(p.Subtotal), dollars(p.Shipping), dollars(p.Tax), fmt.Sprint(p.TipPercent), dollars(p.TipAmount),
		named(p, pledge.TierLine), named(p, pledge.CampaignAddOnLine, pledge.PlatformAddOnLine), named(p, pledge.SupportLine, pledge.CustomLine),
		charged(p), a.Referral, a.UTMSource, a.UTMMedium, a.UTMCampaign, a.UTMContent,
		chargedTotal(p),
	}
}

func fulfillmentRows(p *pledge.Pledge, shown func(pledge.Parcel) bool) (rows [][]string) {
	if !p.Charged {
		return nil
	}
	for _, fulfiller := range p.Fulfillers() {
		parcel := p.ParcelOf(fulfiller)
		if !shown(parcel) {
			continue
		}
		items, addOns := "", named(p, pledge.PlatformAddOnLine)
		if fulfiller == pledge.ByCampaign {
			items, addOns = named(p, pledge.TierLine), named(p, pledge.CampaignAddOnLine)
		}
		row := append(addressed(p, fulfiller), p.Email, p.ShippingOption, items, addOns, p.FulfillmentType)
		packed := ""
		if parcel.PackedAt != nil {
			packed = stamp(*parcel.PackedAt)
		}
		rows = append(rows, append(row, string(parcel.Status), packed, parcel.SentOn, parcel.Carrier, parcel.Tracking))
	}
	return rows
}

// stands reports whether a pledge counts in a report's sums.
func (k Kind) stands(p *pledge.Pledge) bool {
	if k == PledgeReport {
		return p.Status != pledge.Cancelled && !p.Dropped()
	}
	return p.Charged
}

// WriteCSV writes a report row by row (RFC 4180) for spreadsheets: no cell is a formula.
func (k Kind) WriteCSV(w io.Writer, all Pledges) (Summary, error) { return k.writeCSV(w, all, Safe) }

// WriteCarrierCSV writes the same rows with every cell as it is, for the tools of carriers,
// which would print the apostrophes of WriteCSV on labels. Spreadsheets may run its cells as
// formulas.
func (k Kind) WriteCarrierCSV(w io.Writer, all Pledges) (Summary, error) {
	return k.writeCSV(w, all, func(cell string) string { return cell })
}

func (k Kind) writeCSV(w io.Writer, all Pledges, written func(cell string) string) (Summary, error) {
	out := csv.NewWriter(w)
	if err := out.Write(k.Columns()); err != nil {
		return Summary{}, err
	}
	s, err := k.walk(all, func(row []string) error {
		for i, cell := range row {
			row[i] = written(cell)
		}
		return out.Write(row)
	})
	if err != nil {
		return s, err
	}
	out.Flush()
	return s, out.Error()
}

// walk hands on the rows of a report one by one.
func (k Kind) walk(all Pledges, write func(row []string) error) (s Summary, err error) {
	for p, err := range all {
		if err != nil {
			return s, err
		}
		if k.stands(p) {
			s.Standing++
			s.Total += p.PaidOrDue()
		}
		for _, row := range k.Rows(p) {
			s.Rows++
			if err := write(row); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

func addressed(p *pledge.Pledge, fulfiller string) []string {
	a := pledge.Address{}
	if p.ShippingAddress != nil {
		a = *p.ShippingAddress
	}
	return []string{p.OrderID, fulfiller, a.Name, a.Line1, a.Line2, a.City, a.State, a.PostalCode, a.Country}
}

// Safe keeps a spreadsheet from taking a text for a formula, also where it reads the wide
// forms of East Asian texts (https://owasp.org/www-community/attacks/CSV_Injection).
func Safe(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}

// named lists the lines of some kinds: "2 × Seat; T-shirt (M)".
func named(p *pledge.Pledge, kinds ...pledge.LineKind) string {
	var all []string
	for _, l := range p.Lines {
		if !slices.Contains(kinds, l.Kind) {
			continue
		}
		name := l.Name
		if l.VariantName != "" {
			name += " (" + l.VariantName + ")"
		}
		if l.Quantity > 1 {
			name = fmt.Sprintf("%d × %s", l.Quantity, name)
		}
		if l.Kind == pledge.SupportLine || l.Kind == pledge.CustomLine {
			name = strings.TrimSpace(name + " " + dollars(l.Amount))
		}
		all = append(all, name)
	}
	return strings.Join(all, "; ")
}

// dollars are an amount as spreadsheets read it: "1234.05".
func dollars(c money.Cents) string { return strings.NewReplacer("$", "", ",", "").Replace(c.String()) }

// status tells a pledge that was given up from one that waits for another card.
func status(p *pledge.Pledge) string {
	if p.Dropped() {
		return "dropped"
	}
	return string(p.Status)
}

func charged(p *pledge.Pledge) string {
	if p.ChargedAt == nil {
		return ""
	}
	return stamp(*p.ChargedAt)
}

// chargedTotal is the charged amount, "" before the charge. It differs from the total if operators
// accepted another amount.
func chargedTotal(p *pledge.Pledge) string {
	if !p.Charged {
		return ""
	}
	return dollars(p.Paid())
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
