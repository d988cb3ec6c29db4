package report

import (
	"embed"
	"io"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// messages holds one file per language with the names of the columns.
//
//go:embed messages/*.json
var messages embed.FS

var locales = locale.MustRead(messages, "messages")

// CellKind determines how the cells of a column are displayed.
type CellKind string

// The kinds of cells. An empty cell has no value.
const (
	TextCell    CellKind = "text"
	TimeCell    CellKind = "time"    // RFC 3339
	DayCell     CellKind = "day"     // such as 2026-11-30
	MoneyCell   CellKind = "money"   // US dollars with two decimals, such as 1234.05
	PercentCell CellKind = "percent" // a whole number
	StatusCell  CellKind = "status"  // as Pledge.DisplayStatus
	ParcelCell  CellKind = "parcel"  // a pledge.ParcelStatus
)

// CellKinds returns all kinds of cells.
func CellKinds() []CellKind {
	return []CellKind{TextCell, TimeCell, DayCell, MoneyCell, PercentCell, StatusCell, ParcelCell}
}

var cellKinds = map[string]CellKind{
	"created_at": TimeCell, "charged_at": TimeCell, "packed_at": TimeCell, "sent_on": DayCell,
	"total": MoneyCell, "subtotal": MoneyCell, "shipping": MoneyCell, "tax": MoneyCell,
	"tip": MoneyCell, "charged_total": MoneyCell, "refunded_total": MoneyCell,
	"tip_percent": PercentCell, "status": StatusCell, "parcel": ParcelCell,
}

// Heading describes a column for display.
type Heading struct {
	Key  string   `json:"key"`  // the column's name in the file
	Name string   `json:"name"` // in words
	Kind CellKind `json:"kind"`
}

// Headings returns the headings of a report's columns in a language, or in English if there
// are no messages in it.
func (k Kind) Headings(lang string) []Heading {
	l := locales.For(lang)
	all := make([]Heading, 0, len(k.Columns()))
	for _, key := range k.Columns() {
		h := Heading{Key: key, Name: l.Format(key), Kind: TextCell}
		if kind, ok := cellKinds[key]; ok {
			h.Kind = kind
		}
		all = append(all, h)
	}
	return all
}

// RowsIn returns the rows of a pledge with times in a zone.
func (k Kind) RowsIn(p *pledge.Pledge, zone *time.Location) [][]string {
	rows := k.Rows(p)
	for _, row := range rows {
		for i, key := range k.Columns() {
			if cellKinds[key] == TimeCell {
				row[i] = timeIn(zone, row[i], time.RFC3339)
			}
		}
	}
	return rows
}

// timeIn formats the time in a cell for a zone and a layout. It returns a cell without a time
// unchanged.
func timeIn(zone *time.Location, cell, layout string) string {
	at, err := time.Parse(time.RFC3339, cell)
	if err != nil {
		return cell
	}
	return at.In(zone).Format(layout)
}

// Readable writes a report as the dashboard shows it: headings and statuses are in words, and times
// are in the zone named in the headings.
type Readable struct {
	Kind Kind
	Lang string
	Zone *time.Location
}

// WriteCSV is like Kind.WriteCSV, with readable headings and values.
func (r Readable) WriteCSV(w io.Writer, all Pledges) (Summary, error) {
	return r.table().writeCSV(w, all, EscapeFormula)
}

// WriteXLSX is like Kind.WriteXLSX, with readable headings and values.
func (r Readable) WriteXLSX(w io.Writer, all Pledges) (Summary, error) {
	return r.table().writeXLSX(w, all)
}

func (r Readable) table() table {
	t := table{kind: r.Kind, show: r.show}
	for _, h := range r.Kind.Headings(r.Lang) {
		if h.Kind == TimeCell {
			h.Name += " (" + r.Zone.String() + ")"
		}
		t.head = append(t.head, h.Name)
	}
	return t
}

// show returns the name of a cell's value if it has one, such as the message status_charged. Other
// cells are unchanged, except times.
func (r Readable) show(key, cell string) string {
	if cellKinds[key] == TimeCell {
		return timeIn(r.Zone, cell, "2006-01-02 15:04")
	}
	if l := locales.For(r.Lang); cell != "" && l.Has(key+"_"+cell) {
		return l.Format(key + "_" + cell)
	}
	return cell
}
