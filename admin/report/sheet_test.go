package report

import (
	"bufio"
	"io"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestSheet_RowLimit(t *testing.T) {
	s := &sheet{w: bufio.NewWriter(io.Discard), rows: sheetRows - 1}
	if err := s.writeRow([]string{"last"}, []string{"email"}); err != nil {
		t.Error(err)
	}
	if err := s.writeRow([]string{"more"}, []string{"email"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a row beyond the last: %v", err)
	}
}
