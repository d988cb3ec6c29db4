package psp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Sixteen pledges fit into one metadata value. With more, the value is empty.
func TestJoinPledges(t *testing.T) {
	for n, fits := range map[int]bool{0: true, 1: true, 2: true, 16: true, 17: false, 1000: false} {
		var ids []string
		for range n {
			ids = append(ids, "pw-"+strings.Repeat("0", 26))
		}
		value := psp.JoinPledges(ids)
		if len(value) > 500 {
			t.Errorf("value for %d pledges has %d characters", n, len(value))
		}
		if !fits {
			ids = nil
		}
		if diff := cmp.Diff(ids, psp.SplitPledges(value)); diff != "" {
			t.Errorf("%d pledges (-want +got):\n%s", n, diff)
		}
	}
}
