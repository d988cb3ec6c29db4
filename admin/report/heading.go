package report

import (
	"embed"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// Each file is a language, with the names of the columns.
//
//go:embed messages/*.json
var messages embed.FS

var locales = locale.MustRead(messages, "messages")

// CellKind is how the cells of a column are shown.
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
	"total": MoneyCell, "subtotal": MoneyCell, "shipping": MoneyCell, "tax": MoneyCell, "tip": MoneyCell, "charged_total": MoneyCell,
	"tip_percent": PercentCell, "status": StatusCell, "parcel": ParcelCell,
}

// Heading describes a column to people.
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
			if cellKinds[key] != TimeCell || strings.TrimSpace(row[i]) == "" {
				continue
			}
			if at, err := time.Parse(time.RFC3339, row[i]); err == nil {
				row[i] = at.In(zone).Format(time.RFC3339)
			}
		}
	}
	return rows
}
