package report_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// cell is a cell as a spreadsheet reads it.
type cell struct {
	Type    string `xml:"t,attr"`
	Value   string `xml:"v"`
	Text    string `xml:"is>t"`
	Formula string `xml:"f"`
}

var escaped = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// displayText returns the displayed text, with escapes decoded.
func (c cell) displayText() string {
	if c.Type == "" {
		return c.Value
	}
	return escaped.ReplaceAllStringFunc(c.Text, func(s string) string {
		n, _ := strconv.ParseUint(s[2:6], 16, 16)
		return string(rune(n))
	})
}

// openWorkbook reads a workbook by its relationships, as a spreadsheet does.
func openWorkbook(book []byte) ([][]cell, error) {
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		return nil, err
	}
	read := func(name string, v any) error {
		f, err := z.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		return xml.Unmarshal(b, v)
	}
	type relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	var top, below relations
	if err := errors.Join(read("_rels/.rels", &top), read("xl/_rels/workbook.xml.rels", &below)); err != nil ||
		len(top.All) != 1 || len(below.All) != 1 {
		return nil, errors.Join(err, errors.New("relations"))
	}
	var workbook struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := read(top.All[0].Target, &workbook); err != nil || len(workbook.Sheets) != 1 ||
		workbook.Sheets[0].ID != below.All[0].ID {
		return nil, errors.Join(err, errors.New("sheets"))
	}
	var types struct {
		Parts []struct {
			Name string `xml:"PartName,attr"`
		} `xml:"Override"`
	}
	if err := read("[Content_Types].xml", &types); err != nil || len(types.Parts) != 2 ||
		types.Parts[1].Name != "/xl/"+below.All[0].Target {
		return nil, errors.Join(err, errors.New("types"))
	}
	var sheet struct {
		Rows []struct {
			Cells []cell `xml:"c"`
		} `xml:"sheetData>row"`
	}
	if err := read("xl/"+below.All[0].Target, &sheet); err != nil {
		return nil, err
	}
	var rows [][]cell
	for _, r := range sheet.Rows {
		rows = append(rows, r.Cells)
	}
	return rows, nil
}

func workbook(k report.Kind, all report.Pledges) (book []byte, s report.Summary, err error) {
	var b bytes.Buffer
	s, err = k.WriteXLSX(&b, all)
	return b.Bytes(), s, err
}

// A workbook has the rows of the CSV, with amounts as numbers and everything else as text, and
// writing it again produces the same bytes.
func TestWriteXLSX(t *testing.T) {
	for _, k := range []report.Kind{report.PledgeReport, report.FulfillmentReport} {
		all := pledgeSeq(charge(newPledge("pw-1")), cancel(newPledge("pw-2")), drop(newPledge("pw-3")),
			charge(newPledge("pw-4")))
		book, s, err := workbook(k, all)
		if err != nil {
			t.Fatal(err)
		}
		var file strings.Builder
		want, err := k.WriteCSV(&file, all)
		if err != nil || s != want {
			t.Errorf("%s: counted %+v, want %+v, %v", k, s, want, err)
		}
		rows, err := openWorkbook(book)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		for n, row := range rows {
			var line []string
			for i, c := range row {
				line = append(line, c.displayText())
				number := slices.Contains([]string{"total", "subtotal", "shipping", "tax", "tip_percent", "tip", "charged_total", "refunded_total"},
					k.Columns()[i])
				if number && n > 0 != (c.Type == "") && c.displayText() != "" ||
					!number && c.displayText() != "" && c.Type != "inlineStr" {
					t.Errorf("%s row %d, %s: the type %q", k, n, k.Columns()[i], c.Type)
				}
			}
			got = append(got, line)
		}
		rest, err := csv.NewReader(strings.NewReader(file.String())).ReadAll()
		if diff := cmp.Diff(rest, got); diff != "" || err != nil {
			t.Errorf("%s (-csv +workbook): %s, %v", k, diff, err)
		}
		if again, _, err := workbook(k, all); err != nil || !bytes.Equal(book, again) {
			t.Errorf("%s: the second write differs, %v", k, err)
		}
	}
}

// For any name of a supporter, the workbook can be opened and the name is a text cell with the same
// text.
func TestWriteXLSX_Texts(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, name, want string) {
		p := charge(newPledge("pw-1"))
		p.ShippingAddress.Name = name
		book, _, err := workbook(report.FulfillmentReport, pledgeSeq(p))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			return
		}
		rows, err := openWorkbook(book)
		if err != nil || len(rows) != 3 {
			t.Errorf("%q: %d rows, %v", name, len(rows), err)
			return
		}
		if c := rows[1][2]; c.displayText() != want || c.Formula != "" || want != "" && c.Type != "inlineStr" {
			t.Errorf("%q is %+v", name, c)
		}
	}
	long := strings.Repeat("é", 40_000)
	for name, want := range map[string]string{
		"=HYPERLINK(1)": "=HYPERLINK(1)", "+1": "+1", "-1": "-1", "@sum": "@sum", "007": "007", " Ada ": " Ada ", "": "",
		`<b>&"'</t>`: `<b>&"'</t>`, "_x0041_": "_x0041_", "_x_x0041_": "_x_x0041_", "two\nlines": "two\nlines",
		"\x00\x1b": "\uFFFD\uFFFD", "\xff": "\uFFFD",
		"\U0001F3AC": "\U0001F3AC", long: long[:2*32767],
		strings.Repeat("\U0001F3AC", 20_000): strings.Repeat("\U0001F3AC", 16_383), "]]>": "]]>",
	} {
		check(t, name, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ -~é\t\n]{0,40}`).Draw(t, "name")
		if utf8.ValidString(name) {
			check(t, name, name)
		}
	})
}

// WriteXLSX fails if the pledges cannot be read to the end or are too many for a worksheet.
func TestWriteXLSX_Error(t *testing.T) {
	broken := errors.New("no response")
	walk := func(yield func(*pledge.Pledge, error) bool) {
		if yield(newPledge("pw-1"), nil) {
			yield(nil, broken)
		}
	}
	book, _, err := workbook(report.PledgeReport, walk)
	if !errors.Is(err, broken) {
		t.Errorf("failing sequence: %v", err)
	}
	if _, err := openWorkbook(book); err == nil {
		t.Error("an incomplete workbook can be opened")
	}
	if _, err := report.PledgeReport.WriteXLSX(full{}, pledgeSeq(newPledge("pw-1"))); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Writing a workbook of many pledges needs no larger buffer than one of few.
func TestWriteXLSX_RowByRow(t *testing.T) {
	p := charge(newPledge("pw-1"))
	most := func(n int) int {
		var c counter
		if _, err := report.PledgeReport.WriteXLSX(&c, func(yield func(*pledge.Pledge, error) bool) {
			for range n {
				if !yield(p, nil) {
					return
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		return c.longest
	}
	if few, many := most(200), most(20_000); many > 2*few+65_536 {
		t.Errorf("largest writes: %d and %d bytes", few, many)
	}
}
