package accounting

import (
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// WriteLedger writes the entries of a campaign's ledger as plain text, one transaction for each, with
// the days of a time zone. It fails with the sequence's error.
func WriteLedger(w io.Writer, slug string, entries iter.Seq2[ledger.Entry, error], n Names, zone *time.Location) error {
	if _, err := fmt.Fprintf(w, "; ledger of %s, version %d\n", slug, Version); err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := n.writeEntry(w, e, zone); err != nil {
			return err
		}
	}
	return nil
}

func (n Names) writeEntry(w io.Writer, e ledger.Entry, zone *time.Location) error {
	_, err := fmt.Fprintf(w, "\n%s * %q\n  ; entry: %d\n", e.ValueAt.In(zone).Format(time.DateOnly),
		string(e.Kind)+" "+e.PaymentID, e.Number)
	for _, l := range e.Lines {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "  %s  %s USD%s\n", n.accountName(PlainText, l.Account), formatAmount(l.Amount),
			comment(l.Pledge))
	}
	return err
}

// comment returns the comment that names a pledge, "" for none.
func comment(pledgeID string) string {
	if pledgeID == "" {
		return ""
	}
	return "  ; pledge: " + pledgeID
}
