package accounting

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Format is a file format.
type Format string

// The formats.
const (
	Xero       Format = "xero"       // manual journals of Xero, as CSV
	QuickBooks Format = "quickbooks" // journal entries of QuickBooks Online, as CSV
	PlainText  Format = "text"       // plain text, for hledger, Ledger and Beancount
)

// XeroLines is the maximum number of lines in a file of manual journals
// (https://help.xero.com/nz/ManualJournalsImport).
const XeroLines = 300

// xeroRows is XeroLines without the header line.
const xeroRows = XeroLines - 1

// chart holds the default account names.
var chart = map[Format]map[Account]string{
	Xero: {
		Clearing: "1200", Fees: "6040", Pledges: "4000", AddOns: "4010", Shipping: "4020", Tips: "4030", Tax: "2200",
		Owed: "2210", Bank: "1220", Disputed: "1210", Losses: "6050", Suspense: "1290",
	},
	QuickBooks: {
		Clearing: "Payment processor clearing", Fees: "Payment processor fees", Pledges: "Pledges", AddOns: "Add-on sales",
		Shipping: "Shipping collected", Tips: "Tips", Tax: "Sales tax payable",
		Owed: "Refunds owed", Bank: "Bank transfers", Disputed: "Disputed payments", Losses: "Dispute losses",
		Suspense: "Suspense",
	},
	PlainText: {
		Clearing: "Assets:Processor", Fees: "Expenses:ProcessorFees", Pledges: "Income:Pledges", AddOns: "Income:AddOns",
		Shipping: "Income:Shipping", Tips: "Income:Tips", Tax: "Liabilities:SalesTax",
		Owed: "Liabilities:RefundsOwed", Bank: "Assets:Bank", Disputed: "Assets:Disputed",
		Losses: "Expenses:DisputeLosses", Suspense: "Assets:Suspense",
	},
}

// Names are the names to use in the bookkeeping software.
type Names struct {
	Accounts map[Account]string // overrides of the default names
	TaxRate  string             // Xero's name of a tax rate of zero; "" means "Tax Exempt"
}

// Check validates the names. It fails with code Invalid and the field's name if a name is
// not a usable account name or could be taken for a spreadsheet formula.
func (n Names) Check() error {
	for _, a := range Accounts {
		if name, given := n.Accounts[a]; given && !isPlain(name) {
			return invalidName(string(a))
		}
	}
	if n.TaxRate != "" && !isPlain(n.TaxRate) {
		return invalidName("taxRate")
	}
	return nil
}

func invalidName(field string) error {
	return fault.New(fault.Invalid,
		"A name must begin with a letter or digit and can have at most 100 letters, digits, spaces and : - . ( ) %% &").
		In(field)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isPlain(name string) bool {
	return name != "" && len(name) <= 100 && strings.IndexByte(letters, name[0]) >= 0 &&
		strings.Trim(name, letters+" :-.()%&") == "" && strings.TrimSpace(name) == name && !strings.Contains(name, "  ")
}

func (n Names) accountName(f Format, a Account) string {
	if name := n.Accounts[a]; name != "" {
		return name
	}
	return chart[f][a]
}

// Files splits journals into files. For Xero, it returns as few files as the line limit allows and
// never splits a journal across files; the other formats use one file. There is always at least one
// file.
func (f Format) Files(all []Journal) [][]Journal {
	files, rows := [][]Journal{nil}, 0
	for _, j := range all {
		if f == Xero && rows+len(j.Lines) > xeroRows {
			files, rows = append(files, nil), 0
		}
		rows += len(j.Lines)
		files[len(files)-1] = append(files[len(files)-1], j)
	}
	return files
}

// Write writes the journals of a campaign as one file. It fails with code NotFound for an
// unknown format.
func (f Format) Write(w io.Writer, slug string, all []Journal, n Names) error {
	switch f {
	case Xero:
		return n.writeXero(w, slug, all)
	case QuickBooks:
		return n.writeQuickBooks(w, slug, all)
	case PlainText:
		return n.writePlainText(w, slug, all)
	}
	return fault.New(fault.NotFound, "Unknown accounting format")
}

func (n Names) writeXero(w io.Writer, slug string, all []Journal) error {
	rate := n.TaxRate
	if rate == "" {
		rate = "Tax Exempt"
	}
	rows := [][]string{{"Narration", "Date", "Description", "AccountCode", "TaxRate", "Amount"}}
	for _, j := range all {
		for _, l := range j.Lines {
			rows = append(rows, []string{j.Number, j.formatDay("02/01/2006"), j.describe(slug),
				n.accountName(Xero, l.Account), rate, formatAmount(l.Amount)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func (n Names) writeQuickBooks(w io.Writer, slug string, all []Journal) error {
	rows := [][]string{{"Journal No.", "Journal Date", "Account Name", "Description", "Debits", "Credits"}}
	for _, j := range all {
		for _, l := range j.Lines {
			row := []string{j.Number, j.formatDay("01/02/2006"), n.accountName(QuickBooks, l.Account), j.describe(slug), "", ""}
			if l.Amount > 0 {
				row[4] = formatAmount(l.Amount)
			} else {
				row[5] = formatAmount(-l.Amount)
			}
			rows = append(rows, row)
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writePlainText writes the syntax that hledger, Ledger and Beancount share. Beancount requires
// open directives for the accounts, which belong in the file that includes this one.
func (n Names) writePlainText(w io.Writer, slug string, all []Journal) error {
	var b strings.Builder
	fmt.Fprintf(&b, "; accounting of %s, version %d\n", slug, Version)
	for _, j := range all {
		fmt.Fprintf(&b, "\n%s * %q\n  ; number: %s\n", j.Day, j.describe(slug), j.Number)
		for _, l := range j.Lines {
			fmt.Fprintf(&b, "  %s  %s USD\n", n.accountName(PlainText, l.Account), formatAmount(l.Amount))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describe describes a journal in plain ASCII.
func (j Journal) describe(slug string) string {
	if len(j.Movements) > 0 {
		return j.describeMovements(slug)
	}
	text := fmt.Sprintf("%s, pledges charged: %d", slug, j.Pledges)
	if j.UnbookedFees > 0 {
		text += fmt.Sprintf(", without their fees yet: %d", j.UnbookedFees)
	}
	return text
}

func (j Journal) describeMovements(slug string) string {
	parts := []string{slug}
	for _, kind := range slices.Sorted(maps.Keys(j.Movements)) {
		parts = append(parts, fmt.Sprintf("%s: %d", strings.ReplaceAll(string(kind), "_", " "), j.Movements[kind]))
	}
	if j.BookedOn != "" {
		parts = append(parts, "booked on "+j.BookedOn)
	}
	return strings.Join(parts, ", ")
}

// formatDay formats the day in a layout.
func (j Journal) formatDay(layout string) string {
	t, err := time.Parse(time.DateOnly, j.Day)
	if err != nil {
		return j.Day
	}
	return t.Format(layout)
}

// formatAmount formats an amount without separators or currency: "-1234.05".
func formatAmount(c money.Cents) string {
	return strings.NewReplacer("$", "", ",", "").Replace(c.String())
}
