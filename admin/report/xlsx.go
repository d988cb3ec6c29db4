package report

import (
	"archive/zip"
	"bufio"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Limits of a worksheet
// (https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3).
const (
	sheetRows  = 1 << 20
	cellLength = 32767 // UTF-16 code units
)

// numbers are the columns with numeric cells. All other cells are text, even if they look
// like a number or a formula.
var numbers = []string{"total", "subtotal", "shipping", "tax", "tip_percent", "tip", "charged_total", "refunded_total"}

// parts are the files of a workbook other than the worksheet.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="Report" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
}

const prolog = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

func (t table) writeXLSX(w io.Writer, all Pledges) (s Summary, err error) {
	book := zip.NewWriter(w)
	for _, p := range parts {
		part, err := createPart(book, p.name)
		if err != nil {
			return s, err
		}
		if _, err := io.WriteString(part, prolog+p.text); err != nil {
			return s, err
		}
	}
	part, err := createPart(book, "xl/worksheets/sheet1.xml")
	if err != nil {
		return s, err
	}
	out := &sheet{w: bufio.NewWriter(part)}
	out.writeRaw(prolog + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	if err := out.writeRow(t.head, nil); err != nil {
		return s, err
	}
	if s, err = t.walk(all, func(row []string) error { return out.writeRow(row, t.kind.Columns()) }); err != nil {
		return s, err
	}
	out.writeRaw(`</sheetData></worksheet>`)
	if err := out.w.Flush(); err != nil {
		return s, err
	}
	return s, book.Close()
}

// createPart adds a file to the workbook. Its modification time is constant, so the same pledges
// produce the same bytes.
func createPart(book *zip.Writer, name string) (io.Writer, error) {
	return book.CreateHeader(&zip.FileHeader{
		Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
	})
}

// sheet writes a worksheet row by row.
type sheet struct {
	w    *bufio.Writer // keeps its first error
	rows int
}

func (s *sheet) writeRaw(parts ...string) {
	for _, p := range parts {
		_, _ = s.w.WriteString(p) // Flush returns the error
	}
}

// writeRow writes a row. columns holds the keys of the cells' columns; it is nil for the heading,
// whose cells are all text. It fails with code Conflict if the worksheet is full.
func (s *sheet) writeRow(cells, columns []string) error {
	if s.rows++; s.rows > sheetRows {
		return fault.New(fault.Conflict, "There are more pledges than a worksheet has rows: use the CSV instead")
	}
	s.writeRaw("<row>")
	for i, cell := range cells {
		switch {
		case cell == "":
			s.writeRaw("<c/>")
		case columns != nil && slices.Contains(numbers, columns[i]):
			s.writeRaw("<c><v>", cell, "</v></c>")
		default:
			s.writeRaw(`<c t="inlineStr"><is><t xml:space="preserve">`, escapeText(cell), "</t></is></c>")
		}
	}
	s.writeRaw("</row>")
	return nil
}

// escapeText escapes a text for a cell and truncates it to cellLength. XML cannot represent control
// characters, so they are replaced, and spreadsheets read _x0041_ as an escaped letter.
func escapeText(cell string) string {
	var b strings.Builder
	units := 0
	for i, r := range cell {
		if units++; r > 0xFFFF {
			units++
		}
		if units > cellLength {
			break
		}
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '_' && strings.HasPrefix(cell[i:], "_x"):
			b.WriteString("_x005F_")
		case r == '\t', r == '\n':
			b.WriteRune(r)
		case r < ' ', r == 0xFFFE, r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
