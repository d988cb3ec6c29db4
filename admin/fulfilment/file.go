package fulfilment

import (
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The bounds of a carrier's file.
const (
	MaxFile  = 1 << 20 // bytes
	maxLines = 2000
)

// Imported is what became of a carrier's file, or would in a dry run: line by line, in the
// file's order. Lines without anything are not among them.
type Imported struct {
	DryRun bool `json:"dryRun"`
	// Columns are those that were found: what each is, and its name in the file.
	Columns   map[string]string `json:"columns"`
	Results   []Result          `json:"results"`
	Marked    int               `json:"marked"`
	Unchanged int               `json:"unchanged"`
	Refused   int               `json:"refused"`
}

// columns lists the columns that are read, each with the names that files give it, reduced to
// lower-case letters and digits. A name that is listed earlier is preferred. The order is needed.
// "Date - Shipped Date" and "Carrier - Carrier Selected" are ShipStation's.
var columns = []struct {
	name  string
	heads []string
}{
	{"order", []string{"order", "orderid", "ordernumber", "orderno", "ordernum", "reference", "reference1", "ref", "customerreference", "pedido", "numerodepedido", "ndepedido", "referencia"}},
	{"carrier", []string{"carrier", "carriername", "carriercarrierselected", "shipmentcarrier", "carrierserviceselected", "courier", "shippedvia", "transportista", "mensajeria"}},
	{"tracking", []string{"tracking", "trackingnumber", "trackingno", "trackingid", "trackingcode", "trackingnr", "shipmenttrackingnumber", "barcode", "seguimiento", "numerodeseguimiento", "ndeseguimiento", "codigodeseguimiento", "localizador"}},
	{"date", []string{"date", "shipdate", "shippeddate", "dateshipped", "dateshippeddate", "shipmentshipdate", "shippedon", "shippingdate", "senton", "sentat", "mailingdate", "fecha", "fechadeenvio", "fechaenvio"}},
	{"fulfiller", []string{"fulfiller"}},
}

// Import marks what a carrier's file says was sent. A line that can't be read, or names what
// can't be marked, is answered with its number and field, and the others are marked all the
// same. It fails with code Invalid for a file that names no orders, or is too long.
func (s *Service) Import(ctx context.Context, b Batch, file string) (Imported, error) {
	if err := b.check(); err != nil {
		return Imported{}, err
	}
	rows, found, err := read(file)
	if err != nil {
		return Imported{}, err
	}
	out := Imported{DryRun: b.DryRun, Columns: found, Results: []Result{}}
	seen := map[string]Mark{}
	for _, row := range rows {
		r := Result{OrderID: row.mark.OrderID, Outcome: Refused, Problem: row.problem}
		if r.Problem == nil {
			r.Problem = twice(seen, row.mark)
		}
		if r.Problem == nil {
			if r, err = s.one(ctx, b, row.mark); err != nil {
				return Imported{}, err
			}
		}
		r.Line = row.line
		out.add(r)
	}
	return out, nil
}

func (i *Imported) add(r Result) {
	i.Results = append(i.Results, r)
	switch r.Outcome {
	case Marked:
		i.Marked++
	case Unchanged:
		i.Unchanged++
	case Refused:
		i.Refused++
	}
}

// twice refuses an order about which the file said something else before.
func twice(seen map[string]Mark, m Mark) *fault.Error {
	key := strings.ToLower(m.OrderID) + "/" + m.Fulfiller
	if was, ok := seen[key]; ok && was != m {
		return fault.New(fault.Conflict, "The file says something else of this order on a line before").In("order")
	}
	seen[key] = m
	return nil
}

// row is a line of a file, with the problem of one that can't be read.
type row struct {
	line    int
	mark    Mark
	problem *fault.Error
}

// read takes a file apart, line by line, so that one with a quote too many spoils no other.
func read(file string) (rows []row, found map[string]string, err error) {
	if len(file) > MaxFile {
		return nil, nil, fault.New(fault.Invalid, "A file has at most %d bytes", MaxFile).In("csv")
	}
	var at map[string]int
	var comma rune
	for i, line := range strings.Split(strings.TrimPrefix(file, "\ufeff"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if at == nil {
			comma = separator(line)
			if at, found = head(cells(line, comma)); at == nil {
				return nil, nil, fault.New(fault.Invalid, "The first line names no column with the orders: call it \"order\"").In("csv")
			}
			continue
		}
		if len(rows) == maxLines {
			return nil, nil, fault.New(fault.Invalid, "A file has at most %d lines: upload it in parts", maxLines).In("csv")
		}
		rows = append(rows, readRow(i+1, line, comma, at))
	}
	if len(rows) == 0 {
		return nil, nil, fault.New(fault.Invalid, "The file has no lines below the names of its columns").In("csv")
	}
	orderDays(rows)
	return rows, found, nil
}

func readRow(line int, text string, comma rune, at map[string]int) row {
	r := row{line: line, mark: Mark{Status: pledge.Sent}}
	cells := cells(text, comma)
	if len(cells) == 0 {
		r.problem = fault.New(fault.Invalid, "The line's quotes don't match").In("csv")
		return r
	}
	cell := func(column string) string {
		if i, ok := at[column]; ok && i < len(cells) {
			return strings.TrimSpace(cells[i])
		}
		return ""
	}
	r.mark.OrderID, r.mark.Fulfiller = cell("order"), strings.ToLower(cell("fulfiller"))
	r.mark.Carrier, r.mark.Tracking, r.mark.SentOn = cell("carrier"), cell("tracking"), cell("date")
	_, tracked := at["tracking"]
	_, dated := at["date"]
	switch {
	case r.mark.OrderID == "":
		r.problem = fault.New(fault.Invalid, "The line names no order").In("orderId")
	case (tracked || dated) && r.mark.Tracking == "" && r.mark.SentOn == "":
		r.problem = fault.New(fault.Invalid, "Neither a tracking number nor a day says that this was sent").In("trackingNumber")
	}
	return r
}

// cells takes a line apart; there are none where its quotes swallow a separator. A quote
// within a cell, as in ="0012", is no fault.
func cells(line string, comma rune) []string {
	in := csv.NewReader(strings.NewReader(line))
	in.Comma = comma
	all, err := in.Read()
	if err == nil {
		return all
	}
	in = csv.NewReader(strings.NewReader(line))
	in.Comma, in.LazyQuotes = comma, true
	if all, err = in.Read(); err != nil || len(all) != strings.Count(line, string(comma))+1 {
		return nil
	}
	return all
}

// separator is what stands between a file's columns: the one of three that its first line
// has most of.
func separator(line string) rune {
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// head finds the columns by their names; at is nil without the orders.
func head(cells []string) (at map[string]int, found map[string]string) {
	at, found = map[string]int{}, map[string]string{}
	for _, column := range columns {
		for _, name := range column.heads {
			i := slices.IndexFunc(cells, func(cell string) bool { return plain(cell) == name })
			if i >= 0 {
				at[column.name], found[column.name] = i, strings.TrimSpace(cells[i])
				break
			}
		}
	}
	if _, ok := at["order"]; !ok {
		return nil, nil
	}
	return at, found
}

var unaccented = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "º", "", "°", "")

// plain is a column's name without what doesn't tell it from others.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, unaccented.Replace(strings.ToLower(name)))
}
