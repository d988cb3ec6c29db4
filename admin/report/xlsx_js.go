package report

import (
	"io"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Workbooks is false in the Worker build: the compression code would make it too large.
const Workbooks = false

func (table) writeXLSX(io.Writer, Pledges) (Summary, error) {
	return Summary{}, fault.New(fault.Unavailable, "This host cannot write workbooks: use the CSV, which has the same rows")
}
