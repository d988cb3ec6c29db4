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

// Limits of a carrier's file.
const (
	MaxFile  = 1 << 20 // bytes
	maxLines = 2000
)

// Imported is the result of importing a carrier's file, with one Result per line in the
// file's order. Empty lines are skipped.
type Imported struct {
	DryRun bool `json:"dryRun"`
	// Columns maps each recognized column to its name in the file.
	Columns   map[string]string `json:"columns"`
	Results   []Result          `json:"results"`
	Marked    int               `json:"marked"`
	Unchanged int               `json:"unchanged"`
	Refused   int               `json:"refused"`
}

// columns lists the recognized columns, each with its possible headings, reduced to
// lower-case letters and digits, in order of preference. ShipStation's headings include
// "Date - Shipped Date" and "Carrier - Carrier Selected".
var columns = []struct {
	name  string
	heads []string
}{
	{"order", []string{"order", "orderid", "ordernumber", "orderno", "ordernum", "reference", "reference1",
		"ref", "customerreference", "pedido", "numerodepedido", "ndepedido", "referencia"}},
	{"carrier", []string{"carrier", "carriername", "carriercarrierselected", "shipmentcarrier",
		"carrierserviceselected", "courier", "shippedvia", "transportista", "mensajeria"}},
	{"tracking", []string{"tracking", "trackingnumber", "trackingno", "trackingid", "trackingcode",
		"trackingnr", "shipmenttrackingnumber", "barcode", "seguimiento", "numerodeseguimiento",
		"ndeseguimiento", "codigodeseguimiento", "localizador"}},
	{"date", []string{"date", "shipdate", "shippeddate", "dateshipped", "dateshippeddate", "shipmentshipdate",
		"shippedon", "shippingdate", "senton", "sentat", "mailingdate", "fecha", "fechadeenvio", "fechaenvio"}},
	{"fulfiller", []string{"fulfiller"}},
}

// Import marks the parcels in a carrier's file as sent. A line that cannot be read, or whose parcel
// cannot be marked, gets a result with a problem; the other lines are still processed. It fails
// with code Invalid if the batch is not valid, or if the file has no order column, has no lines
// below the heading, or is too long.
func (s *Service) Import(ctx context.Context, b Batch, file string) (Imported, error) {
	if err := b.check(); err != nil {
		return Imported{}, err
	}
	rows, found, err := parseFile(file)
	if err != nil {
		return Imported{}, err
	}
	out := Imported{DryRun: b.DryRun, Columns: found, Results: []Result{}}
	seen := map[string]Mark{}
	for _, row := range rows {
		r := Result{OrderID: row.mark.OrderID, Outcome: Refused, Problem: row.problem}
		if r.Problem == nil {
			r.Problem = checkRepeated(seen, row.mark)
		}
		if r.Problem == nil {
			if r, err = s.markOne(ctx, b, row.mark); err != nil {
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

// checkRepeated returns a problem if an earlier line has different data for the same order.
func checkRepeated(seen map[string]Mark, m Mark) *fault.Error {
	key := strings.ToLower(m.OrderID) + "/" + m.Fulfiller
	if was, ok := seen[key]; ok && was != m {
		return fault.New(fault.Conflict, "An earlier line has different data for this order").In("order")
	}
	seen[key] = m
	return nil
}

// row is a line of a file, with a problem if it cannot be read.
type row struct {
	line    int
	mark    Mark
	problem *fault.Error
}

// parseFile parses a file line by line, so that an unmatched quote affects only its own line.
func parseFile(file string) (rows []row, found map[string]string, err error) {
	if len(file) > MaxFile {
		return nil, nil, fault.New(fault.Invalid, "The file can have at most %d bytes", MaxFile).In("csv")
	}
	var at map[string]int
	var comma rune
	for i, line := range strings.Split(strings.TrimPrefix(file, "\ufeff"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if at == nil {
			comma = detectSeparator(line)
			if at, found = findColumns(splitCells(line, comma)); at == nil {
				return nil, nil, fault.New(fault.Invalid,
					"The first line has no column for the order number: name it \"order\"").In("csv")
			}
			continue
		}
		if len(rows) == maxLines {
			return nil, nil, fault.New(fault.Invalid, "The file has more than %d lines: split it into several files",
				maxLines).In("csv")
		}
		rows = append(rows, readRow(i+1, line, comma, at))
	}
	if len(rows) == 0 {
		return nil, nil, fault.New(fault.Invalid, "The file has no lines below the heading").In("csv")
	}
	normalizeDates(rows)
	return rows, found, nil
}

func readRow(line int, text string, comma rune, at map[string]int) row {
	r := row{line: line, mark: Mark{Status: pledge.Sent}}
	cells := splitCells(text, comma)
	if len(cells) == 0 {
		r.problem = fault.New(fault.Invalid, "The quotes in the line do not match").In("csv")
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
		r.problem = fault.New(fault.Invalid, "The order number is missing").In("orderId")
	case (tracked || dated) && r.mark.Tracking == "" && r.mark.SentOn == "":
		r.problem = fault.New(fault.Invalid, "The line has neither a tracking number nor a date").In("trackingNumber")
	}
	return r
}

// splitCells splits a line into cells. It returns nil if unmatched quotes enclose a separator.
// Quotes within a cell, as in ="0012", are accepted.
func splitCells(line string, comma rune) []string {
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

// detectSeparator returns the column separator: the most frequent of three in the first line.
func detectSeparator(line string) rune {
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// findColumns finds the columns by their headings. At maps their names to positions, and found to
// headings. Both are nil if there is no order column.
func findColumns(cells []string) (at map[string]int, found map[string]string) {
	at, found = map[string]int{}, map[string]string{}
	for _, column := range columns {
		for _, name := range column.heads {
			i := slices.IndexFunc(cells, func(cell string) bool { return heading(cell) == name })
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

// heading reduces a column's heading to the form in columns.
func heading(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, unaccented.Replace(strings.ToLower(name)))
}
