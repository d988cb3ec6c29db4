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

// Pledges are a campaign's pledges in report order. A report ends with the sequence's first
// error.
type Pledges = iter.Seq2[*pledge.Pledge, error]

// Select returns the pledges that a filter matches.
func Select(all Pledges, f pledge.Filter) Pledges {
	return func(yield func(*pledge.Pledge, error) bool) {
		for p, err := range all {
			if (err != nil || f.Matches(p)) && !yield(p, err) {
				return
			}
		}
	}
}

// Summary counts the pledges of a report.
type Summary struct {
	Rows   int
	Active int         // pledges that were not cancelled or dropped; in a fulfillment report, charged ones
	Total  money.Cents // charged or due amount of those
	// Refunded is the part of Total that was paid back.
	Refunded money.Cents
	// Held are the parcels that a fulfillment report leaves out.
	Held Held
}

// Held counts parcels that are not sent and are held because of a dispute. Pledges counts their pledges.
type Held struct {
	Pledges  int `json:"pledges"`
	Disputed int `json:"disputed"`    // parcels; the dispute is open
	Lost     int `json:"disputeLost"` // parcels; the dispute was lost
}

// Add counts the held parcels of a pledge that a fulfillment report leaves out.
func (h *Held) Add(p *pledge.Pledge) {
	reason, n := p.Held(), 0
	if reason == "" || !p.Charged {
		return
	}
	for _, fulfiller := range p.Fulfillers() {
		if p.ParcelOf(fulfiller).Status != pledge.Sent {
			n++
		}
	}
	switch {
	case n == 0:
		return
	case reason == pledge.HeldByLoss:
		h.Lost += n
	default:
		h.Disputed += n
	}
	h.Pledges++
}

// Kind is a kind of report.
type Kind string

// The kinds.
const (
	PledgeReport      Kind = "pledges"     // all pledges
	FulfillmentReport Kind = "fulfillment" // items to make and ship
	LeftToSend        Kind = "left"        // the part of the fulfillment report that was not shipped yet
)

var pledgeColumns = []string{
	"order_id", "created_at", "email", "status", "total", "currency", "subtotal", "shipping", "tax", "tip_percent", "tip",
	"items", "add_ons", "support", "charged_at", "referral", "utm_source", "utm_medium", "utm_campaign", "utm_content",
	"charged_total", "refunded_total",
}

// The address columns are those that carriers' tools import.
var fulfillmentColumns = []string{
	"order_id", "fulfiller", "name", "address1", "address2", "city", "state", "postal_code", "country", "email",
	"shipping_option", "items", "add_ons", "fulfillment_type",
	"parcel", "packed_at", "sent_on", "carrier", "tracking_number", "phone",
}

// Columns returns a report's columns in order. New ones are added at the end.
func (k Kind) Columns() []string {
	if k == PledgeReport {
		return pledgeColumns
	}
	return fulfillmentColumns
}

// Rows returns the rows of a pledge: one in a pledge report, otherwise one for each parcel of
// a charged pledge, at most one from the campaign and one from the platform. Parcels that are held
// and were not sent are omitted. LeftToSend also omits the parcels that were sent.
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
		p.OrderID, formatTime(p.BookedAt), p.Email, string(p.DisplayStatus()),
		formatDollars(p.Amount), strings.ToUpper(p.Currency),
		formatDollars(p.Subtotal), formatDollars(p.Shipping), formatDollars(p.Tax),
		fmt.Sprint(p.TipPercent), formatDollars(p.TipAmount),
		itemNames(p, pledge.TierLine), itemNames(p, pledge.CampaignAddOnLine, pledge.PlatformAddOnLine),
		itemNames(p, pledge.SupportLine, pledge.CustomLine),
		chargedAt(p), a.Referral, a.UTMSource, a.UTMMedium, a.UTMCampaign, a.UTMContent,
		chargedTotal(p), refundedTotal(p),
	}
}

func fulfillmentRows(p *pledge.Pledge, shown func(pledge.Parcel) bool) (rows [][]string) {
	if !p.Charged {
		return nil
	}
	held := p.Held() != ""
	for _, fulfiller := range p.Fulfillers() {
		parcel := p.ParcelOf(fulfiller)
		if !shown(parcel) || held && parcel.Status != pledge.Sent {
			continue
		}
		items, addOns := "", itemNames(p, pledge.PlatformAddOnLine)
		if fulfiller == pledge.ByCampaign {
			items, addOns = itemNames(p, pledge.TierLine), itemNames(p, pledge.CampaignAddOnLine)
		}
		row := append(addressCells(p, fulfiller), p.Email, p.ShippingOption, items, addOns, p.FulfillmentType)
		packed := ""
		if parcel.PackedAt != nil {
			packed = formatTime(*parcel.PackedAt)
		}
		rows = append(rows,
			append(row, string(parcel.Status), packed, parcel.SentOn, parcel.Carrier, parcel.Tracking, phone(p)))
	}
	return rows
}

// counts reports whether a pledge is included in a report's totals.
func (k Kind) counts(p *pledge.Pledge) bool {
	if k == PledgeReport {
		return p.Status != pledge.Cancelled && !p.Dropped()
	}
	return p.Charged
}

// WriteCSV writes a report row by row (RFC 4180). Cells are escaped so that a spreadsheet
// does not evaluate them as formulas.
func (k Kind) WriteCSV(w io.Writer, all Pledges) (Summary, error) {
	return k.table().writeCSV(w, all, EscapeFormula)
}

// WriteCarrierCSV writes the same rows without escaping, for carriers' tools, which would
// print the apostrophes of WriteCSV on labels. Spreadsheets may evaluate its cells as
// formulas.
func (k Kind) WriteCarrierCSV(w io.Writer, all Pledges) (Summary, error) {
	return k.table().writeCSV(w, all, func(cell string) string { return cell })
}

// WriteXLSX writes a report as a workbook with one worksheet that has the rows and columns of the
// CSV. Texts are text cells, which spreadsheets never interpret as formulas or numbers. It fails
// with code Conflict if there are more rows than a worksheet can have (about a million).
func (k Kind) WriteXLSX(w io.Writer, all Pledges) (Summary, error) {
	return k.table().writeXLSX(w, all)
}

// table is the layout of a file.
type table struct {
	kind Kind
	head []string
	show func(key, cell string) string // returns the text of a cell
}

// table returns the layout of a file for programs: keys as headings, and cells unchanged.
func (k Kind) table() table {
	return table{k, k.Columns(), func(_, cell string) string { return cell }}
}

func (t table) writeCSV(w io.Writer, all Pledges, escape func(cell string) string) (Summary, error) {
	out := csv.NewWriter(w)
	head := slices.Clone(t.head)
	for i, name := range head {
		head[i] = escape(name)
	}
	if err := out.Write(head); err != nil {
		return Summary{}, err
	}
	s, err := t.walk(all, func(row []string) error {
		for i, cell := range row {
			row[i] = escape(cell)
		}
		return out.Write(row)
	})
	if err != nil {
		return s, err
	}
	out.Flush()
	return s, out.Error()
}

// walk calls write for each row of a report and returns the report's summary.
func (t table) walk(all Pledges, write func(row []string) error) (s Summary, err error) {
	k := t.kind
	for p, err := range all {
		if err != nil {
			return s, err
		}
		if k.counts(p) {
			s.Active++
			s.Total += p.PaidOrDue()
			s.Refunded += p.Refunded()
		}
		if k != PledgeReport {
			s.Held.Add(p)
		}
		for _, row := range k.Rows(p) {
			s.Rows++
			for i, key := range k.Columns() {
				row[i] = t.show(key, row[i])
			}
			if err := write(row); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// phone returns the phone number for the carrier, or "".
func phone(p *pledge.Pledge) string {
	if p.ShippingAddress == nil {
		return ""
	}
	return p.ShippingAddress.Phone
}

func addressCells(p *pledge.Pledge, fulfiller string) []string {
	a := pledge.Address{}
	if p.ShippingAddress != nil {
		a = *p.ShippingAddress
	}
	return []string{p.OrderID, fulfiller, a.Name, a.Line1, a.Line2, a.City, a.State, a.PostalCode, a.Country}
}

// EscapeFormula prefixes a cell with an apostrophe if a spreadsheet would interpret it as a
// formula, including the full-width forms of East Asian text
// (https://owasp.org/www-community/attacks/CSV_Injection).
func EscapeFormula(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}

// itemNames lists the lines of some kinds: "2 × Seat; T-shirt (M)".
func itemNames(p *pledge.Pledge, kinds ...pledge.LineKind) string {
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
			name = strings.TrimSpace(name + " " + formatDollars(l.Amount))
		}
		all = append(all, name)
	}
	return strings.Join(all, "; ")
}

// formatDollars formats an amount for spreadsheets: "1234.05".
func formatDollars(c money.Cents) string {
	return strings.NewReplacer("$", "", ",", "").Replace(c.String())
}

func chargedAt(p *pledge.Pledge) string {
	if p.ChargedAt == nil {
		return ""
	}
	return formatTime(*p.ChargedAt)
}

// chargedTotal returns the charged amount, "" before the charge. It differs from the total
// if operators accepted a different amount.
func chargedTotal(p *pledge.Pledge) string {
	if !p.Charged {
		return ""
	}
	return formatDollars(p.Paid())
}

// refundedTotal returns the refunded amount, "" if nothing was refunded.
func refundedTotal(p *pledge.Pledge) string {
	if p.Refunded() == 0 {
		return ""
	}
	return formatDollars(p.Refunded())
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
