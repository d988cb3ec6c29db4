package compose_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// The last checkout ends before the first charge, by clocks as wrong as they may be, and a
// webhook is as late as a signature may be old.
func TestMargins(t *testing.T) {
	if last := checkout.LongestAfterDeadline + settlement.MaxClockError + psp.Tolerance; settlement.Margin < last {
		t.Errorf("a session may complete %s after a deadline, and settlement begins after %s", last, settlement.Margin)
	}
	if settlement.Margin <= 2*settlement.MaxClockError {
		t.Error("two clocks may be further apart than the margin")
	}
}
