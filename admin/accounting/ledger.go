package accounting

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Entries are the entries of a campaign's ledger, in order. They end with the first error.
type Entries = iter.Seq2[ledger.Entry, error]

// WriteLedger writes the entries of a campaign's ledger as plain text, one transaction for each, with
// the days of a time zone. Its last line is a comment with the number of entries, which is missing from
// a file that was interrupted. It fails with the sequence's error.
func WriteLedger(w io.Writer, slug string, entries Entries, n Names, zone *time.Location) error {
	if _, err := fmt.Fprintf(w, "; ledger of %s, version %d\n", slug, Version); err != nil {
		return err
	}
	written := 0
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := n.writeEntry(w, e, zone); err != nil {
			return err
		}
		written++
	}
	_, err := fmt.Fprintf(w, "\n; end of the ledger, entries: %d\n", written)
	return err
}

func (n Names) writeEntry(w io.Writer, e ledger.Entry, zone *time.Location) error {
	text := strings.TrimSpace(string(e.Kind) + " " + cmp.Or(e.PaymentID, e.PayoutID))
	_, err := fmt.Fprintf(w, "\n%s * %q\n  ; entry: %d\n", e.ValueAt.In(zone).Format(time.DateOnly), text, e.Number)
	if late := bookedLate(e, zone); late != "" && err == nil {
		_, err = fmt.Fprintf(w, "  ; booked: %s\n", late)
	}
	for _, l := range e.Lines {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "  %s  %s USD%s\n", n.accountName(PlainText, l.Account), formatAmount(l.Amount),
			comment(l.Pledge))
	}
	return err
}

// bookedLate returns the day on which an entry was booked if that is in a later month than its value date,
// otherwise "".
func bookedLate(e ledger.Entry, zone *time.Location) string {
	const month = "2006-01"
	value, booked := e.ValueAt.In(zone), e.BookedAt.In(zone)
	if booked.Format(month) <= value.Format(month) {
		return ""
	}
	return booked.Format(time.DateOnly)
}

// comment returns the comment that names a pledge, "" for none.
func comment(pledgeID string) string {
	if pledgeID == "" {
		return ""
	}
	return "  ; pledge: " + pledgeID
}
