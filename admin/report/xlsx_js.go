package report

import (
	"io"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Workbooks is false on a worker: what compresses them would make its program too large.
const Workbooks = false

// WriteXLSX fails with code Unavailable.
func (k Kind) WriteXLSX(io.Writer, Pledges) (Summary, error) {
	return Summary{}, fault.New(fault.Unavailable, "This host writes no workbooks; the CSV has the same rows")
}
