package audit

import (
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/report"
)

// columns are the columns of the CSV file, in order. New ones are added at the end.
var columns = []string{
	"number", "created_at", "action", "admin_email", "admin_role", "campaign_slug", "order_id", "source",
	"status", "code", "changed_fields", "reason", "hash", "target",
}

// WriteCSV writes events as CSV (RFC 4180). Cells are escaped so that a spreadsheet does
// not evaluate them as formulas.
func WriteCSV(w io.Writer, events iter.Seq2[Event, error]) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for e, err := range events {
		if err != nil {
			return err
		}
		row := []string{
			strconv.Itoa(e.Number), e.At.UTC().Format(time.RFC3339), e.Action, e.AdminEmail,
			e.AdminRole, e.CampaignSlug, e.OrderID, e.Source,
			string(e.Status), e.Code, strings.Join(e.ChangedFields, " "), e.Reason, e.Hash, e.Target,
		}
		for i := range row {
			row[i] = report.EscapeFormula(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
