package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Problem is an error or a warning about a file, with a message that helps to fix it.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`            // from 1; 0 if no line is known
	Field   string `json:"field,omitempty"` // such as "tiers[0].price"
	Message string `json:"message"`
}

// String formats the problem as "campaigns/a.md:12: tiers[0].price: write an amount
// such as 25.00".
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = strings.TrimPrefix(fmt.Sprintf("%s:%d", p.File, p.Line), ":")
	}
	parts := slices.DeleteFunc([]string{at, p.Field, p.Message}, func(s string) bool { return s == "" })
	return strings.Join(parts, ": ")
}

// Problems is a list of errors or of warnings, in the order of the files. A list of errors is
// itself an error with code Invalid.
type Problems []Problem //nolint:errname // a list that forms show, and an error only when a file is rejected

// Error returns the problems, one per line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Sort sorts the problems of a file by line and field.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Field, b.Field))
	})
}

// Unwrap returns the first problem as a *fault.Error with code Invalid and its field.
func (p Problems) Unwrap() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%s", p[0].Message).In(p[0].Field)
}
